"""Preparing a search index so that it answers well.

Belongs here: when an index gets its own partition, when its weights are recomputed and unused languages are
removed, and the choice of `ef_search`. Not here: building the partition, weighing and measuring
(`headwater.store`). Guarantee: searches continue meanwhile; nothing is written if nothing changed.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchIndex
from headwater.indexing.build_memory import build_memory
from headwater.retrieval.finder import DEPTH
from headwater.settings import Settings
from headwater.store.server.connection_pool import DEFAULT_EF_SEARCH
from headwater.store.store import Store

MAX_EXACT_ENTRIES = 20_000
"""Entries that an exact scan compares as fast as HNSW finds some; a larger index gets a partition with HNSW."""
EF_CHOICES = (40, 80, 120, 200, 400, 800)
"""Values of HNSW's ef_search that are tried, cheapest first; pgvector allows up to 1,000."""
ENOUGH_RECALL = 0.95
"""The recall@10 from which no higher ef_search is tried; below it, a check warns."""
MIN_RECALL = 0.90
"""The recall@10 that an index needs to become active."""
SAMPLE = 50
"""The number of vectors for measuring recall."""
MEASURED_AGAIN = 0.1
"""The share of an index's documents that must change before its recall is measured again, which scans all of it."""


def prepare(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, index: SearchIndex, *, is_changed: bool = True
) -> SearchIndex:
    """Weigh an index's words, give a large one its partition, and choose its `ef_search` by measured recall.

    Args:
        store: the store of the index.
        settings: say whether Postgres is our own, so that a build may take memory.
        knowledge_base: the index's knowledge base.
        index: one of its indexes.
        is_changed: whether its entries may have changed since it was last prepared; if not, it is not measured again.

    Returns:
        The index after preparing.

    Raises:
        NotFoundError: it was dropped meanwhile.
    """
    if is_changed or index.recall is None:
        store.search_indexes.weigh(index)
    entries = 0 if index.shard else store.index_health.counts(index).entries
    is_large = entries > MAX_EXACT_ENTRIES
    if is_large:
        memory = build_memory(entries, index.dimensions, is_own_server=settings.database_url is None)
        store.search_indexes.move_to_partition(index, memory=memory)
        index = store.search_indexes.get(knowledge_base, index.id)
    if index.shard:
        store.search_indexes.clear_shared_entries(index)
    if is_large or index.recall is None or (is_changed and _is_outgrown(store, index)):
        _tune(store, index)
        store.search_indexes.forget_languages(index)
    return store.search_indexes.get(knowledge_base, index.id)


def _is_outgrown(store: Store, index: SearchIndex) -> bool:
    """Whether the measurements of an index are out of date."""
    return not index.shard or index.ef_search is None or store.index_health.measure_change(index) > MEASURED_AGAIN


def measure_recall(store: Store, index: SearchIndex) -> float:
    """Measure recall@10 of an index as searches use it now; 1 if it is scanned exactly."""
    if not index.shard:
        return 1.0
    choices = (index.ef_search or DEFAULT_EF_SEARCH,)
    _, recall = store.index_health.recall(index, choices, enough=1.0, sample=SAMPLE, depth=DEPTH)
    return recall


def _tune(store: Store, index: SearchIndex) -> None:
    ef_search, recall = None, 1.0
    if index.shard:
        ef_search, recall = store.index_health.recall(
            index, EF_CHOICES, enough=ENOUGH_RECALL, sample=SAMPLE, depth=DEPTH
        )
    store.search_indexes.record_recall(index, ef_search=ef_search, recall=recall)
