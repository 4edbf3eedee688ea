"""The tree of a source, made of what is stored: which documents are summarised again, and the rows of the new tree.

Belongs here: reading what changed, the rows above and below document summaries. Not here: what is summarised together
(`tree`), who makes the summaries, storing (`headwater.store.content.summaries`). Guarantee: only documents that changed
are read; nothing is written before `put`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from headwater.domain.corpus import Source
from headwater.domain.search import SearchIndex
from headwater.domain.summaries import NodeKind, TreeRow
from headwater.identity import content_id
from headwater.store.content.summaries import ChunkToSummarize, SummaryStore
from headwater.store.work.fencing_tokens import SyncLease
from headwater.summaries.tree import (
    ChunkInput,
    DocumentInput,
    Node,
    Recipe,
    Summarize,
    Top,
    summarize_all,
    summarize_documents,
)

_WINDOW = 100  # documents that are summarised together


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What a source's tree does not have yet: documents that changed, documents that are gone.

    `is_topless` is whether something above its documents is missing, since a text that it summarised was deleted.
    """

    changed: Sequence[UUID]
    gone: Sequence[UUID]
    is_topless: bool

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.changed or self.gone or self.is_topless)


def changes_of(store: SummaryStore, source: Source, settings_hash: bytes, recipe: Recipe) -> Changes:
    """Find what changed since a source's tree was made."""
    return Changes(
        changed=store.documents_to_summarize(source, settings_hash, recipe.hash),
        gone=store.documents_without_text(source, settings_hash),
        is_topless=store.is_topless(source),
    )


class NewTree:
    """The tree that is to take the place of the old one."""

    def __init__(
        self, store: SummaryStore, source: Source, settings_hash: bytes, recipe: Recipe, summarize: Summarize
    ) -> None:
        """Begin with nothing summarised; `settings_hash` is that of the chunks."""
        self._store = store
        self._source = source
        self._settings_hash = settings_hash
        self._recipe = recipe
        self._summarize = summarize
        self._changes = Changes(changed=(), gone=(), is_topless=False)
        self._rows: list[TreeRow] = []
        self._placed: dict[UUID, tuple[UUID, int]] = {}
        self._tops: dict[UUID, Node] = {}  # summaries of documents, without what is below them
        self._versions: dict[UUID, UUID] = {}  # of the documents that changed
        self.summarized: dict[UUID, tuple[DocumentInput, str]] = {}
        """The documents that changed, without their parts, and their summaries."""

    def build(self, changes: Changes, progress: Callable[[int, int], None] = lambda _done, _total: None) -> Node | None:
        """Summarise the documents that changed, and what is above them.

        Args:
            changes: what changed.
            progress: is told how many of the documents are done, and of how many.

        Returns:
            The source's summary, with everything above the documents; None if no document has a text.
        """
        self._changes = changes
        for start in range(0, len(changes.changed), _WINDOW):
            self._add(changes.changed[start : start + _WINDOW])
            progress(min(start + _WINDOW, len(changes.changed)), len(changes.changed))
        for summary in self._store.document_summaries(self._source, [*changes.changed, *changes.gone]):
            stored = Node(
                identity=summary.identity,
                kind=NodeKind.DOCUMENT,
                key=summary.key,
                text=summary.text,
                titles=[summary.title],
            )
            self._tops[summary.document_id] = stored
        in_order = [id_ for id_ in self._store.documents_in_order(self._source) if id_ in self._tops]
        if not in_order:
            return None
        top = Top(kind=NodeKind.SOURCE, id=str(self._source.id), title=self._source.slug)
        root = summarize_all([self._tops[id_] for id_ in in_order], top, self._recipe, self._summarize)
        self._hang_all(root, None, 0, {self._tops[id_].identity: id_ for id_ in in_order})
        return root

    @property
    def keys(self) -> list[bytes]:
        """The keys of the summaries in its rows."""
        return [row.key for row in self._rows]

    def put(self, work: SyncLease, indexes: Sequence[SearchIndex]) -> int | None:
        """Put the tree in place, and its entries into indexes; returns how many rows were written.

        None, and nothing is written, if it has to be made again, because a summary was deleted meanwhile.

        Args:
            work: the sync.
            indexes: all that the source's documents are published into.

        Raises:
            FencedError: the sync was overtaken.
        """
        return self._store.put_tree(
            work,
            rows=self._rows,
            placed=self._placed,
            versions=self._versions,
            gone=self._changes.gone,
            settings_hash=self._settings_hash,
            recipe_hash=self._recipe.hash,
            indexes=indexes,
        )

    def _add(self, document_ids: Sequence[UUID]) -> None:
        chunks = self._store.chunks_of(document_ids, self._settings_hash)
        self._versions |= {chunk.document_id: chunk.version_id for chunk in chunks}
        documents = list(_documents(chunks))
        nodes = summarize_documents(documents, self._recipe, self._summarize)
        for document, node in zip(documents, nodes, strict=True):
            for place, child in enumerate(node.children):
                self._hang(child, self._id(node), place, document.id)
            self._tops[document.id] = replace(node, children=())
            self.summarized[document.id] = (replace(document, parts=()), node.text)

    def _hang_all(self, node: Node, parent_id: UUID | None, place: int, documents: Mapping[bytes, UUID]) -> None:
        """Hang a node and those below it, down to the summaries of documents; an unchanged one only moves."""
        document_id = documents.get(node.identity)
        if document_id is None:
            self._rows.append(self._row(node, parent_id, place, None))
            for position, child in enumerate(node.children):
                self._hang_all(child, self._id(node), position, documents)
        elif document_id in self._versions:
            self._rows.append(self._row(node, parent_id, place, document_id))
        elif parent_id is not None:
            self._placed[self._id(node)] = (parent_id, place)

    def _hang(self, node: Node, parent_id: UUID, place: int, document_id: UUID) -> None:
        """Hang a node of a document and all below it."""
        self._rows.append(self._row(node, parent_id, place, document_id))
        for position, child in enumerate(node.children):
            self._hang(child, self._id(node), position, document_id)

    def _row(self, node: Node, parent_id: UUID | None, place: int, document_id: UUID | None) -> TreeRow:
        return TreeRow(
            id=self._id(node),
            kind=node.kind,
            identity=node.identity,
            key=node.key,
            parent_id=parent_id,
            position=place,
            document_id=document_id,
            chunk_ids=node.chunk_ids,
        )

    def _id(self, node: Node) -> UUID:
        return content_id("summary node", self._source.id, node.identity.hex())


def _documents(chunks: Sequence[ChunkToSummarize]) -> Iterator[DocumentInput]:
    for document_id, group in groupby(chunks, key=lambda chunk: chunk.document_id):
        document_chunks = list(group)
        chunk_inputs = [
            ChunkInput(id=chunk.chunk_id, text=chunk.text, breadcrumb=chunk.breadcrumb, is_code=chunk.is_code)
            for chunk in document_chunks
        ]
        yield DocumentInput(
            id=document_id, title=document_chunks[0].title, parts=chunk_inputs, language=document_chunks[0].language
        )
