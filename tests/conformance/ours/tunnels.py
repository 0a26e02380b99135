"""What stands between a relay and the plain upstream in the TLS probes: a TLS end, a proxy that takes CONNECT.

Both hand bytes on to a port and note what they were told. They are small servers of threads, closed with the probe.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conformance.harness.messages import HEAD_END

IDLE_S = 30.0
PIECE = 1 << 16


class Authority(NamedTuple):
    """A test CA made at run time: its certificate, and a server's certificate with key."""

    bundle: Path
    chain: Path


@dataclass(slots=True)
class Notes:
    """What a tunnel was told."""

    server_names: list[str | None] = field(default_factory=list)
    protocols: list[str | None] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)


class Tunnel(NamedTuple):
    """A listening tunnel."""

    port: int
    notes: Notes


def make_authority(folder: Path, *names: str) -> Authority:
    """A CA, and a certificate of its for these host names and addresses."""
    now = dt.datetime.now(dt.UTC)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "conformance CA")])

    def builder(subject: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(ca_name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
        )

    usage = x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    ca = (
        builder(ca_name, ca_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    leaf = (
        builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "conformance")]), key.public_key())
        .add_extension(x509.SubjectAlternativeName([general_name(name) for name in names]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    made = Authority(folder / "ca.pem", folder / "server.pem")
    made.bundle.write_bytes(ca.public_bytes(pem))
    made.chain.write_bytes(leaf.public_bytes(pem) + secret)
    return made


def general_name(name: str) -> x509.GeneralName:
    """A host name or an address as it stands in a certificate."""
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@contextmanager
def tls_end(chain: Path, plain_port: int, *, says_goodbye: bool = False) -> Iterator[Tunnel]:
    """Takes TLS connections and hands their bytes on to `plain_port`; ends them by close_notify, or just by FIN."""
    notes = Notes()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    context.set_alpn_protocols(["h2", "http/1.1"])

    def note_name(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> None:
        notes.server_names.append(name)

    context.sni_callback = note_name

    def serve(sock: socket.socket) -> None:
        with context.wrap_socket(sock, server_side=True) as inner:
            notes.protocols.append(inner.selected_alpn_protocol())
            with socket.create_connection(("127.0.0.1", plain_port)) as outer:
                ended = splice(inner, outer)
                if ended is outer and says_goodbye:
                    inner.unwrap()

    with listening(serve) as port:
        yield Tunnel(port, notes)


@contextmanager
def connect_proxy(*, refuses: bool = False) -> Iterator[Tunnel]:
    """Takes CONNECT and hands bytes on to 127.0.0.1 at the port that was asked for; or answers 407."""
    notes = Notes()

    def serve(sock: socket.socket) -> None:
        head = b""
        while not head.endswith(HEAD_END) and (piece := sock.recv(PIECE)):
            head += piece
        notes.heads.append(head)
        if refuses:
            sock.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        port = int(head.split(b" ")[1].rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port)) as outer:
            sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            splice(sock, outer)

    with listening(serve) as port:
        yield Tunnel(port, notes)


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port whose connections are served by a thread each; closed, and the threads awaited, with the block."""
    taken: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve_one(sock: socket.socket) -> None:
        with sock, suppress(OSError, ValueError):
            serve(sock)

    def accept(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                sock = listener.accept()[0]
                sock.settimeout(IDLE_S)
                taken.append(sock)
                threads.append(threading.Thread(target=serve_one, args=(sock,), daemon=True))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept, args=(listener,), daemon=True)
        accepting.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for sock in taken:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


def splice(one: socket.socket, other: socket.socket) -> socket.socket:
    """Bytes both ways until one side ends; gives that side. One thread: a TLS socket is not to be used by two."""
    sinks = {one: other, other: one}
    while True:
        buffered = [sock for sock in sinks if isinstance(sock, ssl.SSLSocket) and sock.pending()]
        for source in buffered or select.select(list(sinks), [], [], IDLE_S)[0]:
            piece = source.recv(PIECE)
            if not piece:
                return source
            sinks[source].sendall(piece)
