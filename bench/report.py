"""The benchmarks' figures compared with their targets, as one table.

Belongs here: the targets, and where each figure is found. Not here: measuring. Guarantee: a figure that was not
measured is shown as missing, never as met.

    python -m bench.report FOLDER

The folder is what `make bench` writes: `retrieval.json`, `pages.json`, `trust.json`, `recall.json`, `speed.json`,
`ingest.json`, `end_to_end.json`, `ocr.json`, `parsing.json`, `website.json`, `folder_pages.json`, `follow_ups.json`,
`long_conversation.json`, `answers.json`.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import click

QUALITY = {"cranfield": (0.365, 0.385, 0.415), "xquad-en": (0.955, 0.93, 0.96)}
"""Least nDCG@10 by words, by vector, by both."""
LATENCY = {5_000: 6, 50_000: 15, 100_000: 30}
"""Most milliseconds of the middle question, by both."""
END_TO_END = {5_000: 1.6, 50_000: 1.0}
"""How long a search may take at most, embedding apart, in hybrid searches of plain SQL."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One promise: `found` is None when it was not measured; at most or at least `limit` is wanted."""

    what: str
    found: float | None
    limit: float
    is_most: bool = False
    digits: int = 3

    @property
    def verdict(self) -> str:
        """Kept, missed, or not measured."""
        if self.found is None:
            return "not measured"
        return "kept" if (self.found <= self.limit if self.is_most else self.found >= self.limit) else "MISSED"

    def __str__(self) -> str:
        found = "–" if self.found is None else f"{self.found:.{self.digits}f}"
        bound = f"{'≤' if self.is_most else '≥'} {self.limit:.{self.digits}f}"
        return f"{self.what:<66}{bound:>12}{found:>10}  {self.verdict}"


