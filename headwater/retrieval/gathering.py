"""What a search found, as the context that a language model answers from (RET-5).

Belongs here: taking what is trusted, with the chunks beside it. Not here: how a context is put together (`context`),
prompts. Guarantee: only trusted passages and their neighbours in the same document version are in it.
"""

from dataclasses import dataclass

from headwater.domain.corpus import KnowledgeBase
from headwater.retrieval.context import Context, assemble, by_document
from headwater.retrieval.found import Found
from headwater.retrieval.grading import trusted
from headwater.retrieval.neighbours import CLOSEST, closest
from headwater.retrieval.trust import Dropped
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """A context, and the passages found that are not trusted enough for it."""

    context: Context
    dropped: tuple[Dropped, ...]


def gather(store: Store, knowledge_base: KnowledgeBase, found: Found) -> Gathered:
    """Put together the trusted passages, a document's first one before any document's second; then their neighbours.

    Args:
        store: where the neighbours are.
        knowledge_base: whose settings count.
        found: what a search found, each chunk on its own, not merged.

    Returns:
        A context without parts when nothing is trusted, and what is not.
    """
    parted = trusted(knowledge_base.settings, found.passages)
    nearby = closest(parted.kept, store.passage_links.nearby(parted.kept, reach=CLOSEST))
    context = assemble(by_document((*parted.kept, *nearby)), knowledge_base.settings.context_tokens)
    return Gathered(context=context, dropped=parted.dropped)
