"""Languages: each document has its own, is stemmed by it, and is compared by meaning only where the model knows it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.doctor_database_checks import DATABASE_CHECKS
from headwater.answering.direct_answer import ask
from headwater.domain import languages
from headwater.domain.languages import language_code, stemming_language
from headwater.domain.search import Passage, SearchIndex
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult
from headwater.store.store import Store
from tests.support import Headwater

SETS = Path(__file__).parents[2] / "bench" / "language_sets"
GERMAN = """# Gärten

Die Häuser am Ufer haben große Gärten, und in den Gärten stehen alte Bäume, die im Herbst bunte Blätter tragen.
"""
RUSSIAN = """# Библиотеки

В городских библиотеках хранятся редкие книги, и читатели каждый день приходят сюда за новыми журналами.
"""
ENGLISH = """# Lighthouses

The keepers of the lighthouses lit their lamps every evening, and ships found the harbour by the flashes.
"""
FILES = {"de.md": GERMAN, "ru.md": RUSSIAN, "en.md": ENGLISH}

pytestmark = pytest.mark.synced(files=FILES)


def _index(kb: Headwater) -> SearchIndex:
    found = kb.store.search_indexes.active(kb.slug)
    assert found is not None
    return found


def _found(kb: Headwater, question: str, **options: Any) -> SearchResult:
    return search(kb.store, kb.settings, kb.knowledge_base, question, SearchOptions(**options))


def _by_words(kb: Headwater, question: str) -> list[Passage]:
    return list(_found(kb, question, mode="keyword").passages)


def _languages(kb: Headwater) -> dict[str, tuple[str, str]]:
    rows = kb.query(
        """SELECT d.uri, document_language(v.language, v.detected_language) AS language, p.language AS stemmed
             FROM documents d JOIN document_versions v ON v.id = d.head_version_id
                  JOIN published_documents p ON p.document_id = d.id"""
    )
    return {row["uri"]: (row["language"], row["stemmed"]) for row in rows}


def _assert_counts_are_right(kb: Headwater) -> None:
    assert kb.store.index_health.wrong_statistics(_index(kb)).examples == ()


def _change(kb: Headwater, statement: str) -> None:
    with psycopg.connect(kb.store.database.url) as connection:
        connection.execute(statement.encode())


def test_the_database_and_the_code_stem_by_the_same_dictionaries(store: Store) -> None:
    """Every code, variant and name of a language is stemmed alike by both, and Postgres has each dictionary."""
    tags = [
        "",
        "xx",
        "zh",
        "EN_us",
        " de-AT ",
        "German",
        "nb",
        "nn",
        "in",
        "Klingon",
        "python",
        "und",
        "mul-x",
        "undx",
        "GER-at",
        "sql",
        "sql-ddl",
        *languages.STEMMED,
        *languages.CODES,
        *languages.LONG,
        *languages.ALIASES,
    ]
    tags += [language_code(name) for name in languages.STEMMED]
    with store.database.transaction() as session:
        for tag in tags:
            for fallback in ("english", "simple", "german"):
                cursor = session.connection.execute("SELECT stemming_language(btrim(%s), %s) AS name", [tag, fallback])
                row = cursor.fetchone()
                assert row is not None
                assert row["name"] == stemming_language(tag, fallback), (tag, fallback)
        for name in languages.STEMMED:
            session.connection.execute("SELECT ts_lexize(%s::regdictionary, 'word')", [f"{name}_stem"])


def test_each_document_of_a_mixed_folder_is_stemmed_by_its_own_language(kb: Headwater) -> None:
    """A question finds other forms of its words in every language of the index, and the counts are right."""
    assert _languages(kb) == {"de.md": ("de", "german"), "ru.md": ("ru", "russian"), "en.md": ("en", "english")}
    assert [passage.uri for passage in _by_words(kb, "Haus Garten Baum")] == ["de.md"]
    assert [passage.uri for passage in _by_words(kb, "библиотека книга журнал")] == ["ru.md"]
    assert [passage.uri for passage in _by_words(kb, "keeper lighting lighthouse")] == ["en.md"]
    _assert_counts_are_right(kb)


def test_front_matter_overrules_what_the_text_tells(headwater: Callable[..., Headwater]) -> None:
    """A document that says its language is believed, in any form of its name."""
    kb = headwater(files={"a.md": f"---\nlang: nl-BE\n---\n{GERMAN}", "b.md": f"---\nlanguage: German\n---\n{ENGLISH}"})
    kb.sync()
    assert _languages(kb) == {"a.md": ("nl-BE", "dutch"), "b.md": ("German", "german")}


def test_a_short_text_is_stemmed_by_the_knowledge_bases_language(headwater: Callable[..., Headwater]) -> None:
    """Where neither the document nor its text tells, the setting does; `simple` stems nothing at all."""
    kb = headwater(files={"short.md": "# Häuser\n"}, language="german")
    kb.sync()
    assert _languages(kb) == {"short.md": ("", "german")}
    plain = headwater(slug="plain", files=FILES, language="simple")
    plain.sync()
    assert _by_words(plain, "Haus") == []
    assert [passage.uri for passage in _by_words(plain, "Häuser")] == ["de.md"]


def test_another_language_in_the_front_matter_stems_anew_and_touches_no_vector(
    headwater: Callable[..., Headwater],
) -> None:
    """Entries stay where they are on disk; their words are counted again."""
    kb = headwater(files={"a.md": f"---\nlang: en\n---\n{GERMAN}"})
    kb.sync()
    assert _by_words(kb, "Haus") == []
    before = kb.content()
    kb.write("a.md", f"---\nlang: de\n---\n{GERMAN}")
    kb.sync()
    after = kb.content()
    assert [passage.uri for passage in _by_words(kb, "Haus")] == ["a.md"]
    assert {name: after[name] == before[name] for name in ("search_entries", "embeddings", "chunks")} == {
        "search_entries": True, "embeddings": True, "chunks": True,
    }  # fmt: skip
    _assert_counts_are_right(kb)


def test_what_an_older_release_published_answers_and_is_brought_over_by_the_next_sync(
    kb: Headwater,
) -> None:
    """Before it, words are found as the knowledge base's language stemmed them; no version and no vector is written."""
    # As release 0.1.0 left it: all entries in the language of the index, and nothing said about documents.
    _change(kb, "UPDATE document_versions SET detected_language = ''")
    kb.sync()
    _change(kb, "UPDATE document_versions SET detected_language = NULL")
    _change(kb, "UPDATE published_documents SET language = NULL")
    _change(kb, "UPDATE search_statistics SET languages = '{}'")
    assert _by_words(kb, "Haus") == []
    assert [passage.uri for passage in _by_words(kb, "Gärten")] == ["de.md"]
    before = kb.content()
    kb.sync()
    after = kb.content()
    assert [passage.uri for passage in _by_words(kb, "Haus")] == ["de.md"]
    assert len(after["document_versions"]) == 3
    assert all(after[name] == before[name] for name in ("search_entries", "embeddings", "chunks", "version_chunks"))
    _assert_counts_are_right(kb)
    kb.sync()
    assert kb.content() == after


