"""Where in their originals the passages stand that a search shows.

Belongs here: giving passages the places of their versions, once it is known which are shown. Not here: what places are
(`headwater.domain.places`). Guarantee: one question to the store, however many passages; order and scores stay.
"""

from collections.abc import Sequence
from dataclasses import replace

from headwater.domain.search import Passage
from headwater.store.store import Store


def placed(store: Store, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Give each passage its places; one of which nobody knows any has none."""
    spans = [(passage.document_version_id, passage.start, passage.end) for passage in passages]
    return tuple(
        passage if places is None else replace(passage, places=places)
        for passage, places in zip(passages, store.places.of_spans(spans), strict=True)
    )
