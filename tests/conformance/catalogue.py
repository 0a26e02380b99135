"""Every section, in the order in which it is run and printed."""

from __future__ import annotations

from tests.conformance import (
    connections,
    fidelity_requests,
    fidelity_responses,
    framing_requests,
    framing_responses,
    streaming,
    websocket,
)
from tests.conformance.registry import Probe, Section

SECTIONS: tuple[Section, ...] = (
    fidelity_requests.SECTION,
    fidelity_responses.SECTION,
    streaming.SECTION,
    framing_requests.SECTION,
    framing_responses.SECTION,
    connections.SECTION,
    websocket.SECTION,
)

PROBES: tuple[Probe, ...] = tuple(probe for section in SECTIONS for probe in section.probes)
