"""Heads as mitmproxy holds them, judged by the relay's framer and passed on by the relay's rule (design §4).

mitmproxy has parsed them and writes them anew: blanks around values are lost, and what it could not parse it has
answered itself. What remains is refused here whenever the relay would refuse it.
"""

from __future__ import annotations

from mitmproxy.http import Headers, Request, Response
from mitmproxy.net.http import http1

from proxy.framing.faults import Fault, FramingError
from proxy.framing.framer import RequestFramer, ResponseFramer
from proxy.framing.head import RequestHead, ResponseHead
from proxy.relay.heads import request_to_send, response_to_send


def judge_request(request: Request) -> RequestHead:
    """The head that mitmproxy would send. Raises FramingError."""
    head = RequestFramer().receive(http1.assemble_request_head(request))  # type: ignore[no-untyped-call]
    if not isinstance(head, RequestHead):
        raise FramingError(Fault.START_LINE)
    return head


def judge_response(response: Response, request: RequestHead) -> ResponseHead:
    """The head of its answer; no interim one, which mitmproxy takes for the last. Raises FramingError."""
    framer = ResponseFramer()
    framer.method = request.method
    head = framer.receive(http1.assemble_response_head(response))  # type: ignore[no-untyped-call]
    if not isinstance(head, ResponseHead):
        raise FramingError(Fault.START_LINE)
    if head.status < 200 and not (request.websocket and head.websocket):
        raise FramingError(Fault.UPGRADE)
    return head


def request_lines(head: RequestHead, authority: bytes) -> Headers:
    """The lines that go on to the upstream; `authority` is what `Host` says there, empty leaves it."""
    raw = request_to_send(head, head.target, authority, close=not head.keep_alive)
    return http1.read_request_head(raw[:-4].split(b"\r\n")).headers


def response_lines(head: ResponseHead) -> Headers:
    """The lines that go on to the client."""
    raw = response_to_send(head, close=not head.keep_alive)
    return http1.read_response_head(raw[:-4].split(b"\r\n")).headers
