"""What summaries are called in a list, and how they read in another language."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from headwater.answering.answer_summaries import cut_words, distinguish_titles, translate_frame
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


@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("粉を挽く。 Sections: 部品; 修理; and 3 more.", "粉を挽く。 節： 部品; 修理; ほか 3 件。"),
        ("1,204 documents with “水車”, “粉” in their titles: 水車; 粉.", "文書 1,204 件 (“水車”, “粉”): 水車; 粉."),
    ],
)
def test_the_words_between_those_of_documents_are_translated(text: str, translated: str) -> None:
    """Those that no model wrote; English stays as it is."""
    assert translate_frame(text, "ja") == translated
    assert translate_frame(text, "en") == text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a long line of words", "a long line …"),
        ("a b c", "a b c"),
        ("水車小屋の屋根を直した人", "水車小屋の屋 …"),
        ("水車の輪", "水車の輪"),
    ],
)
def test_a_line_is_cut_where_its_words_end(text: str, first: str) -> None:
    """Also where words are not apart, and the whole line would count as one."""
    assert cut_words(text, 3) == first
