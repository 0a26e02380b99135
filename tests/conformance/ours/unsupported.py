"""What mitmproxy cannot do, by reason and probe: printed as `unsupported`, and held to be true.

A probe that is listed here and passes is a failure of this table.
"""

from __future__ import annotations

from collections.abc import Mapping

_REASONS: Mapping[str, tuple[str, ...]] = {
    "mitmproxy parses header lines and writes them anew: blanks around values are lost": (
        "request.lines-exact",
        "response.lines-exact",
    ),
    "mitmproxy frames chunked bodies anew: spelling of sizes and extensions are lost": (
        "request.chunks",
        "response.chunks",
    ),
    "mitmproxy knows no trailers in HTTP/1.1: it gives the connection up": (
        "request.trailers",
        "request.byte-by-byte",
        "request.any-split",
        "response.trailers",
        "response.any-split",
        "framing.chunk-trailer-fold",
    ),
    "mitmproxy answers Expect: 100-continue itself": (
        "request.expect-continue",
        "request.expect-refused",
    ),
    "mitmproxy takes an interim answer for the last one; the door cuts the connection instead": ("response.interim",),
    "mitmproxy tells an addon of no difference between FIN and RST of an upstream": ("stream.cut-close-delimited",),
    "mitmproxy strips control characters around values before an addon sees them": ("framing.coding-tab",),
    "mitmproxy's chunk reader (h11) takes sizes of 20 hex digits and any bytes in extensions": (
        "framing.chunk-size-huge",
        "framing.chunk-extension-cr",
        "framing.answer-chunk-huge",
    ),
    "mitmproxy bounds neither heads nor trailers of a message": (
        "framing.chunk-trailer-endless",
        "framing.answer-head-endless",
    ),
    "mitmproxy quotes what it cannot parse in a 502 page of its own": (
        "framing.answer-status-none",
        "framing.answer-garbage",
    ),
}

UNSUPPORTED = {probe: reason for reason, probes in _REASONS.items() for probe in probes}
NOT_ASKED_IN_TUNNEL = {
    "connection.early-answer": "asked in reverse mode: here the suite's own TLS end may lose such an answer",
    "request.byte-by-byte": "asked in reverse mode: here what is looked at may arrive before its trailers end it all",
    "framing.answer-before-request": "asked in reverse mode: here the suite's own TLS end may be late with it",
}
