"""Streams of answers: how soon the first word comes, and what they cost everybody else.

Belongs here: the API as `headwater serve` runs it, with a stub of a chat model in a process of its own. Not here: the
search alone (`end_to_end`), the quality of answers. Guarantee: no answer comes from the store unless that is what is
measured.

    python -m bench.answer_streams [--answers 2000] [--json FILE]
    python -m bench.answer_streams --readers 1000 [--chunks 15000] [--json FILE]

The stub says 50 tokens a second and puts the time of its first one into its text. Times are by the clock, so they mean
something on an idle machine only.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import click
import psutil

from bench.end_to_end import served
from bench.reader_crowd import measure_crowd
from bench.synthetic import Synthetic
from bench.throwaway import sync, throwaway_home
from headwater.settings import REPOSITORY

CLIENTS = 20
_QUESTION = "How do I back up everything?"
_DELAY = 0.5  # seconds until the stub's first token: all questions have been searched for by then
_TOKENS = 200
_IDLE = 5.0  # seconds without a request after which a connection may be closed
_STUB = """
import time
from tests.chat_server import Says, chat_server

def slow(request):
    begins = time.monotonic() + {delay}
    text = f"T{{begins:.4f}} " + "The pump lifts water [1]. " * {sentences}
    return Says(text, tokens_per_second=50, first_token_delay={delay})

with chat_server() as chat:
    chat.by_model["slow"] = slow
    chat.by_model["long"] = Says("The pump lifts water [1]. " * 540, tokens_per_second=50)
    chat.by_model["quick"] = "The answer stands in the first passage [1]."
    print(chat.url, flush=True)
    input()
"""
_KNOWLEDGE_BASES = {"quoting": "builtin/extractive", "slow": "openai/slow", "quick": "openai/quick"}
_LONG = {"long": "openai/long"}
_PAGE = "# Backup\n\nBack up everything with `headwater backup FILE`. The file holds the database and all originals.\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """Milliseconds, and megabytes of the API's processes; each is described where it is measured."""

    first_token_p50: float
    first_token_p95: float
    search_p95: float
    search_alone_p95: float
    cached_p50: float
    overhead_p50: float
    quoted_p50: float
    memory_early: float
    memory_late: float


class Api:
    """The API of a port; each thread has its own connection, a new one after a pause: the server closes idle ones."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._own = threading.local()

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a request; returns the JSON of its response."""
        response = self._send(path, body)
        found: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise click.ClickException(f"{path} answered {response.status}: {found}")
        return found

    def events(self, path: str, **body: Any) -> Iterator[tuple[str, dict[str, Any], float]]:
        """Stream: each event's name, its data, and when it came."""
        response, name = self._send(path, {**body, "stream": True}), ""
        while line := response.readline():
            if line.startswith(b"event: "):
                name = line[7:].strip().decode()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:]), time.monotonic()

    def rest(self) -> bytes:
        """What is left of this thread's stream, unparsed."""
        rest: bytes = self._own.response.read()
        return rest

    def _send(self, path: str, body: dict[str, Any]) -> http.client.HTTPResponse:
        if time.monotonic() - getattr(self._own, "used", -_IDLE) >= _IDLE:
            self._own.client = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        sent = json.dumps(body)
        try:
            self._own.client.request(
                "POST", f"/api/v1/knowledge-bases/{path}", sent, {"Content-Type": "application/json"}
            )
            response: http.client.HTTPResponse = self._own.client.getresponse()
        except (OSError, http.client.HTTPException) as error:  # click would say nothing of a broken pipe
            raise click.ClickException(f"The API did not answer {path}: {error!r}") from error
        self._own.used, self._own.response = time.monotonic(), response
        return response


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--answers", default=2000, show_default=True, help="Answers between which memory must stay flat.")
@click.option("--readers", default=0, help="Measure a crowd of so many readers of one answer instead.")
@click.option("--chunks", default=15_000, show_default=True, help="In the index that is searched beside a crowd.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write the figures here.")
def main(answers: int, readers: int, chunks: int, file: Path | None) -> None:
    """Measure, and print the figures."""
    with throwaway_home() as home, _stub():
        if readers:
            (home / "pages").mkdir()
            (home / "pages" / "backup.md").write_text(_PAGE, encoding="utf-8")
            _prepare(home, _LONG, home / "pages")
        else:
            _prepare(home)
        texts = _fill(chunks) if readers else []
        with served() as port:
            crowd_path = "/api/v1/knowledge-bases/long/answers"
            found: Any = (
                measure_crowd(port, readers, crowd_path, texts) if readers else measure(Api(port), answers, port)
            )
    click.echo(json.dumps(asdict(found), indent=2))
    if file is not None:
        file.write_text(json.dumps(asdict(found)), encoding="utf-8")


def measure(api: Api, answers: int, port: int) -> Answers:
    """Everything, one after the other; the first answers warm up."""
    for slug in _KNOWLEDGE_BASES:
        list(api.events(f"{slug}/answers", question="What is a knowledge base?", fresh=True))
    alone = [_search(api, number) for number in range(100)]
    first, meanwhile = _streams(api)
    cached = _timed_answers(api, "quoting", [_QUESTION] * 200, fresh=False)
    early, late = _memory(api, answers, port)
    return Answers(
        first_token_p50=median(first),
        first_token_p95=_p95(first),
        search_p95=_p95(meanwhile),
        search_alone_p95=_p95(alone),
        cached_p50=median(took for took, _ in cached),
        overhead_p50=_overhead(api, "quick"),
        quoted_p50=_overhead(api, "quoting"),
        memory_early=early,
        memory_late=late,
    )


