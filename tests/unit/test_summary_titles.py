"""What summaries are called in a list."""

from datetime import UTC, datetime
from uuid import UUID

from headwater.answering.answer_summaries import distinguish_titles
from headwater.domain.summaries import NodeKind, RankedSummary


def test_a_document_that_is_gone_keeps_its_title() -> None:
    """It may be deleted while the answer is made; then nothing tells two with one title apart."""
    gone = RankedSummary(
        id=UUID(int=1), kind=NodeKind.DOCUMENT, source="docs", title="Store", text="Flour.", similarity=None,
        documents=(), document_count=0, summary_key=b"", model="builtin/extractive", prompt_version="", run_id="",
        code_version="", made_at=datetime.now(UTC),
    )  # fmt: skip
    assert distinguish_titles([gone, gone], ["Store", "Store"]) == ["Store", "Store"]
