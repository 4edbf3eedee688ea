"""A crowd that reads one answer while others search: what a reader costs, and what it costs the others.

Belongs here: readers that attach to an answer, searches beside them, memory. Not here: the API and the stub of a model
(`answer_streams`, which runs this). Guarantee: searches with and without readers are compared within one run, so
other load affects both; every reader's text is compared with the others'.
"""

import http.client
import json
import os
import resource
import selectors
import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil

_PHASE_SECONDS = 8.0
_PER_ADDRESS = 100  # readers: loopback has many addresses, and the API limits the connections of each
_SEARCH = "/api/v1/knowledge-bases/bench/search"


@dataclass(kw_only=True, slots=True)
class SearchPhase:
    """Searches without a pause by some clients, beside some readers; times in milliseconds, of memory in MB."""

    clients: int
    readers: int
    statuses: dict[int, int] = field(default_factory=dict)
    p50: float = 0.0
    p95: float = 0.0
    api_cpu_ms: float = 0.0
    """Of the API for each search, with what the readers cost."""
    api_cpu_share: float = 0.0
    """Of one processor."""
    pss: float = 0.0
    threads: int = 0


@dataclass(kw_only=True, slots=True)
class CrowdFigures:
    """What a crowd got, and the searches beside it."""

    readers: int
    refused: int
    attach_seconds: float
    pieces_per_second: float
    """Of each reader, in the middle: how often something came."""
    distinct_texts: int
    phases: list[SearchPhase] = field(default_factory=list)


def measure_crowd(port: int, readers: int, question_path: str, texts: list[str]) -> CrowdFigures:
    """Search alone, then beside a crowd, then read every stream to its end.

    Args:
        port: of the API.
        readers: how many attach.
        question_path: where to ask the question whose answer grows for a minute.
        texts: what is searched for.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    search_beside(port, 4, 0, texts, seconds=2.0)  # warms up
    phases = [search_beside(port, clients, 0, texts) for clients in (4, 32, 64)]
    location = _begin_answer(port, question_path)
    began = time.monotonic()
    crowd = _Crowd(port, location, readers)
    attached = time.monotonic() - began
    phases.append(_rest_beside(port, readers))
    phases += [search_beside(port, clients, readers, texts) for clients in (32, 64)]
    crowd.thread.join()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CrowdFigures(
        readers=len(crowd.bodies),
        refused=crowd.refused,
        attach_seconds=attached,
        pieces_per_second=median(crowd.pieces) / (time.monotonic() - began) if crowd.pieces else 0.0,
        distinct_texts=len({_text_of(body) for body in crowd.bodies}),
        phases=phases,
    )


class _Crowd:
    """Readers of one answer, all in one thread."""

    def __init__(self, port: int, location: str, count: int) -> None:
        self.bodies: list[bytearray] = []
        self.pieces: list[int] = []
        self.refused = 0
        self._selector = selectors.DefaultSelector()
        with ThreadPoolExecutor(16) as pool:
            opened = list(pool.map(lambda index: _open(port, location, index), range(count)))
        for connection, head in opened:
            if not head.startswith(b"HTTP/1.1 200"):
                self.refused += 1
                connection.close()
                continue
            self._selector.register(connection, selectors.EVENT_READ, len(self.bodies))
            self.bodies.append(bytearray(head))
            self.pieces.append(0)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while self._selector.get_map():
            for key, _ in self._selector.select(1.0):
                client: Any = key.fileobj
                block = client.recv(262_144)
                self.bodies[key.data] += block
                self.pieces[key.data] += 1
                if not block:
                    self._selector.unregister(client)
                    client.close()
            time.sleep(0.05)


def _open(port: int, location: str, index: int) -> tuple[socket.socket, bytes]:
    source = f"127.0.1.{1 + index // _PER_ADDRESS}"
    connection = socket.create_connection(("127.0.0.1", port), timeout=120, source_address=(source, 0))
    connection.sendall(f"GET {location} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    return connection, connection.recv(65_536)


def _text_of(body: bytearray) -> str:
    """The pieces of the answer, joined: a crowd does not get them in the same chunks of HTTP."""
    lines = bytes(body).partition(b"\r\n\r\n")[2].split(b"\n")
    pieces = [json.loads(line[6:])["text"] for line in lines if line.startswith(b'data: {"text":')]
    return "".join(pieces) if b"event: done" in body else f"not whole: {len(body)}"


def _begin_answer(port: int, path: str) -> str:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = json.dumps({"question": "How do I back up everything?", "stream": True, "fresh": True})
    client.request("POST", path, body, {"Content-Type": "application/json"})
    response = client.getresponse()
    location = response.headers["Location"]
    threading.Thread(target=response.read, daemon=True).start()
    return location


def search_beside(port: int, clients: int, readers: int, texts: list[str], seconds: float = _PHASE_SECONDS) -> Any:
    """Search without a pause for some seconds."""
    phase = SearchPhase(clients=clients, readers=readers)
    spent: list[float] = []
    statuses: Counter[int] = Counter()
    before, until = _cpu_seconds(port), time.monotonic() + seconds

    def search(index: int) -> None:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        while time.monotonic() < until:
            index += clients
            started = time.perf_counter()
            body = json.dumps({"query": texts[index % len(texts)]})
            client.request("POST", _SEARCH, body, {"Content-Type": "application/json"})
            response = client.getresponse()
            response.read()
            spent.append((time.perf_counter() - started) * 1000)
            statuses[response.status] += 1

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(search, range(clients)))
    used = _cpu_seconds(port) - before
    phase.statuses = dict(statuses)
    phase.p50, phase.p95 = median(spent), quantiles(spent, n=20)[-1]
    phase.api_cpu_ms = used * 1000 / len(spent)
    phase.api_cpu_share = used / seconds
    phase.pss, phase.threads = _memory(port)
    return phase


def _rest_beside(port: int, readers: int) -> SearchPhase:
    """What readers cost while nobody searches."""
    before = _cpu_seconds(port)
    time.sleep(_PHASE_SECONDS)
    phase = SearchPhase(clients=0, readers=readers, api_cpu_share=(_cpu_seconds(port) - before) / _PHASE_SECONDS)
    phase.pss, phase.threads = _memory(port)
    return phase


def _servers(port: int) -> list[psutil.Process]:
    pids = {
        entry.pid for entry in psutil.net_connections("tcp") if entry.status == "LISTEN" and entry.laddr.port == port
    }
    return [psutil.Process(pid) for pid in pids if pid and pid != os.getpid()]


def _cpu_seconds(port: int) -> float:
    times = [process.cpu_times() for process in _servers(port)]
    return sum(spent.user + spent.system for spent in times)


def _memory(port: int) -> tuple[float, int]:
    """The megabytes that belong to the API's processes, shared pages by share, and their threads."""
    servers = _servers(port)
    lines = [Path(f"/proc/{server.pid}/smaps_rollup").read_text(encoding="utf-8").splitlines() for server in servers]
    pss = sum(int(line.split()[1]) for entries in lines for line in entries if line.startswith("Pss:"))
    return pss * 1024 / 1e6, sum(server.num_threads() for server in servers)
