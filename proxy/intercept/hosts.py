"""Which upstream a request is for, and which hosts are decrypted at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proxy.relay.settings import Upstream


class Hosts:
    """The configured upstreams by where a client would go for them."""

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        self._places: dict[tuple[str, int, bool], list[Upstream]] = {}
        for upstream in sorted(upstreams, key=lambda one: (-len(one.base_path), one.name)):
            self._places.setdefault((upstream.host.lower(), upstream.port, upstream.tls), []).append(upstream)

    def upstream_of(self, host: str, port: int, *, tls: bool, target: bytes) -> Upstream | None:
        """The upstream that a request goes to, the longest base path first; None: it is nobody's."""
        found = self._places.get((host.lower(), port, tls), ())
        return next((upstream for upstream in found if _is_below(target, upstream.base_path)), None)

    def patterns(self) -> list[str]:
        """Regular expressions over `host:port` of what is decrypted; never empty, which would mean everything."""
        places = sorted({f"{host}:{port}" for host, port, _ in self._places})
        return [f"^{re.escape(place)}$" for place in places] or [r"(?!)"]


def _is_below(target: bytes, base: bytes) -> bool:
    return target.startswith(base) and target[len(base) : len(base) + 1] in (b"", b"/", b"?")
