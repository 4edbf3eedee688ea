"""Keyword search in Postgres: BM25, its statistics, languages and filters (RET-1, RET-2)."""

import math
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from headwater.domain.search import SearchFilters, SearchIndex
from headwater.lexical.bm25 import HEADING_BOOST, K1, B, term_id
from headwater.lexical.tokens import tokens
from headwater.retrieval.search import search
from headwater.store.search import passage_search
from headwater.store.search.entry_kinds import CHUNK
from headwater.store.search.passage_search import SearchRequest
from headwater.store.search.term_weights import IndexShard, add_entries, take_out
from headwater.store.server import migrations as migrations
from tests.support import Headwater

Make = Callable[..., Headwater]
WORDS = ("pump", "water", "wheel", "valve", "keys", "shed", "oil", "bearing", "litre", "metre", "winter", "river")


def _files(count: int) -> dict[str, str]:
    """Texts of different lengths in which each word is another's rarity."""
    return {
        f"{n}.md": " ".join(WORDS[(n * 7 + k * k) % (1 + (n + k) % len(WORDS))] for k in range(3 + n % 17))
        for n in range(count)
    }


def _index(kb: Headwater) -> SearchIndex:
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    return index


def _keyword(kb: Headwater, text: str, limit: int = 100, **filters: Any) -> dict[str, float]:
    request = SearchRequest(words=tokens(text), vector=None, depth=limit, limit=limit, filters=SearchFilters(**filters))
    found = kb.store.searching.search(_index(kb), request).passages
    assert [passage.scores.text_rank for passage in found] == list(range(1, len(found) + 1))
    return {passage.uri: passage.scores.text or 0.0 for passage in found}


def _bm25(texts: dict[str, str], question: str, average: float) -> dict[str, float]:
    """Plain BM25 over texts without stop words or endings; the title and the file's name count like a heading."""
    counts = {
        uri: Counter(text.split()) + Counter([uri, *uri.split("."), uri.removesuffix(".md")] * HEADING_BOOST)
        for uri, text in texts.items()
    }
    scores: dict[str, float] = {}
    for word in question.split():
        holding = [uri for uri in counts if counts[uri][word]]
        idf = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
        for uri in holding:
            tf, length = counts[uri][word], counts[uri].total()
            scores[uri] = scores.get(uri, 0.0) + idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))
    return scores


def test_scores_are_bm25(headwater: Make) -> None:
    """As a plain computation over the same words gives them, to a rounding of single precision."""
    files = _files(40)
    kb = headwater(files=files, language="simple")
    kb.sync()
    average = kb.query("SELECT weighed_length FROM search_statistics")[0]["weighed_length"]
    for question in ("pump water", "keys", "river winter oil oil", "3 md valve"):
        expected = _bm25(files, question, average)
        assert _keyword(kb, question) == pytest.approx(expected, rel=1e-4)


def test_terms_have_the_same_number_everywhere(headwater: Make) -> None:
    """In Postgres as in Python, whatever the script."""
    kb = headwater()
    for word in ("pump", "größe", "開発", "a_b", "'"):
        assert kb.query("SELECT term_id(%s) AS n", word) == [{"n": term_id(word)}]


def test_statistics_follow_every_change(headwater: Make) -> None:
    """After edits, removals, a switch of settings and a deleted source they equal a recount."""
    kb = headwater("docs", "more", files={**{f"docs/{n}": t for n, t in _files(20).items()}, "more/a.md": "One pump."})
    kb.sync()
    kb.write("3.md", "# Wheel\n\nQuite another text about a wheel.")
    kb.remove("4.md")
    kb.sync()
    kb.store.knowledge_bases.update(
        "kb", settings=kb.knowledge_base.settings.model_copy(update={"chunk_max": 400, "chunk_min": 100})
    )
    kb.sync()
    kb.delete("more")
    for index in kb.store.search_indexes.live(kb.knowledge_base):
        assert kb.store.index_health.wrong_statistics(index).examples == ()
    assert len(kb.store.search_indexes.live(kb.knowledge_base)) == 2
    assert "one" not in str(_keyword(kb, "pump"))


def test_wrong_statistics_are_seen(headwater: Make) -> None:
    """A count that was tampered with, and an entry whose words are gone."""
    kb = headwater(files=_files(5))
    kb.sync()
    kb.query("UPDATE search_terms SET entry_count = entry_count + 1 WHERE term_id = %s RETURNING 1", term_id("pump"))
    assert kb.store.index_health.wrong_statistics(_index(kb)).examples == (f"term {term_id('pump')}",)
    for table in ("search_weights", "search_terms", "search_statistics"):
        kb.query(f"DELETE FROM {table} RETURNING 1")
    missing = kb.store.index_health.wrong_statistics(_index(kb))
    assert (missing.count, missing.examples[0]) == (5, "words of 0.md")


