from __future__ import annotations

import json

from proxy.cli.views.session_json import session_object
from tests.support.stories import a_compacted_session


def test_facts_stand_as_stored_and_what_was_text_of_json_as_objects() -> None:
    told = a_compacted_session()
    told._session_fields["door_effects"] = '{"tools": 3}'
    found = session_object(told.story(), now_us=7)
    assert found["as_of_us"] == 7
    assert found["session"]["door_effects"] == {"tools": 3}
    assert found["calls"][0]["because"] == {}
    assert found["calls"][0]["name"] == "7f3a91c2:t1:c1"
    assert found["totals"]["calls_by_class"]["reacquisition"] == 3
    assert found["boundaries"][0]["bill"]["exact"]["events"] == 3
    assert json.loads(json.dumps(found)) == found


def test_the_same_session_gives_the_same_object() -> None:
    first, second = (session_object(a_compacted_session().story(), now_us=7) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


def test_every_figure_has_a_source_and_a_method() -> None:
    found = session_object(a_compacted_session().story(), now_us=7)
    assert found["labels"]["source"] == found["session"]["source"]
    assert found["labels"]["method"] == "observed"
    assert set(found["labels"]["modelled"]) <= set(found["boundaries"][0]["bill"])
