"""mitmproxy's hooks: each request of an upstream becomes an exchange in the journal; nothing is held, nothing edited.

Pieces are copied in the stream callables, which mitmproxy calls before it writes a piece on.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket

from mitmproxy.connection import Client, ConnectionState, Server
from mitmproxy.http import HTTPFlow, Response
from mitmproxy.net.http import http1
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import ClientTLSLayer, HttpLayer
from mitmproxy.proxy.layers.http import HTTPMode
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.tcp import TCPFlow
from mitmproxy.tls import TlsData

from proxy.framing.faults import FramingError
from proxy.framing.head import Body, RequestHead
from proxy.intercept.access import Access
from proxy.intercept.exchange import Desk, Exchange, Request
from proxy.intercept.heads import judge_request, judge_response, request_lines, response_lines
from proxy.intercept.hosts import Hosts
from proxy.intercept.observed import Connection, Observed, outcome_of
from proxy.model.exchange import Outcome
from proxy.relay.redaction import names_a_credential, redact_target, redacted_headers
from proxy.relay.refusals import Kind, refusal
from proxy.relay.settings import Upstream

LOG = logging.getLogger("intercept")
OWN = "x-compaction-gate-error"
SWITCHED = 101
CREDENTIALS_WANTED = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
    b'Proxy-Authenticate: Basic realm="compaction-gate"\r\nx-compaction-gate-error: token\r\nContent-Length: 0'
)


class JournalAddon:
    """Copies what goes through, by client connection."""

    def __init__(self, desk: Desk, hosts: Hosts, access: Access, *, is_reverse: bool) -> None:
        self._desk = desk
        self._hosts = hosts
        self._access = access
        self._is_reverse = is_reverse
        self._distrusted: set[str] = set()
        self.observed = Observed()
        self.own_port = 0
        """Where we listen; nobody is connected to that."""
        self.is_draining = False

    # --- client connections ---

    def client_connected(self, client: Client) -> None:
        """A client is there."""
        self.observed.of(client.id)
        self._desk.counters.add(self._desk.counters.connections, 1)

    def client_disconnected(self, client: Client) -> None:
        """It is gone."""
        self.observed.forget(client.id, Outcome.SHUTDOWN if self.is_draining else Outcome.CLIENT_CLOSED)
        self._desk.counters.add(self._desk.counters.connections, -1)

    def http_connect(self, flow: HTTPFlow) -> None:
        """It asks for a tunnel: to an upstream, which is opened, or to anybody, whose tunnel stays shut."""
        credentials = self._access.of_authorization(flow.request.headers.get("proxy-authorization", ""))
        connection = self.observed.of(flow.client_conn.id)
        if credentials.is_admitted:
            connection.tag, connection.is_tunnel = credentials.tag, True
        else:
            self._desk.own_error(Kind.TOKEN)
            flow.response = _answer(CREDENTIALS_WANTED)

    def next_layer(self, decision: NextLayer) -> None:
        """Behind our certificate there is HTTP, however few bytes have come. Asked before mitmproxy's own addon."""
        layers = decision.context.layers
        if layers and isinstance(layers[-1], ClientTLSLayer):
            decision.layer = HttpLayer(decision.context, HTTPMode.transparent)

    def tls_failed_client(self, data: TlsData) -> None:
        """A client would not take our certificate: it was not told of our authority."""
        host = data.conn.sni or "a host"
        if host not in self._distrusted and len(self._distrusted) < 100:
            self._distrusted.add(host)
            LOG.warning(
                "a client refused our certificate for %(host)s: `compaction-gate intercept ca show`", {"host": host}
            )

    # --- upstream connections ---

    async def server_connect(self, data: ServerConnectionHookData) -> None:
        """Nobody is led back to ourselves."""
        if data.server.address and data.server.address[1] == self.own_port:
            host, port, *_ = data.server.address
            if await _is_this_machine(host, port):
                data.server.error = "it is this proxy itself"

    def server_connected(self, data: ServerConnectionHookData) -> None:
        """TCP stands."""
        if not data.server.tls:
            self._note_connected(data.client, data.server)

    def tls_established_server(self, data: TlsData) -> None:
        """TLS stands."""
        if isinstance(data.conn, Server):
            self._note_connected(data.context.client, data.conn)

    def server_connect_error(self, data: ServerConnectionHookData) -> None:
        """Nobody answers there."""
        self.observed.of(data.client.id).trouble = Kind.EGRESS_PROXY if data.server.via else Kind.UPSTREAM_UNREACHABLE

    def tls_failed_server(self, data: TlsData) -> None:
        """It is not whom it should be, or speaks no TLS."""
        self.observed.of(data.context.client.id).trouble = Kind.UPSTREAM_TLS

    def _note_connected(self, client: Client, server: Server) -> None:
        exchange = self.observed.exchange_of(client.id)
        done = server.timestamp_tls_setup or server.timestamp_tcp_setup
        if exchange is not None and done is not None and server.timestamp_start is not None:
            slots = self._desk.counters.upstreams[exchange.upstream]
            self._desk.counters.observe(slots.connect, max(0.0, done - server.timestamp_start))

    # --- requests ---

    def requestheaders(self, flow: HTTPFlow) -> None:
        """A request head is complete, nothing of its body was read."""
        if flow.error is not None:  # malformed: mitmproxy refuses it
            return
        request, connection = flow.request, self.observed.of(flow.client_conn.id)
        try:
            head = judge_request(request)
        except FramingError:
            self._cut(flow, Kind.BAD_FRAMING)
            return
        connection.head, connection.trouble = head, None
        is_tls = request.scheme == "https"
        upstream = self._hosts.upstream_of(request.host, request.port, tls=is_tls, target=head.target)
        refused = self._distrust(head, connection)
        request.headers = request_lines(head, upstream.authority if upstream else b"")
        if refused is not None:
            self._refuse(flow, refused)
        elif upstream is not None:
            connection.exchange = Exchange(self._desk, _request(head, upstream, connection.tag))
            request.stream = connection.exchange.request_piece
        else:
            request.stream = True

    def _distrust(self, head: RequestHead, connection: Connection) -> Kind | None:
        """Why a request goes no further."""
        if names_a_credential(head.named):
            return Kind.BAD_FRAMING
        if self._is_reverse:
            return self._access.of_reverse(head)
        if connection.is_tunnel:
            return None
        credentials = self._access.of_proxy(head)
        connection.tag = credentials.tag
        return None if credentials.is_admitted else Kind.TOKEN

    def _cut(self, flow: HTTPFlow, kind: Kind) -> None:
        """End the connection without a word: an answer of ours would have to wait for the message's end."""
        self._desk.own_error(kind)
        flow.kill()  # type: ignore[no-untyped-call]

    def _refuse(self, flow: HTTPFlow, kind: Kind) -> None:
        """Answer ourselves, as the relay does; the upstream sees nothing. Strangers are counted, not recorded."""
        self._desk.own_error(kind)
        is_proxys = kind is Kind.TOKEN and not self._is_reverse
        flow.response = _answer(CREDENTIALS_WANTED if is_proxys else refusal(kind))

    def request(self, flow: HTTPFlow) -> None:
        """The request is complete."""
        if exchange := self.observed.exchange_of(flow.client_conn.id):
            exchange.request_done()

    # --- responses ---

    def responseheaders(self, flow: HTTPFlow) -> None:
        """A response head is complete: the upstream's, or one of ours."""
        response, connection = flow.response, self.observed.of(flow.client_conn.id)
        if response is None or connection.head is None or OWN in response.headers:
            return
        try:
            head = judge_response(response, connection.head)
        except FramingError:
            connection.trouble = Kind.UPSTREAM_FRAMING
            self._cut(flow, Kind.UPSTREAM_FRAMING)
            return
        response.headers = response_lines(head)
        exchange = self.observed.exchange_of(flow.client_conn.id)
        if exchange is None:
            response.stream = True
            return
        length = head.length if head.body is Body.LENGTH else None
        exchange.response_head(head.status, redacted_headers(head.lines), length=length)
        response.stream = exchange.response_piece

    def response(self, flow: HTTPFlow) -> None:
        """All of the response has come, and its end has not gone to the client."""
        exchange = self.observed.exchange_of(flow.client_conn.id)
        if exchange is None or flow.response is None:
            return
        if flow.response.status_code == SWITCHED:
            exchange.splice()
        else:
            exchange.finish(Outcome.COMPLETE)

    def error(self, flow: HTTPFlow) -> None:
        """It ended otherwise."""
        exchange = self.observed.exchange_of(flow.client_conn.id)
        if exchange is None:
            return
        has_left = not flow.client_conn.state & ConnectionState.CAN_READ
        trouble = self.observed.of(flow.client_conn.id).trouble
        if not has_left and not exchange.answered and trouble is not Kind.UPSTREAM_FRAMING:
            trouble = trouble or Kind.UPSTREAM_CLOSED
            self._desk.own_error(trouble)  # mitmproxy answers in our name
        exchange.finish(outcome_of(trouble, has_left=has_left, is_draining=self.is_draining))

    # --- behind an accepted upgrade: bytes as they are, no frames are read ---

    def tcp_message(self, flow: TCPFlow) -> None:
        """Bytes of one direction; mitmproxy would keep them all."""
        message = flow.messages.pop()
        if exchange := self.observed.exchange_of(flow.client_conn.id):
            exchange.spliced_piece(message.content, from_client=message.from_client)

    def tcp_end(self, flow: TCPFlow) -> None:
        """Both sides have ended."""
        if exchange := self.observed.exchange_of(flow.client_conn.id):
            exchange.finish(Outcome.COMPLETE)


def _request(head: RequestHead, upstream: Upstream, tag: str) -> Request:
    return Request(
        upstream=upstream.name,
        tag=tag,
        method=head.method.decode("ascii"),
        target=redact_target(head.target),
        headers=redacted_headers(head.lines),
    )


def _answer(raw: bytes) -> Response:
    head, _, body = raw.partition(b"\r\n\r\n")
    response = http1.read_response_head(head.split(b"\r\n"))
    response.content = body
    return response


async def _is_this_machine(host: str, port: int) -> bool:
    """Whether a name leads to an address of ours; asked only for the port that we listen on."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
    except (OSError, ValueError):
        return False
    return any(address.is_loopback or address.is_unspecified for address in addresses)
