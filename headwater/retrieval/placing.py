"""Adding places in the originals to the passages of a search.

Belongs here: reading the places of passages once it is known which are shown. Not here: places themselves
(`headwater.domain.places`). Guarantee: one query to the store, however many passages; order and scores stay.
"""

from collections.abc import Sequence
from dataclasses import replace

from headwater.domain.search import Passage
from headwater.store.store import Store


def placed(store: Store, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Give each passage its places, if they are known."""
    spans = [(passage.document_version_id, passage.start, passage.end) for passage in passages]
    return tuple(
        passage if places is None else replace(passage, places=places)
        for passage, places in zip(passages, store.places.of_spans(spans), strict=True)
    )
