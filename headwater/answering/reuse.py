"""Serving a stored answer again (ANS-2).

Belongs here: which requests are the same, and so get the same answer. Not here: the rows
(`headwater.store.work.answer_reuse`), the words that keep two questions apart
(`headwater.understanding.same_question`), why an answer is stale (`staleness`). Guarantee: an answer is never served
after readers stopped seeing a document version that it cites, or after a source that its request selects has published
new or changed documents.

The question of an identical request is found by a hash, so no model is loaded for it. Refusals are not served again:
they cost little, and a second attempt may succeed.
"""

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import headwater
from headwater.answering.answer_request import AnswerRequest
from headwater.domain.answers import StoredAnswer
from headwater.domain.knowledge_base_settings import AnsweringSettings, PromptName, RetrievalSettings
from headwater.domain.search import SearchFilters
from headwater.identity import bytes_fingerprint, content_hash
from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.prompts.prompt import prompt_version
from headwater.retrieval.model_languages import ModelLanguages, sure_language
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.answer_reuse import AnswerIdentity, AskedState
from headwater.understanding.question import understand
from headwater.understanding.same_question import asks_the_same, plain_question

_DECIDING_PACKAGES = (
    "understanding", "retrieval", "quote", "generation", "answering", "prompts", "lexical", "store/search", "domain",
    "models_gateway", "chunking",
)  # fmt: skip
"""Whose code decides an answer: an answer that other code made is not reused."""
_OTHER_SETTINGS = (
    "store_questions",
    "reuse_answers",
    "prompts",
    "quote_when_model_fails",
)
"""Settings of answers and searches that do not change an answer; prompts count by their versions."""
_MIN_SIMILARITY = 0.9
"""The cosine similarity that another wording of a question needs; docs/answers-and-lineage.md has the measurement."""
_PROMPTS: tuple[PromptName, ...] = ("answer", "question", "follow_up", "grade")
"""The prompts that an answer depends on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """The result of looking for a stored answer.

    `kept` is the answer that serves the request, None if it must be made; then `identity` is stored with the new one,
    and its `question_vector`, if there is one, is the vector of the request's question, by the model of the index with
    this id. `timings_ms` are the steps.
    """

    identity: AnswerIdentity
    index_id: int | None = None
    kept: StoredAnswer | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def find_reusable(store: Store, settings: Settings, request: AnswerRequest) -> Lookup:
    """Look for a stored answer that serves a request, before it is made.

    Raises:
        ModelUnavailableError: the index's model cannot be loaded or does not answer, so none can be made either;
        an identical request is served without it.
    """
    started = time.perf_counter()
    identity, state = _identity(store, request)
    kept_id = None
    if identity.request_hash is not None and not request.is_fresh:
        kept_id = store.answer_reuse.same(request.knowledge_base, identity)
    embedding_ms = 0.0
    if kept_id is None and state is not None:
        began = time.perf_counter()
        identity = dataclasses.replace(identity, question_vector=_vector(settings, request, state))
        embedding_ms = (time.perf_counter() - began) * 1000
        kept_id = None if request.is_fresh else _similar(store, request, identity)
    stored_answer = store.answers.get(kept_id) if kept_id else None
    total = (time.perf_counter() - started) * 1000
    timings = {"reuse": round(total - embedding_ms, 1), **({"embed": round(embedding_ms, 1)} if embedding_ms else {})}
    return Lookup(kept=stored_answer, identity=identity, index_id=state.index_id if state else None, timings_ms=timings)


def _identity(store: Store, request: AnswerRequest) -> tuple[AnswerIdentity, AskedState | None]:
    """The identity of a request, without a vector; and what it is answered from, if the answer may be served again."""
    if request.as_of is not None:  # no later document changes what readers saw then
        return AnswerIdentity(), None
    settings, sources = request.knowledge_base.settings, request.filters.sources
    state = store.answer_reuse.state(request.knowledge_base, sources)
    seen = AnswerIdentity(source_revisions=state.revisions, asked_sources=sources or None)
    in_conversation = bool(request.history) or request.conversation_id is not None
    if in_conversation or not (settings.reuse_answers and settings.store_questions):
        return seen, None
    if state.index_id is None or not state.dimensions:  # an index without a vector answers nothing
        return seen, None
    options = content_hash(_options(request, state.index_id, state.summarised))
    question = content_hash(options.hex(), plain_question(request.question))
    return dataclasses.replace(seen, request_hash=question, options_hash=options), state


def _options(request: AnswerRequest, index_id: int, summarised: int) -> dict[str, Any]:
    """Everything but the question that decides an answer."""
    settings = request.knowledge_base.settings
    names = (AnsweringSettings.model_fields.keys() | RetrievalSettings.model_fields.keys()) - set(_OTHER_SETTINGS)
    return {
        "made_by": _code_hash(),
        "filters": _filter_values(request.filters),
        "settings": settings.model_dump(mode="json", include={*names, "embedding_languages"}),
        "prompts": [prompt_version(name, settings) for name in _PROMPTS],
        "index": index_id,
        "summarised": summarised,
        **({"mode": request.mode} if request.mode != "hybrid" else {}),
        **({"instructions": request.instructions} if request.instructions else {}),
    }


@cache
def _code_hash() -> str:
    kernel = Path(headwater.__file__).parent
    return hash_code(*(kernel / package for package in _DECIDING_PACKAGES))


def hash_code(*folders: Path) -> str:
    """Hash the modules and queries below folders, with their names; 32 hexadecimal digits."""
    files = sorted(file for folder in folders for suffix in ("py", "sql") for file in folder.rglob(f"*.{suffix}"))
    hashes = [[file.name, bytes_fingerprint(file.read_bytes())] for file in files]
    return content_hash(headwater.__version__, *hashes).hex()


def _filter_values(filters: SearchFilters) -> dict[str, Any]:
    """Filters as JSON. The order of documents counts, because an answer that compares them keeps it."""
    values: dict[str, Any] = {}
    for name, value in dataclasses.asdict(filters).items():
        if isinstance(value, tuple):
            values[name] = list(value) if name == "documents" else sorted(value)
        else:
            values[name] = value and value.isoformat()
    return values


def _vector(settings: Settings, request: AnswerRequest, state: AskedState) -> Vectors | None:
    """The question's vector, shape (dimensions,), by the index's model; None if there is none, or it says nothing."""
    understanding = understand(request.question)
    embedder = load_embedder(state.model or "", settings)
    if not ModelLanguages.of(request.knowledge_base, embedder).knows(sure_language(understanding)):
        return None
    vector: Vectors = embedder.embed([understanding.search_text])[0]
    return vector if len(vector) == state.dimensions else None


def _similar(store: Store, request: AnswerRequest, identity: AnswerIdentity) -> UUID | None:
    """The id of the answer to the most similar question that asks for the same; None if there is none."""
    if identity.question_vector is None:
        return None
    candidates = store.answer_reuse.similar(request.knowledge_base, identity, similarity=_MIN_SIMILARITY)
    return next((candidate.id for candidate in candidates if asks_the_same(candidate.question, request.question)), None)
