"""How long a user waits for a search, compared with a hybrid search in plain SQL on the same machine.

Belongs here: the whole of `search()` in this process, and over HTTP; the plain statement; an empty route. Not here: the
single legs (`speed`), the data (`synthetic`), the quality of results (`search_quality`). Guarantee: all take turns with
the same questions, so that other load affects them equally; no figure includes embedding the question.

    python -m bench.end_to_end [--sizes 5000,50000] [--json FILE]

The plain statement is what a developer writes in an hour: 40 chunks by `ts_rank` (a GIN index; the question's words
joined by OR, because hardly any text contains all of them), 40 by vector (pgvector's default HNSW), reciprocal ranks
with k = 60, and the text of the first rows. Each figure is the median over the questions of each question's fastest
search.
"""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
import psycopg
from pgvector.psycopg import register_vector

from bench.synthetic import Question, Synthetic
from bench.throwaway import throwaway_home
from headwater.indexing.preparation import prepare
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store

SIZES = "5000,50000"
_ROUNDS = 5
_SERVER_LIMIT = 60  # seconds until the server must answer
_TABLE = """
DROP TABLE IF EXISTS plain_chunks;
CREATE TABLE plain_chunks AS
    SELECT c.id, d.uri, v.title, c.text, e.vector::vector(384) AS vector
      FROM search_entries_chunk e JOIN chunks c ON c.id = e.target_id JOIN documents d ON d.id = c.document_id
           JOIN document_versions v ON v.id = d.head_version_id;
ALTER TABLE plain_chunks ADD PRIMARY KEY (id),
    ADD words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED;
CREATE INDEX ON plain_chunks USING gin (words);
SET maintenance_work_mem = '512MB';
CREATE INDEX ON plain_chunks USING hnsw (vector vector_cosine_ops);
"""
_STATEMENT = """
WITH by_vector AS (
    SELECT id, row_number() OVER (ORDER BY distance) AS place
      FROM (SELECT id, vector <=> %(vector)s AS distance FROM plain_chunks
             ORDER BY vector <=> %(vector)s LIMIT 40) AS nearest
), by_words AS (
    SELECT id, row_number() OVER (ORDER BY rank DESC) AS place
      FROM (SELECT id, ts_rank(words, to_tsquery('english', %(words)s)) AS rank FROM plain_chunks
             WHERE words @@ to_tsquery('english', %(words)s) ORDER BY rank DESC LIMIT 40) AS matching
)
SELECT c.id, c.uri, c.title, c.text,
       coalesce(1.0 / (60 + v.place), 0) + coalesce(1.0 / (60 + w.place), 0) AS score
  FROM by_vector v FULL JOIN by_words w USING (id) JOIN plain_chunks c USING (id)
 ORDER BY score DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class EndToEnd:
    """Milliseconds at one size: the plain statement, `search()`, a search over HTTP, and a route that does nothing."""

    size: int
    plain: float
    in_process: float
    http: float
    empty_route: float

    @property
    def ratio(self) -> float:
        """What `search()` takes, in plain statements."""
        return self.in_process / self.plain

    @property
    def http_ratio(self) -> float:
        """What a search over HTTP takes beyond an empty route, in plain statements."""
        return (self.http - self.empty_route) / self.plain


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--sizes", default=SIZES, show_default=True, help="Chunks, in order.")
@click.option("--questions", default=60, show_default=True, help="How many are asked at each size.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(sizes: str, questions: int, json_file: Path | None) -> None:
    """Measure every size, and print a table."""
    from headwater.store.store import open_store

    found = []
    with throwaway_home():
        settings = Settings.from_env()
        with open_store(settings) as store:
            data = Synthetic(store)
            for size in map(int, sizes.split(",")):
                click.echo(f"{size} chunks: written and published …", err=True)
                data.publish(data.write(size - data.size))
                prepare(store, settings, data.knowledge_base, data.index)
                found.append(measure(store, settings, data, data.questions(questions)))
    click.echo(f"{'chunks':>8}{'plain SQL':>12}{'search()':>12}{'times':>8}{'HTTP':>10}{'empty':>8}{'times':>8}  ms")
    for one in found:
        figures = f"{one.plain:>12.1f}{one.in_process:>12.1f}{one.ratio:>8.2f}"
        click.echo(f"{one.size:>8}{figures}{one.http:>10.1f}{one.empty_route:>8.1f}{one.http_ratio:>8.2f}")
    if json_file:
        rows = [{**asdict(one), "ratio": one.ratio, "http_ratio": one.http_ratio} for one in found]
        json_file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def measure(store: Store, settings: Settings, data: Synthetic, questions: Sequence[Question]) -> EndToEnd:
    """Ask every question in every way, in turns; the first round warms up and does not count."""
    knowledge_base = store.knowledge_bases.get("bench")
    limit = knowledge_base.settings.top_k
    with psycopg.connect(store.database.url, autocommit=True) as connection, served() as port:
        connection.execute(_TABLE.encode())
        connection.execute("VACUUM ANALYZE")
        register_vector(connection)
        client = http.client.HTTPConnection("127.0.0.1", port)
        ways: dict[str, Callable[[Question], float]] = {
            "plain": lambda question: plain(connection, question, limit),
            "in_process": lambda question: _timed(
                lambda: search(store, settings, knowledge_base, question.text, vector=question.vector)
            ),
            "http": lambda question: over_http(client, question),
            "empty_route": lambda _: _timed(lambda: _request(client, "GET", "/health/live")),
        }
        spent: dict[str, list[list[float]]] = {name: [[] for _ in questions] for name in ways}
        for round_ in range(1 + _ROUNDS):
            for index, question in enumerate(questions):
                for name, ask in ways.items():
                    took = ask(question)
                    if round_:
                        spent[name][index].append(took)
    return EndToEnd(size=data.size, **{name: median(map(min, rounds)) for name, rounds in spent.items()})


def plain(connection: psycopg.Connection[Any], question: Question, limit: int) -> float:
    """Milliseconds of the plain statement."""
    words = " | ".join(re.findall(r"\w+", question.text))
    values = {"vector": question.vector, "words": words, "limit": limit}
    return _timed(lambda: connection.execute(_STATEMENT, values, prepare=True).fetchall())


def over_http(client: http.client.HTTPConnection, question: Question) -> float:
    """Milliseconds of a search over HTTP, without those in which the server embedded the question."""
    found: dict[str, Any] = {}
    body = json.dumps({"query": question.text})

    def ask() -> None:
        found.update(_request(client, "POST", "/api/v1/knowledge-bases/bench/search", body))

    took = _timed(ask)
    return took - float(found["timings_ms"]["embed"])


@contextmanager
def served() -> Iterator[int]:
    """The API, served as `headwater serve` does, for the length of a block; gives its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from cli.processes.api_server import serve_api; serve_api('127.0.0.1', {port})",
        ],
        env=dict(os.environ),
    )
    try:
        _wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _SERVER_LIMIT
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if server.poll() is not None or time.monotonic() > until:
                raise click.ClickException("The API did not start.") from None
            time.sleep(0.1)
        else:
            return


def _request(client: http.client.HTTPConnection, method: str, path: str, body: str | None = None) -> Any:
    client.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    response = client.getresponse()
    text = response.read()
    if response.status != 200:
        raise click.ClickException(f"{path} answered {response.status}: {text[:200]!r}")
    return json.loads(text)


def _timed(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
