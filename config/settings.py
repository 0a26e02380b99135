"""The settings as frozen models. They hold no defaults: those stand in `defaults/compaction-gate.toml` alone."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Endpoint(NamedTuple):
    """Where a listener binds."""

    host: str
    port: int
    """0 asks the system for a free one."""

    @property
    def is_loopback(self) -> bool:
        """Only programs on this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _endpoint(value: object) -> object:
    if not isinstance(value, str):
        return value
    host, colon, port = value.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ValueError('expected "host:port", for example "127.0.0.1:8765"')
    return Endpoint(host.removeprefix("[").removesuffix("]"), int(port))


def _nothing(value: object) -> object:
    return None if value == "" else value


def _at_home(value: Path) -> Path:
    return value.expanduser()


def _http_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError('expected "http://host" or "https://host", with or without a path')
    if parts.username is not None or parts.password is not None:
        raise ValueError("a user or password may not stand in an address: settings are shown and logged")
    if parts.query or parts.fragment:
        raise ValueError("an address with a query or fragment cannot be extended by a request's path")
    return value.rstrip("/")


def _egress(value: str) -> str:
    if value in ("env", "none"):
        return value
    if urlsplit(value).scheme != "http":
        raise ValueError('expected "env", "none" or "http://host:port"')
    return _http_url(value)


def _store_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("sqlite", "postgresql"):
        raise ValueError('expected "sqlite:///FILE" or "postgresql://HOST/NAME"')
    if parts.password is not None:
        raise ValueError("a password may not stand here: PostgreSQL reads it from PGPASSFILE")
    return value


def _collector(value: str) -> str:
    return _http_url(value) if value else value


def _label_source(value: str) -> str:
    name = value.removeprefix("header:").lower()
    if value == CLIENT:
        return value
    if not value.startswith("header:") or not _OWN_HEADER.fullmatch(name):
        raise ValueError(f'expected "{CLIENT}" or "header:x-compaction-NAME": such headers never reach the provider')
    if name in _TAKEN_HEADERS:
        raise ValueError("this header says something else to the relay; choose another name")
    return f"header:{name}"


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return value


CLIENT: Final = "client"
"""The label's value is the name of the agent program."""
_OWN_HEADER = re.compile(r"x-compaction-[a-z0-9-]{1,40}")
_TAKEN_HEADERS = ("x-compaction-token", "x-compaction-session")

Address = Annotated[Endpoint, BeforeValidator(_endpoint)]
RELATIVE: Final = "relative to the file it stands in"
"""Marks the keys whose relative paths start at the folder of the settings file."""
FolderPath = Annotated[Path, AfterValidator(_at_home), RELATIVE]
OptionalPath = Annotated[FolderPath | None, BeforeValidator(_nothing), RELATIVE]
FilePaths = Annotated[tuple[FolderPath, ...], RELATIVE]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
StoreUrl = Annotated[str, AfterValidator(_store_url)]
EgressProxy = Annotated[str, AfterValidator(_egress)]
CollectorUrl = Annotated[str, AfterValidator(_collector)]
LabelSource = Annotated[str, AfterValidator(_label_source)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Positive = Annotated[int, Field(ge=1)]


class Contents(StrEnum):
    """What the store keeps of what went by."""

    OFF = "off"
    HASHES = "hashes"
    FULL = "full"


class LogForm(StrEnum):
    """How log lines look."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


class Section(BaseModel):
    """One table of the settings file."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Listener(Section):
    """A section that binds an address."""

    listen: Address
    token_file: OptionalPath


class Relay(Listener):
    """The live path."""

    record_body_cap_mib: Positive
    connect_timeout_s: Annotated[float, Field(gt=0)]
    drain_s: Annotated[float, Field(ge=0)]
    default_upstream: str


class Upstream(Section):
    """One provider."""

    url: HttpUrl


class Egress(Section):
    """How the relay itself reaches the outside."""

    proxy: EgressProxy
    ca_bundle: OptionalPath


class Admin(Listener):
    """The supervisor's own listener."""

    log: LogForm


class Capture(Section):
    """What is kept, and for how long."""

    contents: Contents
    keep_contents_days: Positive
    keep_figures_days: Positive
    redact: tuple[Pattern, ...]
    max_gib: Annotated[float, Field(gt=0)]
    free_disk_floor_gib: Annotated[float, Field(ge=0)]


class Store(Section):
    """Where it is kept."""

    data: FolderPath
    url: StoreUrl
    """`{data}` stands for the data folder."""

    @property
    def database(self) -> str:
        """The address with the data folder filled in."""
        return self.url.replace("{data}", str(self.data.absolute()))

    @property
    def file(self) -> Path | None:
        """The SQLite file; None when the store is elsewhere."""
        return Path(self.database.removeprefix("sqlite:///")) if self.database.startswith("sqlite:") else None


class Sessions(Section):
    """When a session counts as looping."""

    loop_same_observation: Positive
    loop_any: Positive
    loop_turns: Positive
    loop_idle_s: Positive


class Otlp(Section):
    """Where spans go."""

    endpoint: CollectorUrl
    contents: bool


class Export(Section):
    """What leaves this machine."""

    otlp: Otlp


class Tools(Section):
    """Whose rules say what a tool call does."""

    files: FilePaths


class Prices(Section):
    """Whose prices apply."""

    override: OptionalPath


MOST_UPSTREAMS = 16
UpstreamName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
MOST_LABELS = 3
LabelName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class Settings(Section):
    """All of them."""

    environment: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")]
    relay: Relay
    upstreams: Mapping[UpstreamName, Upstream]
    egress: Egress
    admin: Admin
    capture: Capture
    store: Store
    labels: Mapping[LabelName, LabelSource]
    sessions: Sessions
    tools: Tools
    prices: Prices
    export: Export


def contradictions(settings: Settings) -> Iterator[tuple[str, str]]:
    """Values that are right alone and wrong together: the key to change, and why."""
    for key, section in (("relay", settings.relay), ("admin", settings.admin)):
        if not section.listen.is_loopback and section.token_file is None:
            yield f"{key}.listen", f"{section.listen} can be reached from other machines: set {key}.token_file"
    default = settings.relay.default_upstream
    if default and default not in settings.upstreams:
        known = ", ".join(sorted(settings.upstreams)) or "none"
        yield "relay.default_upstream", f"no upstream has this name; configured: {known}"
    for name in list(settings.upstreams)[MOST_UPSTREAMS:]:
        yield f"upstreams.{name}.url", f"at most {MOST_UPSTREAMS} upstreams: each is a label of many series"
    for name in list(settings.labels)[MOST_LABELS:]:
        yield f"labels.{name}", f"at most {MOST_LABELS} labels: each multiplies the series of all sessions"
    if settings.export.otlp.contents and settings.capture.contents is Contents.OFF:
        yield "export.otlp.contents", 'paths are exported when they are kept: set capture.contents to "hashes"'
    if "run" in settings.upstreams:
        yield "upstreams.run.url", "/run/ begins the address of a run; choose another name"
