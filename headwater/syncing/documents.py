"""`documents`: the source's current documents, versioned by content (DOC-1).

Belongs here: comparing a source with the stored documents, and writing the difference. Not here: reading sources
(`headwater.sources`). Guarantee: unchanged content writes nothing; a document that cannot be read keeps its last
version and is reported; a document counts as removed only if the source's list is complete
(`vanished_documents`); documents that were read are written, even if the source then breaks off.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import DUPLICATE
from headwater.errors import DocumentError, InvalidInputError, SourceError
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import (
    Connector,
    FetchedDocument,
    Found,
    UnchangedDocument,
    connector_of,
    open_connector,
)
from headwater.sources.source_context import SourceContext
from headwater.store.content.documents import NewVersion
from headwater.store.content.known_documents import KnownDocument
from headwater.syncing.batches import Batch, Wait, lend_wait
from headwater.syncing.connector_uploads import ListUploads, lend_uploads
from headwater.syncing.drift import documents_to_recut
from headwater.syncing.identities import Identities
from headwater.syncing.new_versions import detect_language_of, new_versions, read_by
from headwater.syncing.original_storage import put_originals
from headwater.syncing.source_folders import source_folder
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import ROOT, Column, Digest, Report, Stage, StageWork, Table
from headwater.syncing.trusted_documents import TrustedDocuments
from headwater.syncing.vanished_documents import remove_vanished

_TWICE = (
    "Several documents have this URI. Only the first one that was read is used; the others are left out."
    " Give each document its own URI."
)
_BATCH = 100  # texts whose language is detected at once


def refresh_documents(job: SourceJob, take: Callable[[list[UUID]], None]) -> None:
    """Bring a source's documents up to date; adds to the job's counts.

    Args:
        job: the source being synced.
        take: is called repeatedly with the documents that have new versions.

    Raises:
        SourceError: the whole source cannot be read; documents read before are written.
        DeletionsHeldError: it lacks so many documents that somebody must confirm it; the others are written.
        FencedError: a newer sync took over.
    """
    batch = Batch(job, lambda versions: take(_write(job, versions)))
    with lend_uploads(job) as uploads, lend_wait(batch) as wait:
        _refresh(job, batch, uploads, wait)


def _refresh(job: SourceJob, batch: Batch, uploads: ListUploads, wait: Wait) -> None:
    known_documents = job.store.documents.known(job.source)
    connector, trusted = _open_connector(job, known_documents, uploads, wait)
    job.find_total = lambda: connector.total
    identities = Identities(job.source.id, known_documents)
    validators: dict[UUID, tuple[str, str]] = {}
    seen: set[str] = set()
    is_complete = True
    unlisted: list[str] = []
    try:
        for item in _distinct(connector.fetch(), seen):
            job.counts.total = connector.total
            if isinstance(item, DocumentProblem):
                job.counts.read += 1
                job.fail_document(item.uri, item.code, item.message)
                is_complete = is_complete and bool(item.uri)
                unlisted += [item.uri] if item.uri.endswith("/") else []
                continue
            if not _is_unchanged(job, connector, item, trusted, validators) and isinstance(item, FetchedDocument):
                job.current_uri = item.uri
                batch.add(new_versions(job, item, identities, seen, parser_version=read_by(connector, item)))
                job.current_uri = ""
            job.counts.read += 1  # only now, because OCR may have taken minutes
            batch.write_if_due()
            job.progress("documents", job.counts.read, job.counts.total or 0)
    except SourceError:
        batch.write()
        job.store.documents.set_validators(job.work, validators)
        raise
    batch.write()
    job.store.documents.set_validators(job.work, validators)
    _detect_languages(job)
    job.counts.total = job.counts.read
    _note_skipped(job, connector)
    if is_complete:
        remove_vanished(
            job,
            list(identities.find_vanished(seen)),
            known_count=sum(not old.is_removed for old in known_documents.values()),
            unlisted=tuple(unlisted),
            is_guarded=not connector.removes_on_request,
        )


def _open_connector(
    job: SourceJob, known_documents: Mapping[str, KnownDocument], uploads: ListUploads, wait: Wait
) -> tuple[Connector, TrustedDocuments]:
    """The source's connector, and the documents that it may report as unchanged."""
    own_version = connector_of(job.source.kind).parser_version
    trusted = TrustedDocuments(known_documents, own_version=own_version, is_full=job.work.is_full)
    context = SourceContext(
        folder=source_folder(job.settings, job.source.id),
        local_paths=job.settings.local_paths,
        time_limit=job.settings.source_time_limit,
        gate=UrlGuard.of(job.settings),
        known=trusted,
        uploads=uploads,
        wait=wait,
    )
    return open_connector(job.source.kind, job.source.config, context), trusted


def _is_unchanged(
    job: SourceJob,
    connector: Connector,
    item: FetchedDocument | UnchangedDocument,
    trusted: TrustedDocuments,
    validators: dict[UUID, tuple[str, str]],
) -> bool:
    """Whether a document is unchanged; if so, it is counted, and its new validator and access digest are stored."""
    old = trusted.compared(item.uri)
    if isinstance(item, UnchangedDocument):
        if item.uri not in trusted:
            why = trusted.why_not(item.uri)
            message = f"Its connector, {job.source.kind}, reported it as unchanged, but had to fetch it: {why}."
            job.fail_document(item.uri, DocumentError.code, message)
            return False
        if old is not None and item.access and old.access_digest != item.access:
            validators[old.id] = old.validator, item.access
    elif old is None or old.fingerprint != item.fingerprint or old.parser_version != read_by(connector, item):
        return False
    elif (old.validator, old.access_digest) != (item.validator, item.access):
        validators[old.id] = item.validator, item.access
    job.counts.unchanged += 1
    return True


