"""Model calls that are made over a WebSocket (OpenAI Responses, wire-formats 2.6), read from recorded frames.

negotiation  what the handshake settled: compression, or an extension nobody knows
inflate      permessage-deflate of one direction (RFC 7692)
messages     bytes of one direction to text messages (RFC 6455)
events       what a message says of itself
calls        calls that run, and the exchange that each becomes
steering     input added to a running response, on its way to the next one
splitter     both directions of a socket to its calls
"""

from proxy.wire.websocket.splitter import ResponsesSocket, SocketExchange, open_socket

__all__ = ["ResponsesSocket", "SocketExchange", "open_socket"]
