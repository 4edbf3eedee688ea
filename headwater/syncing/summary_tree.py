"""`summary_tree`: the summaries of a source's documents, and of the source.

Belongs here: which documents are summarised anew, and putting the new tree in place. Not here: what is summarised
together (`headwater.summaries`), vectors (`summary_vectors`), storing (`headwater.store.content.summaries`). Guarantee:
readers see the old tree until the new one is complete; if nothing changed, nothing is called or written; a failure
leaves the old tree (SUM-2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from uuid import UUID

from headwater.domain.summaries import DocumentSummary, NodeKind, PaidSummary, TreeRow
from headwater.identity import content_id
from headwater.store.content.summaries import ChunkToSummarize
from headwater.summaries.summarizing import Summarizer, load_maker, recipe_of
from headwater.summaries.tree import (
    DocumentParts,
    Node,
    Part,
    Recipe,
    Top,
    summarize_all,
    summarize_documents,
)
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork
from headwater.syncing.summary_vectors import embed_summaries, serve_tree

_WINDOW = 20  # documents that are summarised together


class SummaryTreeWork(StageWork):
    """Keeps a source's summary tree, if its knowledge base names a `summary_model`."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        super().__init__(job, hand_on)
        self._summarizer: Summarizer | None = None

    def complete(self) -> None:
        """Summarise what changed, up to the source.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: the model failed; the old tree stays.
            FencedError: a newer sync took over.
        """
        job, recipe = self.job, self._recipe
        if recipe is None:
            if job.store.summaries.counts(job.source):
                job.counts.rows_written += job.store.summaries.delete_tree(job.work, job.indexes)
            return
        serve_tree(job)
        settings_hash = job.indexes[-1].settings_hash
        changed = job.store.summaries.documents_to_summarize(job.source, settings_hash, recipe.hash)
        gone = job.store.summaries.documents_without_text(job.source, settings_hash)
        if not changed and not gone:
            return
        self._summarizer = self._load(recipe)
        tree = _NewTree(job, recipe, self._summarizer, settings_hash)
        for start in range(0, len(changed), _WINDOW):
            tree.add(changed[start : start + _WINDOW])
            job.watch.check()
            job.progress(SUMMARY_TREE.name, min(start + _WINDOW, len(changed)), len(changed))
        job.counts.rows_written += tree.put(changed, gone)

    def digest(self, _: str) -> Digest:
        """The version depends on the summaries' keys and on where they hang; the count is the number of nodes."""
        return Digest(*self.job.store.summaries.digest(self.job.source))

    def report(self) -> Report:
        """What was made, and how many nodes there are on each level."""
        made = self._summarizer
        counts = self.job.store.summaries.counts(self.job.source)
        return {
            "summarized": made.made if made else 0,
            "reused": made.reused if made else 0,
            **{f"{kind.value}_nodes": counts.get(kind, 0) for kind in NodeKind if kind in counts},
        }

    def summary(self) -> str:
        """What was made."""
        made = self._summarizer
        return f"{made.made} summaries made, {made.reused} reused" if made else ""

    @cached_property
    def _recipe(self) -> Recipe | None:
        chosen = self.job.knowledge_base.settings
        return None if chosen.summary_model is None else recipe_of(chosen, chosen.summary_model)

    def _load(self, recipe: Recipe) -> Summarizer:
        job = self.job

        def store(paid: Sequence[PaidSummary]) -> None:
            for one in paid:
                job.count_model_use(one.usage.prompt_tokens + one.usage.completion_tokens, one.usage.cost)
            job.counts.rows_written += job.store.summaries.put(
                job.work, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=job.lineage
            )
            job.watch.check()

        make = load_maker(recipe, job.knowledge_base.settings, job.settings)
        return Summarizer(make=make, known=job.store.summaries.texts, store=store)