@pytest.mark.parametrize(
    "question", ["C'est quoi un intrapreneur ?", "un intrapreneur c'est quoi", "ça veut dire quoi intrapreneur ?"]
)
def test_question_words_find_nothing(headwater: Callable[..., Headwater], question: str) -> None:
    """RET-1: spoken French asks with `quoi`, which Postgres takes for a word with a meaning."""
    kb = headwater(
        files={
            "certification.md": "# C'est quoi une certification ?\n\nC'est quoi, et en quoi consiste-t-elle ? "
            "Ça veut dire quoi pour un intrapreneur ? C'est un dispositif ciblé sur les compétences.\n",
            "intrapreneur.md": "# Intrapreneur\n\nL'intrapreneur porte un service dans son administration. "
            "Un intrapreneur est un agent public qui dirige une petite équipe.\n",
            "budget.md": "# Budget\n\nLe budget de chaque équipe est voté par le comité une fois par an.\n",
        }
    )
    kb.sync()
    result = _found(kb, question, mode="keyword")
    assert [item.lexeme for item in result.terms] == ["intrapreneur"]
    assert result.passages[0].uri == "intrapreneur.md"


def test_a_language_that_went_is_forgotten(kb: Headwater) -> None:
    """Questions are stemmed by no language whose documents are gone."""
    kb.remove("ru.md")
    kb.sync()
    assert kb.query("SELECT languages FROM search_statistics") == [{"languages": ["german"]}]
    _assert_counts_are_right(kb)


