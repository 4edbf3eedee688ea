"""What a knowledge base costs as it grows: syncs, an edit, a deletion, a second index, searches, memory and bytes.

Belongs here: the steps for one number of files, each measured once and kept. Not here: the files (`ingest`), the cost
of single stages. Guarantee: an interrupted run goes on after its last finished step; whole commands are measured.

    python -m bench.growth FOLDER [--files 10000] [--plot FILE.svg]

FOLDER keeps the files, the database and `growth.json`, the figures of each number of files and step; begin with another
folder for other code. Four sources hold a thousandth, a hundredth, a half and the rest of the files, so a filter by
source leaves that share. Searches are made by `headwater.retrieval.search` in this process, also while the first sync
runs.
"""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import click
import psycopg

from bench.filter_recall import measure_recall
from bench.ingest import headwater, write_files
from bench.process_usage import measured_usage
from headwater.errors import HeadwaterError

SHARES = {"thousandth": 0.001, "hundredth": 0.01, "half": 0.5, "rest": 0.489}
STEPS = ("write", "first_sync", "unchanged", "edit", "delete_tenth", "bytes", "search", "recall", "new_index")
_ROUNDS = 5
_QUESTIONS = 60
_BYTES = """
SELECT coalesce(pg_partition_root(c.oid)::regclass::text, c.relname) AS name, sum(pg_total_relation_size(c.oid)) AS size
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'public' AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC
"""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--files", default=10_000, show_default=True, help="How many.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Where to draw all sizes: .svg or .png; wants matplotlib."
)
def main(folder: Path, files: int, plot: Path | None) -> None:
    """Take the missing steps, and print all figures as JSON."""
    from headwater.store.server import embedded_postgres

    home = folder / str(files)
    os.environ.update(HEADWATER_HOME=str(home / "home"), HEADWATER_DATABASE_URL="")
    kept = folder / "growth.json"
    figures: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    mine = figures.setdefault(str(files), {})
    bench = Growth(home, files)
    try:
        for step in STEPS:
            if step not in mine:
                click.echo(f"{files} files: {step} …", err=True)
                mine[step] = getattr(bench, step)()
                kept.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    finally:
        embedded_postgres.stop(home / "home" / "postgres")
    click.echo(json.dumps(figures, indent=2))
    if plot:
        draw(figures, plot)


