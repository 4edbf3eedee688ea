"""The state of every model that a knowledge base uses (API-5).

Belongs here: which models are in use, and looking at all of them at once. Not here: one model
(`headwater.models_gateway.model_availability`), how it is shown. Guarantee: it takes at most three seconds, however
many servers hang; a reader who asks often looks at each model once in half a minute.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.models_gateway.fastembed_files import Role
from headwater.models_gateway.model_availability import problem_of
from headwater.retrieval.reranking.reranker_registry import NONE as NO_RERANKER
from headwater.settings import Settings
from headwater.store.store import Store

_LIMIT = 3.0  # seconds for all models
_MAX_AGE = 30.0  # seconds for which a look is good
_ROLES: dict[str, Role] = {"embedding_model": "embedding", "rerank_model": "reranking"}
_MANY = 100_000  # knowledge bases


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelState:
    """A model that some knowledge base uses; `setting` is the one that names it."""

    setting: str
    model: str
    problem: str | None
    """Why it cannot be used, and what to do; None if nothing is known against it."""


def model_states(store: Store, settings: Settings) -> list[ModelState]:
    """Look at every model that a knowledge base uses, sorted by setting and name."""
    used = models_in_use(knowledge_base.settings for knowledge_base in store.knowledge_bases.all(limit=_MANY))
    problems: dict[tuple[str, str], str | None] = {}

    def look(setting: str, model: str) -> None:
        try:
            problems[setting, model] = problem_of(model, _ROLES.get(setting), settings)
        except Exception as error:  # noqa: BLE001 - whatever a look raises, the others count
            problems[setting, model] = f"Looking at it failed ({type(error).__name__})."

    # Not a pool: a look that hangs in the resolver must not keep the process from ending.
    threads = [threading.Thread(target=look, args=pair, daemon=True) for pair in used]
    deadline = time.monotonic() + _LIMIT
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0.0))
    late = f"Its server did not answer within {_LIMIT:g} seconds."
    return [ModelState(setting=pair[0], model=pair[1], problem=problems.get(pair, late)) for pair in used]


def models_in_use(chosen: Iterable[KnowledgeBaseSettings]) -> list[tuple[str, str]]:
    """Every setting that names a model, with the model, of some knowledge bases; each pair once, sorted."""
    return sorted({pair for settings in chosen for pair in _list_models(settings)})


def _list_models(settings: KnowledgeBaseSettings) -> Iterator[tuple[str, str]]:
    yield "embedding_model", settings.embedding_model
    if settings.rerank_model != NO_RERANKER:
        yield "rerank_model", settings.rerank_model
    yield "answer_model", settings.answer_model
    for model in settings.answer_fallbacks:
        yield "answer_fallbacks", model
    if settings.cheap_model is not None:
        yield "cheap_model", settings.cheap_model
    if settings.judge_model is not None:
        yield "judge_model", settings.judge_model
    if settings.summary_model is not None:
        yield "summary_model", settings.summary_model
    if settings.question_model is not None:
        yield "question_model", settings.question_model


class ModelStates:
    """The states for readers who ask often, such as a health check; one look serves them all for half a minute."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._found: list[ModelState] = []
        self._looked_at: float | None = None

    def current(self, store: Store) -> list[ModelState]:
        """The states, at most half a minute old; whoever asks during a look waits for it."""
        with self._lock:
            if self._looked_at is None or time.monotonic() - self._looked_at > _MAX_AGE:
                self._found = model_states(store, self._settings)
                self._looked_at = time.monotonic()
            return self._found
