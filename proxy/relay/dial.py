"""Connecting to an upstream: name, TCP, the forward proxy's CONNECT, TLS. One try, bounded in time."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from socket import AF_UNSPEC, SOCK_STREAM, socket

from proxy.relay.refusals import Kind
from proxy.relay.settings import Egress, ForwardProxy, Upstream

_ANSWER_LIMIT = 16 * 1024


class DialError(Exception):
    """The upstream cannot be reached; `reason` is short and holds no secret."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


def client_tls(ca_bundle: Path | None) -> ssl.SSLContext:
    """TLS that verifies against the system's store and the bundle, and offers HTTP/1.1 only."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if ca_bundle is not None:
        context.load_verify_locations(cafile=ca_bundle)
    return context


class Dialler:
    """Makes connections to upstreams."""

    def __init__(self, egress: Egress, tls: ssl.SSLContext, timeout_s: float) -> None:
        self._egress = egress
        self._tls = tls
        self._timeout_s = timeout_s

    async def dial(self, upstream: Upstream, protocol: asyncio.Protocol) -> None:
        """Connect `protocol`. Raises DialError."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._connect(upstream, protocol)
        except TimeoutError:
            raise DialError(Kind.CONNECT_TIMEOUT, f"not connected after {self._timeout_s:g} s") from None
        except ssl.SSLCertVerificationError as error:
            raise DialError(Kind.UPSTREAM_TLS, f"certificate: {error.verify_message}") from None
        except ssl.SSLError as error:
            raise DialError(Kind.UPSTREAM_TLS, error.reason or "TLS failed") from None
        except OSError as error:
            raise DialError(Kind.UPSTREAM_UNREACHABLE, error.strerror or type(error).__name__) from None
        except ValueError:
            raise DialError(Kind.UPSTREAM_UNREACHABLE, "its name cannot be used") from None

    async def _connect(self, upstream: Upstream, protocol: asyncio.Protocol) -> None:
        loop = asyncio.get_running_loop()
        if not upstream.tls:
            await loop.create_connection(lambda: protocol, upstream.host, upstream.port)
            return
        name = upstream.server_name or upstream.host
        proxy = self._egress.proxy_for(upstream.host, upstream.port)
        if proxy is None:
            await loop.create_connection(
                lambda: protocol, upstream.host, upstream.port, ssl=self._tls, server_hostname=name
            )
            return
        tunnel = await _tunnel(loop, proxy, upstream)
        try:
            await loop.create_connection(lambda: protocol, sock=tunnel, ssl=self._tls, server_hostname=name)
        except BaseException:
            tunnel.close()
            raise


async def _tunnel(loop: asyncio.AbstractEventLoop, proxy: ForwardProxy, upstream: Upstream) -> socket:
    """A socket behind the proxy's 2xx answer to CONNECT."""
    addresses = await loop.getaddrinfo(proxy.host, proxy.port, family=AF_UNSPEC, type=SOCK_STREAM)
    family, kind, protocol, _, address = addresses[0]
    tunnel = socket(family, kind, protocol)
    try:
        tunnel.settimeout(0)
        await loop.sock_connect(tunnel, address)
        await loop.sock_sendall(tunnel, _connect_request(proxy, upstream))
        await _accept_answer(loop, tunnel)
    except BaseException:
        tunnel.close()
        raise
    return tunnel


def _connect_request(proxy: ForwardProxy, upstream: Upstream) -> bytes:
    host = f"[{upstream.host}]" if ":" in upstream.host else upstream.host
    authority = f"{host}:{upstream.port}".encode("ascii")
    lines = [b"CONNECT %s HTTP/1.1" % authority, b"Host: %s" % authority]
    if proxy.authorization:
        lines.append(b"Proxy-Authorization: %s" % proxy.authorization)
    return b"\r\n".join([*lines, b"", b""])


async def _accept_answer(loop: asyncio.AbstractEventLoop, tunnel: socket) -> None:
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = await loop.sock_recv(tunnel, _ANSWER_LIMIT)
        answer += more
        if not more or len(answer) > _ANSWER_LIMIT:
            raise DialError(Kind.EGRESS_PROXY, "the proxy did not answer CONNECT")
    status = answer[: answer.index(b"\r\n")].split(b" ", 2)[1:2]
    if not status or len(status[0]) != 3 or not status[0].startswith(b"2"):
        shown = status[0][:3].decode("ascii", "replace") if status else "nothing"
        raise DialError(Kind.EGRESS_PROXY, f"the proxy answered CONNECT with {shown}")
    if not answer.endswith(b"\r\n\r\n"):
        raise DialError(Kind.EGRESS_PROXY, "the proxy sent more than its answer")
