from __future__ import annotations

import stat
from pathlib import Path

import pytest

from proxy.model.ids import ExchangeId
from proxy.observer import Attempts
from proxy.observer.attempts import DEADLY

ONE, OTHER = ExchangeId("a" * 32, 2**40), ExchangeId("b" * 32, 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "attempt"


def test_an_exchange_is_tried_until_it_was_deadly_too_often(file: Path) -> None:
    """Each `Attempts` is a new process; none of them comes to `end`."""
    assert [Attempts(file).begin(ONE) for _ in range(DEADLY + 2)] == [True] * DEADLY + [False] * 2


def test_an_exchange_that_was_lived_through_has_no_deaths(file: Path) -> None:
    for _ in range(2 * DEADLY):
        attempts = Attempts(file)
        assert attempts.begin(ONE)
        attempts.end()
    assert Attempts(file).begin(ONE)


def test_deaths_count_for_one_exchange_alone(file: Path) -> None:
    for _ in range(DEADLY - 1):
        Attempts(file).begin(ONE)
    assert Attempts(file).begin(OTHER)
    assert [Attempts(file).begin(ONE) for _ in range(DEADLY)] == [True] * DEADLY


def test_calls_on_one_socket_are_told_apart(file: Path) -> None:
    for _ in range(DEADLY):
        Attempts(file).begin(ONE._replace(part=2**31))
    assert Attempts(file).begin(ONE._replace(part=2))
    assert Attempts(file).begin(ONE)


def test_the_file_of_a_version_without_parts_is_read(file: Path) -> None:
    file.write_text(f"{ONE.writer} {ONE.number} {DEADLY}".ljust(64), "ascii")
    assert not Attempts(file).begin(ONE)
    assert Attempts(file).begin(ONE._replace(part=1))


def test_a_garbled_file_is_as_good_as_none(file: Path) -> None:
    file.write_bytes(b"\xff\x00 garbage 1")
    assert Attempts(file).begin(ONE)


def test_the_file_is_the_owners_alone(file: Path) -> None:
    Attempts(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
