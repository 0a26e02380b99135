"""The network's own proxy on the way out: for what is decrypted, and for what is only tunnelled."""

from __future__ import annotations

from mitmproxy.http import HTTPFlow
from mitmproxy.net.server_spec import ServerSpec
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import TCPLayer
from mitmproxy.proxy.layers.http._upstream_proxy import HttpUpstreamProxy

from proxy.relay.settings import Egress


class EgressAddon:
    """Sends TLS traffic through the proxy of the settings, but for its exceptions; plain traffic goes directly."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    def requestheaders(self, flow: HTTPFlow) -> None:
        """A request of a decrypted host is about to be sent."""
        if flow.request.scheme == "https":
            flow.server_conn.via = self._via(flow.request.host, flow.request.port)

    def next_layer(self, decision: NextLayer) -> None:
        """A connection was found to be nobody's business: it is tunnelled, through the proxy if need be."""
        layer, context = decision.layer, decision.context
        if not isinstance(layer, TCPLayer) or layer.flow is not None or context.server.address is None:
            return
        host, port, *_ = context.server.address
        context.server.via = self._via(host, port)
        if context.server.via is not None:
            stack = HttpUpstreamProxy.make(context, send_connect=True)
            stack /= layer
            decision.layer = stack[0]

    def http_connect_upstream(self, flow: HTTPFlow) -> None:
        """The proxy is asked for a way; it is shown our credentials."""
        proxy = self._egress.proxy
        if proxy is not None and proxy.authorization:
            flow.request.headers["Proxy-Authorization"] = proxy.authorization.decode("ascii")

    def _via(self, host: str, port: int) -> ServerSpec | None:
        proxy = self._egress.proxy_for(host, port)
        return ("http", (proxy.host, proxy.port)) if proxy is not None else None
