"""Advice on the embedding model by the languages of documents.

Belongs here: comparing the languages of indexed documents, or of files that are not read yet, with those that the model
of a knowledge base knows. Not here: detecting a language (`headwater.parsing.language`), what a search does with a
language that its model does not know (`headwater.retrieval.model_languages`). Guarantee: nothing is changed; without a
doubt there is no advice.
"""

from collections import Counter
from itertools import islice
from pathlib import Path

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.languages import language_name
from headwater.domain.media_types import MARKDOWN_ENDINGS
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder_registry import is_local, load_embedder
from headwater.parsing.language import TELLING_PART, detect_document_language
from headwater.retrieval.model_languages import ADVICE, ModelLanguages
from headwater.settings import Settings
from headwater.store.store import Store

_MIN_UNKNOWN_SHARE = 0.05  # the share of documents in languages which the model does not know that needs no advice
_LOOKED_AT, _READ = 2_000, 20  # entries of a folder, and files of it, at most
_TEXTS = {*MARKDOWN_ENDINGS, ".txt", ".rst", ".org", ".adoc", ".html", ".htm"}


def advise_on_documents(store: Store, settings: Settings, knowledge_base: KnowledgeBase) -> str:
    """Name the languages of indexed documents that the model does not know, and what to do; empty without need."""
    index = store.search_indexes.active(knowledge_base.slug)
    reading = _load_languages(settings, knowledge_base, index.model) if index else None
    if index is None or reading is None:
        return ""
    counts = store.health.document_languages(index)
    unknown = {language: count for language, count in counts.items() if not reading.knows(language)}
    if sum(unknown.values()) <= _MIN_UNKNOWN_SHARE * sum(counts.values()):
        return ""
    by_name: Counter[str] = Counter()  # "ja" and "ja-JP" have one
    for language, count in unknown.items():
        by_name[language_name(language)] += count
    listed = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return (
        f"{knowledge_base.slug}: {sum(unknown.values())} of {sum(counts.values())} documents are in languages "
        f"that its embedding model {index.model} does not know ({listed}). They are searched by words alone. {ADVICE}"
    )


def unknown_language(settings: Settings, knowledge_base: KnowledgeBase, path: Path) -> str:
    """The language of most files at a path, read at most twenty, if the model does not know it; otherwise empty.

    Args:
        settings: say where the model is.
        knowledge_base: its model may be one of this machine; others are not asked.
        path: a file or a folder.
    """
    model = knowledge_base.settings.embedding_model
    reading = _load_languages(settings, knowledge_base, model) if is_local(model) else None
    if reading is None:
        return ""
    entries = islice(path.rglob("*"), _LOOKED_AT) if path.is_dir() else [path]
    texts = (entry for entry in entries if entry.suffix.lower() in _TEXTS and entry.is_file())
    counted = Counter(_language(text) for text in islice(texts, _READ))
    language, count = counted.most_common(1)[0] if counted else ("", 0)
    return language if language and 2 * count > counted.total() and not reading.knows(language) else ""


def _load_languages(settings: Settings, knowledge_base: KnowledgeBase, model: str) -> ModelLanguages | None:
    try:
        return ModelLanguages.of(knowledge_base, load_embedder(model, settings))
    except ModelUnavailableError:  # whatever needs the model says so
        return None


def _language(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return detect_document_language(file.read(TELLING_PART))
    except OSError:  # the sync says so
        return ""
