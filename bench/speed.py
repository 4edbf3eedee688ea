"""How long search and publishing take, by the size of the index.

Belongs here: synthetic indexes of growing size, the time of each leg and of both, the rate of publishing, the plot. Not
here: the data (`synthetic`), how good results are (`search_quality`, `recall`). Guarantee: no model takes part; vectors
are given, so what is measured is the database and what Headwater does around it.

    python -m bench.speed [--sizes 1000,5000,10000,50000,100000] [--json FILE] [--plot FILE.svg]

Wall time says what a user waits for, and is worth something on an idle machine only. On Linux the processor time of the
one backend that answers stands beside it: it does not count what other programs take, though their use of the caches
shows. Each question is asked once to warm up and then five times. The middle and the slowest are those of
all askings; `least` is the middle of each question's quickest, which what else the machine does can hardly reach.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import click

from bench.synthetic import Question, Synthetic
from bench.throwaway import throwaway_home
from headwater.indexing.preparation import MAX_EXACT_ENTRIES, prepare
from headwater.lexical.tokens import tokens
from headwater.retrieval.finder import DEPTH
from headwater.settings import Settings
from headwater.store.search.passage_search import SearchRequest
from headwater.store.store import Store

SIZES = "1000,5000,10000,50000,100000"
ADDED = 10_000  # chunks in the measurement of publishing
LIMIT = 50  # passages returned
_ROUNDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Time in milliseconds; `cpu` is the backend's, None where the system does not tell."""

    wall: float
    cpu: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Milliseconds of one mode at one size: the middle asking, the slowest of 20, and the middle of the quickest."""

    size: int
    mode: str
    wall_p50: float
    wall_p95: float
    wall_least: float
    cpu_p50: float | None
    cpu_p95: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Chunks per second that were added to an index of some size; `cpu` counts the backend's and Python's time only."""

    size: int
    has_hnsw: bool
    wall: float
    cpu: float | None


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--sizes", default=SIZES, show_default=True, help="Chunks, in order.")
@click.option("--questions", default=100, show_default=True, help="How many are asked at each size.")
@click.option("--added", default=ADDED, show_default=True, help="Chunks in the measurement of publishing.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
@click.option("--plot", type=click.Path(path_type=Path), help="Where to draw them: .svg or .png; wants matplotlib.")
def main(sizes: str, questions: int, added: int, json_file: Path | None, plot: Path | None) -> None:
    """Measure every size, and print tables."""
    wanted = [int(size) for size in sizes.split(",")]
    with throwaway_home():
        latencies, rates = measure(Settings.from_env(), wanted, questions, added)
    click.echo(f"{'chunks':>8}  {'mode':<8}" + "".join(f"{name:>12}" for name in _COLUMNS))
    for latency in latencies:
        figures = "".join(f"{_number(getattr(latency, name)):>12}" for name in _COLUMNS)
        click.echo(f"{latency.size:>8}  {latency.mode:<8}{figures}")
    for size, share in overheads(latencies).items():
        click.echo(f"{size:>8}  hybrid / (keyword + vector): {share:.2f}")
    for rate in rates:
        click.echo(
            f"{rate.size:>8}  {'with HNSW' if rate.has_hnsw else 'without HNSW'}: {added} chunks added at "
            f"{rate.wall:.0f} chunks/s by the clock, {_number(rate.cpu)} by processor time"
        )
    if json_file:
        found = {
            "latency_ms": [asdict(latency) for latency in latencies],
            "chunks_per_s": [asdict(rate) for rate in rates],
        }
        json_file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if plot:
        draw(latencies, plot)


_COLUMNS = ("wall_p50", "wall_p95", "wall_least", "cpu_p50", "cpu_p95")


def measure(settings: Settings, sizes: Sequence[int], questions: int, added: int) -> tuple[list[Latency], list[Rate]]:
    """Let an index grow through some sizes, asking it at each.

    Rates are of `added` chunks more, before the first size that is beyond the exact limit and after it.
    """
    from headwater.store.store import open_store

    latencies: list[Latency] = []
    rates: list[Rate] = []
    with open_store(settings, size=1) as store:  # one connection, so that one backend does everything
        data = Synthetic(store)
        clock = BackendClock(store)
        for size in sizes:
            is_rated = data.size and not rates and size > MAX_EXACT_ENTRIES
            if is_rated and data.size + added <= size:
                rates.append(add(data, clock, added))
            _note(f"{size} chunks: written and published …")
            data.publish(data.write(size - data.size))
            index = prepare(store, settings, data.knowledge_base, data.index)
            _analyze(store)
            _note(f"{size} chunks: {questions} questions …")
            latencies += ask_all(data, clock, data.questions(questions))
            if index.shard and not any(rate.has_hnsw for rate in rates):
                rates.append(add(data, clock, added))
    return latencies, rates


class BackendClock:
    """Times calls by the clock, and by the processor time of the store's one backend."""

    def __init__(self, store: Store) -> None:
        with store.database.transaction() as session:
            pid = session.connection.execute("SELECT pg_backend_pid() AS pid").fetchone()["pid"]  # type: ignore[index]
        self._file = Path(f"/proc/{pid}/schedstat")

    def cpu(self) -> float | None:
        """Processor time of the backend until now, in milliseconds."""
        return int(self._file.read_text().split()[0]) / 1e6 if self._file.exists() else None

    def time(self, call: Callable[[], Any]) -> Spent:
        """Run a call and say what it took."""
        before, started = self.cpu(), time.perf_counter()
        call()
        wall, after = (time.perf_counter() - started) * 1000, self.cpu()
        return Spent(wall=wall, cpu=None if before is None or after is None else after - before)


def ask_all(data: Synthetic, clock: BackendClock, questions: Sequence[Question]) -> list[Latency]:
    """Time every question in every mode."""
    index, searching = data.index, data.store.searching
    spent: dict[str, list[Spent]] = {}
    for mode in requests(questions[0]):  # one after the other: no mode finds in memory what another one has just read
        asked = [requests(question)[mode] for question in questions]
        for round_ in range(1 + _ROUNDS):
            for request in asked:
                took = clock.time(lambda request=request: searching.search(index, request))  # type: ignore[misc]
                if round_:
                    spent.setdefault(mode, []).append(took)
    count = len(questions)
    return [_latency(data.size, mode, [took[n::count] for n in range(count)]) for mode, took in spent.items()]


def requests(question: Question) -> dict[str, SearchRequest]:
    """A question by words, by vector, and by both."""
    both = SearchRequest(words=tokens(question.text), vector=question.vector, depth=DEPTH, limit=LIMIT)
    return {"keyword": replace(both, vector=None), "vector": replace(both, by_text=False), "hybrid": both}


def _latency(size: int, mode: str, spent: Sequence[Sequence[Spent]]) -> Latency:
    walls = [took.wall for rounds in spent for took in rounds]
    cpus = [took.cpu for rounds in spent for took in rounds if took.cpu is not None]
    return Latency(
        size=size,
        mode=mode,
        wall_p50=median(walls),
        wall_p95=_p95(walls),
        wall_least=median(min(took.wall for took in rounds) for rounds in spent),
        cpu_p50=median(cpus) if cpus else None,
        cpu_p95=_p95(cpus) if cpus else None,
    )


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1]