def _streams(api: Api) -> tuple[list[float], list[float]]:
    """How long after the model's first token each of 20 clients got its first text, and searches meanwhile."""
    is_over = threading.Event()
    meanwhile: list[float] = []

    def search() -> None:
        while not is_over.is_set():
            meanwhile.append(_search(api, len(meanwhile)))

    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        searching = pool.submit(search)
        try:
            first = list(pool.map(lambda _: _first_token(api), range(CLIENTS)))
        finally:
            is_over.set()
        searching.result()
    return first, meanwhile


def _first_token(api: Api) -> float:
    """The rest of the stream is read without being parsed: on one machine, what the clients do slows the server."""
    text, came = "", 0.0
    for name, data, now in api.events("slow/answers", question=_QUESTION, fresh=True):
        if name == "error":
            raise click.ClickException(str(data))
        if name == "delta":
            came = came or now
            text += data["text"]
        if begun := re.match(r"T(\d+\.\d+) ", text):
            if not api.rest().rstrip().rpartition(b"event: ")[2].startswith(b"done"):
                raise click.ClickException("The stream ended without the event `done`.")
            return (came - float(begun[1])) * 1000
    raise click.ClickException(f"The answer is not the stub's: {text[:200]}")


def _search(api: Api, number: int) -> float:
    started = time.perf_counter()
    api.post("quoting/search", query=f"How do I restore backup {number}?")
    return (time.perf_counter() - started) * 1000


def _timed_answers(api: Api, slug: str, questions: Sequence[str], *, fresh: bool) -> list[tuple[float, float]]:
    """Milliseconds of each answer, and those of embedding its question; the first one warms up."""
    spent = []
    for question in questions:
        started = time.perf_counter()
        answer = api.post(f"{slug}/answers", question=question, fresh=fresh)
        embed = 0.0 if answer["cached"] else answer["timings_ms"].get("embed", 0.0)
        spent.append(((time.perf_counter() - started) * 1000, embed))
    return spent[1:]


def _overhead(api: Api, slug: str) -> float:
    """The middle answer over HTTP, without embedding the question.

    `quick` has a model that says all at once. `quoting` has none, but embeds the sentences that it chooses from.
    """
    return median(took - embed for took, embed in _timed_answers(api, slug, [_QUESTION] * 60, fresh=True))


def _memory(api: Api, answers: int, port: int) -> tuple[float, float]:
    """Megabytes of the API after a quarter of the answers, and after all of them."""
    found = []
    with ThreadPoolExecutor(4) as pool:
        for part in (range(answers // 4), range(answers // 4, answers)):
            list(pool.map(lambda number: _ask_quickly(api, number), part))
            found.append(_resident(port))
    return found[0], found[1]


def _ask_quickly(api: Api, number: int) -> None:
    question = f"How do I back up database {number}?"
    if number % 4:
        api.post("quoting/answers", question=question, fresh=True)
    else:
        list(api.events("quoting/answers", question=question, fresh=True))


def _resident(port: int) -> float:
    """Megabytes of the processes that listen on a port."""
    servers = {one.pid for one in psutil.net_connections("tcp") if one.laddr and one.laddr.port == port and one.pid}
    servers.discard(os.getpid())
    return sum(psutil.Process(pid).memory_info().rss for pid in servers) / 1e6


def _p95(spent: Sequence[float]) -> float:
    return quantiles(spent, n=20)[-1]


def _fill(chunks: int) -> list[str]:
    """Make a search index of synthetic chunks; returns questions about them."""
    from headwater.indexing.preparation import prepare
    from headwater.settings import Settings
    from headwater.store.store import open_store

    settings = Settings.from_env()
    with open_store(settings, size=2) as store:
        data = Synthetic(store)
        data.publish(data.write(chunks))
        prepare(store, settings, data.knowledge_base, data.index)
        store.planning.analyze_grown()
        return [question.text for question in data.questions(500)]


def _prepare(home: Path, models: Mapping[str, str] = _KNOWLEDGE_BASES, pages: Path = REPOSITORY / "docs") -> None:
    """Knowledge bases of some pages, by default of the documentation, each with another answerer."""
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    with environment() as env, dagster_instance(env.settings) as instance:
        for slug, model in models.items():
            file = home / f"{slug}.yaml"
            file.write_text(
                f"knowledge_base: {{slug: {slug}, settings: {{answer_model: {model}}}}}\n"
                f"sources: [{{slug: docs, kind: markdown_tree, path: {pages}}}]\n",
                encoding="utf-8",
            )
            apply(env.store, read_file(file))
            sync(env, instance, slug)


@contextmanager
def _stub() -> Iterator[None]:
    """A server of chat models, where litellm looks for OpenAI's, for the length of a block."""
    script = _STUB.format(delay=_DELAY, sentences=_TOKENS // 5)
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stub:
        assert stub.stdout is not None
        os.environ["OPENAI_API_BASE"] = f"{stub.stdout.readline().strip()}/v1"
        os.environ["OPENAI_API_KEY"] = "sk-chat-0123456789abcdef"
        try:
            yield
        finally:
            stub.kill()


if __name__ == "__main__":
    main()
