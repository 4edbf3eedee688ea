"""Fit the coefficients of trust, and measure them on questions that they were not fitted to.

Belongs here: evidence of many questions, logistic regression, cross-validation, the figures. Not here: what evidence is
(`headwater.retrieval.trust`). Guarantee: no line of the held-out tables is made with coefficients or a floor that its
questions had a part in.

    python -m bench.trust_fit --data ../shared/data --home /tmp/trust

The sets are those of `bench.trust_questions`: questions that their documents answer, questions about the same things
that they do not answer ("near"; of xquad the right paragraph is hidden), and trivia and questions of the other sets
("far"). A set weighs as much as another, answered and unanswered questions alike. A question stands for its most
trusted passage: of an answered one the right one, of the others any.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import trust_questions
from bench.memory_index import Cache, MemoryIndex
from bench.trust_questions import Case
from headwater.domain.documents import ParsedDocument
from headwater.domain.search import Passage
from headwater.models_gateway.embedder_registry import MODELS, load_embedder
from headwater.parsing.markdown.parser import parse_markdown
from headwater.parsing.text import decode
from headwater.retrieval.trust import COEFFICIENTS, WORD_COEFFICIENTS, Signals, find_signals
from headwater.settings import Settings

Array = NDArray[np.float64]
SETS = ("nebari", "pgvector", "northwind", "xquad", "cranfield", "flask")
KINDS = ("answered", "near", "far")
WEIGHTS = {"answered": 1.0, "near": 0.6, "far": 0.4}
FEW = 40  # questions; fewer of a kind weigh less
REFUSED = 0.015  # of the answered questions, as the mean over the sets: where a floor is put
RIDGE = 20.0
FLOORS = (0.2, 0.3, 0.35, 0.4, 0.5, 0.6)
MARGINS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
FOUND = 50  # passages that are found
LIMIT = 5  # of them that are graded


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A question, the passages that were found for it, and what speaks for each."""

    case: Case
    kind: str
    passages: Sequence[Passage]
    evidence: Sequence[Signals]

    @property
    def set(self) -> str:
        """Which knowledge base it was asked of."""
        return self.case.knowledge_base

    def is_right(self, number: int) -> bool:
        """Whether a passage is of a document that answers the question (of a PDF: the page)."""
        uri = self.passages[number].uri
        is_whole = self.case.group.endswith("qa") or self.set in ("xquad", "cranfield")
        return any(uri == part if is_whole else part in uri for part in self.case.expected or ())

    def matrix(self) -> Array:
        """What the coefficients after the intercept apply to, shape (passages, values)."""
        return np.array([one.values for one in self.evidence])


def main() -> None:
    """Search, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the shared data")
    parser.add_argument("--home", type=Path, required=True, help="folder that keeps stems and vectors")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--limit", type=int, default=LIMIT, help="passages that are graded")
    parser.add_argument("--json", type=Path, help="where to write what northwind's questions came to")
    given = parser.parse_args()
    found = list(search(given.data.resolve(), given.home.resolve(), given.model, given.limit))
    refused = report("by both", [make_sample(*one) for one in found], COEFFICIENTS)
    if given.json:
        given.json.write_text(json.dumps({"northwind": refused}, indent=2) + "\n", encoding="utf-8")
    report("by both, idf of the passages alone", [make_sample(*one[:3], {}, one[4]) for one in found], COEFFICIENTS)
    by_words = search(given.data.resolve(), given.home.resolve(), given.model, given.limit, is_by_words=True)
    report("by words alone", [make_sample(*word) for word in by_words], WORD_COEFFICIENTS)


def search(
    data: Path, home: Path, model: str, limit: int, *, is_by_words: bool = False
) -> Iterator[tuple[Case, Sequence[Passage], Sequence[Passage], Mapping[str, float], float]]:
    """Ask every question: its case, passages, all that was found, idf, and the model's relevance floor."""
    embedder = load_embedder(model, replace(Settings.from_env(), home=home))
    kept = Cache(home, embedder)
    indexes = {name: MemoryIndex(read_documents(name, data), kept) for name in SETS}
    cases = list(trust_questions.read_cases(data))
    questions = sorted({case.question for case in cases})
    kept.stem_all(questions)
    vectors = dict(zip(questions, kept.embed(questions), strict=True))
    for case in cases:
        vector = None if is_by_words else vectors[case.question]
        hidden = (case.without,) if case.without else ()
        passages, idf = indexes[case.knowledge_base].find(case.question, vector, limit=max(FOUND, limit), hidden=hidden)
        yield case, passages[:limit], passages, idf, embedder.relevance_floor


