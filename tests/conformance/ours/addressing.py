"""Profile `addressing`: which upstream a request goes to, and what of the path is ours."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import NamedTuple

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.client import AGENT_LINES
from tests.conformance.harness.findings import equal
from tests.conformance.harness.messages import Message, without
from tests.conformance.harness.registry import Section
from tests.conformance.ours.errors import check_own_error
from tests.conformance.ours.relay import RUN, plain, running

SECTION = Section("addressing", is_ours=True)
probe = SECTION.probe

REFERENCE = "design §4 Addressing"
BASE = b"/gateway/v9"
"""Base path of the upstream `other`."""


class Path(NamedTuple):
    """A request target, and what the upstream is to see; None: 400 and nothing."""

    name: str
    sentence: str
    sent: bytes
    expected: bytes | None


PATHS = (
    Path("default", "A path that names no upstream goes to the default one unchanged", b"/v1/x?a=1", b"/v1/x?a=1"),
    Path(
        "named", "The first segment names an upstream: removed, base path put before", b"/other/v1/x", BASE + b"/v1/x"
    ),
    Path("named-default", "The default upstream can be named too", b"/anthropic/v1/x?b=2", b"/v1/x?b=2"),
    Path("named-slash", "Nothing behind the name but a slash", b"/other/", BASE + b"/"),
    Path("named-query", "A query may hold what a path may not", b"/other/v1?u=//a/../%2f", BASE + b"/v1?u=//a/../%2f"),
    Path("name-longer", "A segment that only begins like a name is none", b"/others/v1", b"/others/v1"),
    Path("name-case", "Names are compared with their case", b"/Other/v1", b"/Other/v1"),
    Path("name-escaped", "An escaped name is none", b"/%6fther/v1", b"/%6fther/v1"),
    Path("name-later", "A name in a later segment is none", b"/v1/other/x", b"/v1/other/x"),
    Path("run", "/run/<id>/ is removed", b"/run/@R/v1/x?a=1", b"/v1/x?a=1"),
    Path("run-named", "An upstream's name may follow the run", b"/run/@R/other/v1/x", BASE + b"/v1/x"),
    Path("run-later", "A run in a later segment is none", b"/v1/run/@R/x", b"/v1/run/@R/x"),
    Path("run-like", "A segment that only begins like run is none", b"/running/x", b"/running/x"),
    Path("named-double-slash", "A name and //", b"/other//v1", None),
    Path("named-dots", "A name and /../", b"/other/../v1", None),
    Path("named-dot", "A name and /./", b"/other/./v1", None),
    Path("named-dots-later", "A name and /../ further on", b"/other/v1/../x", None),
    Path("named-dots-end", "A name and .. at the end", b"/other/v1/..", None),
    Path("named-dots-escaped", "A name and escaped dots", b"/other/%2e%2E/v1", None),
    Path("named-dots-mixed", "A name and half escaped dots", b"/other/.%2e/v1", None),
    Path("named-slash-escaped", "A name and an escaped slash", b"/other/%2fv1", None),
    Path("named-slash-escaped-later", "A name and an escaped slash further on", b"/other/v1%2Fx", None),
    Path("named-slash-escaped-first", "An escaped slash right behind a name", b"/other%2Fv1", None),
    Path("run-double-slash", "A run and //", b"/run/@R//v1", None),
    Path("run-dots", "A run and /../", b"/run/@R/../v1", None),
    Path("run-slash-escaped", "A run and an escaped slash", b"/run/@R/%2Fv1", None),
    Path("run-named-double-slash", "A run, a name and //", b"/run/@R/other//v1", None),
    Path("run-named-dots", "A run, a name and /../", b"/run/@R/other/../v1", None),
    Path("run-empty", "A run without id", b"/run//v1", None),
)


def path_probe(path: Path) -> None:
    def passes(bench: Bench) -> None:
        asked = bench.ask(bench.request(target=path.sent.replace(b"@R", RUN)))
        equal("request target", asked.head.target, (path.expected or b"").replace(b"@R", RUN))
        bench.answer(asked)

    def is_refused(bench: Bench) -> None:
        check_own_error(bench.refused(bench.request(target=path.sent.replace(b"@R", RUN)).raw), {400})

    refused = path.expected is None
    sentence = path.sentence + (": 400, unseen by the upstream" if refused else "")
    SECTION.add(f"address.{path.name}", REFERENCE, sentence, is_refused if refused else passes)


for _path in PATHS:
    path_probe(_path)


@probe("address.run-forged", REFERENCE)
def _(bench: Bench) -> None:
    """A run id that nobody issued, or of odd characters, is refused."""
    for tag in (b"forged", RUN[:-1], RUN + b"x", b"a.b", b"a%20b", b"a" * 200):
        check_own_error(bench.refused(bench.request(target=b"/run/" + tag + b"/v1/messages").raw), {400, 404})


@probe("address.own-lines", REFERENCE)
def _(bench: Bench) -> None:
    """x-compaction-* lines are ours and go no further; every other line is as sent."""
    ours = (b"X-Compaction-Session: night run", b"x-compaction-token: t", b"x-compaction-anything: 1")
    plain_message = bench.request()
    lines = (plain_message.lines[0], ours[0], *plain_message.lines[1:4], *ours[1:], *plain_message.lines[4:])
    found = bench.ask(Message(plain_message.start, lines, plain_message.body)).head.lines
    equal("header lines", without(found, "host", "connection"), plain_message.lines[1:])


@probe("address.host-ignored", REFERENCE)
def _(bench: Bench) -> None:
    """Upstreams come from settings alone: a Host that names another server changes nothing."""
    message = bench.request()
    for host in (b"other", b"api.example:443", b"127.0.0.1:1"):
        lines = (b"Host: " + host, *message.lines[1:])
        head = bench.ask(Message(message.start, lines, message.body)).head
        equal("host", head.values("host"), (bench.upstream.authority,))


@probe("address.origin", REFERENCE)
def _(bench: Bench) -> None:
    """A request with Origin and no token is refused: no web page can use the relay."""
    for origin in (b"Origin: https://evil.example", b"origin: null", b"Origin: http://127.0.0.1"):
        check_own_error(bench.refused(bench.request(lines=(*AGENT_LINES, origin)).raw), {400})


@probe("address.origin-options", REFERENCE)
def _(bench: Bench) -> None:
    """A page's preflight is refused too."""
    lines = (b"Origin: https://evil.example", b"Access-Control-Request-Method: POST")
    check_own_error(bench.refused(bench.request(method=b"OPTIONS", lines=lines, body=None).raw), {400})


