"""Known documents that a sync need not read again.

Belongs here: which of them may be trusted. Not here: reading the others (`headwater.syncing.documents`).
Guarantee: a full sync trusts none; a look-up takes constant time and does not query the database.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from headwater.parsing.registry import is_read_by
from headwater.store.content.known_documents import KnownDocument

_Default = TypeVar("_Default")


class TrustedDocuments(Mapping[str, KnownDocument]):
    """The known documents that need not be read again unless they changed, by URI.

    `own_version` is the version of the connector's own parser.
    """

    def __init__(self, known: Mapping[str, KnownDocument], *, own_version: str, is_full: bool) -> None:
        self._known = known
        self._own_version = own_version
        self._read_the_same: dict[tuple[str, str, str], bool] = {}
        self._is_full = is_full

    def __getitem__(self, uri: str) -> KnownDocument:
        old = self._known[uri]
        if not self._is_trusted(old):
            raise KeyError(uri)
        return old

    def get(self, uri: str, default: _Default | None = None) -> KnownDocument | _Default | None:  # type: ignore[override]
        """Return a known document if it may be trusted; called once per document, so without an exception."""
        old = self._known.get(uri)
        return old if old is not None and self._is_trusted(old) else default

    def __iter__(self) -> Iterator[str]:
        return (uri for uri, old in self._known.items() if self._is_trusted(old))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def compared(self, uri: str) -> KnownDocument | None:
        """The known document to compare a fetched one with; its connector says which parser would read it."""
        old = self._known.get(uri)
        return None if old is None or old.is_removed or self._is_full else old

    def why_not(self, uri: str) -> str:
        """The reason why a document has to be read."""
        if uri not in self._known:
            return "it was never read"
        if self._is_full:
            return "a full sync reads every document"
        return "it had disappeared" if self._known[uri].is_removed else "another version of the parser read it"

    def _is_trusted(self, old: KnownDocument) -> bool:
        return self._is_read_the_same(old) and not old.is_removed and not self._is_full

    def _is_read_the_same(self, old: KnownDocument) -> bool:
        """Whether the parser is unchanged; computed once for all documents of the same type and ending."""
        endings = old.uri.rpartition("/")[2].partition(".")[2]
        kind = (old.parser_version, old.media_type, endings)
        if kind not in self._read_the_same:
            self._read_the_same[kind] = is_read_by(
                old.parser_version, media_type=old.media_type, uri=old.uri, own_version=self._own_version
            )
        return self._read_the_same[kind]
