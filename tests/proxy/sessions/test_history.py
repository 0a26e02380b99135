"""How a new history follows a former one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.sessions.history import Overlap, common_prefix, compare, pack, unpack

DIGESTS = st.lists(st.binary(min_size=8, max_size=8), max_size=12)


def d(*names: str) -> list[bytes]:
    return [name.encode().ljust(8, b".") for name in names]


def extends(overlap: Overlap) -> bool:
    return overlap.shared >= overlap.former


def test_an_extension_holds_the_former_request_and_reply() -> None:
    overlap = compare(d("a", "b"), d("r"), d("a", "b", "r", "c"))
    assert (extends(overlap), overlap.shared, overlap.kept_later) == (True, 3, False)


def test_a_lost_end_is_not_kept_later() -> None:
    overlap = compare(d("a", "b", "c"), d("r"), d("a", "x"))
    assert (extends(overlap), overlap.shared, overlap.kept_later) == (False, 1, False)


def test_a_lost_middle_with_a_later_part_kept_is_told() -> None:
    overlap = compare(d("a", "b", "c"), d("r"), d("a", "c", "r", "n"))
    assert (extends(overlap), overlap.kept_later) == (False, True)


def test_a_changed_head_with_the_rest_kept_is_told() -> None:
    assert compare(d("a", "b"), d("r"), d("x", "b", "r")).kept_later


@given(DIGESTS, DIGESTS, DIGESTS)
def test_extending_is_having_the_former_request_as_prefix(
    former: list[bytes], reply: list[bytes], new: list[bytes]
) -> None:
    assert extends(compare(former, reply, new)) == (new[: len(former)] == former)


@given(DIGESTS, DIGESTS)
def test_the_common_prefix_is_common_and_cannot_be_longer(left: list[bytes], right: list[bytes]) -> None:
    shared = common_prefix(left, right)
    assert left[:shared] == right[:shared]
    assert left[shared : shared + 1] != right[shared : shared + 1] or shared == min(len(left), len(right))


@given(DIGESTS)
def test_packing_loses_nothing(digests: list[bytes]) -> None:
    assert unpack(pack(digests)) == digests