@probe("address.token", REFERENCE)
def _(bench: Bench) -> None:
    """Where a token is required, none or a wrong one is refused; the right one passes and is removed."""
    token = b"conformance-token"
    spec = replace(plain(bench.upstream.port), token_sha256=hashlib.sha256(token).hexdigest())
    bench.target = bench.enter(running(spec)).target
    for wrong in ((), (b"x-compaction-token: wrong",), (b"x-compaction-token:",)):
        check_own_error(bench.refused(bench.request(lines=(*AGENT_LINES, *wrong)).raw), {400})
    right = b"X-Compaction-Token: " + token
    for origin in ((), (b"Origin: https://app.example",)):
        head = bench.ask(bench.request(lines=(*AGENT_LINES, *origin, right))).head
        equal("token at the upstream", head.values("x-compaction-token"), ())


@probe("address.two-upstreams", "design §4 Addressing, Connections")
def _(bench: Bench) -> None:
    """One client connection may address two upstreams in turn."""
    client = bench.connect()
    for target, expected in ((b"/v1/a", b"/v1/a"), (b"/other/v1/b", BASE + b"/v1/b"), (b"/v1/c", b"/v1/c")):
        asked = bench.ask(bench.request(target=target), client=client)
        equal("request target", asked.head.target, expected)
        bench.answer(asked)
