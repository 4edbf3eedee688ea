"""Turning a search result into the context for a language model (RET-5).

Belongs here: taking the trusted passages, with the chunks next to them. Not here: building the context (`context`),
prompts. Guarantee: it contains only trusted passages and their neighbours in the same document version.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.retrieval.context import Context, assemble, by_document
from headwater.retrieval.neighbours import CLOSEST, closest
from headwater.retrieval.passage_places import load_places
from headwater.retrieval.result_trust import split_by_trust
from headwater.retrieval.search_result import SearchResult
from headwater.retrieval.trust import Dropped
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class GatheredContext:
    """A context, and the passages that were not trusted enough for it."""

    context: Context
    dropped: tuple[Dropped, ...]


def gather(store: Store, knowledge_base: KnowledgeBase, found: SearchResult) -> GatheredContext:
    """Combine the trusted passages, the first of every document before the second of any; then their neighbours.

    Args:
        store: the store of the neighbours.
        knowledge_base: the knowledge base with its settings.
        found: the search result, with single chunks that are not merged.

    Returns:
        A context, without parts if nothing is trusted, and the passages that are not trusted.
    """
    parted = split_by_trust(knowledge_base.settings, found.passages)
    context = assemble_nearby(store, parted.kept, knowledge_base.settings.context_tokens)
    return GatheredContext(context=context, dropped=parted.dropped)


def assemble_nearby(store: Store, passages: Sequence[Passage], budget: int) -> Context:
    """Combine passages, the first of every document before the second of any; then their neighbours.

    Args:
        store: the store of the neighbours.
        passages: the best first.
        budget: tokens.
    """
    return assemble(with_nearby(store, passages), budget)


def with_nearby(store: Store, passages: Sequence[Passage]) -> list[list[Passage]]:
    """The buckets of a context: the passages of each document, best first, and after them their neighbours.

    Args:
        store: the store of the neighbours.
        passages: the best first.
    """
    nearby = load_places(store, closest(passages, store.passage_links.nearby(passages, reach=CLOSEST)))
    return by_document((*passages, *nearby))
