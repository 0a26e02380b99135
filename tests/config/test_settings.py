from __future__ import annotations

import pytest
from pydantic import ValidationError

from config.load import load
from config.settings import Endpoint, Settings


def test_settings_survive_a_trip_through_json() -> None:
    settings = load(environment={}).settings
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


def test_settings_are_frozen() -> None:
    settings = load(environment={}).settings
    with pytest.raises(ValidationError, match="frozen"):
        settings.relay.drain_s = 1


def test_an_endpoint_knows_whether_others_can_reach_it() -> None:
    assert Endpoint("127.0.0.1", 1).is_loopback
    assert Endpoint("::1", 1).is_loopback
    assert Endpoint("localhost", 1).is_loopback
    assert not Endpoint("0.0.0.0", 1).is_loopback
    assert not Endpoint("gate.example", 1).is_loopback
    assert str(Endpoint("::1", 1)) == "[::1]:1"
