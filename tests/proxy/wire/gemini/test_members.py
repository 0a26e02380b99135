from __future__ import annotations

from proxy.wire.gemini.members import items, member, snake


def test_a_member_is_found_by_either_of_its_names() -> None:
    assert snake("usageMetadata") == "usage_metadata"
    assert member({"usageMetadata": 1}, "usageMetadata") == member({"usage_metadata": 1}, "usageMetadata") == 1
    assert member({}, "usageMetadata") is None


def test_what_is_no_list_has_no_items() -> None:
    assert items({"parts": [1]}, "parts") == [1]
    assert items({"parts": {}}, "parts") == items({}, "parts") == []
