"""`documents`: what a source has now, versioned by content (DOC-1).

Belongs here: comparing what a source has with what is known, and writing the difference. Not here: reading sources
(`headwater.sources`). Guarantee: unchanged content writes nothing; a document that cannot be read keeps its last
version and is reported; what vanished is noted only when the list of what is there is complete; what was read is
written, also of a source that breaks off.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, InvalidInputError, SourceError
from headwater.identity import content_hash, content_id
from headwater.parsing.bounds import require_bounds
from headwater.parsing.language import detect_document_language
from headwater.sources.connector import (
    Connector,
    FetchedDocument,
    Found,
    UnchangedDocument,
    connector_of,
    open_connector,
)
from headwater.sources.context import SourceContext
from headwater.store.content.documents import NewVersion, cleaned
from headwater.store.content.known_documents import KnownDocument
from headwater.syncing.known import TrustedDocuments
from headwater.syncing.originals import original_to_keep, put_originals
from headwater.syncing.source_folders import source_folder
from headwater.syncing.source_job import SourceJob

_BATCH = 100  # documents per transaction
_BATCH_CHARACTERS = 5_000_000  # of them together, originals included: what a batch may take of memory
PATIENCE = 5.0  # seconds that a document which was read waits for others to be written with


def refresh_documents(job: SourceJob, take: Callable[[list[UUID]], None]) -> None:
    """Bring a source's documents up to date; adds to the job's counts.

    Args:
        job: the source being synced.
        take: is told, again and again, which documents have new versions by now.

    Raises:
        SourceError: the source cannot be read as a whole; what was read of it is written.
        FencedError: a newer sync took over.
    """
    known = job.store.documents.known(job.source)
    connector, trusted = _opened(job, known)
    validators: dict[UUID, str] = {}
    seen: set[str] = set()
    is_complete = True
    unlisted: list[str] = []
    batch: list[NewVersion] = []
    written = time.monotonic()
    try:
        for item in _distinct(connector.fetch(), seen):
            job.counts.total = connector.total
            job.counts.read += 1
            if isinstance(item, DocumentProblem):
                job.fail_document(item.uri, item.code, item.message)
                is_complete = is_complete and bool(item.uri)
                unlisted += [item.uri] if item.uri.endswith("/") else []
                continue
            if not _is_unchanged(job, item, trusted, validators) and isinstance(item, FetchedDocument):
                batch += _new_versions(job, connector, item, known.get(item.uri))
            if _is_full(batch) or (batch and time.monotonic() - written > PATIENCE):
                full, batch, written = batch, [], time.monotonic()
                take(_write(job, connector, full))
            job.progress("documents", job.counts.read, job.counts.total or 0)
    except SourceError:
        take(_write(job, connector, batch))
        job.store.documents.set_validators(job.work, validators)
        raise
    _write(job, connector, batch)
    job.store.documents.set_validators(job.work, validators)
    _detect_languages(job)
    job.counts.total = job.counts.read
    _note_skipped(job, connector)
    if is_complete:
        _remove_vanished(job, [old for old in known.values() if old.uri not in seen], tuple(unlisted))


def _opened(job: SourceJob, known: Mapping[str, KnownDocument]) -> tuple[Connector, TrustedDocuments]:
    """The source's connector, and what it may say to be unchanged."""
    parser_version = connector_of(job.source.kind).parser_version
    trusted = TrustedDocuments(known, parser_version=parser_version, is_full=job.work.is_full)
    context = SourceContext(
        folder=source_folder(job.settings, job.source.id),
        local_paths=job.settings.local_paths,
        time_limit=job.settings.source_time_limit,
        known=trusted,
    )
    return open_connector(job.source.kind, job.source.config, context), trusted


def _is_unchanged(
    job: SourceJob,
    item: FetchedDocument | UnchangedDocument,
    trusted: TrustedDocuments,
    validators: dict[UUID, str],
) -> bool:
    """Whether a document is as it was; then it is counted, and what its connector asks by from now on is noted."""
    old = trusted.get(item.uri)
    if isinstance(item, UnchangedDocument):
        if old is None:
            why = trusted.why_not(item.uri)
            message = f"Its connector, {job.source.kind}, did not fetch it as unchanged, but must: {why}."
            job.fail_document(item.uri, DocumentError.code, message)
            return False
    elif old is None or old.fingerprint != item.fingerprint:
        return False
    elif old.validator != item.validator:
        validators[old.id] = item.validator
    job.counts.unchanged += 1
    return True


def _remove_vanished(job: SourceJob, missing: Sequence[KnownDocument], unlisted: tuple[str, ...]) -> None:
    """Note what vanished: what is missing, but for what may be in a folder that could not be listed."""
    vanished = [old.id for old in missing if not old.is_removed and not old.uri.startswith(unlisted)]
    if vanished:
        job.counts.rows_written += job.store.documents.remove(job.work, vanished)
        job.counts.removed = len(vanished)


