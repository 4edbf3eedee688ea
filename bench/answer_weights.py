"""Fit the weights by which blocks are chosen without a model (`headwater.answering.weights`) to questions.

Belongs here: which blocks answer labelled questions, the fit, and the check on corpora left out. Not here: the values
(`headwater.answering.scoring`, `fitting`). Guarantee: nothing outside its own home folder is written.

Run it from the project's root; each corpus is a folder, and a run with the same `--home` syncs only what changed:

    python -m bench.answer_weights --home /tmp/weights --corpus flask=path/to/docs --corpus … QUESTIONS.jsonl …

A line of questions has `corpus`, `question`, `must_contain` (strings that a right answer holds) and, if known,
`gold_files`. A block is as good as its share of these strings, squared; less if it is long or from another file. The
fit is a softmax over the candidates of each question, held near the hand-set weights. It prints how good the chosen
blocks are: with the weights in the code, and with weights fitted to the other corpora; then the fitted weights.
"""

import argparse
import json
import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
from numpy.typing import NDArray

from bench.refusals import read_lines
from headwater.administration.applying import apply
from headwater.administration.configuration import KnowledgeBaseSpec, SourceSpec
from headwater.answering.asked import read_asked
from headwater.answering.evidence import gather_evidence
from headwater.quote.rendering import render
from headwater.answering.scoring import score_units
from headwater.answering.sections import find_units
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Unit
from headwater.answering.weights import HAND_SET, WEIGHTS
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.retrieval.grading import trusted
from headwater.settings import Settings
from headwater.store.server import embedded
from headwater.store.server.addresses import dagster_url, database_url
from headwater.store.server.migrate import migrate
from headwater.store.store import Store, open_store
from pipelines.running import run_sync

Numbers = NDArray[np.float64]
_FLOOR = 0.3  # trust: lower than in production, so that there are more blocks to choose from
_LONG = 120  # words from which a block counts less
_ELSEWHERE = 0.4  # how much a block of another file counts
_NEAR = 3.0  # how strongly the weights are held
_TEMPERATURE = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """The candidates of a question: their values, shape (candidates, weights), and how good each is, 0 to 1."""

    corpus: str
    values: Numbers
    good: Numbers


