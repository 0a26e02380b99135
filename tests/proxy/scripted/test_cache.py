from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.scripted.cache import InputUsage, PromptCache, prompt_of, tokens_of
from proxy.scripted.settings import MINUTE_US, CacheRules

LONG = "x" * 8000


def body(*texts: str, marks: dict[int, str] | None = None, model: str = "m", **fields: Any) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    for at, ttl in (marks or {}).items():
        blocks[at]["cache_control"] = {"type": "ephemeral", "ttl": ttl}
    return {"model": model, "messages": [{"role": "user", "content": blocks}], **fields}


class Till:
    """A cache with a hand on its clock."""

    def __init__(self, **rules: Any) -> None:
        self.cache = PromptCache(CacheRules(**rules))
        self.now_us = 0

    def bill(self, request: dict[str, Any], *, salt: str = "", wait_min: int = 0) -> InputUsage:
        self.now_us += wait_min * MINUTE_US
        return self.cache.bill(prompt_of(request, tokens_per_kib=256), salt=salt, now_us=self.now_us)


def size(*texts: str) -> int:
    return prompt_of(body(*texts), tokens_per_kib=256).tokens


def test_a_prefix_is_written_once_and_read_after() -> None:
    till = Till()
    first = till.bill(body(LONG, "tail", marks={0: "5m"}))
    assert first == InputUsage(size("tail"), 0, size(LONG), 0)
    assert till.bill(body(LONG, "other", marks={0: "5m"})) == InputUsage(size("other"), size(LONG), 0, 0)


def test_a_moving_breakpoint_finds_the_former_one_by_looking_back() -> None:
    till = Till()
    till.bill(body(LONG, marks={0: "5m"}))
    grown = till.bill(body(LONG, "a", "b", marks={2: "5m"}))
    assert grown == InputUsage(0, size(LONG), size("a", "b"), 0)


def test_looking_back_has_a_limit() -> None:
    till = Till(lookback_blocks=2)
    till.bill(body(LONG, marks={0: "5m"}))
    assert till.bill(body(LONG, "a", "b", marks={2: "5m"})).read == size(LONG)
    till = Till(lookback_blocks=1)
    till.bill(body(LONG, marks={0: "5m"}))
    assert till.bill(body(LONG, "a", "b", marks={2: "5m"})).read == 0


def test_lifetimes_end_and_reading_renews_them() -> None:
    till = Till()
    till.bill(body(LONG, marks={0: "5m"}))
    assert till.bill(body(LONG, marks={0: "5m"}), wait_min=4).read == size(LONG)
    assert till.bill(body(LONG, marks={0: "5m"}), wait_min=4).read == size(LONG)
    assert till.bill(body(LONG, marks={0: "5m"}), wait_min=5).read == 0
    till.bill(body(LONG, "hour", marks={1: "1h"}))
    assert till.bill(body(LONG, "hour", marks={1: "1h"}), wait_min=59).read == size(LONG, "hour")


def test_writes_are_split_by_lifetime() -> None:
    till = Till()
    usage = till.bill(body(LONG, LONG, "tail", marks={0: "1h", 1: "5m"}))
    assert (usage.written_1h, usage.written_5m, usage.uncached) == (size(LONG), size(LONG), size("tail"))


def test_short_prefixes_are_not_cached() -> None:
    till = Till(minimum_by_model={"big": 10**6})
    for _ in range(2):
        assert till.bill(body("short", marks={0: "5m"})) == InputUsage(size("short"), 0, 0, 0)
        assert till.bill(body(LONG, marks={0: "5m"}, model="big")).written_5m == 0


def test_entries_belong_to_a_model_and_a_key() -> None:
    till = Till()
    till.bill(body(LONG, marks={0: "5m"}), salt="alice")
    assert till.bill(body(LONG, marks={0: "5m"}), salt="bob").read == 0
    assert till.bill(body(LONG, marks={0: "5m"}, model="n"), salt="alice").read == 0
    assert till.bill(body(LONG, marks={0: "5m"}), salt="alice").read == size(LONG)


def test_tools_and_system_stand_before_messages() -> None:
    till = Till()
    request = body("hi", system=[{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}])
    assert till.bill(request).written_5m == size(LONG)
    changed = {**request, "tools": [{"name": "t"}]}
    assert till.bill(changed).read == 0


def test_the_top_level_mark_stands_for_the_last_block() -> None:
    till = Till()
    usage = till.bill(body(LONG, "tail", cache_control={"type": "ephemeral"}))
    assert (usage.uncached, usage.written_5m) == (0, size(LONG, "tail"))


def test_automatic_caching_needs_no_mark() -> None:
    prompt = prompt_of(body(LONG), tokens_per_kib=256, automatic=True)
    assert PromptCache(CacheRules()).bill(prompt, salt="", now_us=0).written_5m == prompt.tokens


def test_tokens_are_a_share_of_the_bytes_rounded_up() -> None:
    assert [tokens_of(b"x" * n, 256) for n in (0, 1, 4, 5, 1024)] == [0, 1, 1, 2, 256]


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 6),
            st.dictionaries(st.integers(0, 5), st.sampled_from(["5m", "1h"]), max_size=3),
            st.integers(0, 40),
        ),
        max_size=8,
    )
)
def test_every_token_is_billed_once(requests: list[tuple[int, dict[int, str], int]]) -> None:
    till = Till(minimum_tokens=0)
    for count, marks, wait_min in requests:
        request = body(*map(str, range(count)), marks={at: ttl for at, ttl in marks.items() if at < count})
        usage = till.bill(request, wait_min=wait_min)
        assert sum(usage) == prompt_of(request, tokens_per_kib=256).tokens
        assert min(usage) >= 0
