"""What a sync takes over of a source's documents without reading them again.

Belongs here: which of the known documents may be trusted. Not here: reading the others (`headwater.syncing.documents`).
Guarantee: a full sync trusts none; looking costs the same for any number of documents, and asks the database nothing.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from headwater.store.content.known_documents import KnownDocument

_Default = TypeVar("_Default")


class TrustedDocuments(Mapping[str, KnownDocument]):
    """The known documents that need not be read again unless they changed, by URI.

    `parser_versions` are those of everything that may read a document of the source: the connector, every parser.
    """

    def __init__(self, known: Mapping[str, KnownDocument], *, parser_versions: Collection[str], is_full: bool) -> None:
        self._known = known
        self._parser_versions = frozenset(parser_versions)
        self._is_full = is_full

    def __getitem__(self, uri: str) -> KnownDocument:
        old = self._known[uri]
        if not self._is_trusted(old):
            raise KeyError(uri)
        return old

    def get(self, uri: str, default: _Default | None = None) -> KnownDocument | _Default | None:  # type: ignore[override]
        """Return what is known of a document, if that may be trusted; once per document, so without an exception."""
        old = self._known.get(uri)
        return old if old is not None and self._is_trusted(old) else default

    def __iter__(self) -> Iterator[str]:
        return (uri for uri, old in self._known.items() if self._is_trusted(old))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def why_not(self, uri: str) -> str:
        """Why a document has to be read, in words."""
        if uri not in self._known:
            return "it was never read"
        if self._is_full:
            return "a full sync reads every document"
        return "it had vanished" if self._known[uri].is_removed else "another version of the parser read it"

    def _is_trusted(self, old: KnownDocument) -> bool:
        return old.parser_version in self._parser_versions and not old.is_removed and not self._is_full
