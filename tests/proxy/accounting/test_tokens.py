from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.accounting.tokens import WINDOW, TokenCounter, _windows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vocabulary")


@pytest.fixture(scope="module")
def counter(folder: Path) -> TokenCounter:
    return TokenCounter(folder)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("Grüße, 世界 🚀", 7),
        ("def f(x):\n    return x + 1\n", 11),
        ("\n\n\n    \t", 2),
    ],
)
def test_known_texts_have_known_lengths(counter: TokenCounter, text: str, tokens: int) -> None:
    assert counter.count(text) == tokens


def test_special_tokens_are_ordinary_text(counter: TokenCounter) -> None:
    assert counter.count("<|endoftext|>") > 1


def test_lone_surrogates_are_counted_and_not_a_crash(counter: TokenCounter) -> None:
    assert counter.count("a\ud800b") > 1


def test_the_other_encoding_counts_otherwise(folder: Path, counter: TokenCounter) -> None:
    other = TokenCounter(folder, encoding="cl100k_base")
    assert (other.encoding, counter.encoding) == ("cl100k_base", "o200k_base")
    assert other.count("Привет, мир") != counter.count("Привет, мир")


def test_the_environment_is_left_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    TokenCounter(folder)
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/elsewhere")
    TokenCounter(folder)
    assert os.environ["TIKTOKEN_CACHE_DIR"] == "/elsewhere"


def test_equal_texts_are_counted_once_while_they_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TokenCounter(folder, cache_size=2)
    counted: list[str] = []
    encoding = counter._encoding

    class Counting:
        def encode_ordinary(self, text: str) -> list[int]:
            counted.append(text)
            return encoding.encode_ordinary(text)

    monkeypatch.setattr(counter, "_encoding", Counting())
    for text in ("a", "b", "a", "c", "a", "b"):
        counter.count(text)
    assert counted == ["a", "b", "c", "b"]
    assert len(counter._cache) == 2


@pytest.mark.parametrize("unit", ["a", " ", "\n", "=", "字", "7", "\n/", " \n"])
def test_a_megabyte_without_a_break_is_counted_quickly(counter: TokenCounter, unit: str) -> None:
    started = time.process_time()
    assert counter.count((unit * 1_000_000)[:1_000_000]) > 0
    assert time.process_time() - started < 3


def test_windows_hold_the_whole_text_and_are_bounded() -> None:
    text = "x" * (WINDOW + 5) + "\ny" * WINDOW
    windows = list(_windows(text))
    assert "".join(windows) == text
    assert all(0 < len(window) <= WINDOW for window in windows)


PIECES = st.sampled_from(
    [*"\n\t字A", "\r\n", "\n/", ";\n", "word", " word", "  ", "123", "(){};", "Grüße", "'s", "\n\n", "\u2028", "\nnext"]
)


@given(st.lists(PIECES, min_size=1, max_size=40).map("".join), st.lists(PIECES, min_size=1, max_size=40).map("".join))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_a_window_ends_where_a_token_ends(folder: Path, encoding: str, before: str, after: str) -> None:
    TokenCounter(folder, encoding=encoding)
    encode = tiktoken.get_encoding(encoding).encode_ordinary
    assert len(encode(before + "\n")) + len(encode("x" + after)) == len(encode(before + "\nx" + after))


def test_a_long_text_of_lines_is_counted_exactly(counter: TokenCounter) -> None:
    text = "".join(f"line {number}: some words, and a value = {number * 7};\n" for number in range(6000))
    assert len(text) > 3 * WINDOW
    assert counter.count(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