_FILES = (
    "retrieval",
    "pages",
    "trust",
    "recall",
    "speed",
    "ingest",
    "end_to_end",
    "ocr",
    "parsing",
    "website",
    "folder_pages",
    "follow_ups",
    "long_conversation",
    "answers",
)


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Print the table."""
    read = {name: _read(folder / f"{name}.json") for name in _FILES}
    lines = [
        *_quality(read["retrieval"]), *_northwind(read["pages"], read["trust"]), *_recall(read["recall"]),
        *_speed(read["speed"]), *_ingest(read["ingest"]), *_end_to_end(read["end_to_end"]), *_ocr(read["ocr"]),
        *_parsing(read["parsing"]), *_website(read["website"]), *_folder_pages(read["folder_pages"]),
        *_answers(read["answers"]),
        *_follow_ups(read["follow_ups"]), *_long_conversation(read["long_conversation"]),
    ]  # fmt: skip
    click.echo(f"{'what':<66}{'wanted':>12}{'found':>10}")
    for line in lines:
        click.echo(line)
    click.echo("Times are by the clock, and mean something on an idle machine only; speed.json has processor time too.")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _get(call: Callable[[], float]) -> float | None:
    """A figure, or None where its file or its part is missing."""
    try:
        return call()
    except (KeyError, TypeError, StopIteration):
        return None


def _quality(found: Any) -> Iterator[Line]:
    for name, limits in QUALITY.items():
        for mode, limit in zip(("keyword", "vector", "hybrid"), limits, strict=True):
            yield Line(what=f"{name} nDCG@10, {mode}", found=_ndcg(found, name, mode), limit=limit)
    gains = [
        reranked - hybrid
        for name in found or ()
        if (reranked := _ndcg(found, name, "rerank")) is not None
        and (hybrid := _ndcg(found, name, "hybrid")) is not None
    ]
    what = "reranked against hybrid, nDCG@10"
    yield Line(what=f"{what}: mean of the sets", found=fmean(gains) if gains else None, limit=0.0001, digits=4)
    yield Line(what=f"{what}: the worst of them", found=min(gains, default=None), limit=-0.005, digits=4)


def _ndcg(found: Any, name: str, mode: str) -> float | None:
    return _get(lambda: found[name][mode]["nDCG@10"])


def _northwind(pages: Any, trust: Any) -> Iterator[Line]:
    what = "northwind"
    yield Line(what=f"{what}: a right page among five", found=_get(lambda: pages["rerank"]["top 5"]), limit=0.88)
    refused = _get(lambda: trust["northwind"]["unanswerable_refused"])
    yield Line(what=f"{what}: unanswerable questions refused, cross-validated", found=refused, limit=0.6)
    refused = _get(lambda: trust["northwind"]["answerable_refused"])
    yield Line(what=f"{what}: answerable ones refused", found=refused, limit=0.05, is_most=True)


def _recall(found: Any) -> Iterator[Line]:
    like = _get(lambda: fmean(found["bm25_rank_correlation"]))
    yield Line(what="BM25 against bm25s: rank correlation", found=like, limit=0.99, digits=4)
    for name in ("0.1 %", "2 %", "35 %"):
        recall = _get(lambda name=name: next(one["recall"] for one in found["recall"] if one["filter"] == name))
        yield Line(what=f"recall@10 behind a filter that leaves {name}", found=recall, limit=0.98)


def _speed(found: Any) -> Iterator[Line]:
    for size, limit in LATENCY.items():
        times = {
            one["mode"]: (one["wall_p50"], one["wall_p95"])
            for one in (found or {}).get("latency_ms", ())
            if one["size"] == size
        }
        p50 = _get(lambda times=times: times["hybrid"][0])
        slow = _get(lambda times=times: times["hybrid"][1] / times["hybrid"][0])
        legs = _get(lambda times=times: times["hybrid"][0] / (times["keyword"][0] + times["vector"][0]))
        yield Line(what=f"hybrid in {size:,} chunks, p50, ms", found=p50, limit=limit, is_most=True, digits=1)
        yield Line(what=f"hybrid in {size:,} chunks, p95 / p50", found=slow, limit=2, is_most=True, digits=2)
        what = f"hybrid in {size:,} chunks, p50 / (keyword + vector)"
        yield Line(what=what, found=legs, limit=1.2, is_most=True, digits=2)
    for has_hnsw, limit in ((False, 2000), (True, 500)):
        rates = [one["wall"] for one in (found or {}).get("chunks_per_s", ()) if one["has_hnsw"] is has_hnsw]
        what = f"chunks added per second {'with' if has_hnsw else 'without'} HNSW"
        yield Line(what=what, found=min(rates, default=None), limit=limit, digits=0)


def _parsing(found: Any) -> Iterator[Line]:
    for one in found or ():
        yield Line(what=f"parsing: {one['what']}"[:66], found=one["seconds"], limit=one["limit"], is_most=True)


def _website(found: Any) -> Iterator[Line]:
    first = _get(lambda: found["listed_first"]["source_ms"] / 1000)
    again = _get(lambda: found["listed_unchanged"]["source_ms"] / 1000)
    yield Line(what="a site of 77 pages, without embedding, s", found=first, limit=15, is_most=True, digits=1)
    limit = max(0.3, (first or 0.0) / 10)
    yield Line(what="the same when nothing has changed, s", found=again, limit=limit, is_most=True, digits=2)


def _follow_ups(found: Any) -> Iterator[Line]:
    share = _get(lambda: found["right_with_conversation"] / found["follow_ups"])
    yield Line(what="follow-ups by rules: a right passage among five", found=share, limit=18 / 30)


def _long_conversation(found: Any) -> Iterator[Line]:
    for name, limit in (("rules", 18), ("stub", 24)):
        right = _get(lambda name=name: found[f"right_by_{name}"])
        yield Line(what=f"30 follow-ups of one conversation, by {name}: right", found=right, limit=limit, digits=0)


def _folder_pages(found: Any) -> Iterator[Line]:
    share = _get(lambda: found["right"] / found["questions"])
    yield Line(what="northwind by kind: folder: a right page among five", found=share, limit=89 / 101)


def _ocr(found: Any) -> Iterator[Line]:
    slowest = max((one["seconds_per_image"] for one in found or ()), default=None)
    yield Line(what="text of the slowest image, s", found=slowest, limit=5, is_most=True, digits=1)


def _ingest(found: Any) -> Iterator[Line]:
    rates = [one["first_per_1000_s"] for one in found or ()]
    growth = max(rates) / min(rates) if len(rates) > 1 else None
    yield Line(
        what="first sync: seconds per 1,000 chunks, most / least", found=growth, limit=1.5, is_most=True, digits=2
    )
    for one in found or ({"files": 5000},):
        what = f"first sync of {one['files']:,} files, times plain psycopg"
        yield Line(what=what, found=one.get("ratio"), limit=2.5, is_most=True, digits=2)
    same = _get(lambda: found[-1]["unchanged_sync_s"])
    yield Line(what="nothing changed, the largest of them: the sync, s", found=same, limit=1, is_most=True, digits=2)


def _answers(found: Any) -> Iterator[Line]:
    figures = {
        "first_token_p95": ("20 streams: ms after the model's first token, p95", 150),
        "search_p95": ("a search during 20 streams, ms, p95", 100),
        "cached_p50": ("a stored answer again, ms, p50", 15),
        "overhead_p50": ("an answer without model and embedding, ms, p50", 40),
    }
    for key, (what, limit) in figures.items():
        yield Line(what=what, found=_get(lambda key=key: found[key]), limit=limit, is_most=True, digits=1)
    grown = _get(lambda: found["memory_late"] / found["memory_early"])
    yield Line(what="memory after 2,000 answers / after 500", found=grown, limit=1.05, is_most=True, digits=2)


def _end_to_end(found: Any) -> Iterator[Line]:
    by_size = {one["size"]: one for one in found or ()}
    for size, limit in END_TO_END.items():
        for key, where in (("ratio", "in process"), ("http_ratio", "over HTTP, an empty route apart")):
            ratio = _get(lambda size=size, key=key: by_size[size][key])
            what = f"search in {size:,} chunks, {where} / plain SQL"
            yield Line(what=what, found=ratio, limit=limit, is_most=True, digits=2)


if __name__ == "__main__":
    main()
