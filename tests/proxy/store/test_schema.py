from __future__ import annotations

from dataclasses import fields

import pytest
from sqlalchemy import create_engine

from proxy.model.facts import FACTS, Fact
from proxy.store import Database, snapshot
from proxy.store.schema import EVENT_COLUMNS, EVENTS, TABLE_NAMES, TABLES
from tests.support.draft_migration import missing


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_class_is_a_table_with_its_key_and_its_fields(fact: type[Fact]) -> None:
    table = TABLES[fact]
    assert table.name == TABLE_NAMES[fact]
    assert [column.name for column in table.columns] == [field.name for field in fields(fact)]
    assert tuple(column.name for column in table.primary_key) == fact.KEY


def test_the_migrations_build_what_the_schema_says(database: Database, url: str) -> None:
    engine = create_engine(url)
    with engine.connect() as connection:
        difference = missing(connection)
    engine.dispose()
    assert not difference, f"python -m tests.support.draft_migration\n{difference}"


def test_the_view_has_the_fields_of_s0_60(database: Database) -> None:
    with database.reading() as connection:
        found = connection.exec_driver_sql("SELECT * FROM events").keys()
    assert list(found) == list(EVENT_COLUMNS) == list(EVENTS.c.keys())
    with snapshot(database) as reader:
        assert reader.events("none") == []