def read_documents(name: str, data: Path) -> Iterator[ParsedDocument]:
    """Read the documents of a set."""
    if name in ("nebari", "pgvector"):
        root = data / "docs" / name
        for file in sorted([*root.rglob("*.md"), *root.rglob("*.mdx")]):
            yield parse_markdown(decode(file.read_bytes()), uri=str(file.relative_to(root)))
        return
    for row in trust_questions.rows(name, data):
        uri = f"{row['uri']}#page={row['page']}" if "page" in row else row["uri"]
        yield ParsedDocument(uri=uri, title=row.get("title", ""), text=row["text"], media_type="text/plain")


def make_sample(
    case: Case,
    passages: Sequence[Passage],
    found: Sequence[Passage],
    idf: Mapping[str, float],
    relevance_floor: float,
) -> Sample:
    """Collect the evidence of one question."""
    kind = "answered" if case.expected is not None else "near" if case.group.endswith(("none", "hidden")) else "far"
    evidence = find_signals(case.question, passages, relevance_floor=relevance_floor, idf=idf, others=found)
    return Sample(case=case, kind=kind, passages=passages, evidence=evidence)


def fit(samples: Sequence[Sample]) -> Array:
    """Fit the intercept and a coefficient for each value, shape (1 + values,).

    Which passage a question stands for depends on the coefficients, so both are found in turns.
    """
    weights = _weights(samples)
    width = max(len(one.values) for sample in samples for one in sample.evidence)
    coefficients = np.array([0.0, 1.0, *[0.0] * (width - 1)])
    for _ in range(4):
        rows, labels, counts = [], [], []
        for sample, weight in zip(samples, weights, strict=True):
            matrix = sample.matrix()
            mine = [n for n in range(len(matrix)) if sample.kind != "answered" or sample.is_right(n)]
            if mine:
                rows.append(max((matrix[n] for n in mine), key=lambda row: float(row @ coefficients[1:])))
                labels.append(sample.kind == "answered")
                counts.append(weight)
        coefficients = _logistic(np.array(rows), np.array(labels, float), np.array(counts))
    return coefficients


def _weights(samples: Sequence[Sample]) -> list[float]:
    keys = [(sample.set, sample.kind) for sample in samples]
    counts = {key: keys.count(key) for key in set(keys)}
    return [1000 * WEIGHTS[key[1]] * min(1.0, counts[key] / FEW) / counts[key] for key in keys]


def _logistic(rows: Array, labels: Array, weights: Array) -> Array:
    """Weighted logistic regression with a ridge on standardised columns, by Newton's method."""
    mean = np.average(rows, axis=0, weights=weights)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights)) + 1e-9
    columns = np.column_stack([np.ones(len(rows)), (rows - mean) / spread])
    ridge = np.diag([0.0] + [RIDGE] * rows.shape[1])
    found = np.zeros(columns.shape[1])
    for _ in range(30):
        expected = 1 / (1 + np.exp(-columns @ found))
        gradient = columns.T @ (weights * (expected - labels)) + ridge @ found
        hessian = (columns * (weights * expected * (1 - expected))[:, None]).T @ columns + ridge
        found -= np.linalg.solve(hessian, gradient)
    return np.array([found[0] - (found[1:] * mean / spread).sum(), *(found[1:] / spread)])


def probabilities(samples: Sequence[Sample], coefficients: Array) -> Array:
    """The trust of each question's most trusted passage, shape (samples,)."""
    weighed = [sample.matrix() @ coefficients[1:] if sample.evidence else np.array([]) for sample in samples]
    scores = [coefficients[0] + one.max(initial=-99) for one in weighed]
    return 1 / (1 + np.exp(-np.array(scores)))


def choose_floor(samples: Sequence[Sample], trust: Array) -> float:
    """The largest floor under which at most `REFUSED` of the answered questions lie, as the mean over the sets."""
    answered = [
        trust[[sample.set == name and sample.kind == "answered" for sample in samples]]
        for name in sorted({sample.set for sample in samples})
    ]
    floors = np.sort(np.concatenate(answered))
    refused = [np.mean([(mine < floor).mean() for mine in answered]) for floor in floors]
    return float(floors[np.searchsorted(refused, REFUSED, side="right") - 1])


def held_out(samples: Sequence[Sample], folds: Sequence[int]) -> tuple[Array, Array]:
    """Trust, and the floor, of each question by what was fitted to the other folds; fold -1 is only fitted to."""
    trust, floors = np.full(len(samples), np.nan), np.full(len(samples), np.nan)
    for fold in sorted(set(folds) - {-1}):
        mine = np.array([number == fold for number in folds])
        rest = [sample for sample, is_mine in zip(samples, mine, strict=True) if not is_mine]
        coefficients = fit(rest)
        floors[mine] = choose_floor(rest, probabilities(rest, coefficients))
        tested = [sample for sample, is_mine in zip(samples, mine, strict=True) if is_mine]
        trust[mine] = probabilities(tested, coefficients)
    return trust, floors


