"""What is probed: our relay, an nginx started here, or any proxy at a URL."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

START_S = 15.0


class CannotStartError(Exception):
    """A target is missing or does not come up; `str()` says what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """A proxy that listens at `host:port` and forwards to the suite's upstream."""

    name: str
    host: str
    port: int
    base_path: bytes = b""
    """Path put before every request target, without a slash at its end."""
    is_ours: bool = False
    unsupported: Mapping[str, str] | None = None
    """For a door of ours that is made of another proxy: what that cannot do, by probe, with the reason."""
    not_asked: Mapping[str, str] = field(default_factory=dict)
    """Probes that would ask the way to it and not the target, with the reason."""
    rewrites_json: bool = False
    """It is known to write JSON bodies anew: that fails `request.body`, and is no finding of every other probe."""
    name_in_tunnel: bytes = b""
    """Whom the client asks for when what listens at `host:port` takes it to a tunnel."""

    @property
    def authority(self) -> bytes:
        """What a client writes into its Host line."""
        return self.name_in_tunnel or b"%s:%d" % (self.host.encode(), self.port)


def remote(url: str) -> Target:
    """A proxy somebody else has started and pointed at the suite's upstream. Raises CannotStartError."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise CannotStartError(f"--target: found {url!r}, expected http://host[:port][/path] (plain HTTP)")
    target = Target(url, parts.hostname, parts.port or 80, parts.path.rstrip("/").encode())
    wait_for(target.host, target.port)
    return target


NGINX_CONF = """\
daemon off; master_process off; worker_processes 1;
pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_max_body_size 0; large_client_header_buffers 8 64k; proxy_buffer_size 64k; proxy_buffers 4 64k;
  ignore_invalid_headers off; underscores_in_headers on;
  map $http_upgrade $upstream_connection {{ default upgrade; "" close; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off; proxy_next_upstream off;
      proxy_read_timeout 1d; proxy_send_timeout 1d; send_timeout 1d;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $upstream_connection;
      proxy_pass_header Server; proxy_pass_header Date;
    }}
  }}
}}
"""
"""nginx as faithful as its settings allow; the documentation shows this text."""


@contextmanager
def nginx(upstream_port: int) -> Iterator[Target]:
    """A locally installed nginx in a scratch folder, for as long as the block runs. Raises CannotStartError."""
    binary = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if binary is None:
        raise CannotStartError("--nginx: nginx is not installed (apt-get install nginx-light)")
    with tempfile.TemporaryDirectory(prefix="conformance-nginx-") as name:
        folder, port = Path(name), free_port()
        settings = folder / "nginx.conf"
        settings.write_text(NGINX_CONF.format(folder=folder, port=port, upstream=upstream_port))
        process = subprocess.Popen([binary, "-p", name, "-c", str(settings)])
        try:
            wait_for("127.0.0.1", port, process)
            yield Target(f"nginx {version_of(binary)}", "127.0.0.1", port)
        finally:
            stop(process)


def version_of(binary: str) -> str:
    """`1.22.1` of `nginx version: nginx/1.22.1`."""
    said = subprocess.run([binary, "-v"], capture_output=True, text=True, check=False).stderr
    return said.strip().rpartition("/")[2]


def free_port() -> int:
    """A port nobody listens on now, for servers that cannot choose one themselves."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_for(
    host: str, port: int, process: subprocess.Popen[bytes] | None = None, *, patience_s: float | None = None
) -> None:
    """Return once somebody accepts there. Raises CannotStartError, at once when `process` has ended."""
    until = time.monotonic() + (patience_s or START_S)
    while time.monotonic() < until and (process is None or process.poll() is None):
        with suppress(OSError), socket.create_connection((host, port), timeout=1.0):
            return
        time.sleep(0.02)
    raise CannotStartError(f"nobody accepts at {host}:{port}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a child: asked first, made to after a while."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
