from __future__ import annotations

import datetime as dt
import ssl
from pathlib import Path

import pytest

from proxy.intercept.authority import VALID_DAYS, system_store, the_authority, write_stores
from proxy.model.errors import CannotWriteError, InputError


def test_it_is_made_once_and_its_key_is_for_nobody_else(tmp_path: Path) -> None:
    first = the_authority(tmp_path / "deep" / "folder")
    assert first.key.stat().st_mode & 0o777 == 0o600
    assert first.key.parent.stat().st_mode & 0o777 == 0o700
    assert b"PRIVATE KEY" not in first.certificate.read_bytes()
    assert the_authority(tmp_path / "deep" / "folder") == first
    assert len(first.fingerprint.split(":")) == 32


def test_a_client_can_trust_the_certificate_alone_or_the_bundle(tmp_path: Path) -> None:
    added = the_authority(tmp_path / "added").certificate
    authority = the_authority(tmp_path / "own")
    environment = {"SSL_CERT_FILE": str(added)}
    write_stores(authority, added, environment)
    for file, count in ((authority.certificate, 1), (authority.bundle, 2), (authority.trust, 1)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(file)
        assert len(context.get_ca_certs()) == count
    assert authority.certificate.read_bytes() not in authority.trust.read_bytes()


def test_a_bundle_does_not_grow_when_it_is_told_to_ourselves(tmp_path: Path) -> None:
    authority = the_authority(tmp_path)
    write_stores(authority, None, {})
    before = authority.bundle.read_bytes()
    write_stores(authority, None, {"SSL_CERT_FILE": str(authority.bundle)})
    assert authority.bundle.read_bytes() == before


def test_the_systems_store_is_the_one_that_is_named_else_one_that_is_there(tmp_path: Path) -> None:
    named = tmp_path / "named.pem"
    named.write_text("x")
    assert system_store({"SSL_CERT_FILE": str(named)}) == named
    assert system_store({"SSL_CERT_FILE": str(tmp_path / "none")}).is_file()


@pytest.mark.parametrize("content", [b"", b"rubbish", b"-----BEGIN CERTIFICATE-----\nrubbish\n"])
def test_something_else_in_its_place_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mitmproxy-ca.pem").write_bytes(content)
    with pytest.raises(InputError, match=r"mitmproxy-ca\.pem: found something else, expected a private key"):
        the_authority(tmp_path)


def test_a_key_that_others_could_read_is_not_used(tmp_path: Path) -> None:
    the_authority(tmp_path).key.chmod(0o644)
    with pytest.raises(InputError, match="others may read, expected mode 0600"):
        the_authority(tmp_path)


def test_an_expired_one_is_not_used_and_not_replaced_behind_the_users_back(tmp_path: Path) -> None:
    then = dt.datetime.now(dt.UTC) - dt.timedelta(days=VALID_DAYS + 1)
    the_authority(tmp_path, now=then)
    with pytest.raises(InputError, match=r"expired on .*, expected a valid one: remove the folder"):
        the_authority(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWriteError, match="not a directory"):
        the_authority(tmp_path / "file" / "folder")