class _NewTree:
    """The tree that is to take the place of the old one."""

    def __init__(self, job: SourceJob, recipe: Recipe, summarize: Summarizer, settings_hash: bytes) -> None:
        self._job = job
        self._recipe = recipe
        self._summarize = summarize
        self._settings_hash = settings_hash
        self._rows: list[TreeRow] = []
        self._placed: dict[UUID, tuple[UUID, int]] = {}
        self._tops: dict[UUID, Node] = {}  # summaries of documents, without what is below them
        self._versions: dict[UUID, UUID] = {}  # of the documents that changed

    def add(self, document_ids: Sequence[UUID]) -> None:
        """Summarise some documents that changed."""
        chunks = self._job.store.summaries.chunks_of(document_ids, self._settings_hash)
        self._versions |= {chunk.document_id: chunk.version_id for chunk in chunks}
        documents = list(_documents(chunks))
        nodes = summarize_documents(documents, self._recipe, self._summarize)
        for document, node in zip(documents, nodes, strict=True):
            for place, child in enumerate(node.children):
                self._hang(child, self._id(node), place, document.id)
            self._tops[document.id] = replace(node, children=())

    def put(self, changed: Sequence[UUID], gone: Sequence[UUID]) -> int:
        """Summarise the source, and put the tree in place; returns how many rows were written."""
        store, source = self._job.store.summaries, self._job.source
        for one in store.document_summaries(source, [*changed, *gone]):
            self._tops[one.document_id] = _stored(one)
        in_order = [id_ for id_ in store.documents_in_order(source) if id_ in self._tops]
        if in_order:
            top = Top(kind=NodeKind.SOURCE, id=str(source.id), title=source.slug)
            root = summarize_all([self._tops[id_] for id_ in in_order], top, self._recipe, self._summarize)
            self._hang_all(root, None, 0, {self._tops[id_].identity: id_ for id_ in in_order})
        embed_summaries(self._job, {index.id: [row.key for row in self._rows] for index in self._job.indexes})
        return store.put_tree(
            self._job.work,
            rows=self._rows,
            placed=self._placed,
            versions=self._versions,
            gone=gone,
            settings_hash=self._settings_hash,
            recipe_hash=self._recipe.hash,
            indexes=self._job.indexes,
        )

    def _hang_all(self, node: Node, parent_id: UUID | None, place: int, documents: Mapping[bytes, UUID]) -> None:
        """Hang a node and those below it, down to the summaries of documents; an unchanged one only moves."""
        document_id = documents.get(node.identity)
        if document_id is None:
            self._rows.append(self._row(node, parent_id, place, None))
            for below, child in enumerate(node.children):
                self._hang_all(child, self._id(node), below, documents)
        elif document_id in self._versions:
            self._rows.append(self._row(node, parent_id, place, document_id))
        elif parent_id is not None:
            self._placed[self._id(node)] = (parent_id, place)

    def _hang(self, node: Node, parent_id: UUID, place: int, document_id: UUID) -> None:
        """Hang a node of a document and all below it."""
        self._rows.append(self._row(node, parent_id, place, document_id))
        for below, child in enumerate(node.children):
            self._hang(child, self._id(node), below, document_id)

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
        return content_id("summary node", self._job.source.id, node.identity.hex())


def _documents(chunks: Sequence[ChunkToSummarize]) -> Iterator[DocumentParts]:
    for document_id, found in groupby(chunks, key=lambda chunk: chunk.document_id):
        own = list(found)
        parts = [Part(id=chunk.chunk_id, text=chunk.text, breadcrumb=chunk.breadcrumb) for chunk in own]
        yield DocumentParts(id=document_id, title=own[0].title, parts=parts, language=own[0].language)


def _stored(one: DocumentSummary) -> Node:
    return Node(identity=one.identity, kind=NodeKind.DOCUMENT, key=one.key, text=one.text)


SUMMARY_TREE = Stage(
    name="summary_tree",
    parent="chunks",
    doing="summarising",
    description=(
        "Summaries of the documents, of groups of them, and of the whole source, each made of those below it. Only "
        "what changed is summarised again. There are none unless the knowledge base sets `summary_model`."
    ),
    columns={
        "id": Column("uuid", "The node's id, which stays the same while its text changes."),
        "kind": Column("text", "What the summary is of: a piece of a document, a document, a group, or the source."),
        "summary_key": Column("bytea", "The hash of what is summarised, and how."),
        "parent_id": Column("uuid", "The node above; none for that of the source."),
        "document_id": Column("uuid", "The document, if the summary is of one or of a piece of one."),
        "chunk_ids": Column("uuid[]", "The chunks that a leaf summarises."),
    },
    reported={
        "summarized": "The number of summaries that were made in this sync.",
        "reused": "The number of summaries that the new tree needed and that existed.",
        "piece_nodes": "Summaries of pieces of documents.",
        "document_nodes": "Summaries of documents.",
        "group_nodes": "Summaries of groups of summaries.",
        "source_nodes": "Summaries of the source: one.",
    },
    page="docs/summaries.md",
    work=SummaryTreeWork,
    is_searched=True,
)
