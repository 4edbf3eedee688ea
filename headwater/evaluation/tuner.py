"""Trying settings of retrieval on one half of a golden set, and measuring the best on the other half (EVL-1).

Belongs here: the halves, the settings that are tried, the choice. Not here: the test (`significance`), changing the
settings (`headwater.administration`). Guarantee: no figure of the half that the settings were chosen on is returned;
nothing is stored and no setting changes; the same golden set and index give the same choice.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import GoldenQuestion
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import ConflictError
from headwater.evaluation.comparison import find_changed_settings, pairs_of
from headwater.evaluation.evaluator import active_index, golden_set_of
from headwater.evaluation.measurement import Progress, measure
from headwater.evaluation.significance import Difference, compare_pairs
from headwater.settings import Settings
from headwater.store.store import Store

MIN_QUESTIONS = 30
"""Golden questions with an answer that are needed; fewer would make a choice by chance."""
MIN_HALF_QUESTIONS = 10
"""Questions that each half needs."""
_TARGET = "ndcg_at_10"
_FUSIONS: tuple[dict[str, Any], ...] = (
    {"fusion": "rrf", "heading_weight": 0.0},
    {"fusion": "rrf", "heading_weight": 0.5},
    {"fusion": "weighted", "heading_weight": 0.0, "vector_weight": 0.3},
    {"fusion": "weighted", "heading_weight": 0.0, "vector_weight": 0.5},
    {"fusion": "weighted", "heading_weight": 0.0, "vector_weight": 0.7},
)
_RERANKERS = ("builtin/lexical", "none")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tuning:
    """The result of tuning: `changed` are the settings to change, each with the present and the better value.

    It is empty if the present settings were the best. `tried` counts settings. `differences` are by metric, between the
    present and the chosen settings, on the questions that the choice did not see; empty if nothing is to change.
    """

    chosen_on: int
    measured_on: int
    tried: int
    changed: Mapping[str, tuple[Any, Any]]
    differences: Mapping[str, Difference]

    @property
    def is_better(self) -> bool:
        """Whether the chosen settings are at least as good on the other half."""
        return bool(self.changed) and self.differences[_TARGET].difference >= 0


def tune(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, *, progress: Progress | None = None
) -> Tuning:
    """Choose settings of retrieval on one half of the golden set, and measure them on the other half.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        progress: is told after every question, of all settings together.

    Raises:
        ConflictError: there are too few golden questions, or no index is active yet.
        ModelUnavailableError: a model cannot be loaded.
    """
    chosen_on, held_out = halves(knowledge_base, golden_set_of(store, knowledge_base))
    index = active_index(store, knowledge_base)
    grid = list(settings_to_try(knowledge_base.settings))
    scores = []
    for turn, candidate in enumerate(grid):
        told = None if progress is None else _shift_progress(progress, turn, len(grid))
        owner = replace(knowledge_base, settings=candidate)
        results = measure(store, settings, owner, chosen_on, index, progress=told).results
        scores.append(fmean(result.metrics[_TARGET] for result in results))
    best = grid[scores.index(max(scores))]  # the present settings are the first, so they win a tie
    changes = {} if best == knowledge_base.settings else find_changed_settings(knowledge_base.settings, best)
    differences: dict[str, Difference] = {}
    if changes:
        results_before, results_after = (
            measure(store, settings, replace(knowledge_base, settings=compared), held_out, index).results
            for compared in (knowledge_base.settings, best)
        )
        differences = compare_pairs(pairs_of(results_before, results_after))
    return Tuning(
        chosen_on=len(chosen_on),
        measured_on=len(held_out),
        tried=len(grid),
        changed=changes,
        differences=differences,
    )


def halves(
    knowledge_base: KnowledgeBase, questions: Sequence[GoldenQuestion]
) -> tuple[list[GoldenQuestion], list[GoldenQuestion]]:
    """Split the questions that have an answer: the half to choose on, and the half to measure on.

    A question's half depends on its words alone, so it keeps it when others are added.

    Raises:
        ConflictError: there are too few.
    """
    usable = [question for question in questions if not question.unanswerable]
    sides: tuple[list[GoldenQuestion], list[GoldenQuestion]] = [], []
    for question in usable:
        sides[hashlib.sha256(question.question.encode()).digest()[0] % 2].append(question)
    if len(usable) < MIN_QUESTIONS or min(map(len, sides)) < MIN_HALF_QUESTIONS:
        raise ConflictError(
            f"{knowledge_base.slug} has {len(usable)} golden questions with an answer, in halves of {len(sides[0])} and"
            f" {len(sides[1])}. Tuning needs {MIN_QUESTIONS}, with {MIN_HALF_QUESTIONS} in each half: add some, or run"
            f" `headwater golden generate {knowledge_base.slug}`."
        )
    return sides


def settings_to_try(present: KnowledgeBaseSettings) -> Iterator[KnowledgeBaseSettings]:
    """The present settings, and those of a small grid around them."""
    yield present
    for fusion in _FUSIONS:
        for reranker in dict.fromkeys((present.rerank_model, *_RERANKERS)):
            candidate = present.model_copy(update={**fusion, "rerank_model": reranker})
            if candidate != present:
                yield candidate


def _shift_progress(progress: Progress, turn: int, turns: int) -> Progress:
    return lambda count, total: progress(turn * total + count, turns * total)