def test_a_past_time_is_searched_in_the_languages_of_its_documents(headwater: Callable[..., Headwater]) -> None:
    """A version that no index serves any more is stemmed by its own language, too."""
    kb = headwater(files={"a.md": GERMAN})
    kb.sync()
    then = kb.now()
    kb.write("a.md", ENGLISH)
    kb.sync()
    found = _found(kb, "Haus Garten", mode="keyword", as_of=then).passages
    assert [passage.language for passage in found] == ["de"]
    assert [passage.language for passage in _found(kb, "lighthouse lamp", mode="keyword").passages] == ["en"]


def test_a_search_can_be_limited_to_a_language_that_the_text_told(headwater: Callable[..., Headwater]) -> None:
    """The filter knows what was detected as it knows what is declared."""
    kb = headwater(files={**FILES, "at.md": f"---\nlang: de-AT\n---\n{GERMAN}"})
    kb.sync()
    found = kb.search("Gärten lighthouses библиотеках", languages=("de",))
    assert {passage.uri for passage in found} == {"de.md", "at.md"}


def test_a_question_in_a_language_that_the_model_does_not_know_is_searched_for_by_words(
    headwater: Callable[..., Headwater],
) -> None:
    """No vector ranks or grades; the note says why and names a model that can be set."""
    kb = headwater(files=FILES, embedding_model="builtin/minilm-int8")
    kb.sync()
    found = _found(kb, "Welche Bäume stehen in den Gärten am Ufer?")
    assert found.is_by_words
    assert [passage.uri for passage in found.passages] == ["de.md"]
    assert found.passages[0].scores.vector is None
    assert "German" in found.notes[0]
    assert "builtin/minilm-int8 does not know" in found.notes[0]
    assert "ollama/bge-m3" in found.notes[0]
    answer = kb.ask("Welche Bäume stehen in den Gärten am Ufer?")
    assert not answer.refused
    assert answer.notes == found.notes
    refusal = kb.ask("Wer schrieb den Faust, und wann wurde er gedruckt?")
    assert (refusal.refused, refusal.reason) == (True, "nothing_relevant")


def test_an_english_question_over_mixed_documents_compares_vectors_of_english_ones_only(
    headwater: Callable[..., Headwater],
) -> None:
    """Passages in other languages count by words alone; those that only a vector found are named as dropped."""
    kb = headwater(files={**FILES, "de2.md": f"{GERMAN}\nDer Leuchtturm heißt Lighthouses.\n"})
    kb.sync()
    found = _found(kb, "How did the ships find the harbour with the lighthouses?")
    vectors = {passage.uri: passage.scores.vector for passage in found.passages}
    assert vectors["en.md"] is not None
    assert vectors["de2.md"] is None
    assert not found.is_by_words
    assert {dropped.passage.uri for dropped in found.dropped} == {"de.md", "ru.md"}
    assert all("does not know" in dropped.reason for dropped in found.dropped)


def test_an_english_question_over_documents_in_another_language_says_why_it_is_refused(
    headwater: Callable[..., Headwater],
) -> None:
    """Nothing is left to answer from, though something is indexed; the note says what the model lacks."""
    kb = headwater(files={"de.md": GERMAN})
    kb.sync()
    refusal = kb.ask("What do the ships look for in the evening?")
    assert (refusal.refused, refusal.reason) == (True, "nothing_relevant")
    assert "The documents found are in German" in refusal.notes[0]


def test_a_question_too_short_to_tell_its_language_has_that_of_the_documents(
    kb: Headwater,
) -> None:
    """Two nouns say nothing of their language; the documents that hold them do."""
    assert _found(kb, "Gärten Ufer").is_by_words
    assert not _found(kb, "lighthouses harbour").is_by_words