def test_two_writers_keep_count(headwater: Make) -> None:
    """Sources of one knowledge base are published in parallel: nothing is lost, and no sync waits forever."""
    names = ("one", "two")
    kb = headwater(*names, files={f"{name}/{uri}": text for name in names for uri, text in _files(30).items()})
    kb.sync()
    index = _index(kb)
    rows = kb.query(
        "SELECT w.*, d.uri, '' AS title, '{}'::text[] AS breadcrumb, c.text, c.kind AS chunk_kind,"
        " 'english' AS language"
        " FROM search_weights w"
        " JOIN documents d ON d.id = w.document_id JOIN chunks c ON c.id = w.target_id"
    )
    place = IndexShard(index=index, kind=CHUNK, shard=0)
    start, errors = threading.Barrier(2), []

    def write(source: str) -> None:
        mine = [row for row in rows if row["source_id"] == kb.source(source).id]
        parts = (mine[::2], mine[1::2])
        start.wait()
        for _ in range(6):
            for part in parts:
                try:
                    with kb.store.database.transaction() as session:
                        new = [{**row, "target_id": uuid.uuid4(), "title": "Extra"} for row in part]
                        add_entries(session, place, new)
                        take_out(session, place, part)
                        gone, fresh = ([row["target_id"] for row in some] for some in (part, new))
                        session.connection.execute("DELETE FROM search_weights WHERE target_id = ANY(%s)", (gone,))
                        part[:] = session.connection.execute(
                            "SELECT * FROM search_weights WHERE target_id = ANY(%s)", (fresh,)
                        ).fetchall()
                        for old, row in zip(new, part, strict=True):
                            kept = {name: old[name] for name in ("uri", "text", "chunk_kind", "language")}
                            row.update(kept, breadcrumb=[])
                except psycopg.Error as error:
                    errors.append(error)

    writers = [threading.Thread(target=write, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert errors == []
    wrong = kb.store.index_health.wrong_statistics(index).examples
    assert [example for example in wrong if not example.startswith("words of")] == []


def test_an_index_is_weighed_anew_when_its_entries_grow(headwater: Make) -> None:
    """Scores are those of the new average then, and the same as of an index that never knew another."""
    small = {f"{n}.md": f"pump {WORDS[n]}" for n in range(8)}
    large = {f"long{n}.md": f"{WORDS[n]} " * 40 + "pump" for n in range(8)}
    kb = headwater(files=small, language="simple")
    kb.sync()
    before = kb.query("SELECT weighed_length FROM search_statistics")[0]["weighed_length"]
    for name, text in large.items():
        kb.write(name, text)
    kb.sync()
    (statistics,) = kb.query("SELECT * FROM search_statistics")
    assert statistics["weighed_length"] == pytest.approx(statistics["length_sum"] / statistics["entry_count"])
    assert statistics["weighed_length"] > before * 1.2
    expected = _bm25({**small, **large}, "pump valve", statistics["weighed_length"])
    assert _keyword(kb, "pump valve") == pytest.approx(expected, rel=1e-4)


def test_entries_published_before_words_were_weighed_are_weighed_at_the_refresh(headwater: Make) -> None:
    """An upgraded database answers by vector at once, and by words after the next refresh."""
    kb = headwater(files=_files(12))
    kb.sync()
    found = _keyword(kb, "pump valve")
    for table in ("search_weights", "search_terms", "search_statistics"):
        kb.query(f"DELETE FROM {table} RETURNING 1")
    kb.query("UPDATE knowledge_bases SET index_digest = NULL RETURNING 1")
    assert _keyword(kb, "pump valve") == {}
    found_now = search(kb.store, kb.settings, kb.knowledge_base, "pump valve")
    assert found_now.passages
    assert "keyword search does not work yet" in found_now.notes[0]
    kb.sync()
    assert _keyword(kb, "pump valve") == pytest.approx(found, rel=1e-4)
    assert kb.store.index_health.wrong_statistics(_index(kb)).examples == ()


def test_weighing_reads_no_more_than_what_changed(headwater: Make) -> None:
    """Neither entries, nor terms, nor documents are read of an index that is known to have all its weights."""
    kb = headwater(files=_files(5))
    kb.sync()
    whole = "LOCK search_entries, search_terms, published_documents IN ACCESS EXCLUSIVE MODE"
    with psycopg.connect(kb.store.database.url) as other, kb.store.database.transaction() as session:
        other.execute(whole.encode())
        # A statement that waits for these tables would never end: their lock is released after this block.
        worker = threading.Thread(target=kb.store.search_indexes.weigh, args=(_index(kb),))
        worker.start()
        waiting = (
            "SELECT count(*) AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = current_database() AND l.relation IS NOT NULL AND NOT l.granted"
        )
        is_waiting = False
        while worker.is_alive() and not is_waiting:
            row = session.connection.execute(waiting.encode()).fetchone()
            is_waiting = bool(row and row["n"])
    worker.join(60)
    assert not is_waiting


def test_terms_go_with_their_last_entry(headwater: Make) -> None:
    """Whether its document changed, disappeared, or was deleted with its source; no refresh scans all terms for it."""
    kb = headwater("docs", "more", files={"docs/a.md": "A pump and a valve.", "docs/b.md": "One wheel.",
                                          "more/c.md": "One bearing."})  # fmt: skip
    kb.sync()

    def terms() -> set[int]:
        assert kb.query("SELECT FROM search_terms WHERE entry_count = 0") == []
        return {row["term_id"] for row in kb.query("SELECT term_id FROM search_terms")}

    assert {term_id(word) for word in ("pump", "valv", "wheel", "bear")} <= terms()
    kb.write("a.md", "A pump and a river.")
    kb.sync()
    assert term_id("valv") not in terms()
    assert {term_id("pump"), term_id("river")} <= terms()
    kb.remove("b.md")
    kb.sync()
    assert term_id("wheel") not in terms()
    kb.delete("more")
    assert term_id("bear") not in terms()
    assert kb.store.index_health.wrong_statistics(_index(kb)).examples == ()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("開発の手順", "ja.md"), ("手順", "ja.md"), ("北京市", "zh.md"), ("get_user_id", "code.md"),
        ("user id", "code.md"), ("HTTPServer", "code.md"), ("server", "code.md"),
        ("häuser", "de.md"), ("running pumps", "en.md"), ("백업은 언제 지워지나요?", "ko.md"),
        ("สำรองข้อมูลเก็บไว้กี่วัน", "th.md"), ("evaluee", "fr.md"), ("compétences", "fr.md"),
        ("informacao", "pt.md"), ("liczymy zolwie", "pl.md"),
    ],
)  # fmt: skip
def test_words_of_every_script_and_names_are_found(headwater: Make, question: str, found: str) -> None:
    """Chinese, Japanese, Korean and Thai by pairs of characters, names by parts and whole, words by their stem."""
    kb = headwater(files={
        "ja.md": "ソフトウェア開発の手順を説明する。", "zh.md": "他住在北京市中心。",
        "code.md": "Call get_user_id on the HTTPServer.",
        "de.md": "Das Häuser und Bäume.", "en.md": "The pump was run all winter.",
        "ko.md": "서버의 백업을 서른 날 동안 보관합니다.", "ko-other.md": "점심 식당의 메뉴를 소개합니다.",
        "fr.md": FRENCH, "pt.md": "A informação é guardada durante trinta dias, e depois disso é apagada.",
        "pl.md": POLISH, "th.md": "ระบบเก็บข้อมูลสำรองไว้สามสิบวัน", "th-other.md": "ร้านอาหารเปิดตอนเที่ยง",
    })  # fmt: skip
    kb.sync()
    assert next(iter(_keyword(kb, question))) == found


