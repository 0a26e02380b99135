"""What a relay is told: where it listens, whom it relays to, and how it gets there."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A provider."""

    name: str
    """One path segment, compared as raw bytes."""
    host: str
    port: int
    tls: bool
    base_path: bytes = b""
    """Goes before every request's path; no slash at its end."""
    server_name: str = ""
    """Name in SNI and in the certificate; `host` when empty."""

    @classmethod
    def from_url(cls, name: str, url: str, *, server_name: str = "") -> Upstream:
        """From `http(s)://host[:port][/path]`. Raises ValueError."""
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and " " not in url
        if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
            raise ValueError(f"upstream {name}: found no http(s) address, expected https://host[:port][/path]")
        tls = parts.scheme == "https"
        return cls(
            name=name,
            host=parts.hostname,
            port=parts.port or (443 if tls else 80),
            tls=tls,
            base_path=parts.path.rstrip("/").encode("ascii"),
            server_name=server_name,
        )

    @property
    def authority(self) -> bytes:
        """What `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}").encode("ascii")


@dataclass(frozen=True, slots=True)
class ForwardProxy:
    """An HTTP proxy that is asked to CONNECT."""

    host: str
    port: int
    authorization: bytes = b""
    """Value of `Proxy-Authorization`; a secret."""

    @classmethod
    def from_url(cls, url: str) -> ForwardProxy:
        """From `http://[user:password@]host[:port]`. Raises ValueError, which never repeats the address."""
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError("egress proxy: expected http://host:port")
        credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        authorization = b"Basic " + b64encode(credentials.encode()) if parts.username else b""
        return cls(parts.hostname, parts.port or 80, authorization)


@dataclass(frozen=True, slots=True)
class Egress:
    """How TLS upstreams are reached; plain ones are always reached directly."""

    proxy: ForwardProxy | None = None
    exceptions: tuple[str, ...] = ()
    """Entries of `NO_PROXY`: `*`, a host, a domain (`.corp` or `corp`), an address or network; a port may follow."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Egress:
        """From `HTTPS_PROXY` and `NO_PROXY`, lower case first as curl does. Raises ValueError."""
        url = environ.get("https_proxy") or environ.get("HTTPS_PROXY") or ""
        exceptions = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
        return cls.through(url, exceptions)

    @classmethod
    def through(cls, url: str, exceptions: str = "") -> Egress:
        """Through the proxy at `url` (empty: none), except for a comma-separated list. Raises ValueError."""
        entries = tuple(entry for part in exceptions.lower().split(",") if (entry := part.strip()))
        return cls(ForwardProxy.from_url(url) if url else None, entries)

    def proxy_for(self, host: str, port: int) -> ForwardProxy | None:
        """The proxy to ask for a way to `host`, None for the direct way."""
        if self.proxy is None or any(_covers(entry, host.lower(), port) for entry in self.exceptions):
            return None
        return self.proxy


def _covers(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    name, colon, only_port = entry.rpartition(":")
    if colon and only_port.isdecimal() and (":" not in name or name.endswith("]")):
        if int(only_port) != port:
            return False
        entry = name
    domain = entry.removeprefix("*").strip("[]").removeprefix(".")
    return host == domain or host.endswith(f".{domain}") or _in_network(host, domain)


def _in_network(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySettings:
    """Everything one relay process needs to know."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: any free port, told through `ready`."""
    listen_fd: int | None = None
    """A listening socket that was inherited; `host` and `port` are then not used."""
    upstreams: Mapping[str, Upstream]
    default_upstream: str = ""
    """Gets what names no upstream; empty: such requests are answered 404."""
    token_sha256: str = ""
    """Hex digest of what `x-compaction-token` must hold; empty: no token is asked for."""
    run_tags: Path | None = None
    """File of valid run tags: one SHA-256 digest (32 or 64 hex digits) per line; read again when it changes."""
    connect_timeout_s: float = 10.0
    """For name, TCP and TLS together. There is no read timeout."""
    drain_s: float = 600.0
    egress: Egress = field(default_factory=Egress)
    ca_bundle: Path | None = None
    """PEM file whose certificates are trusted beside the system's."""
