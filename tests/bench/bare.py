"""`python -m tests.bench.bare PORT UPSTREAM [CA]`: the streaming proxy that aiohttp and uvloop give for little code.

What a team would write first. It knows nothing of redaction, journals or framing attacks. Request bodies are read
whole, which at 2 KB is cheaper than streaming them; responses are streamed.
"""

from __future__ import annotations

import asyncio
import ssl
import sys

import uvloop
from aiohttp import ClientSession, TCPConnector, web

HOP_BY_HOP = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host"}


async def serve(port: int, upstream: str, ca: str | None) -> None:
    """Until told to stop."""
    context = ssl.create_default_context(cafile=ca) if ca else True
    async with ClientSession(connector=TCPConnector(limit=0, ssl=context), auto_decompress=False) as session:

        async def forward(request: web.Request) -> web.StreamResponse:
            headers = [(name, value) for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP]
            body = await request.read()
            async with session.request(
                request.method, upstream + request.path_qs, headers=headers, data=body, allow_redirects=False
            ) as answer:
                kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP]
                response = web.StreamResponse(status=answer.status, reason=answer.reason)
                response.headers.extend(kept)
                await response.prepare(request)
                async for piece in answer.content.iter_any():
                    await response.write(piece)
                await response.write_eof()
                return response

        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", forward)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
