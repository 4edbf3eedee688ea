"""Telling languages, and what a search makes of those that a model does not know."""

import subprocess
import sys

import pytest

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.languages import language_code, language_name, stemming_language
from headwater.domain.search import Passage
from headwater.models_gateway.embedder_registry import MULTILINGUAL, check_model
from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.parsing.language import detect_document_language
from headwater.retrieval.model_languages import ModelLanguages, find_language
from headwater.understanding.language_detector import detect_language, is_sure_of, may_be_in
from headwater.understanding.question import understand
from tests.passages import passage

SENTENCES = {
    "en": "The quick setup of a database server takes about ten minutes when the network is reliable.",
    "de": "Die Einrichtung eines Datenbankservers dauert etwa zehn Minuten, wenn das Netz zuverlässig ist.",
    "fr": "La mise en place d'un serveur de base de données prend environ dix minutes si le réseau est fiable.",
    "es": "La instalación de un servidor de base de datos tarda unos diez minutos si la red es fiable.",
    "it": "L'installazione di un server di database richiede circa dieci minuti se la rete è affidabile.",
    "pt": "A instalação de um servidor de banco de dados leva cerca de dez minutos se a rede for confiável.",
    "nl": "Het opzetten van een databaseserver duurt ongeveer tien minuten als het netwerk betrouwbaar is.",
    "ru": "Настройка сервера базы данных занимает около десяти минут, если сеть надёжна.",
    "uk": "Налаштування сервера бази даних займає близько десяти хвилин, якщо мережа надійна.",
    "zh": "如果网络可靠，设置数据库服务器大约需要十分钟。请先阅读说明。",
    "ja": "ネットワークが安定していれば、データベースサーバーの設定には約十分かかります。",
    "ko": "네트워크가 안정적이면 데이터베이스 서버 설정에는 약 십 분이 걸립니다.",
    "sv": "Att sätta upp en databasserver tar ungefär tio minuter om nätverket är pålitligt.",
    "da": "Opsætning af en databaseserver tager omkring ti minutter, hvis netværket er pålideligt.",
    "tr": "Ağ güvenilir ise bir veritabanı sunucusunun kurulması yaklaşık on dakika sürer.",
}  # fmt: skip
CODE = "```python\nfor number in range(10):\n    print(number)\n```\n"


@pytest.mark.parametrize("language", SENTENCES)
def test_one_sentence_tells_the_language_of_a_document(language: str) -> None:
    """Markup, addresses and code around it, in any language, change nothing."""
    sentence = SENTENCES[language]
    assert detect_document_language(f"{sentence}\n") == language
    wrapped = (
        f"# `main()`\n\n{CODE * 30}\n[{sentence}](https://example.org/the/of/and)\n\n<div class='of the'>\n{CODE * 30}"
    )
    assert detect_document_language(wrapped) == language


@pytest.mark.parametrize(
    "text", ["", "Häuser", CODE * 20, "| 1 | 2 |\n" * 500, "x_1 = y_2 + z/3\n" * 200, "\ud800" * 90]
)
def test_without_evidence_nothing_is_guessed(text: str) -> None:
    """Texts that are too short, code, numbers: a guess would stem them in a wrong language."""
    assert detect_document_language(text) == ""


def test_source_code_has_no_language_of_people() -> None:
    """Its comments may be in several, and its words are names."""
    assert detect_document_language(SENTENCES["de"] * 9, "text/x-python") == ""


def test_english_documents_never_load_the_library() -> None:
    """It takes half a second and 76 MB, which a sync of English documents does not pay."""
    code = (
        "import sys; from headwater.parsing.language import detect_document_language as tell;"
        f"assert tell({SENTENCES['en'] * 4!r}) == 'en'; assert 'py3langid' not in sys.modules;"
        f"assert tell({SENTENCES['de']!r}) == 'de'; assert 'py3langid' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_language_has_one_code_whatever_it_is_called() -> None:
    """Variants, case and English names give the same code, dictionary and name."""
    assert [language_code(tag) for tag in ("de", "DE_at", " de-CH ", "German")] == ["de"] * 4
    assert [language_code(tag) for tag in ("deu", "GER-at", "nob", "cmn", "yue")] == ["de", "de", "no", "zh", "yue"]
    assert [language_name(tag) for tag in ("pt-BR", "zh", "yue")] == ["Portuguese", "Chinese", "Yue"]
    assert [language_code(tag) for tag in ("", "python", "und", "zxx", "n/a")] == [""] * 5
    assert stemming_language("python", "english") == "english"
    assert stemming_language("sql", "german") == "german"
    assert stemming_language("nb-NO", "english") == "norwegian"
    assert stemming_language("ja", "english") == "simple"
    assert stemming_language("", "french") == "french"
    assert stemming_language("de", "simple") == "simple"


def test_a_kind_of_file_is_no_language_of_people() -> None:
    """Though ISO 639-3 gives most such names to some language: a text tagged so is as good as not tagged."""
    names = "sql php css xml cpp vue git txt asm lua ada awk tcl jsx tsx scm ini log yml rst pdf xx sh js py"
    assert {name for name in names.split(" ") if language_code(name)} == set()


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("man nimmt das so an", "de"),
        ("so geht das", "de"),
        ("no tengo acceso me falta la llave", "es"),
        ("over de instellingen", "nl"),
        ("so we are there", "en"),
        ("give me an overview", "en"),
    ],
)
def test_english_words_that_other_languages_have_too_make_no_question_english(question: str, language: str) -> None:
    """`so`, `an`, `me` and `over` are a vote for each of their languages."""
    assert detect_language(question) == language


