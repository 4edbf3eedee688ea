"""Adding places in the originals to the passages of a search.

Belongs here: reading the places of a passage where they were too many to come with it. Not here: places themselves
(`headwater.domain.places`). Guarantee: at most one query to the store, and none for most documents; order and scores
stay.
"""

from collections.abc import Sequence
from dataclasses import replace

from headwater.domain.places import UNREAD_PLACES
from headwater.domain.search import Passage
from headwater.store.store import Store


def load_places(store: Store, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Read the places of the passages that have `UNREAD_PLACES`."""
    spans = [
        (passage.document_version_id, passage.start, passage.end)
        for passage in passages
        if passage.places is UNREAD_PLACES
    ]
    read = iter(store.places.of_spans(spans))
    return tuple(
        replace(passage, places=next(read)) if passage.places is UNREAD_PLACES else passage for passage in passages
    )
