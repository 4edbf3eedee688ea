"""What summaries are called in a list."""

from datetime import UTC, datetime
from uuid import UUID

from headwater.answering.answer_summaries import distinguish_titles
from headwater.domain.summaries import DocumentBelow, NodeKind, RankedSummary


def ranked(source: str, *documents: DocumentBelow) -> RankedSummary:
    """The summary of a document called Store."""
    return RankedSummary(
        id=UUID(int=1), kind=NodeKind.DOCUMENT, source=source, title="Store", text="Flour.", similarity=None,
        documents=documents, document_count=len(documents), summary_key=b"", model="builtin/extractive",
        prompt_version="", run_id="", code_version="", made_at=datetime.now(UTC),
    )  # fmt: skip


def document(source: str, uri: str) -> DocumentBelow:
    """The document of a summary."""
    return DocumentBelow(
        node_id=UUID(int=1), document_id=UUID(int=1), document_version_id=UUID(int=1), chunk_id=UUID(int=1),
        source=source, uri=uri, title="Store", length=6, summary="Flour.", summary_key=b"", model="builtin/extractive",
        prompt_version="", run_id="", code_version="", made_at=datetime.now(UTC),
    )  # fmt: skip


def test_a_document_that_is_gone_keeps_its_title() -> None:
    """It may be deleted while the answer is made; then nothing tells two with one title apart."""
    gone = ranked("docs")
    assert distinguish_titles([gone, gone], ["Store", "Store"]) == ["Store", "Store"]


def test_documents_of_the_same_name_are_told_apart_by_their_sources() -> None:
    """Each of two repositories has a file of this name, and a third one elsewhere needs its folder only."""
    summaries = [
        ranked(source, document(source, uri))
        for source, uri in (("mill", "a.md"), ("shop", "a.md"), ("shop", "b/a.md"))
    ]
    titles = distinguish_titles(summaries, ["Store"] * 3)
    assert titles == ["Store (mill/a.md)", "Store (shop/a.md)", "Store (b/a.md)"]
