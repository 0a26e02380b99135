"""An HTTPS proxy that takes every tunnel to the scripted provider: the door a client uses when nobody is in its path.

The client believes it speaks to its provider, so what it sends here is what a base URL of another host costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def tunnelling(port: int) -> AsyncIterator[str]:
    """Proxy inside the block; gives its URL. All tunnels end at `port` on loopback."""
    ends: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(_pump(source, sink))
            ends.add(task)
            task.add_done_callback(ends.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tuple(ends):
            task.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while piece := await source.read(65536):
            sink.write(piece)
            await sink.drain()
    except ConnectionError:
        pass  # Either side may leave; the other is told by the closing below.
    finally:
        sink.close()
