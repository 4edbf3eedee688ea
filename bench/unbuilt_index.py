"""How a large index answers before its HNSW is built: every vector compared, words first, and after the build.

Belongs here: times and recall of vector and hybrid searches in these three states of one index. Not here: the data
(`synthetic`), times by size (`speed`). Guarantee: the same questions are asked in each state, one after the other.

    python -m bench.unbuilt_index [--chunks 100000] [--questions 40] [--json FILE]

Recall is the share of the ten best of the comparison with every vector. The synthetic vectors know nothing of the
words, the hardest case for words first in a vector search: a real question shares words with what answers it.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from unittest.mock import patch

import click

from bench.speed import BackendClock
from bench.synthetic import Question, Synthetic
from bench.throwaway import throwaway_home
from headwater.indexing.preparation import prepare
from headwater.lexical.tokens import tokens
from headwater.retrieval.finder import DEPTH
from headwater.settings import Settings
from headwater.store.search import passage_search
from headwater.store.search.passage_search import SearchRequest
from headwater.store.store import open_store

_TOP = 10
_NEVER = 2**40  # more entries than any index has
MODES = ("vector", "hybrid")


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--chunks", default=100_000, show_default=True, help="In the index.")
@click.option("--questions", default=40, show_default=True, help="How many are asked in each state.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(chunks: int, questions: int, json_file: Path | None) -> None:
    """Measure each state, and print a table."""
    with throwaway_home():
        figures = measure(Settings.from_env(), chunks, questions)
    for name, states in figures["modes"].items():  # type: ignore[attr-defined]
        for state, row in states.items():
            times = f"p50 {row['p50']:7.1f} ms, p95 {row['p95']:7.1f} ms, Postgres {row['cpu']:7.1f} ms"
            click.echo(f"{name:>8} {state:>12}: {times}, recall@10 {row['recall']:.3f}")
    click.echo(f"publishing {figures['publish_s']:.0f} s, building {figures['build_s']:.0f} s")
    if json_file:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(settings: Settings, chunks: int, count: int) -> dict[str, object]:
    """Make an index, and ask in each of its states."""
    with open_store(settings, size=1) as store:
        data = Synthetic(store)
        publish_s = _timed(lambda: data.publish(data.write(chunks)))
        store.search_indexes.weigh(data.index)
        store.planning.analyze_grown()
        asked, clock = data.questions(count), BackendClock(store)
        with patch.object(passage_search, "MAX_EXACT_SCAN", _NEVER):
            exact = {mode: _ask(data, clock, asked, mode) for mode in MODES}
        with patch.object(passage_search, "MAX_EXACT_SCAN", 1):
            words = {mode: _ask(data, clock, asked, mode) for mode in MODES}
        build_s = _timed(lambda: prepare(store, settings, data.knowledge_base, data.index))
        built = {mode: _ask(data, clock, asked, mode) for mode in MODES}
    modes = {
        mode: {
            state: _summary(of[mode], exact[mode])
            for state, of in (("every vector", exact), ("words first", words), ("hnsw", built))
        }
        for mode in MODES
    }
    return {"chunks": chunks, "questions": count, "publish_s": publish_s, "build_s": build_s, "modes": modes}


_Answers = list[tuple[float, float, list[object]]]


def _ask(data: Synthetic, clock: BackendClock, questions: Sequence[Question], mode: str) -> _Answers:
    """The milliseconds, those of Postgres's processor, and the best ids of each question; the second asking counts."""
    answers: _Answers = []
    for question in questions:
        request = SearchRequest(
            words=tokens(question.text), vector=question.vector, by_text=mode == "hybrid", depth=DEPTH, limit=_TOP
        )
        data.store.searching.search(data.index, request)
        start, cpu = time.perf_counter(), clock.cpu() or 0.0
        passages = data.store.searching.search(data.index, request).passages
        spent = (time.perf_counter() - start) * 1000, (clock.cpu() or 0.0) - cpu
        answers.append((*spent, [passage.chunk_id for passage in passages]))
    return answers


def _summary(answers: _Answers, exact: _Answers) -> dict[str, float]:
    times, cpu = [answer[0] for answer in answers], [answer[1] for answer in answers]
    shares = [
        len({*ids} & {*best}) / len(best) for (_, _, ids), (_, _, best) in zip(answers, exact, strict=True) if best
    ]
    return {"p50": median(times), "p95": quantiles(times, n=20)[-1], "cpu": median(cpu), "recall": fmean(shares)}


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
