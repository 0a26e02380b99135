from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

import pytest

from proxy.framing.framer import RequestFramer
from proxy.framing.head import RequestHead
from proxy.intercept.access import Access
from proxy.relay.addressing import RunTags
from proxy.relay.refusals import Kind

TOKEN = "a-long-enough-token"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()


def basic(text: str) -> str:
    return "Basic " + b64encode(text.encode()).decode()


def a_head(*lines: bytes) -> RequestHead:
    head = RequestFramer().receive(b"\r\n".join([b"GET / HTTP/1.1", b"Host: x", *lines, b"", b""]))
    assert isinstance(head, RequestHead)
    return head


@pytest.mark.parametrize(
    "shown",
    ["", "Basic", "Basic !!!", "Bearer x", basic(TOKEN), basic("user:"), basic("user:wrong"), basic(f"user:{TOKEN}x")],
)
def test_who_shows_no_token_is_not_admitted(shown: str) -> None:
    assert not Access(DIGEST, RunTags(None)).of_authorization(shown).is_admitted
    assert Access("", RunTags(None)).of_authorization(shown).is_admitted


def test_the_password_is_the_token_whoever_shows_it() -> None:
    access = Access(DIGEST, RunTags(None))
    assert access.of_authorization(basic(f"anybody:{TOKEN}")) == (True, "")
    assert access.of_proxy(a_head(b"Proxy-Authorization: " + basic(f":{TOKEN}").encode())).is_admitted


def test_a_run_tag_admits_and_names_its_run(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"secret:tag").hexdigest()[:32]
    (tmp_path / "tags").write_text(f"{digest}\n")
    assert Access(DIGEST, RunTags(tmp_path / "tags")).of_authorization(basic("run:secret:tag")) == (True, digest)


def test_before_an_upstream_our_own_header_is_asked_for_and_a_page_needs_it() -> None:
    with_token, without = Access(DIGEST, RunTags(None)), Access("", RunTags(None))
    origin = b"Origin: http://evil.example"
    assert with_token.of_reverse(a_head()) is Kind.TOKEN
    assert with_token.of_reverse(a_head(b"X-Compaction-Token: wrong")) is Kind.TOKEN
    assert with_token.of_reverse(a_head(b"X-Compaction-Token: " + TOKEN.encode(), origin)) is None
    assert without.of_reverse(a_head()) is None
    assert without.of_reverse(a_head(origin)) is Kind.ORIGIN
