"""Trying a model once, before it is chosen (API-5).

Belongs here: one call of each kind of model, and what it says about the model. Not here: looking at models without
calling them (`model_states`), checking names (`knowledge_bases`). Guarantee: a trial sends a few words of our own,
never a document's, and ends within half a minute; whatever goes wrong is a sentence for people, never an error.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import TypeVar
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.languages import language_name
from headwater.domain.plurals import join_names, pluralize
from headwater.domain.search import Passage, Scores
from headwater.errors import HeadwaterError
from headwater.models_gateway.chat_model import Message
from headwater.models_gateway.chat_registry import EXTRACTIVE, RULES, check_answer_model, load_chat_model
from headwater.models_gateway.embedder_registry import check_model, is_local, load_embedder
from headwater.models_gateway.litellm_client import load_litellm
from headwater.retrieval.model_languages import ModelLanguages
from headwater.retrieval.reranking.reranker_registry import NONE, load_reranker
from headwater.settings import Settings
from headwater.store.store import Store

Result = TypeVar("Result")
_TIME_LIMIT_SECONDS = 25
_WORDS = "Reply with the word ready."
_REPLY_TOKENS = 50
_TEXT = "The pump lifts forty litres of water per minute."
_KNOWN = ("en", "de", "fr", "es", "ja", "zh")
"""Languages that are named if the documents have none."""
_NOBODY = UUID(int=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelTrial:
    """The outcome of a trial: `words` say how the model answered, or why it did not."""

    model: str
    is_usable: bool
    words: str


def try_model(store: Store, settings: Settings, knowledge_base: KnowledgeBase, name: str, model: str) -> ModelTrial:
    """Call a model once.

    Args:
        store: says in which languages documents are.
        settings: where models are; their limits of time are shortened.
        knowledge_base: the one that would use the model.
        name: the setting that would name it, such as `answer_model`.
        model: its name.
    """
    hurried = replace(settings, model_time_limit=_TIME_LIMIT_SECONDS)
    try:
        if name == "embedding_model":
            words = _embeds(store, hurried, knowledge_base, model)
        elif name == "rerank_model":
            words = _reranks(hurried, model)
        else:
            words = _chats(hurried, model)
    except HeadwaterError as error:
        return ModelTrial(model=model, is_usable=False, words=str(error))
    return ModelTrial(model=model, is_usable=True, words=words)


def _embeds(store: Store, settings: Settings, knowledge_base: KnowledgeBase, model: str) -> str:
    embedder = load_embedder(check_model(model), settings)
    if is_local(model):
        embedder.embed([_TEXT])  # loads the weights, which the first question after a start pays for once
    else:
        load_litellm()
    seconds, vectors = _time_call(lambda: embedder.embed([_TEXT]))
    reading = ModelLanguages.of(knowledge_base, embedder)
    index = store.search_indexes.active(knowledge_base.slug)
    counts = store.health.document_languages(index) if index else {}
    languages = [language for language in counts if language] or list(_KNOWN)
    known_languages = [language_name(language) for language in languages if reading.knows(language)]
    unknown = {language: counts.get(language, 0) for language in languages if not reading.knows(language)}
    sentences = [f"Answers in {_format_seconds(seconds)} with {pluralize(vectors.shape[1], 'dimension')}."]
    if known_languages:
        sentences.append(f"It knows {join_names(known_languages)}.")
    if unknown and counts:
        unknown_languages = [
            f"{language_name(language)} ({pluralize(count, 'document')})" for language, count in unknown.items()
        ]
        sentences.append(f"It does not know {join_names(unknown_languages)}.")
    return " ".join(sentences)


def _reranks(settings: Settings, model: str) -> str:
    if model == NONE:
        return "No model reranks passages."
    reranker = load_reranker(model, settings)
    seconds, _ = _time_call(lambda: reranker and reranker.rerank("How much does the pump lift?", [_passage()]))
    return f"Answers in {_format_seconds(seconds)}."


def _chats(settings: Settings, model: str) -> str:
    if model in (EXTRACTIVE, RULES):
        return "Built in. It needs no server and costs nothing."
    load_litellm()
    chat = load_chat_model([check_answer_model(model)], settings)
    seconds, reply = _time_call(lambda: chat.complete([Message(role="user", content=_WORDS)], max_tokens=_REPLY_TOKENS))
    return f"Answers in {seconds:.1f} s: “{shorten(reply.text, 80, placeholder='…')}”"


def _format_seconds(seconds: float) -> str:
    """A time for people; no call takes 0.00 s."""
    return f"{seconds:.2f} s" if seconds >= 0.005 else "less than 0.01 s"


def _time_call(call: Callable[[], Result]) -> tuple[float, Result]:
    start = time.monotonic()
    result = call()
    return time.monotonic() - start, result


def _passage() -> Passage:
    return Passage(
        rank=1, score=0.0, scores=Scores(), chunk_id=_NOBODY, document_id=_NOBODY, document_version_id=_NOBODY,
        source="", uri="", title="Pump", category="", breadcrumb=(), start=0, end=len(_TEXT), line=1, position=0,
        kind="", text=_TEXT,
    )  # fmt: skip
