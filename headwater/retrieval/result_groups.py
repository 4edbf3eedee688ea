"""Which passages a search shows, and how those of one document are grouped (RET-6).

Belongs here: what `top_k` counts, the passages below a document's best one, the reasons for dropping others. Not here:
the order (`result_order`), merging passages that touch (`neighbours`). Guarantee: pure; the order never changes; every
passage that is not shown has a reason.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import UUID

from headwater.domain.knowledge_base_settings import GroupBy
from headwater.domain.search import Passage
from headwater.retrieval.fusion import number_ranks
from headwater.retrieval.trust import Dropped

BENEATH = 3
"""The most passages of a document that are shown below its best one, unless more are among the first of all."""


def select_visible(passages: Sequence[Passage], limit: int, group_by: GroupBy) -> tuple[Passage, ...]:
    """Choose the shown passages: the first passages, or those of the first documents.

    Below a document's best passage, others are shown that rank before the first document which is not shown. Whatever a
    search for as many passages shows is among them, so that both agree.

    Args:
        passages: best first.
        limit: how many passages or documents.
        group_by: which of the two is counted.
    """
    if group_by == "passage":
        return tuple(passages[:limit])
    visible: list[Passage] = []
    counts: Counter[UUID] = Counter()
    for rank, passage in enumerate(passages, start=1):
        if passage.document_id not in counts and len(counts) == limit:
            break
        counts[passage.document_id] += 1
        if rank <= limit or counts[passage.document_id] <= 1 + BENEATH:
            visible.append(passage)
    return tuple(visible)


def group_passages(passages: Iterable[Passage], group_by: GroupBy) -> list[list[Passage]]:
    """Passages as they are shown: one by one, or those of one document together, the best first."""
    groups: dict[UUID, list[Passage]] = {}
    for passage in passages:
        groups.setdefault(passage.chunk_id if group_by == "passage" else passage.document_id, []).append(passage)
    return list(groups.values())


def is_short(passages: Sequence[Passage], limit: int, group_by: GroupBy) -> bool:
    """Whether passages come from fewer documents than wanted."""
    return group_by == "document" and len({passage.document_id for passage in passages}) < limit


def behind(passages: Sequence[Passage], limit: int, group_by: GroupBy) -> list[Dropped]:
    """The passages that are not shown, each with its position and the reason."""
    visible_ids = {passage.chunk_id for passage in select_visible(passages, limit, group_by)}
    documents = {document: place for place, document in enumerate(_documents(passages), start=1)}
    dropped = []
    for passage in number_ranks(passages):
        place = documents[passage.document_id]
        if group_by == "passage":
            reason = f"It has rank {passage.rank}, but {limit} were requested."
        elif place > limit:
            reason = f"Its document has rank {place}, but {limit} were requested."
        else:
            reason = "Better passages of its document are shown."
        if passage.chunk_id not in visible_ids:
            dropped.append(Dropped(passage=passage, reason=reason))
    return dropped


def _documents(passages: Iterable[Passage]) -> dict[UUID, None]:
    return dict.fromkeys(passage.document_id for passage in passages)