class Growth:
    """The steps for one number of files; each returns its figures."""

    def __init__(self, home: Path, files: int) -> None:
        self._home = home
        self._files = files
        self._tree = home / "tree"

    def write(self) -> dict[str, Any]:
        """Write the files, and the file that describes the knowledge base."""
        shutil.rmtree(self._home, ignore_errors=True)
        draft = self._home / "draft"
        started = time.perf_counter()
        write_files(draft, self._files)
        paths, first = sorted(draft.rglob("*.md")), 0
        for name, share in SHARES.items():
            count = len(paths) - first if name == "rest" else max(1, round(share * len(paths)))
            for path in paths[first : first + count]:
                target = self._tree / name / path.relative_to(draft)
                target.parent.mkdir(parents=True, exist_ok=True)
                path.rename(target)
            first += count
        shutil.rmtree(draft)
        self._describe("")
        return {"seconds": time.perf_counter() - started}

    def first_sync(self) -> dict[str, Any]:
        """Sync everything, and search meanwhile."""
        headwater("migrate", "--json")
        headwater("apply", str(self._home / "kb.yaml"), "--json")
        stopped, times = threading.Event(), list[float]()
        asking = threading.Thread(target=self._ask_until, args=(stopped, times), daemon=True)
        asking.start()
        try:
            figures = self._sync()
        finally:
            stopped.set()
            asking.join()
        return {**figures, "search_meanwhile": _summary(times)}

    def unchanged(self) -> dict[str, Any]:
        """Sync again."""
        return self._sync()

    def edit(self) -> dict[str, Any]:
        """Change one file, and sync its source."""
        file = next((self._tree / "thousandth").rglob("*.md"))
        file.write_text(file.read_text() + "\n\n## Added\n\nThe edited pump is serviced on Tuesdays.\n")
        return self._sync("thousandth")

    def delete_tenth(self) -> dict[str, Any]:
        """Delete a tenth of the files, and sync."""
        for file in sorted((self._tree / "half").rglob("*.md"))[: self._files // 10]:
            file.unlink()
        return self._sync()

    def new_index(self) -> dict[str, Any]:
        """Split differently, which makes a second index beside the first."""
        self._describe(", chunk_max: 700")
        headwater("apply", str(self._home / "kb.yaml"), "--json")
        figures = self._sync(accepts="did not pass the gate")
        return {**figures, "indexes": self._describe_indexes()}

    def _describe_indexes(self) -> list[dict[str, Any]]:
        """How each index is searched, and its recall as the gate measured it."""
        _, printed = headwater("index", "list", "bench", "--json")
        names = ("state", "entries", "ef_search", "recall_at_10")
        return [{name: index[name] for name in names} for index in printed["search_indexes"]]

    def search(self) -> dict[str, Any]:
        """Search with and without filters, by eight shapes of question."""
        with _opened() as ask:
            shapes = _questions(next((self._tree / "rest").rglob("*.md")).read_text())
            found: dict[str, Any] = {}
            for name, share in {"none": 1.0, **SHARES}.items():
                if name != "rest":
                    times = [_timed(partial(ask, question, name)) for question in shapes * _ROUNDS]
                    found[f"{share:.1%}"] = _summary(times[len(shapes) :])
            return found

    def recall(self) -> dict[str, Any]:
        """Recall@10 of sentences of the files, with and without filters."""
        from headwater.models_gateway.hash_embedder import HashEmbedder
        from headwater.settings import Settings
        from headwater.store.store import open_store

        files = islice(sorted((self._tree / "rest").rglob("*.md"), key=lambda file: file.name[::-1]), _QUESTIONS)
        sentences = [" ".join(file.read_text().split()[20:32]) for file in files]
        with open_store(Settings.from_env(), size=2) as store:
            index = store.search_indexes.active("bench")
            if index is None:
                raise click.ClickException("There is no active index.")
            sources = (None, *(name for name in SHARES if name != "rest"))
            recalls = measure_recall(store, index, list(HashEmbedder().embed(sentences)), sources)
            return {"ef_search": index.ef_search, "shard": index.shard, **recalls}

    def bytes(self) -> dict[str, Any]:
        """Bytes per chunk by table, with indexes."""
        from headwater.settings import Settings
        from headwater.store.server.database_urls import database_url

        with psycopg.connect(database_url(Settings.from_env()), autocommit=True) as connection:
            connection.execute("VACUUM FULL")
            sizes = {str(name): int(size) for name, size in connection.execute(_BYTES.encode())}
            (chunks,) = connection.execute("SELECT count(*) FROM chunks").fetchone() or (0,)
        tables = {name: round(size / chunks) for name, size in sizes.items() if size / chunks >= 1}
        return {"chunks": chunks, "per_chunk": sum(sizes.values()) / chunks, "tables": tables}

    def _describe(self, more: str) -> None:
        sources = [f"  - {{slug: {name}, kind: markdown_tree, path: {self._tree / name}}}" for name in SHARES]
        head = f"knowledge_base: {{slug: bench, settings: {{embedding_model: builtin/hash{more}}}}}"
        (self._home / "kb.yaml").write_text("\n".join([head, "sources:", *sources]) + "\n", encoding="utf-8")

    def _sync(self, *sources: str, accepts: str = "") -> dict[str, Any]:
        with measured_usage(self._home / "home" / "postgres") as usage:
            seconds, printed = headwater("sync", "bench", *sources, "--json", accepts=accepts)
        counts = {name: sum(part[name] for part in printed["sources"]) for name in ("chunks", "rows_written")}
        return {"seconds": seconds, **counts, **usage}

    def _ask_until(self, stopped: threading.Event, times: list[float]) -> None:
        shapes = _questions(next((self._tree / "rest").rglob("*.md")).read_text())
        with _opened() as ask:
            while not stopped.wait(1):
                with suppress(HeadwaterError):  # a machine that is too busy for a connection within five seconds
                    times.append(_timed(partial(ask, shapes[len(times) % len(shapes)], "none")))


@contextmanager
def _opened() -> Iterator[Callable[[str, str], object]]:
    """A function that searches for a question in a source, or in all."""
    from headwater.domain.search import SearchFilters
    from headwater.retrieval.finder import SearchOptions
    from headwater.retrieval.search import search
    from headwater.settings import Settings
    from headwater.store.store import open_store

    settings = Settings.from_env()
    with open_store(settings, size=2) as store:

        def ask(question: str, source: str) -> object:
            filters = SearchFilters() if source == "none" else SearchFilters(sources=(source,))
            options = SearchOptions(top_k=10, filters=filters)
            return search(store, settings, store.knowledge_bases.get("bench"), question, options)

        yield ask


def _questions(text: str) -> list[str]:
    """Eight shapes: one word, three, a heading, a sentence, a long text, a question, a misspelt and an unknown word."""
    words = text.split()
    heading = next(line.removeprefix("## ") for line in text.splitlines() if line.startswith("## "))
    sentence = " ".join(words[20:32])
    long = " ".join(words[20:80])
    misspelt = f"{words[25][:-1]}x {words[26]}"
    question, few = f"What is {words[22]} {words[24]}?", " ".join(words[30:33])
    return [words[30], few, heading, sentence, long, question, misspelt, "zyzzyva"]


def _summary(times: list[float]) -> dict[str, float]:
    return (
        {"asked": len(times), "p50_ms": median(times), "p95_ms": quantiles(times, n=20)[-1]} if len(times) > 1 else {}
    )


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def draw(figures: dict[str, dict[str, Any]], file: Path) -> None:
    """Draw the seconds of each step by the number of files, both on a logarithmic axis.

    Raises:
        ClickException: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise click.ClickException("Drawing wants matplotlib: pip install 'headwater[bench]'.") from error
    mpl.use("Agg")
    from matplotlib import pyplot

    sizes = sorted(figures, key=int)
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for step in ("first_sync", "unchanged", "edit", "delete_tenth", "new_index"):
        points = [(int(size), figures[size][step]["seconds"]) for size in sizes if step in figures[size]]
        if points:
            axes.loglog(*zip(*points, strict=True), marker="o", label=step.replace("_", " "))
    axes.set_xlabel("files")
    axes.set_ylabel("seconds")
    axes.legend()
    figure.savefig(file, bbox_inches="tight")


if __name__ == "__main__":
    main()
