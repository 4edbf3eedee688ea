"""Turning a fetched document into a version.

Belongs here: parsing a document, deciding whether that is a new version, and its number. Not here: which documents are
fetched, writing versions (`documents`). Guarantee: equal content is never a new version, whatever its bytes and
whoever read it; a document that cannot be read does not affect others.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.identity import content_hash, content_id
from headwater.parsing.keywords import split_keywords
from headwater.parsing.language import detect_document_language
from headwater.parsing.memory_limit import require_bounds
from headwater.sources.connector import Connector, FetchedDocument
from headwater.store.content.documents import NewVersion, clean_document
from headwater.store.content.known_documents import KnownDocument
from headwater.syncing.identities import Identities
from headwater.syncing.original_storage import original_to_keep
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage_failures import explain_document_failure


def new_versions(
    job: SourceJob, item: FetchedDocument, identities: Identities, seen: Collection[str], *, parser_version: str
) -> list[NewVersion]:
    """Parse a document whose raw content changed.

    Args:
        job: the source being synced.
        item: the fetched document.
        identities: the stored documents.
        seen: the URIs that the source still has, as far as it was read.
        parser_version: the version of its parser, as `read_by` returns it.

    Returns:
        The version to write, or None if the document cannot be read, which is recorded as its problem.
    """
    old = identities.old(item, seen)  # before parsing: one that cannot be read stays what it was
    try:
        parsed, document = job.watch.document(partial(_parse_item, item))
    except Exception as error:  # noqa: BLE001 - whatever a hostile file makes a parser raise concerns that file only
        job.fail_document(item.uri, *explain_document_failure(error))
        return []
    for note in parsed.notes:
        job.note_problem(DocumentProblem(uri=item.uri, code="METADATA_DROPPED", message=note))
    document_id = old.id if old else identities.new_id(item.uri)
    return [_new_version(job, item, document, old, document_id, parser_version=parser_version)]


def read_by(connector: Connector, item: FetchedDocument) -> str:
    """The version of the parser that reads a document."""
    return item.parser_version or connector.parser_version


def _new_version(
    job: SourceJob,
    item: FetchedDocument,
    document: ParsedDocument,
    old: KnownDocument | None,
    document_id: UUID,
    *,
    parser_version: str,
) -> NewVersion:
    new_hash = version_hash(document)
    is_same = old is not None and old.content_hash in (new_hash, _hash_of_old_release(document, old.made_by))
    is_head = old is not None and is_same and old.id not in job.to_recut
    sequence = old.sequence + (0 if is_head else 1) if old else 1
    return NewVersion(
        # Includes the hash: a document that was removed for good starts at 1 again when it comes back, and citations of
        # its old first version must not find another text under the same id.
        id=old.version_id if old and is_head else content_id("version", str(document_id), sequence, new_hash.hex()),
        document_id=document_id,
        sequence=sequence,
        fingerprint=item.fingerprint,
        content_hash=new_hash,
        document=document,
        parser_version=parser_version,
        is_new_text=not is_head,
        change="added" if old is None or old.is_removed else "unchanged" if is_same else "changed",
        detected_language="" if is_head else detect_language_of(document.text, document.media_type, document.language),
        validator=item.validator,
        access_digest=item.access,
        original=original_to_keep(job, document, old if is_head else None),
    )


def _parse_item(item: FetchedDocument) -> tuple[ParsedDocument, ParsedDocument]:
    """The parsed document, and its storable form."""
    parsed = item.parse()
    document = clean_document(replace(parsed, metadata=split_keywords(parsed.metadata)))
    require_bounds(document.text, document.media_type)
    return parsed, document


def detect_language_of(text: str, media_type: str, declared: str) -> str:
    """The detected language of a text, empty if its document states one."""
    return "" if declared.strip() else detect_document_language(text, media_type)


def version_hash(document: ParsedDocument) -> bytes:
    """The identity of a version: a document with the same hash is not a new version, whichever parser read it."""
    return content_hash(*_content(document))


def _hash_of_old_release(document: ParsedDocument, parser_version: str) -> bytes:
    """The same by releases in whose hashes the parser was a part; such hashes are still stored."""
    return content_hash(*_content(document), parser_version)


def _content(document: ParsedDocument) -> list[Any]:
    metadata: Mapping[str, Any] = document.metadata
    return [
        document.text,
        document.title,
        document.media_type,
        document.category,
        document.language,
        dict(metadata),
        list(document.references),
    ]
