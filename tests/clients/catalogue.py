"""All scenarios, in the order in which they are run and printed."""

from __future__ import annotations

from tests.clients.scenario import Scenario
from tests.clients.scenarios import compacting, compaction, failing, reading, sessions

SCENARIOS: tuple[Scenario, ...] = (
    reading.READ_TWICE,
    reading.GZIP,
    reading.ZSTD,
    reading.READ_EDIT_READ,
    reading.READ_WRITE_READ,
    reading.PARTIAL,
    reading.PARALLEL,
    reading.SHELL,
    reading.THINKING,
    failing.OVERLOADED,
    failing.BROKEN,
    sessions.SUB_AGENT,
    sessions.CONTINUED,
    sessions.TAKEN_UP,
    sessions.TWO,
    sessions.NAMED,
    sessions.CLEARED,
    sessions.REWOUND,
    compaction.MANUAL,
    compaction.CONTINUED,
    compaction.PUT_BACK,
    compaction.PARTLY,
    compaction.AUTOMATIC,
    compacting.COMPACTED,
    compacting.BY_PROVIDER,
    compacting.BETWEEN_RUNS,
    compacting.RESUMED,
    compacting.BY_TEXT,
    compaction.PROVIDER_CLEAR,
    compaction.PROVIDER_COMPACTION,
)
