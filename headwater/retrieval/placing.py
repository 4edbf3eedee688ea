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
    found = store.places.of_versions(passage.document_version_id for passage in passages)
    return tuple(
        replace(passage, places=places.within(passage.start, passage.end))
        if (places := found.get(passage.document_version_id))
        else passage
        for passage in passages
    )
