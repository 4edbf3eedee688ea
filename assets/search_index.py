"""`search_index`: what a knowledge base answers from.

Belongs here: switching to the index of the present settings once it is complete, and giving a large one its own
partition. Not here: filling it (`embeddings`). Guarantee: the old index answers until the new one serves every
document (EMB-2).
"""

from typing import Any

import dagster as dg

from assets.partitions import KNOWLEDGE_BASES
from assets.resources import StoreResource
from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.settings import Settings
from headwater.store.store import Store


@dg.asset(
    partitions_def=KNOWLEDGE_BASES,
    deps=[dg.AssetDep("embeddings", partition_mapping=dg.AllPartitionMapping())],
    group_name="knowledge_base",
    kinds={"postgres"},
    code_version="1",
)
def search_index(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Vectors and words of one knowledge base, as search reads them."""
    with store.open() as (opened, settings):
        digest, metadata = refresh_search_index(opened, settings, context.partition_key)
    return dg.MaterializeResult(data_version=dg.DataVersion(digest), metadata=metadata)


def refresh_search_index(store: Store, settings: Settings, slug: str) -> tuple[str, dict[str, Any]]:
    """Bring a knowledge base's index into its right state and place.

    Returns:
        The digest of what it was refreshed from, and metadata for people.

    Raises:
        NotFoundError: there is no such knowledge base.
    """
    digest, _ = store.knowledge_bases.index_digest(slug)
    knowledge_base = store.knowledge_bases.get(slug)
    wanted = settings_hash(chunk_settings(knowledge_base.settings))
    for index in store.search_indexes.live(knowledge_base):
        if index.state != "active" and index.is_for(knowledge_base.settings, wanted):
            store.search_indexes.activate(knowledge_base, index)
    store.search_indexes.drop_orphan_partitions()
    active = store.search_indexes.active(slug)
    metadata: dict[str, Any] = {"active": "none"}
    if active is not None:
        entries = store.search_indexes.count_entries(active)
        if not active.shard and entries > settings.exact_limit:
            store.search_indexes.move_to_partition(active)
            active = store.search_indexes.active(slug) or active
        if active.shard:
            store.search_indexes.clear_shared_entries(active)
        metadata = {
            "dagster/row_count": entries,
            "active": active.id,
            "model": active.model,
            "access": "hnsw" if active.shard else "exact",
            "indexes": len(store.search_indexes.live(knowledge_base)),
        }
    store.knowledge_bases.set_index_digest(slug, digest)
    return digest, metadata
