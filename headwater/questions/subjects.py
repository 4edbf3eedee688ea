"""What questions are made of: the texts of documents, or their summaries.

Belongs here: reading them for some documents. Not here: making questions (`question_generator`), which documents are
asked about (`headwater.syncing`). Guarantee: the same documents give the same subjects, in a sync and in an estimate.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from uuid import UUID

from headwater.questions.question_generator import TEXT, Subject
from headwater.questions.question_rules import HeadingPart
from headwater.store.store import Store


def subjects_of(
    store: Store, documents: Mapping[UUID, bytes | None], settings_hash: bytes, *, by_rules: bool
) -> Iterator[tuple[UUID, tuple[UUID, Subject]]]:
    """What is asked about some documents: by a model their summaries, or else the documents themselves.

    Args:
        store: the store.
        documents: the documents, with the key of the summary of each that has one.
        settings_hash: of the chunks.
        by_rules: whether rules ask, which read chunks.

    Yields:
        Each document, with its version and its subject.
    """
    with_summary = [document_id for document_id, key in documents.items() if key is not None]
    for summary in store.questions.summaries(with_summary):
        subject = Subject(
            document_id=summary.document_id, title=summary.title, text=summary.text, language=summary.language
        )
        yield summary.document_id, (summary.version_id, subject)
    without = [document_id for document_id, key in documents.items() if key is None]
    for document_id, group in groupby(
        store.summaries.chunks_of(without, settings_hash), key=lambda chunk: chunk.document_id
    ):
        chunks = list(group)
        first = chunks[0]
        text = "" if by_rules else "\n\n".join(chunk.text for chunk in chunks)[:TEXT]
        heading_parts = [HeadingPart(text=chunk.text, breadcrumb=chunk.breadcrumb) for chunk in chunks]
        subject = Subject(
            document_id=document_id,
            title=first.title,
            text=text,
            parts=heading_parts if by_rules else (),
            language=first.language,
        )
        yield document_id, (first.version_id, subject)
