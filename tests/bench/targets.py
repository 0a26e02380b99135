"""What stands between: nothing, nginx, our relay with journal and observer, bare aiohttp, mitmdump."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import CannotStartError, free_port, last_line, running, wait_until_listening
from tests.bench.recorded import Records
from tests.bench.tools import mitmdump, tool
from tests.bench.upstreams import NGINX_HEAD, Upstream

ROOT = Path(__file__).parents[2]
START_S = 60.0
FORWARDING = (
    NGINX_HEAD
    + """\
  upstream provider {{ server {provider}; keepalive 64; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {scheme}://provider;
      proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host {provider};
      proxy_buffering off; proxy_request_buffering off; proxy_next_upstream off;
      proxy_buffer_size 64k; proxy_buffers 4 64k;
      {tls}
    }}
  }}
}}
"""
)
"""Streams both ways and keeps its upstream connections, as ours does. The documentation shows this text."""
VERIFYING = (
    "proxy_ssl_verify on; proxy_ssl_trusted_certificate {ca}; proxy_ssl_name localhost; proxy_ssl_server_name on;"
)
SETTINGS = """\
[relay]
listen = "127.0.0.1:0"
drain_s = 1
[admin]
listen = "127.0.0.1:0"
[egress]
proxy = "none"
ca_bundle = "{ca}"
[upstreams.anthropic]
url = "{url}"
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that listens and forwards to the upstream."""

    name: str
    url: str
    pid: int | None
    """Whose CPU and memory count: nginx's only process, our relay alone; None = nobody stands between."""
    records: Records | None = None
    """What ours has recorded."""


Start = Callable[[Upstream, Path], AbstractContextManager[Target]]


@contextmanager
def direct(upstream: Upstream, folder: Path) -> Iterator[Target]:
    """Nothing in between; with TLS the client speaks it itself."""
    yield Target("direct", upstream.url, None)


@contextmanager
def nginx(upstream: Upstream, folder: Path) -> Iterator[Target]:
    """The floor."""
    port, log = free_port(), folder / "said.txt"
    scheme, _, provider = upstream.url.partition("://")
    tls = VERIFYING.format(ca=upstream.ca) if upstream.ca else ""
    settings = folder / "nginx.conf"
    settings.write_text(FORWARDING.format(folder=folder, port=port, provider=provider, scheme=scheme, tls=tls))
    with running([tool("nginx"), "-p", str(folder), "-c", str(settings)], log) as process:
        wait_until_listening(port, process, log)
        yield Target("nginx", _at(port), process.pid)


@contextmanager
def ours(upstream: Upstream, folder: Path) -> Iterator[Target]:
    """`serve` as it is shipped: relay, journal, observer, store, default settings. Its CPU is the relay's alone."""
    settings, ready, log, data = folder / "gate.toml", folder / "ready.json", folder / "said.txt", folder / "data"
    settings.write_text(SETTINGS.format(url=upstream.url, ca=upstream.ca or ""))
    command = [
        sys.executable, "-m", "gate", "--config", str(settings), "--data", str(data),
        "serve", "--ready-file", str(ready),
    ]  # fmt: skip
    search = {"PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    with running(command, log, env=os.environ | search) as process:
        until = time.monotonic() + START_S
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > until:
                raise CannotStartError(f"compaction-gate serve does not start: {last_line(log)}")
            time.sleep(0.05)
        told = json.loads((data / "running.json").read_text())
        yield Target("ours", told["relay_url"], told["relay"][0], Records(data, told["observer"][0]))


@contextmanager
def aiohttp(upstream: Upstream, folder: Path) -> Iterator[Target]:
    """What aiohttp and uvloop give, nothing else."""
    port, log = free_port(), folder / "said.txt"
    command = [sys.executable, "-m", "tests.bench.bare", str(port), upstream.url]
    with running([*command, *([str(upstream.ca)] if upstream.ca else [])], log) as process:
        wait_until_listening(port, process, log)
        yield Target("aiohttp+uvloop", _at(port), process.pid)


@contextmanager
def mitm(upstream: Upstream, folder: Path) -> Iterator[Target]:
    """mitmproxy, streaming."""
    port, log = free_port(), folder / "said.txt"
    addon = str(Path(__file__).with_name("mitmdump_addon.py"))
    settings = {
        "confdir": str(folder / "conf"),
        "flow_detail": "0",
        "termlog_verbosity": "error",
        **({"ssl_verify_upstream_trusted_ca": str(upstream.ca)} if upstream.ca else {}),
    }
    command = [
        mitmdump(ROOT / "build" / "bench"), "-q", "--mode", f"reverse:{upstream.url}",
        "--listen-host", "127.0.0.1", "--listen-port", str(port), "-s", addon,
        *(word for name, value in settings.items() for word in ("--set", f"{name}={value}")),
    ]  # fmt: skip
    with running(command, log) as process:
        wait_until_listening(port, process, log)
        yield Target("mitmdump", _at(port), process.pid)


def _at(port: int) -> str:
    return f"http://127.0.0.1:{port}"


TARGETS: dict[str, Start] = {
    "direct": direct,
    "nginx": nginx,
    "ours": ours,
    "aiohttp+uvloop": aiohttp,
    "mitmdump": mitm,
}