def main() -> None:
    """Sync, ask, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="folder to keep and use again")
    parser.add_argument("--corpus", action="append", required=True, help="NAME=FOLDER", metavar="NAME=FOLDER")
    parser.add_argument("questions", type=Path, nargs="+")
    given = parser.parse_args()
    os.environ.pop("HEADWATER_DATABASE_URL", None)  # the assets read the environment, too
    os.environ["HEADWATER_HOME"] = str(given.home.resolve())
    settings = Settings.from_env()
    rows = [row for file in given.questions for row in read_lines(file) if row.get("must_contain")]
    try:
        migrate(database_url(settings))
        with open_store(settings) as store:
            corpora = dict(corpus.split("=", 1) for corpus in given.corpus)
            known = {name: _synced(store, settings, name, Path(folder)) for name, folder in corpora.items()}
            examples = [one for row in rows if row["corpus"] in known
                        for one in _examples(store, settings, known[row["corpus"]], row)]  # fmt: skip
        report(examples)
    finally:
        embedded.stop(settings.home / "postgres")


def _synced(store: Store, settings: Settings, name: str, folder: Path) -> KnowledgeBase:
    home = settings.home / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    os.environ.update(DAGSTER_HOME=str(home), HEADWATER_DAGSTER_DATABASE_URL=dagster_url(database_url(settings)))
    source = SourceSpec(slug="all", kind="folder", config={"path": str(folder.resolve())})
    spec = KnowledgeBaseSpec(slug=name, name=name, description="", settings=KnowledgeBaseSettings(), sources=(source,))
    apply(store, spec)
    with dg.DagsterInstance.get() as instance:
        sources, batch = store.sources.all(name), uuid.uuid4().hex
        with store.workers.holding(batch):
            store.syncs.request(store.knowledge_bases.get(name).id, sources, "command_line", batch)
            run_sync(instance, store, settings, sources, batch)
    return store.knowledge_bases.get(name)


def _examples(store: Store, settings: Settings, base: KnowledgeBase, row: dict[str, Any]) -> list[Example]:
    """The example of a question; none if nothing was found."""
    evidence = gather_evidence(store, settings, base, row["question"])
    kept = trusted(base.settings.model_copy(update={"trust_floor": _FLOOR}), evidence.found.passages)
    evidence = replace(evidence, trusted=kept).widened()
    stretches = make_stretches(evidence.passages, evidence.nearby)
    units = [unit for stretch in stretches for unit in find_units(stretch)]
    scored = score_units(row["question"], evidence, read_asked(row["question"]), units, evidence.embedder)
    if not scored:
        return []
    values = np.array([[one.values.get(name, 0.0) for name in WEIGHTS] for one in scored])
    good = np.array([_good(one.unit, row) for one in scored])
    return [Example(corpus=row["corpus"], values=values, good=good)]


def _good(unit: Unit, row: dict[str, Any]) -> float:
    text = render(unit).text
    held = sum(_plain(wanted) in _plain(text) for wanted in row["must_contain"]) / len(row["must_contain"])
    uri, files = unit.stretch.chunks[0].uri, row.get("gold_files") or []
    is_there = not files or any(file.endswith(uri) or uri.endswith(file) for file in files)
    return held**2 * float(min(1.0, (_LONG / max(len(text.split()), 1)) ** 0.5)) * (1.0 if is_there else _ELSEWHERE)


def _plain(text: str) -> str:
    return re.sub(r"[\s*`_\\]+", " ", text.casefold()).strip()


def report(examples: Sequence[Example]) -> None:
    """Print how good the chosen blocks are, by corpus, and the weights fitted to all."""
    now = np.array([WEIGHTS[name] for name in WEIGHTS])
    print(f"{'corpus':16}{'questions':>10}{'in the code':>13}{'left out':>10}{'best':>7}")
    total = np.zeros(4)
    for corpus in dict.fromkeys(one.corpus for one in examples):
        own = [one for one in examples if one.corpus == corpus]
        fitted = fit([one for one in examples if one.corpus != corpus])
        sums = np.array([len(own), chosen(own, now), chosen(own, fitted), sum(float(one.good.max()) for one in own)])
        total += sums
        _print_line(corpus, sums)
    _print_line("all", total)
    print(json.dumps(dict(zip(WEIGHTS, np.round(fit(examples), 3).tolist(), strict=True)), indent=4))


def _print_line(corpus: str, sums: Numbers) -> None:
    count, now, fitted, best = sums
    print(f"{corpus:16}{count:10.0f}{now / count:13.2f}{fitted / count:10.2f}{best / count:7.2f}")


def chosen(examples: Sequence[Example], weights: Numbers) -> float:
    """How good the blocks with the best score are, summed."""
    return float(sum(one.good[np.argmax(one.values @ weights)] for one in examples))


def fit(examples: Sequence[Example]) -> Numbers:
    """The weights that give good blocks the best scores, by Newton's method; the problem is convex.

    Args:
        examples: with at least one candidate each; those without a good one say nothing.
    """
    start = np.array([HAND_SET[name] for name in WEIGHTS])
    data = [(one.values, one.good**3 / (one.good**3).sum()) for one in examples if one.good.max() > 0]
    if not data:
        return start
    spread = np.maximum(np.std(np.vstack([values for values, _ in data]), axis=0), 0.03)
    hold = _NEAR * (spread / _TEMPERATURE) ** 2
    weights = start
    for _ in range(30):
        slope, curve = hold * (weights - start), np.diag(hold)
        for values, wanted in data:
            scores = values @ weights / _TEMPERATURE
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            centred = values - likely @ values
            slope = slope + values.T @ (likely - wanted) / _TEMPERATURE
            curve = curve + (centred.T * likely) @ centred / _TEMPERATURE**2
        weights = weights - 0.5 * np.linalg.solve(curve, slope)
    return weights


if __name__ == "__main__":
    main()
