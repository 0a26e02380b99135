"""Builders for tests that need a scripted provider: requests, a conversing client, TLS with a CA made at run time."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from proxy.scripted.provider import Provider
from proxy.scripted.sending.answer import Answer

S0_TOOLS: list[dict[str, Any]] = [
    {"name": name, "input_schema": {"type": "object"}}
    for name in ("search_files", "read_file", "write_file", "run_check")
]
Run = Callable[[str, Mapping[str, Any]], str]


def body_of(**fields: Any) -> bytes:
    """A request body with the fields nobody cares about filled in."""
    return json.dumps({"model": "scripted-1", "max_tokens": 1000, "tools": S0_TOOLS, **fields}).encode()


def user(*content: Any) -> dict[str, Any]:
    """A user message of texts or blocks."""
    return {"role": "user", "content": [_block(part) for part in content]}


def assistant(*content: Any) -> dict[str, Any]:
    """An assistant message of texts or blocks."""
    return {"role": "assistant", "content": [_block(part) for part in content]}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: str) -> dict[str, Any]:
    """What a tool answered."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def _block(part: Any) -> dict[str, Any]:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def message_in(answer: Answer) -> dict[str, Any]:
    """The message of an answer that was not streamed."""
    message: dict[str, Any] = json.loads(b"".join(answer.pieces))
    return message


@dataclass(slots=True)
class Conversation:
    """A client that runs every tool the provider asks for and sends the whole history again."""

    provider: Provider
    run: Run
    fields: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=lambda: {"x-api-key": "key"})
    messages: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, prompt: str) -> str:
        """Converse until the model has nothing more to run; gives its last text."""
        self.messages.append(user(prompt))
        for _ in range(50):
            message = self.turn()
            calls = [block for block in message["content"] if block["type"] == "tool_use"]
            if not calls:
                return str(message["content"][-1].get("text", ""))
            self.messages.append(user(*(result(c["id"], self.run(c["name"], c["input"])) for c in calls)))
        raise AssertionError("the script does not end")

    def turn(self) -> dict[str, Any]:
        """One model call; its answer joins the history."""
        answer = self.provider.answer(self.headers, body_of(messages=self.messages, **self.fields))
        assert answer.status == 200, answer.pieces
        message = message_in(answer)
        self.messages.append(assistant(*message["content"]))
        return message


class Tls(NamedTuple):
    """A CA made for one run, and what a server needs to be trusted by it."""

    bundle: Path
    """The CA's certificate, for clients."""
    server: ssl.SSLContext


def make_tls(folder: Path, *more_names: str) -> Tls:
    """Make a CA and a certificate for 127.0.0.1, localhost and more names; keys stay in `folder`."""
    now = dt.datetime.now(dt.UTC)
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "compaction-gate test CA")])
    ca = (
        _certificate(ca_name, ca_name, ca_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names = [*map(x509.DNSName, ("localhost", *more_names)), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    leaf = (
        _certificate(x509.Name([]), ca_name, key.public_key(), now)
        .add_extension(x509.SubjectAlternativeName(names), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    bundle, chain = folder / "ca.pem", folder / "server.pem"
    bundle.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain.write_bytes(private + leaf.public_bytes(serialization.Encoding.PEM))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(chain)
    return Tls(bundle, server)


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: dt.datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
    )


def _key_usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