def test_a_refusal_is_in_the_language_of_the_documents_if_the_question_may_be_in_it(
    headwater: Callable[..., Headwater],
) -> None:
    """A few nouns say nothing of their language; English function words do."""
    kb = headwater(files={"de.md": GERMAN})
    kb.sync()
    assert kb.ask("Preisliste Zugfahrkarten").answer.startswith("Die Dokumente dieser Wissensbasis beantworten")
    assert kb.ask("price of tickets").answer.startswith("The documents of this knowledge base do not answer")


def test_one_english_word_in_a_short_question_is_enough_to_compare_by_meaning(kb: Headwater) -> None:
    """A word such as `with` tells more than the language of a document that happens to hold the question's names."""
    boats = _found(kb, "boats with Häuser Gärten")
    assert boats.passages[0].language == "de"
    assert not any("does not know" in note for note in boats.notes)


def test_a_setting_overrules_which_languages_a_model_knows(headwater: Callable[..., Headwater]) -> None:
    """`embedding_languages` takes effect at the next search, both ways."""
    question = "Welche Bäume stehen in den Gärten am Ufer?"
    kb = headwater(files=FILES, embedding_languages=["en", "de"])
    kb.sync()
    found = _found(kb, question)
    assert not found.is_by_words
    assert found.passages[0].scores.vector is not None
    assert _found(kb, "Какие книги хранятся в библиотеках?").is_by_words


def test_who_asks_for_vectors_alone_gets_them_and_is_warned(kb: Headwater) -> None:
    """Mode vector is obeyed in any language; the note says that it tells little."""
    found = _found(kb, "Welche Bäume stehen in den Gärten am Ufer?", mode="vector")
    assert found.passages
    assert "its vectors say little" in found.notes[0]


def test_doctor_warns_of_documents_in_languages_that_the_model_does_not_know(
    kb: Headwater,
) -> None:
    """It counts them by language and names a model; English documents need no word."""
    ((state, words),) = DATABASE_CHECKS["languages"](kb.store, kb.settings)
    assert state == "warning"
    assert "kb: 2 of 3 documents" in words
    assert "German 1, Russian 1" in words
    assert "ollama/bge-m3" in words
    kb.remove("de.md")
    kb.remove("ru.md")
    kb.sync()
    assert [state for state, _ in DATABASE_CHECKS["languages"](kb.store, kb.settings)] == ["ok"]


@pytest.fixture
def encyclopedia(headwater: Callable[..., Headwater]) -> Headwater:
    """The sets of `bench/language_sets`, all in one knowledge base, synced."""
    files = {
        f"{file.stem}-{document['name']}.md": f"# {document['title']}\n\n{document['text']}\n"
        for file in SETS.glob("*.json")
        for document in json.loads(file.read_text(encoding="utf-8"))["documents"]
    }
    kb = headwater(files=files)
    kb.sync()
    return kb


def test_in_six_languages_the_default_is_no_worse_than_words_and_refuses_what_it_should(
    encyclopedia: Headwater,
) -> None:
    """At most a tenth of the questions with an answer are refused, and at least nine tenths of those without one."""
    kb = encyclopedia
    wrongly = rightly = asked = others = 0
    for file in sorted(SETS.glob("*.json")):
        one = json.loads(file.read_text(encoding="utf-8"))
        ranks = {"hybrid": 0.0, "keyword": 0.0}
        for question, name in one["questions"]:
            for mode in ranks:
                uris = [passage.uri for passage in _found(kb, question, mode=mode, top_k=10).passages]
                wanted = f"{file.stem}-{name}.md"
                ranks[mode] += 1 / (1 + uris.index(wanted)) if wanted in uris else 0.0
            wrongly += ask(kb.store, kb.settings, kb.knowledge_base, question).refused
        rightly += sum(ask(kb.store, kb.settings, kb.knowledge_base, question).refused for question in one["others"])
        asked, others = asked + len(one["questions"]), others + len(one["others"])
        assert ranks["hybrid"] >= ranks["keyword"] >= 0.9 * len(one["questions"]), file.stem
    assert wrongly <= 0.1 * asked
    assert rightly >= 0.9 * others
