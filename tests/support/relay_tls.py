"""A certificate authority made at run time, and what it takes to be a TLS server or a forward proxy in a test."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.relay import Listener, Peer


def server_context(folder: Path, name: str) -> ssl.SSLContext:
    """TLS of a server called `name`; its CA is `folder/ca.pem`. It would rather speak HTTP/2."""
    now = dt.datetime.now(dt.UTC)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name, server = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("test CA", name))
    usual = x509.CertificateBuilder().not_valid_before(now).not_valid_after(now + dt.timedelta(days=1))
    ca = (
        usual.subject_name(ca_name)
        .issuer_name(ca_name)
        .public_key(ca_key.public_key())
        .serial_number(1)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(ca_key, hashes.SHA256())
    )
    leaf = (
        usual.subject_name(server)
        .issuer_name(ca_name)
        .public_key(key.public_key())
        .serial_number(2)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
    (folder / "leaf.pem").write_bytes(leaf.public_bytes(pem) + secret)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


class TlsListener(Listener):
    """A TLS server; remembers the names it was asked for."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__()
        self._context = context
        self.asked_for: list[str | None] = []
        self.protocols: list[str | None] = []
        context.sni_callback = lambda _socket, name, _context: self.asked_for.append(name)

    def accept(self) -> Peer:
        connection = self.accept_socket()
        wrapped = self._context.wrap_socket(connection, server_side=True)
        self.protocols.append(wrapped.selected_alpn_protocol())
        return self.know(Peer(wrapped))

    def refuse(self) -> None:
        """Begin a handshake the other side will not finish."""
        connection = self.accept_socket()
        try:
            self._context.wrap_socket(connection, server_side=True)
        except ssl.SSLError:
            return
        finally:
            connection.close()
        raise AssertionError("the handshake was finished")


class ForwardProxy:
    """Answers CONNECT with `answer`, then passes bytes to `port`."""

    def __init__(self, port: int, answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> None:
        self.listener = Listener()
        self.asked = b""
        self._port = port
        self._answer = answer
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        connection = self.listener.accept_socket()
        peer = self.listener.know(Peer(connection))
        self.asked = peer.until()
        peer.send(self._answer)
        if b" 200 " not in self._answer:
            return
        onward = socket.create_connection(("127.0.0.1", self._port))
        back = threading.Thread(target=_pass, args=(onward, connection), daemon=True)
        back.start()
        _pass(connection, onward)
        onward.shutdown(socket.SHUT_RDWR)
        back.join()
        onward.close()

    def close(self) -> None:
        self.listener.close()
        self._thread.join()


def _pass(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return
