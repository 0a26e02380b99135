"""Every section, in the order in which it is run and printed."""

from __future__ import annotations

from tests.conformance.harness.registry import Probe, Section
from tests.conformance.ours import accounts, addressing, draining, errors, secrets, tls
from tests.conformance.probes import (
    connections,
    departures,
    fidelity_codings,
    fidelity_requests,
    fidelity_responses,
    framing_requests,
    framing_responses,
    streaming,
    websocket,
)

SECTIONS: tuple[Section, ...] = (
    fidelity_requests.SECTION,
    fidelity_responses.SECTION,
    fidelity_codings.SECTION,
    streaming.SECTION,
    framing_requests.SECTION,
    framing_responses.SECTION,
    connections.SECTION,
    departures.SECTION,
    draining.SECTION,
    websocket.SECTION,
    addressing.SECTION,
    errors.SECTION,
    accounts.SECTION,
    tls.SECTION,
    secrets.SECTION,
)

PROBES: tuple[Probe, ...] = tuple(probe for section in SECTIONS for probe in section.probes)
