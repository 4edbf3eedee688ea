"""A server of aiohttp in a thread, for stubs that speak WebSocket.

Belongs here: its loop and its end, and waiting for what a stub notes. Not here: protocols (`slack_server`,
`discord_server`). Guarantee: no thread outlives the block.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from aiohttp import web

_PATIENCE = 60.0  # seconds; the machine may be busy
T = TypeVar("T")


class Running:
    """What a stub does from the test's thread."""

    loop: asyncio.AbstractEventLoop
    sockets: list[web.WebSocketResponse]
    """The open connections over which events go, the newest last."""

    def do(self, doing: Coroutine[Any, Any, T]) -> T:
        """Run something in the server's thread."""
        return asyncio.run_coroutine_threadsafe(doing, self.loop).result(_PATIENCE)

    def hang_up(self) -> None:
        """Close the connections."""
        for socket in list(self.sockets):
            self.do(socket.close())


def until(look: Callable[[], T], seconds: float = _PATIENCE) -> T:
    """Wait until a look finds something; returns it."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, "nothing was found"
        time.sleep(0.02)


@contextmanager
def aiohttp_server(app: web.Application, stub: Running) -> Iterator[int]:
    """Serve an app for the length of a block; yields the port."""
    stub.loop = asyncio.new_event_loop()
    thread = threading.Thread(target=stub.loop.run_forever, daemon=True)
    thread.start()
    runner = web.AppRunner(app, shutdown_timeout=0.1)

    async def begin() -> int:
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port: int = runner.addresses[0][1]
        return port

    try:
        yield stub.do(begin())
    finally:
        stub.do(runner.cleanup())
        stub.loop.call_soon_threadsafe(stub.loop.stop)
        thread.join()
        stub.loop.close()
