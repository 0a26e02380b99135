from __future__ import annotations

import pytest

from proxy.framing.memo import Memo


def test_a_key_is_read_once() -> None:
    read: list[bytes] = []

    def length(key: bytes) -> int:
        read.append(key)
        return len(key)

    memo = Memo(length)
    assert [memo[b"abc"], memo[b"abc"], memo[b"de"]] == [3, 3, 2]
    assert read == [b"abc", b"de"]


def test_it_never_holds_more_than_it_may() -> None:
    memo = Memo(len, entries=4)
    for number in range(100):
        memo[b"%d" % number]
        assert len(memo) <= 4


def test_long_keys_are_read_and_not_kept() -> None:
    memo = Memo(len, longest=3)
    assert memo[b"abcd"] == 4
    assert not memo


def test_what_reading_raises_is_not_remembered() -> None:
    memo = Memo(int)
    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            memo[b"x"]
    assert not memo
