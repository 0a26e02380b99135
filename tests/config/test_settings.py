from __future__ import annotations

import pytest
from pydantic import ValidationError

from config.errors import SettingsError
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


def with_labels(**labels: str) -> Settings:
    return load(environment={}, options={f"labels.{name}": ("--x", value) for name, value in labels.items()}).settings


def test_labels_come_from_headers_of_ours_or_are_the_client() -> None:
    settings = with_labels(team="header:X-Compaction-Team", agent="client")
    assert settings.labels == {"team": "header:x-compaction-team", "agent": "client"}
    assert load(environment={"COMPACTION_GATE_LABELS_TEAM": "client"}).settings.labels == {"team": "client"}


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("team", "header:authorization", 'expected "client" or "header:x-compaction-NAME"'),
        ("team", "header:x-compaction-token", "says something else to the relay"),
        ("team", "header:x-compaction-session", "says something else to the relay"),
        ("team", "x-compaction-team", 'expected "client" or "header:x-compaction-NAME"'),
    ],
)
def test_a_label_that_cannot_be_used_is_refused_by_its_key(name: str, source: str, wrong: str) -> None:
    with pytest.raises(SettingsError, match=f"labels.{name} = ") as caught:
        with_labels(**{name: source})
    assert wrong in str(caught.value)


def test_a_fourth_label_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"labels\.d = .* at most 3 labels"):
        with_labels(a="client", b="client", c="client", d="client")


def test_paths_are_exported_only_when_they_are_kept() -> None:
    options = {"export.otlp.contents": ("--x", True)}
    assert load(environment={}, options=options).settings.export.otlp.contents
    with pytest.raises(SettingsError, match=r'export\.otlp\.contents = true .* set capture\.contents to "hashes"'):
        load(environment={}, options=options | {"capture.contents": ("--x", "off")})


@pytest.mark.parametrize("endpoint", ["collector:4318", "http://u:canary@collector:4318", "grpc://collector"])
def test_an_endpoint_is_an_http_address_without_a_password(endpoint: str) -> None:
    with pytest.raises(SettingsError, match=r"export\.otlp\.endpoint") as caught:
        load(environment={}, options={"export.otlp.endpoint": ("--x", endpoint)})
    assert "canary" not in str(caught.value)
