"""What `scan` finds in the transcript that a client wrote, beside what was found on the wire."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proxy.model.facts import Label
from tests.clients.check import Facts
from tests.clients.product import COMMAND
from tests.clients.scenario import Kind

WRITERS = frozenset({Kind.CLAUDE_CODE, Kind.CODEX})
BESIDE = frozenset({Label.PENDING, Label.NO_RESULT, Label.FAILED, Label.NOT_RETRIEVAL})
"""Of calls that show nothing; a scan does not list them."""


async def differences(home: Path, facts: Facts) -> list[str]:
    """Where boundaries and classes differ, each in a sentence; empty when they are the same."""
    command = (*COMMAND, "scan", "--format", "json", str(home))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    return compared(json.loads(printed), facts)


def compared(scanned: Mapping[str, Any], facts: Facts) -> list[str]:
    """The same for what a scan printed."""
    sessions = scanned["sessions"]
    classes: Counter[str] = Counter()
    for part in (part for one in sessions for part in (one["before"], one["after"])):
        classes.update(part["by_class"])
    kinds = sorted(boundary["kind"] for one in sessions for boundary in one["compactions"])
    sides = {
        "sessions": (sorted(one.session for one in facts.sessions), sorted(one["session"] for one in sessions)),
        "boundaries": (sorted(boundary.kind.value for boundary in facts.boundaries), kinds),
        "classes": (dict(Counter(c.label.value for c in facts.calls if c.label not in BESIDE)), dict(classes)),
    }
    return [
        f"{what}: {live} on the wire, {told} in the transcript" for what, (live, told) in sides.items() if live != told
    ]
