"""Which stored document a fetched one is: the one with its URI, or the one that it was renamed from.

Belongs here: renames, and ids of new documents. Not here: versions (`new_versions`), reading sources (`documents`).
Guarantee: a renamed document keeps its id and its versions; two documents of a source never get the same id or URI; a
rename that cannot be followed is a new document and a removed one.
"""

from collections.abc import Collection, Iterator, Mapping
from uuid import UUID

from headwater.identity import content_id
from headwater.sources.connector import FetchedDocument
from headwater.store.content.known_documents import KnownDocument


class Identities:
    """The stored documents of a source, and which of them were renamed in this sync."""

    def __init__(self, source_id: int, known: Mapping[str, KnownDocument]) -> None:
        self._source_id = source_id
        self._known = known
        self._taken = {old.id for old in known.values()}
        self._moved: set[str] = set()  # URIs that renamed documents had

    def old(self, item: FetchedDocument, seen: Collection[str]) -> KnownDocument | None:
        """The stored state of a document, None for a new one.

        Args:
            item: the fetched document.
            seen: the URIs that the source still has, as far as it was read.
        """
        same = self._known.get(item.uri)
        if same is not None and item.uri not in self._moved:
            return same
        previous = self._known.get(item.renamed_from) if same is None else None
        if previous is None or previous.is_removed or previous.uri in seen or previous.uri in self._moved:
            return None
        self._moved.add(previous.uri)
        return previous

    def new_id(self, uri: str) -> UUID:
        """The id of a new document: that of its URI, unless the document that had this URI was renamed."""
        attempt = 0
        while (
            identity := content_id("document", self._source_id, uri, *([attempt] if attempt else []))
        ) in self._taken:
            attempt += 1
        self._taken.add(identity)
        return identity

    def find_vanished(self, seen: Collection[str]) -> Iterator[KnownDocument]:
        """The stored documents that the source no longer has under any name."""
        return (old for old in self._known.values() if old.uri not in seen and old.uri not in self._moved)
