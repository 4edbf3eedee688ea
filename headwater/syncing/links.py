"""`links`: what each document refers to, and what code defines, imports and calls.

Belongs here: reading the links of new versions in batches, and storing them. Not here: which names a text mentions
(`headwater.chunking`), what they mean (`headwater.linking`), where they lead (the view `resolved_links`). Guarantee: a
version is read once; an edit writes the links of that document only; a text that cannot be read affects no other.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.chunking.chunker import find_links
from headwater.domain.documents import DocumentProblem
from headwater.domain.links import LinkKind
from headwater.linking.document_links import READER, read_links
from headwater.store.content.links import LinkedVersion, VersionToLink
from headwater.syncing.publisher import WINDOW
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, Report, Stage, StageWork
from headwater.syncing.stage_failures import explain_document_failure


class LinksWork(StageWork):
    """Reads the links of a source's documents."""

    def take(self, document_ids: Sequence[UUID]) -> None:
        """Read the links of some documents."""
        job = self.job
        versions = job.store.links.versions_to_link(document_ids, READER)
        unread = [version.id for version in versions if version.id not in job.links_by_version]
        texts = job.store.links.texts(unread) if unread else {}
        linked = [_link_version(job, version, texts.get(version.id, "")) for version in versions]
        linked_versions = [linked_version for linked_version in linked if linked_version is not None]
        if linked_versions:
            job.counts.rows_written += job.store.links.put(job.work, linked_versions, reader=READER, by=job.lineage)
        job.links_by_version.clear()

    def complete(self) -> None:
        """Read the links of all other documents, such as after a crash or by a new reader."""
        document_ids = self.job.store.links.documents_to_link(self.job.source, READER)
        for start in range(0, len(document_ids), WINDOW):
            self.take(document_ids[start : start + WINDOW])
            self.job.progress(LINKS.name, min(start + WINDOW, len(document_ids)), len(document_ids))

    def digest(self, _: str) -> Digest:
        """The version depends on the documents' versions and on the reader; the count is the number of links."""
        return Digest(*self.job.store.links.digest(self.job.source))

    def report(self) -> Report:
        """How many links of each kind there are."""
        counts = self.job.store.links.counts(self.job.source)
        return {kind.value: counts.get(kind, 0) for kind in LinkKind if kind in counts}


def _link_version(job: SourceJob, version: VersionToLink, text: str) -> LinkedVersion | None:
    """Read the links of a version; None if that is impossible, which takes nothing from its document."""

    def read() -> LinkedVersion:
        cached = job.links_by_version.get(version.id)
        linked_text, text_links = cached or (text, find_links(text, version.media_type))
        links = read_links(text_links, text=linked_text, uri=version.uri, media_type=version.media_type)
        return LinkedVersion(version=version, links=links)

    try:
        return job.watch.document(read)
    except Exception as error:  # noqa: BLE001 - whatever a hostile text makes a reader raise concerns its links only
        code, reason = explain_document_failure(error)
        message = f"Its links could not be read: {reason}"
        job.note_problem(DocumentProblem(uri=version.uri, code=code, message=message))
        return None


LINKS = Stage(
    name="links",
    parent="documents",
    doing="linking",
    view="contents?source={source}&links=1#links",
    description=(
        "What each document refers to: other documents by links, and symbols that code defines, imports and calls. "
        "Whether a target exists is found when a link is read, so a document that comes or goes rewrites no link."
    ),
    columns={
        "version_id": Column("uuid", "The version of the document whose text has the link."),
        "kind": Column("text", "What the link says: references, defines, imports or calls."),
        "name": Column("text", "The link as written, or the last part of the symbol's name."),
        "targets": Column("text[]", "The URIs or qualified names that it may mean, the likeliest first."),
        "origin": Column("text", "The qualified name of the definition in which it stands; empty outside any."),
        "line": Column("integer", "The line where it stands, from 1."),
    },
    reported={
        "references": "Links to documents.",
        "defines": "Definitions in code.",
        "imports": "Imports in code.",
        "calls": "Calls in code.",
    },
    page="docs/links.md",
    work=LinksWork,
)