KOREAN = "서버의 백업을 서른 날 동안 보관합니다. 그 뒤에는 모두 지워집니다."
FRENCH = "Les compétences des employés sont évaluées chaque année, et les résultats sont conservés par la direction."
POLISH = "Żółwie żyją w wodzie, a ich młode wychodzą z jaj na brzegu. Każdego roku liczymy je wszystkie na plaży."


@pytest.mark.parametrize(
    ("migration", "text", "question", "language"),
    [
        ("0043_pairs_of_characters", KOREAN, "백업은 언제 지워지나요?", "english"),
        ("0058_words_without_accents", FRENCH, "resultats des employes", "english"),
        ("0058_words_without_accents", POLISH, "mlode zolwie", "english"),
        ("0058_words_without_accents", "# Congés payés\n", "conges payes", "french"),  # too short to tell its language
    ],
)
def test_words_that_an_older_release_split_otherwise_are_weighed_anew(
    headwater: Make, migration: str, text: str, question: str, language: str
) -> None:
    """After the upgrade keyword search does not find them until the next sync; other knowledge bases keep theirs."""
    kb = headwater(files={"text.md": text}, language=language)
    other = headwater(files={"en.md": "The pump was run all winter."}, slug="other")
    kb.sync()
    other.sync()
    with psycopg.connect(kb.store.database.url) as connection:
        connection.execute((migrations.FOLDER / f"{migration}.sql").read_bytes())
    assert _keyword(kb, question) == {}
    assert other.search("pumps")[0].scores.text_rank == 1
    kb.sync()
    assert list(_keyword(kb, question)) == ["text.md"]
    assert kb.store.index_health.wrong_statistics(_index(kb)).examples == ()