def _note_skipped(job: SourceJob, connector: Connector) -> None:
    """Say what was left out: by the connector, since it could not be read, and since it has no text."""
    job.skips.merge(connector.skipped)
    count, examples = job.store.syncs.without_text(job.source)
    job.skips.add("no_text", examples, count=count)
    job.counts.skipped = job.skips.lines()


def _distinct(items: Iterator[Found], seen: set[str]) -> Iterator[Found]:
    """Pass each URI once, noting it as seen; a second document of the same URI is a problem of its own."""
    for item in items:
        if item.uri and item.uri in seen:
            yield DocumentProblem(uri=item.uri, code="DUPLICATE_URI", message="A second document has the same URI.")
            continue
        if item.uri:
            seen.add(item.uri)
        yield item


def _new_versions(
    job: SourceJob, connector: Connector, item: FetchedDocument, old: KnownDocument | None
) -> list[NewVersion]:
    """Parse a document whose raw content changed; none when it cannot be read."""
    try:
        parsed, document = job.watch.document(partial(_parsed, item))
    except Exception as error:  # noqa: BLE001 - whatever a hostile file makes a parser raise concerns that file only
        code = error.code if isinstance(error, DocumentError) else DocumentError.code
        reason = str(error) or type(error).__name__
        job.fail_document(item.uri, code, reason)
        return []
    for note in parsed.notes:
        job.note_problem(DocumentProblem(uri=item.uri, code="METADATA_DROPPED", message=note))
    return [_new_version(job, connector, item, document, old)]


def _new_version(
    job: SourceJob, connector: Connector, item: FetchedDocument, document: ParsedDocument, old: KnownDocument | None
) -> NewVersion:
    new_hash = _hash(document, connector)
    is_same = old is not None and old.content_hash == new_hash
    _count(job, old, is_same=is_same)
    is_head = old is not None and is_same and old.id not in job.to_recut
    document_id = old.id if old else content_id("document", job.source.id, item.uri)
    sequence = old.sequence + (0 if is_head else 1) if old else 1
    return NewVersion(
        # With the hash: a document that was removed for good begins at 1 again when it comes back, and what cited its
        # first version must not find another text under the same id.
        id=old.version_id if old and is_head else content_id("version", str(document_id), sequence, new_hash.hex()),
        document_id=document_id,
        sequence=sequence,
        fingerprint=item.fingerprint,
        content_hash=new_hash,
        document=document,
        is_new_text=not is_head,
        detected_language="" if is_head else _detected(document.text, document.media_type, document.language),
        validator=item.validator,
        original=original_to_keep(job, document, old if is_head else None),
    )


def _parsed(item: FetchedDocument) -> tuple[ParsedDocument, ParsedDocument]:
    """A document as it was parsed, and as it is stored."""
    parsed = item.parse()
    document = cleaned(parsed)
    require_bounds(document.text, document.media_type)
    return parsed, document


def _detected(text: str, media_type: str, declared: str) -> str:
    return "" if declared.strip() else detect_document_language(text, media_type)


def _detect_languages(job: SourceJob) -> None:
    """Look at texts that an older release wrote; a language that was detected is no part of a document's content."""
    after = ""
    while rows := job.store.documents.versions_without_language(job.source, after=after, limit=_BATCH):
        found = {row["id"]: _detected(row["text"], row["media_type"], row["language"]) for row in rows}
        job.counts.rows_written += job.store.documents.set_detected_languages(job.work, found)
        after = rows[-1]["uri"]


def _count(job: SourceJob, old: KnownDocument | None, *, is_same: bool) -> None:
    if old is None or old.is_removed:
        job.counts.added += 1
    elif is_same:
        job.counts.unchanged += 1
    else:
        job.counts.changed += 1


def _hash(document: ParsedDocument, connector: Connector) -> bytes:
    metadata: Mapping[str, Any] = document.metadata
    return content_hash(
        document.text,
        document.title,
        document.media_type,
        document.category,
        document.language,
        dict(metadata),
        list(document.references),
        connector.parser_version,
    )


def _is_full(batch: Sequence[NewVersion]) -> bool:
    return len(batch) >= _BATCH or sum(_size(version.document) for version in batch) > _BATCH_CHARACTERS


def _size(document: ParsedDocument) -> int:
    return len(document.text) + (len(document.original.content) if document.original else 0)


def _write(job: SourceJob, connector: Connector, batch: list[NewVersion]) -> list[UUID]:
    """Write versions together; if Postgres cannot hold one of them, each on its own, so that only that one is lost.

    Returns:
        Their documents.
    """
    if not batch:
        return []
    put_originals(job, batch)  # before the transaction, which then finds them there
    try:
        job.counts.rows_written += job.store.documents.put_versions(
            job.work,
            batch,
            parser_version=connector.parser_version,
            fetched_at=datetime.now(UTC),
            by=job.lineage,
            keep_originals=partial(put_originals, job, batch),
        )
    except InvalidInputError as error:
        if len(batch) == 1:
            job.fail_document(batch[0].document.uri, DocumentError.code, str(error))
            return []
        return [written for version in batch for written in _write(job, connector, [version])]
    return [version.document_id for version in batch]
