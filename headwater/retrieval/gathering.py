"""What a search found, as the context that a language model answers from (RET-5).

Belongs here: taking what is trusted, with the chunks beside it. Not here: how a context is put together (`context`),
prompts. Guarantee: only trusted passages and their neighbours in the same document version are in it.
"""

from headwater.models import KnowledgeBase
from headwater.retrieval.context import Context, assemble, by_document
from headwater.retrieval.neighbours import CLOSEST, closest
from headwater.retrieval.search import Found
from headwater.retrieval.trust import keep
from headwater.store.store import Store


def gather(store: Store, knowledge_base: KnowledgeBase, found: Found, budget: int | None = None) -> Context:
    """Put together the trusted passages, a document's first one before any document's second; then their neighbours.

    Args:
        store: where the neighbours are.
        knowledge_base: whose settings count.
        found: what a search found, each chunk on its own, not merged.
        budget: tokens; the knowledge base's own number when not given.

    Returns:
        A context without parts when nothing is trusted.
    """
    chosen = knowledge_base.settings
    grades = [passage.scores.trust or 0.0 for passage in found.passages]
    kept = keep(found.passages, grades, floor=chosen.trust_floor, margin=chosen.trust_margin).kept
    nearby = closest(kept, store.passage_links.nearby(kept, reach=CLOSEST))
    return assemble(by_document((*kept, *nearby)), chosen.context_tokens if budget is None else budget)
