"""Where in their originals the passages stand that a search shows.

Belongs here: reading the places that were too many to come with each passage. Not here: what places are
(`headwater.domain.places`). Guarantee: one question to the store at most, and none for most documents; order and scores
stay.
"""

from collections.abc import Sequence
from dataclasses import replace

from headwater.domain.places import UNREAD_PLACES
from headwater.domain.search import Passage
from headwater.store.store import Store


def placed(store: Store, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Give the passages whose places are unread those that they need."""
    spans = [
        (passage.document_version_id, passage.start, passage.end)
        for passage in passages
        if passage.places is UNREAD_PLACES
    ]
    read = iter(store.places.of_spans(spans))
    return tuple(
        replace(passage, places=next(read)) if passage.places is UNREAD_PLACES else passage for passage in passages
    )