def add(data: Synthetic, clock: BackendClock, count: int) -> Rate:
    """Publish some chunks more, and say how many went in per second."""
    size, has_hnsw = data.size, bool(data.index.shard)
    _note(f"{size} chunks: {count} are added …")
    documents = data.write(count)
    started = time.process_time()
    spent = clock.time(lambda: data.publish(documents))
    python = time.process_time() - started
    return Rate(
        size=size,
        has_hnsw=has_hnsw,
        wall=count / spent.wall * 1000,
        cpu=None if spent.cpu is None else count / (spent.cpu / 1000 + python),
    )


def overheads(latencies: Sequence[Latency]) -> dict[int, float]:
    """What searching by both takes, in what both legs take alone; by size."""
    by_size: dict[int, dict[str, float]] = {}
    for latency in latencies:
        by_size.setdefault(latency.size, {})[latency.mode] = latency.wall_least
    return {size: modes["hybrid"] / (modes["keyword"] + modes["vector"]) for size, modes in by_size.items()}


def draw(latencies: Sequence[Latency], path: Path) -> None:
    """Draw latency against size."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise click.ClickException("Drawing wants matplotlib: pip install 'headwater[bench]'.") from error
    mpl.use("agg")
    from matplotlib import pyplot

    is_cpu = latencies[0].cpu_p50 is not None
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    colours = {"keyword": "#1b9e77", "vector": "#7570b3", "hybrid": "#d95f02"}
    for mode, colour in colours.items():
        rows = [latency for latency in latencies if latency.mode == mode]
        sizes = [row.size for row in rows]
        middle = [(row.cpu_p50 if is_cpu else row.wall_p50) or 0.0 for row in rows]
        slow = [(row.cpu_p95 if is_cpu else row.wall_p95) or 0.0 for row in rows]
        axes.plot(sizes, middle, "o-", color=colour, label=f"{mode}, p50")
        axes.plot(sizes, slow, ":", color=colour, label=f"{mode}, p95")
    axes.set_xscale("log")
    ticks = sorted({latency.size for latency in latencies})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 1.2 * max(latency.cpu_p95 or latency.wall_p95 for latency in latencies))  # room for the legend
    axes.set_xlabel("chunks in the index")
    axes.set_ylabel(f"ms of {'processor time in Postgres' if is_cpu else 'wall time'}")
    axes.set_title("A search, embedding apart")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, ncols=3, fontsize="small")
    figure.savefig(path)
    pyplot.close(figure)


def _analyze(store: Store) -> None:
    """Give the planner what autovacuum would sooner or later."""
    import psycopg

    with psycopg.connect(store.database.url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
