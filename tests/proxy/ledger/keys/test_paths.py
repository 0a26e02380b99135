"""One spelling for each file, URL and query."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.ledger.keys.paths import digest, is_url, normalise_path, normalise_query, normalise_url


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", "/w/a"),
        ("./a", "/w/a"),
        ("a/", "/w/a"),
        ("a//b", "/w/a/b"),
        ("a/./b", "/w/a/b"),
        ("a/../b", "/w/b"),
        ("../b", "/b"),
        ("../../../b", "/b"),
        ("/a/b/", "/a/b"),
        ("//a//b", "/a/b"),
        ("/a/../../b", "/b"),
        ("/", "/"),
        (".", "/w"),
        ("..", "/"),
        ("", ""),
        ("~", "~"),
        ("~/a/./b", "~/a/b"),
        ("~/../b", "~/../b"),
        ("~bob/a", "~bob/a"),
        ("file:///a/b", "/a/b"),
        ("FILE:///a/b", "/a/b"),
        ("file://localhost/a%20b", "/a b"),
        ("file://host/a", "/host/a"),
        ("a b", "/w/a b"),
        ("a\\b", "/w/a\\b"),
        ("*.py", "/w/*.py"),
        (".hidden", "/w/.hidden"),
        ("...", "/w/..."),
        ("é", "/w/é"),
    ],
)
def test_a_path_has_one_spelling(path: str, expected: str) -> None:
    assert normalise_path(path, "/w") == expected


@pytest.mark.parametrize(("path", "expected"), [("a/../b", "b"), ("../b", "../b"), ("a/..", "."), ("./a", "a")])
def test_without_a_directory_a_relative_path_stays_relative(path: str, expected: str) -> None:
    assert normalise_path(path) == expected


@settings(deadline=None)
@given(st.text(alphabet="ab./~ :%", max_size=30), st.sampled_from(["", "/w", "/w/x/", "~", "rel"]))
def test_normalising_again_changes_nothing(path: str, cwd: str) -> None:
    once = normalise_path(path, cwd)
    assert normalise_path(once, cwd if once.startswith(("/", "~")) else "") == once


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=10))
def test_any_text_is_a_path(path: str, cwd: str) -> None:
    assert normalise_path(path, cwd) == normalise_path(path, cwd)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Example.COM", "https://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:8080/a", "http://example.com:8080/a"),
        ("https://example.com/a#part", "https://example.com/a"),
        ("https://example.com/a?b=c&d=e", "https://example.com/a?b=c&d=e"),
        (" https://example.com/A ", "https://example.com/A"),
        ("https://user:pass@example.com/a", "https://example.com/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://[::1/a", "http://[::1/a"),
        ("http://a:b/", "http://a:b/"),
        ("https://a.b/c d", "https://a.b/c%20d"),
        ("not a url", "not a url"),
        ("user:pass@host", "host"),
        ("", ""),
    ],
)
def test_a_url_has_one_spelling_without_credentials(url: str, expected: str) -> None:
    assert normalise_url(url) == expected


@pytest.mark.parametrize("name", ["api_key", "access_token", "X-Amz-Signature", "sig", "client_secret", "password"])
def test_secret_parameters_are_told_apart_but_not_shown(name: str) -> None:
    first = normalise_url(f"https://a.b/c?{name}=CANARY&q=1")
    assert "CANARY" not in first
    assert (
        first == normalise_url(f"https://a.b/c?{name}=CANARY&q=1") != normalise_url(f"https://a.b/c?{name}=OTHER&q=1")
    )


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_url_and_normalising_again_changes_nothing(text: str) -> None:
    once = normalise_url(f"https://h/{text}")
    assert normalise_url(once) == once
    normalise_url(text)


def test_a_query_has_one_spelling() -> None:
    assert normalise_query("  a \n b ") == "a b"


def test_urls_are_told_from_paths() -> None:
    assert is_url("https://a")
    assert not is_url("/a://b")


def test_a_digest_is_short_and_the_same_each_time() -> None:
    assert digest("a") == digest("a") != digest("b")
    assert len(digest("\udc80")) == len("#") + 16