def report(title: str, samples: Sequence[Sample], written: Sequence[float]) -> dict[str, float]:
    """Print all figures of one way to search.

    Returns:
        What share of northwind's questions was refused, with an answer and without one, each fifth by coefficients and
        a floor of the rest and the other sets.
    """
    coefficients = fit(samples)
    floor = choose_floor(samples, probabilities(samples, coefficients))
    print(f"\n== Found {title}: {len(samples)} questions")
    print(f"fitted to all sets: {np.round(coefficients, 2).tolist()}, floor {floor:.2f}; written: {list(written)}")
    trust, floors = held_out(samples, [SETS.index(sample.set) for sample in samples])
    print(f"\nRefused, in % of the questions; each set by the others ({REFUSED:.1%} of their answered ones refused)")
    print_refused(samples, trust, {"floor of the others": floors, **{f"{f}": np.full(len(trust), f) for f in FLOORS}})
    print("\nThe same by the coefficients that are written in the module, whatever the model")
    by_written = probabilities(samples, np.array(written))
    print_refused(samples, by_written, {f"{floor}": np.full(len(samples), floor) for floor in FLOORS})
    folds = [_fold(sample) if sample.set == "northwind" else -1 for sample in samples]
    mine = [index for index, fold in enumerate(folds) if fold >= 0]
    inner, inner_floors = held_out(samples, folds)
    print("\nThe same for northwind, each fifth of it by the rest and the other sets")
    print_refused([samples[n] for n in mine], inner[mine], {"floor of the others": inner_floors[mine]})
    print_calibration(samples, trust)
    print_margins(samples, np.array(written))
    kinds = {"answerable_refused": "answered", "unanswerable_refused": "near"}
    of_kind = {name: [n for n in mine if samples[n].kind == kind] for name, kind in kinds.items()}
    return {name: float(np.mean(inner[some] < inner_floors[some])) for name, some in of_kind.items()}


def _fold(sample: Sample) -> int:
    return sum(sample.case.question.encode()) % 5


def print_refused(samples: Sequence[Sample], trust: Array, floors: Mapping[str, Array]) -> None:
    """Print how many questions lie under each floor, by set and kind."""
    print(f"{'set':12}{'kind':10}{'n':>5}" + "".join(f"{name:>21}" if " " in name else f"{name:>7}" for name in floors))
    for name, kind in ((name, kind) for kind in KINDS for name in SETS):
        mine = np.array([sample.set == name and sample.kind == kind for sample in samples])
        if mine.any():
            shares = {title: 100 * (trust[mine] < floor[mine]).mean() for title, floor in floors.items()}
            print(
                f"{name:12}{kind:10}{mine.sum():5}"
                + "".join(f"{share:21.1f}" if " " in title else f"{share:7.1f}" for title, share in shares.items())
            )


def print_calibration(samples: Sequence[Sample], trust: Array) -> None:
    """Print what the held-out trust promised, and the share of questions with an answer, weighed as in the fit."""
    weights = np.array(_weights(samples))
    is_answered = np.array([sample.kind == "answered" for sample in samples])
    print(f"\nCalibration of the held-out trust\n{'trust':>12}{'n':>6}{'promised':>10}{'answered':>10}")
    for low in np.arange(0, 1, 0.1):
        mine = (trust >= low) & (trust < low + 0.1 + 1e-9)
        if mine.any():
            promised, true = (np.average(values[mine], weights=weights[mine]) for values in (trust, is_answered))
            print(f"{low:8.1f}-{low + 0.1:.1f}{mine.sum():6}{promised:10.2f}{true:10.2f}")


def print_margins(samples: Sequence[Sample], coefficients: Array) -> None:
    """Print what a margin keeps of the answered questions' passages, and of the right ones among them."""
    print(
        f"\nPassages of answered questions kept by the margin under the best\n{'margin':>8}{'kept %':>8}{'right %':>9}"
    )
    answered = [sample for sample in samples if sample.kind == "answered"]
    for margin in MARGINS:
        kept, right = [], []
        for sample in answered:
            if not sample.evidence:
                continue
            trust = 1 / (1 + np.exp(-(coefficients[0] + sample.matrix() @ coefficients[1:])))
            stays = trust >= trust.max(initial=0) - margin
            kept.extend(stays)
            right.extend(stay for index, stay in enumerate(stays) if sample.is_right(index))
        print(f"{margin:8.1f}{100 * np.mean(kept):8.1f}{100 * np.mean(right):9.1f}")


if __name__ == "__main__":
    main()
