"""Merging hits of one document with the chunks next to them (RET-6).

Belongs here: merging passages that touch, and adding the chunks around the best hits. Not here: reading chunks
(`store`). Guarantee: pure; a merged passage is the document's text from `start` to `end`, without repetition.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from headwater.domain.search import Passage
from headwater.retrieval.fusion import rank_passages

DOCUMENTS = 3
"""How many documents get neighbours: those of the best hits."""
CLOSEST = 5
"""How many chunks are added to each of them."""


def merge_neighbours(passages: Sequence[Passage], nearby: Iterable[Passage] = ()) -> list[Passage]:
    """Merge hits that touch in their document, together with the chunks closest to the hits of the best documents.

    Args:
        passages: the hits, best first.
        nearby: other chunks of the same document versions; their ranks and scores do not matter.

    Returns:
        One passage for each span of text without a gap, ranked from 1. It is the best hit in the span, with its ids,
        score and scores, but with the span's text, offsets, first line and first position. An added chunk that touches
        no hit is left out.
    """
    added = closest(passages, nearby)
    versions = dict.fromkeys(passage.document_version_id for passage in passages)
    merged: list[Passage] = []
    for version in versions:
        hits = [passage for passage in passages if passage.document_version_id == version]
        chunks = [passage for passage in added if passage.document_version_id == version]
        hit_ids = {passage.chunk_id for passage in hits}
        for stretch in _stretches([*hits, *chunks]):
            hits_inside = [passage for passage in stretch if passage.chunk_id in hit_ids]
            if hits_inside:
                merged.append(_merge_stretch(min(hits_inside, key=lambda passage: passage.rank), stretch))
    return rank_passages(sorted(merged, key=lambda passage: passage.rank))


def closest(passages: Sequence[Passage], nearby: Iterable[Passage]) -> list[Passage]:
    """Choose the chunks that are closest to the hits of the best documents: `CLOSEST` in each of `DOCUMENTS`.

    Args:
        passages: the hits, best first.
        nearby: chunks of the same document versions.
    """
    best = list(dict.fromkeys(passage.document_version_id for passage in passages))[:DOCUMENTS]
    hits = {passage.chunk_id for passage in passages}
    chunks_by_version: dict[UUID, list[Passage]] = {version: [] for version in best}
    for chunk in nearby:
        if chunk.document_version_id in chunks_by_version and chunk.chunk_id not in hits:
            chunks_by_version[chunk.document_version_id].append(chunk)
    closest_chunks: list[Passage] = []
    for version, chunks in chunks_by_version.items():
        positions = [passage.position for passage in passages if passage.document_version_id == version]
        away = sorted((min(abs(chunk.position - place) for place in positions), chunk.position, index)
                      for index, chunk in enumerate(chunks))  # fmt: skip
        closest_chunks += [chunks[position] for _, _, position in away[:CLOSEST]]
    return closest_chunks


def _stretches(passages: Iterable[Passage]) -> list[list[Passage]]:
    """Passages of one document version, by position; those that touch or overlap are together."""
    stretches: list[list[Passage]] = []
    end = 0
    for passage in sorted(passages, key=lambda passage: (passage.start, -passage.end)):
        if stretches and passage.start <= end:
            stretches[-1].append(passage)
            end = max(end, passage.end)
        else:
            stretches.append([passage])
            end = passage.end
    return stretches


def _merge_stretch(best: Passage, stretch: Sequence[Passage]) -> Passage:
    """The best hit, extended to the whole span."""
    text, end = "", stretch[0].start
    for passage in stretch:
        text += passage.text[max(0, end - passage.start) :]
        end = max(end, passage.end)
    first = stretch[0]
    return replace(
        best,
        text=text,
        start=first.start,
        end=end,
        line=first.line,
        position=min(passage.position for passage in stretch),
        table_header=first.table_header,
        breadcrumb=_find_shared_headings([passage.breadcrumb for passage in stretch]),
    )


def _find_shared_headings(breadcrumbs: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all breadcrumbs share."""
    shared = breadcrumbs[0]
    for breadcrumb in breadcrumbs[1:]:
        length = 0
        while length < min(len(shared), len(breadcrumb)) and shared[length] == breadcrumb[length]:
            length += 1
        shared = shared[:length]
    return shared
