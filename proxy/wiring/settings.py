"""Settings to specs and limits."""

from __future__ import annotations

import sys

from config.settings import Settings
from proxy.metrics.loops import LoopLimits
from proxy.wiring.folder import DataFolder
from proxy.wiring.logs import settle_form
from proxy.wiring.spec import GIB, MIB, RelaySpec


def data_folder(settings: Settings) -> DataFolder:
    """The data folder that settings name."""
    return DataFolder(settings.store.data)


def loop_limits(settings: Settings) -> LoopLimits:
    """When re-reads are a loop."""
    return LoopLimits(
        same_observation=settings.sessions.loop_same_observation,
        any_of_them=settings.sessions.loop_any,
        turns=settings.sessions.loop_turns,
        idle_us=settings.sessions.loop_idle_s * 1_000_000,
    )


def export_spec(settings: Settings) -> str:
    """What an exporter is told; empty when none is asked for."""
    return settings.model_dump_json() if settings.export.otlp.endpoint else ""


def relay_spec(settings: Settings) -> RelaySpec:
    """What a relay is told; its socket is added by whoever starts it."""
    relay, egress = settings.relay, settings.egress
    return RelaySpec(
        data=str(settings.store.data.absolute()),
        host=relay.listen.host,
        port=relay.listen.port,
        listen_fd=None,
        upstreams={name: upstream.url for name, upstream in settings.upstreams.items()},
        default_upstream=relay.default_upstream,
        token_file=str(relay.token_file.absolute()) if relay.token_file else "",
        connect_timeout_s=relay.connect_timeout_s,
        drain_s=relay.drain_s,
        egress_proxy=egress.proxy,
        ca_bundle=str(egress.ca_bundle.absolute()) if egress.ca_bundle else "",
        body_cap_bytes=relay.record_body_cap_mib * MIB,
        free_floor_bytes=int(settings.capture.free_disk_floor_gib * GIB),
        log=settle_form(settings.admin.log, sys.stderr),
    )
