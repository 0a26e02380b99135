"""What answers: nginx for plain replies, a raw uvloop protocol for the stream; with or without TLS."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.load import Load
from tests.bench.processes import free_port, running, wait_until_listening
from tests.bench.tools import tool
from tests.conformance.ours.tunnels import make_authority

NGINX_HEAD = """\
daemon off; master_process off; worker_processes 1;
pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_max_body_size 0; client_body_buffer_size 1m;
"""
"""One process without a master: its CPU time is that of the work."""

REPLYING = (
    NGINX_HEAD
    + """\
  open_file_cache max=10; default_type application/json; root {folder};
  server {{
    listen 127.0.0.1:{port}{tls};
    location / {{ mirror /read; error_page 405 404 =200 /reply.json; }}
    location = /read {{ internal; return 204; }}
    location = /large.bin {{ }}
    location = /reply.json {{
      internal;
      add_header request-id req_011CbenchBENCHbench;
      add_header anthropic-organization-id 00000000-0000-0000-0000-000000000000;
      add_header anthropic-ratelimit-unified-status allowed;
      add_header anthropic-ratelimit-unified-reset 1760000000;
      add_header cf-ray 0123456789abcdef-FRA;
    }}
  }}
}}
"""
)
"""`mirror` makes nginx read a request's body to its end before it answers, as a provider must."""


class Upstream(NamedTuple):
    """Where to forward to."""

    port: int
    ca: Path | None
    """The CA to trust; None = no TLS."""

    @property
    def url(self) -> str:
        """Its address; the certificate is for this name."""
        return f"https://localhost:{self.port}" if self.ca else f"http://127.0.0.1:{self.port}"


@contextmanager
def upstream(load: Load, folder: Path, *, tls: bool = False) -> Iterator[Upstream]:
    """An upstream for that load, for as long as the block runs. Raises CannotStartError."""
    folder.mkdir(parents=True)
    authority = make_authority(folder, "localhost") if tls else None
    port, log = free_port(), folder / "said.txt"
    chain = authority.chain if authority else None
    if load.reply_bytes is None:
        command = [sys.executable, "-m", "tests.bench.chunks", str(port), *([str(chain)] if chain else [])]
    else:
        (folder / "reply.json").write_bytes(load.reply())
        settings = f" ssl; ssl_certificate {chain}; ssl_certificate_key {chain}" if chain else ""
        (folder / "nginx.conf").write_text(REPLYING.format(folder=folder, port=port, tls=settings))
        command = [tool("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with running(command, log) as process:
        wait_until_listening(port, process, log)
        yield Upstream(port, authority.bundle if authority else None)
