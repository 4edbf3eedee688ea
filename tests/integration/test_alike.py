"""The right document among many alike (RET-1, RET-6).

Belongs here: which document is found first, and the main words that tell documents apart. Not here: the arithmetic
(`tests/unit/test_alike.py`), figures (`bench.right_page`).
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.retrieval import similar_documents
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from tests.support import Headwater

MIGRATION = Path(similar_documents.__file__).parents[1] / "store" / "migrations" / "0041_main_words.sql"
COMPANIES = ("Best Buy", "General Mills", "Foot Locker", "Green Water Works")
YEARS = (2018, 2019, 2020)
REPORTS = {
    (company, year): f"{company.replace(' ', '').upper()}_{year}_10K.md" for company in COMPANIES for year in YEARS
}
QUESTION = "What is the FY{} capital expenditure of {}? Answer in millions, from the statement of cash flows."
Make = Callable[..., Headwater]


def _report(company: str, year: int) -> str:
    """A report that names its company in most sections, but not where the answer is."""
    other = "".join(
        f"\n## Item {number}\n\n{company} describes matter {number} of its business here, as in the year {year - 1}.\n"
        for number in range(8)
    )
    flows = "Purchases of property, plant and equipment, our capital expenditure, were {} million, {} before.\n"
    return f"# Annual report\n{other}\n## Statement of cash flows\n\n{flows.format(len(company) + year, year - 1)}"


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """Twelve annual reports with the same words."""
    made = headwater(files={name: _report(*of) for of, name in REPORTS.items()}, chunk_min=20)
    made.sync()
    return made


def _found(kb: Headwater, question: str, limit: int = 5) -> list[str]:
    options = SearchOptions(top_k=limit, group_by="passage")
    return [passage.uri for passage in search(kb.store, kb.settings, kb.knowledge_base, question, options).passages]


def _main_words(kb: Headwater) -> list[dict[str, object]]:
    """The main words of documents, and how many documents have each."""
    words = kb.query("SELECT document_id::text, length, terms, weights::text FROM search_weights_document ORDER BY 1")
    counts = kb.query("SELECT term_id, entry_count FROM search_terms WHERE kind = 'document' ORDER BY 1")
    total = kb.query("SELECT entry_count, length_sum FROM search_statistics WHERE kind = 'document'")
    return [*({**row, "terms": sorted(row["terms"])} for row in words), *counts, *total]


def test_the_report_of_the_company_and_year_comes_first(kb: Headwater) -> None:
    """No passage holds both; the file's name is written in one word, and the year with `FY` before it."""
    wrong = {
        name: first
        for (company, year), name in REPORTS.items()
        if (first := _found(kb, QUESTION.format(year, company))[0]) != name
    }
    assert wrong == {}


def test_the_passages_of_a_large_document_are_looked_for_in_it(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more passages match than can be candidates, those of the document that is asked for are among them."""
    monkeypatch.setattr("headwater.retrieval.finder.DEPTH", 1)
    monkeypatch.setattr("headwater.retrieval.finder.RERANKED", 1)
    monkeypatch.setattr("headwater.retrieval.similar_documents.RERANKED", 1)
    monkeypatch.setattr("headwater.retrieval.similar_documents._BEST", 1)
    name = REPORTS["Foot Locker", 2020]
    assert name in _found(kb, QUESTION.format(2020, "Foot Locker"), limit=1)


def test_main_words_follow_every_change(kb: Headwater) -> None:
    """After an edit and a deletion they are those that the chunks have, and the check says so."""
    first, second, *_ = REPORTS.values()
    kb.write(first, _report("Small Shop", 1999))
    (kb.folder / "docs" / second).unlink()
    kb.sync()
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    assert kb.store.index_health.wrong_statistics(index).examples == ()
    kb.query("UPDATE search_weights_document SET terms = terms[2:] RETURNING 1")
    assert kb.store.index_health.wrong_statistics(index).examples[0].startswith("main word")


def test_a_document_with_one_chunk_has_no_main_words(headwater: Make) -> None:
    """Its only passage says all that it says, so nothing is stored, and its score stays."""
    kb = headwater(files={"one.md": "A pump lifts water.", "two.md": "A pump lifts oil."})
    kb.sync()
    assert _main_words(kb) == []


def test_an_upgrade_finds_the_main_words_of_what_is_published(kb: Headwater) -> None:
    """The migration writes what publishing writes, from the words that are stored: nothing is embedded again."""
    published = _main_words(kb)
    assert len(published) > len(REPORTS)
    statements = MIGRATION.read_text(encoding="utf-8")
    with kb.store.database.transaction() as session:
        session.connection.execute("DELETE FROM search_weights_document")
        for table in ("search_statistics", "search_terms"):
            session.connection.execute(f"DELETE FROM {table} WHERE kind = 'document'")
        session.connection.execute(statements[statements.index("INSERT INTO") :].encode())
    assert _main_words(kb) == published
