"""Comparing the settings of a knowledge base with others, on its golden set (EVL-1).

Belongs here: which settings can be compared, both sides, the verdict. Not here: the test (`significance`), trying many
settings (`tuner`). Guarantee: nothing is stored and no setting changes; both sides search the same index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import QuestionResult
from headwater.domain.knowledge_base_settings import (
    ChunkingSettings,
    EmbeddingSettings,
    EvaluationSettings,
    KnowledgeBaseSettings,
    SummarySettings,
)
from headwater.errors import InvalidInputError
from headwater.evaluation.evaluator import active_index, golden_set_of
from headwater.evaluation.measurement import Progress, measure
from headwater.evaluation.significance import Difference, compare_pairs
from headwater.settings import Settings
from headwater.store.store import Store

_REBUILD = {*ChunkingSettings.model_fields, *EmbeddingSettings.model_fields} - {"embedding_languages"}
"""Settings that are in the index itself."""
_FIXED = {*EvaluationSettings.model_fields, *SummarySettings.model_fields}
"""Settings that change how an answer is measured, or nothing of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two settings on one golden set: `changed` are the settings that differ, each with the first and second value.

    `differences` are by metric.
    """

    changed: Mapping[str, tuple[Any, Any]]
    question_count: int
    differences: Mapping[str, Difference]

    @property
    def is_different(self) -> bool:
        """Whether so many questions can show a difference in any metric."""
        return any(difference.is_significant for difference in self.differences.values())


def compare_settings(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    other: KnowledgeBaseSettings,
    *,
    with_answers: bool = True,
    progress: Progress | None = None,
) -> Comparison:
    """Measure the golden set with the present settings and with others.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        other: the other settings, complete.
        with_answers: whether to compare answers too.
        progress: is told after every question, of both sides together.

    Raises:
        InvalidInputError: nothing differs, or a setting that differs needs another index.
        ConflictError: there is no golden question, or no index is active yet.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
    """
    changes = find_changed_settings(knowledge_base.settings, other)
    questions = golden_set_of(store, knowledge_base)
    index = active_index(store, knowledge_base)
    sides = []
    for turn, side_settings in enumerate((knowledge_base.settings, other)):
        told = None if progress is None else _shift_progress(progress, turn)
        owner = replace(knowledge_base, settings=side_settings)
        sides.append(
            measure(store, settings, owner, questions, index, with_answers=with_answers, progress=told).results
        )
    return Comparison(
        changed=changes, question_count=len(questions), differences=compare_pairs(pairs_of(sides[0], sides[1]))
    )


def find_changed_settings(first: KnowledgeBaseSettings, second: KnowledgeBaseSettings) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, each with both values.

    Raises:
        InvalidInputError: nothing differs, or a setting that differs cannot be compared on the index that exists.
    """
    first_values, second_values = first.model_dump(mode="json"), second.model_dump(mode="json")
    changes = {
        name: (first_values[name], second_values[name])
        for name in first_values
        if first_values[name] != second_values[name]
    }
    if not changes:
        raise InvalidInputError("The settings to compare are those of the knowledge base. Change at least one.")
    rebuilt = sorted(_REBUILD & changes.keys())
    if rebuilt:
        raise InvalidInputError(
            f"{', '.join(rebuilt)} cannot be compared: the documents would have to be split or embedded again. Apply"
            " the settings to another knowledge base with the same sources, sync it, and evaluate both."
        )
    fixed = sorted(changes.keys() & _FIXED)
    if fixed:
        raise InvalidInputError(f"{', '.join(fixed)} cannot be compared: answers and searches do not depend on it.")
    return changes


def pairs_of(first: Sequence[QuestionResult], second: Sequence[QuestionResult]) -> dict[str, list[tuple[float, float]]]:
    """For each metric, the values of both sides for the questions that have both."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for mine, theirs in zip(first, second, strict=True):
        for name in mine.metrics.keys() & theirs.metrics.keys():
            pairs.setdefault(name, []).append((mine.metrics[name], theirs.metrics[name]))
    return pairs


def _shift_progress(progress: Progress, turn: int) -> Progress:
    return lambda count, total: progress(turn * total + count, 2 * total)