def _note_skipped(job: SourceJob, connector: Connector) -> None:
    """Record what was left out: by the connector, because it could not be read, or because it has no text."""
    job.skips.merge(connector.skipped)
    count, examples = job.store.syncs.without_text(job.source)
    job.skips.add("no_text", examples, count=count)
    job.counts.skipped = job.skips.lines()


def _distinct(items: Iterator[Found], seen: set[str]) -> Iterator[Found]:
    """Pass each URI once and record it as seen; a second document with the same URI becomes a problem."""
    for item in items:
        if item.uri and item.uri in seen:
            yield DocumentProblem(uri=item.uri, code=DUPLICATE, message=_TWICE)
            continue
        if item.uri:
            seen.add(item.uri)
        yield item


def _detect_languages(job: SourceJob) -> None:
    """Detect the language of texts that an older release wrote; a detected language is not part of the content."""
    last_uri = ""
    while versions := job.store.documents.versions_without_language(job.source, after=last_uri, limit=_BATCH):
        languages = {
            version.id: detect_language_of(version.text, version.media_type, version.language) for version in versions
        }
        job.counts.rows_written += job.store.documents.set_detected_languages(job.work, languages)
        last_uri = versions[-1].uri


def _write(job: SourceJob, batch: list[NewVersion]) -> list[UUID]:
    """Write versions together; if Postgres cannot store one of them, write each alone, so that only that one is lost.

    Returns:
        Their documents.
    """
    if not batch:
        return []
    put_originals(job, batch)  # before the transaction, which requires them
    try:
        job.counts.rows_written += job.store.documents.put_versions(
            job.work,
            batch,
            fetched_at=datetime.now(UTC),
            by=job.lineage,
            keep_originals=partial(put_originals, job, batch),
        )
    except InvalidInputError as error:
        if len(batch) == 1:
            job.fail_document(batch[0].document.uri, DocumentError.code, str(error))
            return []
        return [document_id for version in batch for document_id in _write(job, [version])]
    job.counts.count_changes(version.change for version in batch)  # only now, because the worker may be lost before
    return [version.document_id for version in batch]


class DocumentsWork(StageWork):
    """Reads a source, and passes new documents on while it is still reading."""

    def complete(self) -> None:
        """Read the source; a full sync also finds the documents that must be split again."""
        if self.job.work.is_full:
            self.job.to_recut = documents_to_recut(self.job)
        refresh_documents(self.job, self.hand_on)

    def digest(self, _: str) -> Digest:
        """The version depends on every document's content; the count is the number of documents."""
        version, count = self.job.store.documents.documents_digest(self.job.source)
        self.job.counts.documents = count
        return Digest(version, count)

    def summary(self) -> str:
        """How many documents were read, added, changed, removed, unchanged and failed."""
        names = ("read", "added", "changed", "removed", "unchanged", "failed")
        return ", ".join(f"{getattr(self.job.counts, name)} {name}" for name in names)

    def report(self) -> Report:
        """What changed, how much text there is, a sample of it, and what was left out or unreadable."""
        counts, documents, source = self.job.counts, self.job.store.documents, self.job.source
        fields: dict[str, Any] = {
            "added": counts.added,
            "changed": counts.changed,
            "removed": counts.removed,
            "unchanged": counts.unchanged,
            "characters": documents.documents_size(source),
            "preview": Table(
                columns=("uri", "title", "category", "character_count"), rows=documents.preview_documents(source)
            ),
        }
        if counts.skipped:
            fields["skipped"] = {line.message: list(line.examples) for line in counts.skipped}
        if counts.errors:
            first = [{"uri": error.uri, "code": error.code, "message": error.message} for error in counts.errors[:50]]
            fields["errors"] = {"count": counts.failed, "first": first}
        return fields


DOCUMENTS = Stage(
    name="documents",
    parent=ROOT,
    doing="reading",
    description=(
        "The current documents of each source. A sync reads the source and writes a new version of every document that "
        "has changed; unchanged documents are not written again."
    ),
    columns={
        "id": Column("uuid", "The document's id, which stays the same when its content changes."),
        "source_id": Column("bigint", "The source that the document comes from."),
        "uri": Column("text", "The document's address within its source, such as the path of its file."),
        "head_version_id": Column("uuid", "The newest version of the document's text, in document_versions."),
        "removed_at": Column("timestamptz", "The time when it disappeared from its source; empty while it exists."),
    },
    reported={
        "added": "Documents that were new in this sync.",
        "changed": "Documents with a new version in this sync.",
        "removed": "Documents that disappeared from the source since the previous sync.",
        "unchanged": "Documents that did not change.",
        "characters": "Characters of text in all documents of the source.",
        "preview": "Some of the documents.",
        "skipped": "Files and documents that were left out, by reason, with some names for each.",
        "errors": "Documents that could not be read, and why.",
    },
    work=DocumentsWork,
)