def test_stop_words_alone_find_nothing_by_words(headwater: Make) -> None:
    """They are in no entry; the vector still answers."""
    kb = headwater(files=_files(3))
    kb.sync()
    assert _keyword(kb, "what is the") == {}
    assert len(kb.search("what is the")) == 3


def test_rare_words_are_looked_up_first(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the budget a frequent word finds nothing by itself, but counts in what the rare ones found."""
    kb = headwater(files={f"{n}.md": "pump" + (" valve" if n < 30 else "") for n in range(60)}, language="simple")
    kb.sync()
    monkeypatch.setattr(passage_search, "_LEAST_BUDGET", 5)
    monkeypatch.setattr(passage_search, "_BUDGET", 5)
    whole, few = _keyword(kb, "pump valve"), _keyword(kb, "pump valve", limit=20)
    assert len(whole) == 60
    assert len(few) == 20
    assert {uri: whole[uri] for uri in few} == few


def test_a_rare_word_hides_nothing(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rare words do not fill a page, the frequent ones are looked up beyond the budget."""
    files = {f"{n}.md": "pump" + (" valve" if n < 3 else "") for n in range(30)}
    kb = headwater(files=files, language="simple")
    kb.sync()
    monkeypatch.setattr(passage_search, "_LEAST_BUDGET", 5)
    monkeypatch.setattr(passage_search, "_BUDGET", 5)
    assert len(_keyword(kb, "pump valve")) == len(_keyword(kb, "pump")) == 30


def test_a_language_is_found_however_it_is_written(headwater: Make) -> None:
    """Sources write `en_US`, `EN` and `en-GB`; the filter means all of them, and no other that begins so."""
    kb = headwater(files={f"{n}.md": "The pump lifts water." for n in range(5)})
    kb.sync()
    for n, language in enumerate(("en_US", "EN", "en-GB", "enm", "")):
        where = f"document_id = (SELECT id FROM documents WHERE uri = '{n}.md')"
        kb.query(f"UPDATE document_versions SET language = '{language}' WHERE {where} RETURNING 1")
    assert set(_keyword(kb, "pump", languages=("en",))) == {"0.md", "1.md", "2.md"}
    assert set(_keyword(kb, "pump", languages=("En_us",))) == {"0.md"}
    assert {p.uri for p in kb.search("pump", languages=("en",), as_of=kb.now())} == {"0.md", "1.md", "2.md"}


def test_filters_leave_exactly_what_they_say(headwater: Make) -> None:
    """By document, language and date, alone and together, by words and by vector."""
    kb = headwater(files={
        "a.md": "---\nlang: en\ndate: 2024-01-10\n---\n# A\n\nThe pump lifts water.",
        "b.md": "---\nlang: en-GB\ndate: 2024-03-10\n---\n# B\n\nThe pump lifts oil.",
        "c.md": "---\nlang: de\nupdated: 2024-02-10\n---\n# C\n\nThe pump lifts sand.",
    })  # fmt: skip
    kb.sync()
    kb.query("UPDATE document_versions SET language = metadata ->> 'lang' RETURNING 1")

    def both(**filters: Any) -> set[str]:
        by_words = set(_keyword(kb, "pump", **filters))
        assert by_words == {passage.uri for passage in kb.search("pump", **filters)}
        return by_words

    identity = str(kb.query("SELECT id FROM documents WHERE uri = 'c.md'")[0]["id"])
    assert both(documents=("a.md", identity)) == {"a.md", "c.md"}
    assert both(documents=("nowhere.md",)) == set()
    assert both(languages=("en",)) == {"a.md", "b.md"}
    assert both(languages=("en-GB", "de")) == {"b.md", "c.md"}
    kb_date = kb.query("SELECT dated_at FROM document_versions v JOIN documents d ON d.id = v.document_id"
                       " WHERE uri = 'c.md'")[0]["dated_at"]  # fmt: skip
    assert both(dated_from=kb_date) == {"b.md", "c.md"}
    assert both(dated_to=kb_date) == {"a.md"}
    assert both(dated_from=kb_date, languages=("en",), sources=("docs",)) == {"b.md"}
