"""Comparing and tuning the settings of a knowledge base (EVL-1).

Belongs here: reading the settings to compare, and applying those that tuning chose. Not here: measuring
(`headwater.evaluation`). Guarantee: comparing changes nothing; tuning changes the settings only if it is told to and
the chosen ones are at least as good on the questions that the choice did not see.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from headwater.administration.audit_trail import note
from headwater.administration.knowledge_bases import change_knowledge_base, check_settings, merge_settings
from headwater.domain.evaluations import Evaluation, RecordedEvaluation
from headwater.domain.wrong_fields import path_of, wrong_fields
from headwater.errors import InvalidConfigurationError, InvalidInputError
from headwater.evaluation.comparison import Comparison, compare_settings
from headwater.evaluation.evaluator import evaluate_and_record
from headwater.evaluation.measurement import Progress
from headwater.evaluation.tuner import Tuning, tune
from headwater.parsing.yaml_text import load_yaml, yaml_problem
from headwater.settings import Settings
from headwater.store.store import Store


def read_settings(path: Path) -> dict[str, Any]:
    """Read a YAML file of settings: a mapping of their names, as below `settings` in a knowledge base file.

    Raises:
        InvalidConfigurationError: it cannot be read, or is not such a mapping.
    """
    try:
        values = load_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidConfigurationError(f"{path}: cannot be read: {reason}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidConfigurationError(f"{path}: not YAML: {yaml_problem(error)}") from error
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise InvalidConfigurationError(f"{path}: write one setting a line, such as `top_k: 10`.")
    return values


def compare_with(
    store: Store,
    settings: Settings,
    slug: str,
    change: Mapping[str, Any],
    *,
    with_answers: bool = True,
    progress: Progress | None = None,
) -> Comparison:
    """Compare a knowledge base's settings with the same after a change.

    Raises:
        NotFoundError: no knowledge base has this slug.
        InvalidInputError: a setting is wrong, names a model that does not exist, needs another index, or none differs.
        ConflictError: there is no golden question, or no index is active yet.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    try:
        changed_settings = check_settings(merge_settings(knowledge_base.settings, change))
    except ValidationError as error:
        first = wrong_fields(error)[0]
        place = f"{path_of(first.place)}: " if first.place else ""
        raise InvalidInputError(f"settings: {place}{first.message}") from error
    return compare_settings(
        store, settings, knowledge_base, changed_settings, with_answers=with_answers, progress=progress
    )


def evaluate(
    store: Store, settings: Settings, slug: str, *, with_answers: bool = True, progress: Progress | None = None
) -> tuple[Evaluation, RecordedEvaluation]:
    """Evaluate the active index and store the result; returns the evaluation and the stored record.

    Raises:
        NotFoundError: no knowledge base has this slug.
        ConflictError: there is no golden question that can be measured, or no index is active yet.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed; nothing is stored.
    """
    owner = store.knowledge_bases.get(slug)
    evaluation, row = evaluate_and_record(store, settings, owner, with_answers=with_answers, progress=progress)
    note(store, "evaluation.create", slug, evaluation=row.id)
    return evaluation, row


def tune_and_apply(
    store: Store, settings: Settings, slug: str, *, apply: bool, progress: Progress | None = None
) -> tuple[Tuning, bool]:
    """Tune the retrieval of a knowledge base; returns the result, and whether the settings were changed.

    Raises:
        NotFoundError: no knowledge base has this slug.
        ConflictError: there are too few golden questions, or no index is active yet.
        ModelUnavailableError: a model cannot be loaded.
    """
    tuning = tune(store, settings, store.knowledge_bases.get(slug), progress=progress)
    is_applied = apply and tuning.is_better
    if is_applied:
        change_knowledge_base(
            store, slug, settings={name: new_value for name, (_, new_value) in tuning.changed.items()}
        )
    return tuning, is_applied
