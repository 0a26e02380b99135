"""Our own certificate authority: made once in the data folder, installed nowhere by us.

The key with its certificate (mode 0600), the certificate alone for clients that add it to their store, and a bundle of
it and the system's store for clients that replace theirs.
"""

from __future__ import annotations

import datetime as dt
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from proxy.model.errors import CannotWriteError, InputError

KEY, CERTIFICATE, BUNDLE, TRUST = "mitmproxy-ca.pem", "ca.pem", "bundle.pem", "upstream-trust.pem"
"""The first name is mitmproxy's: it would make an authority of its own beside another one."""
NAME = "compaction-gate intercept"
VALID_DAYS = 5 * 365
CLOCK_SKEW = dt.timedelta(days=2)
"""The certificate is valid from so long before it was made: clients' clocks are wrong."""
SYSTEM_STORES = (
    Path("/etc/ssl/certs/ca-certificates.crt"),
    Path("/etc/pki/tls/certs/ca-bundle.crt"),
    Path("/etc/ssl/ca-bundle.pem"),
    Path("/etc/ssl/cert.pem"),
)
PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A certificate authority that stands in a folder."""

    folder: Path
    fingerprint: str
    """SHA-256 of the certificate, as `openssl x509 -fingerprint` prints it."""
    valid_from: dt.datetime
    valid_until: dt.datetime

    @property
    def key(self) -> Path:
        """Private key and certificate; for nobody else."""
        return self.folder / KEY

    @property
    def certificate(self) -> Path:
        """The certificate alone."""
        return self.folder / CERTIFICATE

    @property
    def bundle(self) -> Path:
        """What clients trust that replace the system's store: what we trust ourselves, and the certificate."""
        return self.folder / BUNDLE

    @property
    def trust(self) -> Path:
        """Whom we trust ourselves: the system's store and what was added to it, not this authority."""
        return self.folder / TRUST


def the_authority(folder: Path, *, now: dt.datetime | None = None) -> Authority:
    """The authority of that folder, made there when there is none.

    Raises:
        CannotWriteError: it cannot be made.
        InputError: what stands there is no authority, or has expired.
    """
    now = now or dt.datetime.now(dt.UTC)
    if not (folder / KEY).exists():
        _make(folder, now)
    return _read(folder, now)


def write_stores(authority: Authority, more: Path | None, environment: Mapping[str, str]) -> None:
    """Write `trust` and `bundle`; `more` is what the settings add to the system's store.

    Raises:
        CannotWriteError: they cannot be written.
        InputError: a file that is named cannot be read.
    """
    store = system_store(environment)
    if store == authority.bundle:  # we run inside a command that was told it: what stands there must not grow
        return
    trusted = b"\n".join(map(_content, (store, *([more] if more else []))))
    _replace(authority.trust, trusted, 0o644)
    _replace(authority.bundle, trusted + b"\n" + _content(authority.certificate), 0o644)


def system_store(environment: Mapping[str, str]) -> Path:
    """The file with the certificates that this system trusts; the one that comes with Python when there is none."""
    named = environment.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    places = (*((Path(named),) if named else ()), *SYSTEM_STORES)
    return next((place for place in places if place.is_file()), Path(certifi.where()))


def _make(folder: Path, now: dt.datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, NAME), x509.NameAttribute(NameOID.COMMON_NAME, NAME)]
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + dt.timedelta(days=VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_signs_certificates(), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = certificate.public_bytes(PEM)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWriteError(f"{folder}: {(error.strerror or type(error).__name__).lower()}") from None
    _replace(folder / CERTIFICATE, public, 0o644)
    _replace(folder / KEY, private + public, 0o600)


def _signs_certificates() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _read(folder: Path, now: dt.datetime) -> Authority:
    path = folder / KEY
    raw = _content(path)
    try:
        serialization.load_pem_private_key(raw, None)
        certificate = x509.load_pem_x509_certificate(raw[raw.index(b"-----BEGIN CERTIFICATE") :])
    except (ValueError, TypeError):
        raise InputError(str(path), "", "something else", "a private key and its certificate") from None
    if path.stat().st_mode & 0o077:
        raise InputError(str(path), "", "a key that others may read", "mode 0600; do not trust it any longer")
    if now >= certificate.not_valid_after_utc:
        expired = f"a certificate that expired on {certificate.not_valid_after_utc:%Y-%m-%d}"
        raise InputError(str(path), "", expired, "a valid one: remove the folder, and trust the new one")
    return Authority(
        folder=folder,
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(":").upper(),
        valid_from=certificate.not_valid_before_utc,
        valid_until=certificate.not_valid_after_utc,
    )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        found = (error.strerror or type(error).__name__).lower()
        raise InputError(str(path), "", found, "a file of certificates") from None


def _replace(path: Path, content: bytes, mode: int) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as out:
            out.write(content)
        draft.replace(path)
    except OSError as error:
        raise CannotWriteError(f"{path}: {(error.strerror or type(error).__name__).lower()}") from None
