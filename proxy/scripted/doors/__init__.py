"""The addresses of a scripted provider.

calls    model calls and token counts of the four dialects
small    the small endpoints that real clients ask for
sockets  Responses over WebSocket
"""