def test_one_word_that_other_languages_have_too_makes_no_question_foreign() -> None:
    """`no` is Spanish, too: an English question must not lose its vectors over it."""
    for question in ("no data", "LA weather", "en passant", "reset password", "mount a backup as a folder"):
        assert not is_sure_of(question, detect_language(question)), question
    for question in ("Wie lange dauert eine Finsternis?", "¿Qué es un eclipse?", "什么是日食？", "Что такое затмение?"):
        assert is_sure_of(question, detect_language(question)), question


@pytest.mark.parametrize(
    ("question", "language", "is_sure"),
    [
        ("総務の電話番号", "ja", True),
        ("社員数", "zh", False),
        ("极光为什么是绿色的？", "zh", True),
        ("退款政策", "zh", False),
    ],
)
def test_chinese_characters_may_be_japanese(question: str, language: str, is_sure: bool) -> None:
    """One kana makes a text Japanese; a few characters without a Chinese word decide nothing."""
    assert detect_language(question) == language
    assert is_sure_of(question, language) is is_sure


def test_the_models_that_notes_name_can_be_set() -> None:
    """Each is a name that a knowledge base takes."""
    assert [check_model(model) for model in MULTILINGUAL] == list(MULTILINGUAL)


def _reading(*chosen: str, model: bool = True) -> ModelLanguages:
    return ModelLanguages(model=HashEmbedder() if model else None, languages=chosen)


def test_a_model_says_what_it_knows_and_a_setting_overrules_it() -> None:
    """An unknown language counts as known to the model; a keyword search knows all languages."""
    assert _reading().knows("en-GB")
    assert _reading().knows("")
    assert not _reading().knows("de")
    assert _reading("de").knows("de-AT")
    assert not _reading("de").knows("en")
    assert _reading(model=False).knows("de")


def test_similarities_of_unknown_languages_are_taken_out() -> None:
    """Passages found by words keep their keyword rank, those found only by vector are dropped; others stay."""
    both = passage(
        uri="en.md", language="en", score=0.03, scores={"vector": 0.5, "vector_rank": 2, "text": 3.0, "text_rank": 2}
    )
    words = passage(
        uri="de.md", language="de", score=0.033, scores={"vector": 0.9, "vector_rank": 1, "text": 9.0, "text_rank": 1}
    )
    vector = passage(uri="ru.md", language="ru", score=0.02, scores={"vector": 0.4, "vector_rank": 3})
    kept, dropped = _reading().without_similarities([words, both, vector], vector_weight=None)
    assert [one.uri for one in kept] == ["en.md", "de.md"]
    assert kept[0].scores == both.scores
    assert (kept[1].scores.vector, kept[1].scores.vector_rank) == (None, None)
    assert kept[1].score == pytest.approx(1 / 61)
    assert [one.passage.uri for one in dropped] == ["ru.md"]
    weighted, _ = _reading().without_similarities([words, both, vector], vector_weight=0.3)
    assert [round(one.score, 3) for one in weighted] == [0.7, 0.03]
    assert _reading("en", "de", "ru").without_similarities([words, both, vector], vector_weight=None)[0] == (
        words,
        both,
        vector,
    )


def test_most_of_what_words_found_tells_the_language_of_a_short_question() -> None:
    """By the passages that words found, the best ones most; English words of the question speak against it."""
    short = understand("Rückgabe Fahrkarten")

    def list_passages(*languages: str) -> list[Passage]:
        scored = [{"text": 1.0, "text_rank": rank} for rank in range(1, 1 + len(languages))]
        return [passage(language=code, scores=scores) for code, scores in zip(languages, scored, strict=True)]

    assert find_language(short, list_passages("de", "de", "en")) == "de"
    assert find_language(short, list_passages("de", "en")) == "de"
    assert find_language(short, list_passages("en", "de", "de")) == ""
    assert find_language(short, [passage(language="de", scores={"vector": 0.9, "vector_rank": 1})]) == ""
    assert find_language(understand("the Fahrkarten"), list_passages("de", "de")) == ""
    assert find_language(understand("Was kostet die Fahrkarte?"), list_passages("fr", "fr")) == ""  # it is known


def test_of_a_knowledge_base_counts_its_setting(knowledge_base: KnowledgeBase) -> None:
    """Names of variants are taken as codes."""
    assert ModelLanguages.of(knowledge_base, HashEmbedder()).languages == ("de", "pt")


@pytest.fixture
def knowledge_base() -> KnowledgeBase:
    """A knowledge base whose model is declared to know German and Portuguese."""
    from datetime import UTC, datetime

    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

    now = datetime.now(UTC)
    settings = KnowledgeBaseSettings(embedding_languages=("DE", "pt"))
    return KnowledgeBase(id=1, slug="kb", name="kb", description="", settings=settings, created_at=now, updated_at=now)


@pytest.mark.parametrize(
    ("question", "language", "is_possible"),
    [
        ("remboursement billet étudiant", "fr", True),
        ("Öffnungszeiten Sonntag", "de", True),
        ("who is the boss", "fr", False),
        ("wer zahlt", "fr", False),
        ("les tarifs", "de", False),
        ("refund deadline", "ja", False),
        ("社員数", "ja", True),
        ("返金は", "zh", False),
        ("тариф", "ru", True),
    ],
)
def test_a_few_words_may_be_in_the_language_of_the_documents(question: str, language: str, is_possible: bool) -> None:
    """Unless their script or their function words speak for another language."""
    assert may_be_in(question, language) is is_possible
