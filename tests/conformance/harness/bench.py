"""The bench on which a probe works both sides of the target at once."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import NamedTuple, Self

from tests.conformance.harness.client import AGENT_LINES, BODY, TARGET
from tests.conformance.harness.findings import EndedError, FindingError, RefusedError, equal, short
from tests.conformance.harness.messages import HEAD_END, OK, STREAM_HEAD, Head, Message
from tests.conformance.harness.target import Target
from tests.conformance.harness.upstream import Upstream
from tests.conformance.harness.wire import Deadline, Payload, Wire

LONG_MESSAGE = 1 << 16
"""Longer requests are sent beside the probe, since nobody has to take them before they are read."""


class Asked(NamedTuple):
    """A request that reached the upstream: both ends of it, and the head seen there."""

    client: Wire
    upstream: Wire
    head: Head


class Stream(NamedTuple):
    """A response under way: both ends, the head the client got, and its body as payload."""

    client: Wire
    upstream: Wire
    head: Head
    payload: Payload


class Answer(NamedTuple):
    """What a target said by itself."""

    head: Head
    body: bytes


class Bench:
    """Both sides of one probe; leaving it closes every connection and waits for every thread."""

    def __init__(self, target: Target, upstream: Upstream, deadline_s: float) -> None:
        self.target = target
        self.upstream = upstream
        self.deadline = Deadline(deadline_s)
        self._contexts = ExitStack()
        self._wires: list[Wire] = []
        self._threads: list[threading.Thread] = []
        self._faults: list[FindingError] = []

    def __enter__(self) -> Self:
        self.upstream.drop()
        return self

    def __exit__(self, *_: object) -> None:
        for wire in self._wires:
            with suppress(OSError):
                wire.sock.shutdown(socket.SHUT_RDWR)
            wire.close()
        self.upstream.drop()
        for thread in self._threads:
            thread.join()
        self._contexts.close()

    def enter[T](self, context: AbstractContextManager[T]) -> T:
        """Something that lives as long as the probe."""
        return self._contexts.enter_context(context)

    def settle(self) -> None:
        """Wait for what runs beside the probe; raises its finding."""
        for thread in self._threads:
            thread.join()
        for fault in self._faults:
            raise fault

    # -- requests

    @property
    def host_line(self) -> bytes:
        return b"Host: " + self.target.authority

    def request(
        self,
        *,
        method: bytes = b"POST",
        target: bytes = TARGET,
        lines: Sequence[bytes] = AGENT_LINES,
        body: bytes | None = BODY,
    ) -> Message:
        """A request to the target: Host first, then `lines`, then Content-Length unless `body` is None."""
        length = () if body is None else (b"Content-Length: %d" % len(body),)
        start = b"%s %s%s HTTP/1.1" % (method, self.target.base_path, target)
        return Message(start, (self.host_line, *lines, *length), body or b"")

    def chunked_request(self, body: bytes, *lines: bytes) -> Message:
        """A request whose body is framed already, in the chunked coding."""
        bare = self.request(body=None)
        return Message(bare.start, (*bare.lines, *lines, b"Transfer-Encoding: chunked"), body)

    # -- both sides

    def connect(self) -> Wire:
        """A client connection to the target."""
        wait_s = self.deadline.wait_s()
        try:
            sock = socket.create_connection((self.target.host, self.target.port), timeout=wait_s)
        except OSError as fault:
            raise FindingError(f"client: no connection to the target: {fault}") from None
        return self._keep(Wire(sock, self.deadline, "client"))

    def next_request(self, client: Wire | None = None) -> Wire:
        """The upstream connection, new or used before, on which the next request begins to come."""
        used = [wire for wire in self._wires if wire.side == "upstream"]
        return self._keep(self.upstream.next_request(self.deadline, client, used))

    def send(self, message: Message | bytes, *, client: Wire | None = None) -> Asked:
        """Send a request and read its head at the upstream."""
        client = client or self.connect()
        raw = message if isinstance(message, bytes) else message.raw
        if len(raw) > LONG_MESSAGE:
            self.background(lambda: client.send(raw))
        else:
            client.send(raw)
        upstream = self.next_request(client)
        return Asked(client, upstream, upstream.read_head("a request head"))

    def ask(self, message: Message | None = None, *, client: Wire | None = None) -> Asked:
        """Send a request and read it whole at the upstream; its body must be as sent.

        For a target that is known to write JSON anew it must mean the same: `ask_exactly` holds it to the bytes.
        """
        message = message or self.request()
        asked = self.send(message, client=client)
        body = asked.upstream.read_body(asked.head) if message.body else b""
        if not (self.target.rewrites_json and means_the_same(body, message.body)):
            equal("request body at the upstream", body, message.body)
        return asked

    def ask_exactly(self) -> Asked:
        """The usual request, every byte of its body as sent."""
        message = self.request()
        asked = self.send(message)
        equal("request body at the upstream", asked.upstream.read_body(asked.head), message.body)
        return asked

    def answer(self, asked: Asked, message: Message = OK, *, until_end: bool = False) -> Message:
        """Answer from the upstream and read the answer at the client; with `until_end` the upstream then closes."""
        if len(message.raw) > LONG_MESSAGE:
            self.background(lambda: asked.upstream.send(message.raw))
        else:
            asked.upstream.send(message.raw)
        if until_end:
            asked.upstream.close()
        head = asked.client.read_head("a response head")
        return Message(head.start, head.lines, asked.client.read_body(head))

    def exchange(self, message: Message | None = None, answer: Message = OK) -> Message:
        """One request and its answer, as the client gets it."""
        return self.answer(self.ask(message), answer)

    def open_stream(self, head: Message = STREAM_HEAD, *, request: Message | None = None) -> Stream:
        """A response whose head has been sent and has arrived, and nothing of its body."""
        client, upstream, _ = self.ask(request)
        upstream.send(head.head)
        arrived = client.read_head("a response head, its body still to come")
        return Stream(client, upstream, arrived, Payload(client, arrived))

    def refused(self, raw: bytes, *, piece: int = LONG_MESSAGE) -> Answer:
        """Send what must go no further, `piece` bytes at a time: the target's own answer, after which it has closed.

        Raises FindingError when the upstream saw a byte, or the connection does not end.
        """
        client = self.connect()
        with suppress(EndedError):
            client.send_in_pieces(raw, piece)
        try:
            upstream = self.next_request(client)
        except RefusedError:
            answer = client.read_to_end().data
        else:
            raise FindingError(f"forwarded: the upstream saw {short(upstream.peek())}")
        equal("bytes at the upstream", self.upstream.seen(self.deadline), b"")
        return answer_of(answer)

    def background(self, work: Callable[[], object], *, may_fail: bool = False) -> None:
        """Run `work` beside the probe; unless it may fail, a finding in it is raised by `settle`."""

        def run() -> None:
            try:
                work()
            except (FindingError, OSError) as fault:
                if not may_fail:
                    self._faults.append(FindingError(str(fault)))

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _keep(self, wire: Wire) -> Wire:
        if wire not in self._wires:
            self._wires.append(wire)
        return wire


def means_the_same(one: bytes, other: bytes) -> bool:
    """Whether both are JSON, and the same value."""
    with suppress(ValueError):
        return bool(json.loads(one) == json.loads(other))
    return False


def answer_of(raw: bytes) -> Answer:
    """A whole answer, cut behind its head; of no bytes, an answer of status 0."""
    at = raw.find(HEAD_END) + len(HEAD_END)
    return Answer(Head(raw[:at]), raw[at:]) if HEAD_END in raw else Answer(Head(b""), raw)
