"""What rules tell of a question (RET-3).

Belongs here: code, language, intent, entities, complexity, the score shortcut. Not here: what a model makes of it.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.search import Scores
from headwater.understanding.code_split import split_code
from headwater.understanding.entities import EntityKind, entities
from headwater.understanding.intents import Intent, intent_of
from headwater.understanding.language_detector import detect_language
from headwater.understanding.question import AHEAD, is_sure, understand
from tests.passages import passage

TRACE = """Why does this fail?

Traceback (most recent call last):
  File "app.py", line 3, in <module>
    import pgvector
ModuleNotFoundError: No module named 'pgvector'

I installed it with pip."""
JAVA = """My job dies after an hour.
Exception in thread "main" java.lang.NullPointerException
\tat com.example.Job.run(Job.java:42)
\tat com.example.Main.main(Main.java:7)
What is wrong?"""

# Code


def test_a_fenced_block_is_split_off() -> None:
    """With its language line; the sentence around it stays."""
    split = split_code("What does this do?\n\n```python\nx = 1\nprint(x)\n```\n\nAnd is it quick?")
    assert split.language_text == "What does this do?\n\nAnd is it quick?"
    assert split.code == ("x = 1\nprint(x)",)


def test_a_block_without_an_end_is_code_to_the_end() -> None:
    """Somebody forgot the last fence."""
    split = split_code("Explain:\n```\nSELECT 1;\nSELECT 2;")
    assert (split.language_text, split.code) == ("Explain:", ("SELECT 1;\nSELECT 2;",))


def test_code_within_a_sentence_is_in_both() -> None:
    """Without it the sentence would not name its subject."""
    split = split_code("What does `ef_search` do in ``SET hnsw.ef_search = 40``?")
    assert split.language_text == "What does ef_search do in SET hnsw.ef_search = 40?"
    assert split.code == ("ef_search", "SET hnsw.ef_search = 40")


def test_of_a_stack_trace_the_error_stays() -> None:
    """The frames are code; the error message is what people write about."""
    split = split_code(TRACE)
    assert split.language_text == (
        "Why does this fail?\n\nModuleNotFoundError: No module named 'pgvector'\n\nI installed it with pip."
    )
    (code,) = split.code
    assert code.startswith("Traceback")
    assert code.endswith("No module named 'pgvector'")


def test_frames_of_java_are_code() -> None:
    """They are known by `at`."""
    split = split_code(JAVA)
    assert "Job.java" not in split.language_text
    assert split.language_text.startswith("My job dies")
    assert split.language_text.endswith("What is wrong?")
    assert "Main.java:7" in split.code[0]


@pytest.mark.parametrize(
    "line",
    [
        "$ nebari deploy -c nebari-config.yaml",
        ">>> import os",
        "from pathlib import Path",
        "def search(text):",
        "const app = express();",
        "if (x > 0) {",
        "SELECT * FROM items ORDER BY embedding <-> '[3,1,2]' LIMIT 5;",
        "CREATE INDEX ON items USING hnsw (embedding vector_l2_ops)",
        "@app.route('/')",
        "timeout = 30",
        "app.run(debug=True)",
        "<Button onClick={save}>",
        "}",
    ],
)
def test_a_line_of_code_among_sentences_is_split_off(line: str) -> None:
    """Without a fence, too."""
    split = split_code(f"I have written this.\n{line}\nWhat is wrong with it?")
    assert split.language_text.split() == ["I", "have", "written", "this.", "What", "is", "wrong", "with", "it?"]
    assert split.code == (line,)


@pytest.mark.parametrize(
    "question",
    [
        "How do I set timeout = 30?",
        "First line.\nDoes the setting a = b still work for me?",
        "Compare:\n- the small plan\n- the large plan",
        "What is the class of a pump?\nIs it in the return policy?",
        "Return to work policy\nfor employees",
        "",
    ],
)
def test_language_is_not_taken_for_code(question: str) -> None:
    """A question of one line never is; neither are sentences, lists and words that code uses too."""
    assert split_code(question).code == ()
    assert split_code(question).language_text == question


@given(st.text(alphabet="ab `~\n(){};=./$:Traceback\t", max_size=200))
def test_no_word_of_a_question_is_lost(question: str) -> None:
    """Each is in the language or in the code."""
    split = split_code(question)
    kept = split.language_text + " ".join(split.code)
    assert all(kept.count(letter) for letter in set(question) - set(" `~\n\t" + "Traceback:"))


# Language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I install it on Windows?", "en"),
        ("Wie kann ich das auf einem Server installieren?", "de"),
        ("Comment puis-je installer le serveur ?", "fr"),
        ("¿Cómo puedo instalar el servidor?", "es"),
        ("Come posso installare il server?", "it"),
        ("Como posso instalar o servidor em uma máquina?", "pt"),
        ("Hoe kan ik het op een server installeren?", "nl"),
        ("Hur kan jag installera det på en server?", "sv"),
        ("Hvordan kan jeg installere det på en server? Hvad er forskellen mellem dem?", "da"),
        ("Hva er forskjellen mellom dem, og hvordan kan jeg velge?", "no"),
        ("Miten voin asentaa sen?", "fi"),
        ("Hogyan lehet telepíteni, és mi kell hozzá?", "hu"),
        ("Cum pot instala serverul și ce este?", "ro"),
        ("Sunucu nasıl kurulur ve ne için gerekir?", "tr"),
        ("Bagaimana cara saya memasang server ini?", "id"),
        ("如何在 Windows 上安装 pgvector？", "zh"),
        ("pgvector を Windows にインストールする方法は？", "ja"),
        ("윈도우에 어떻게 설치하나요?", "ko"),
        ("Как установить его на сервер?", "ru"),
        ("Як встановити його на сервері?", "uk"),
        ("Πώς το εγκαθιστώ;", "el"),
        ("كيف يمكنني تثبيته؟", "ar"),
        ("איך אני מתקין את זה?", "he"),
        ("จะติดตั้งได้อย่างไร", "th"),
        ("What is the α of the test?", "en"),
        ("hnsw ef_search", ""),
        ("", ""),
        ("42 ?!", ""),
    ],
)
def test_language_is_told_by_script_and_function_words(text: str, language: str) -> None:
    """Empty when nothing tells."""
    assert detect_language(text) == language


# Intent


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How do I deploy Nebari on AWS?", Intent.HOW_TO),
        ("Hi, could you please tell me how to add a user?", Intent.HOW_TO),
        ("Wie kann ich einen Benutzer anlegen?", Intent.HOW_TO),
        ("如何安装？", Intent.HOW_TO),
        ("What is conda-store?", Intent.DEFINITION),
        ("What does HNSW stand for?", Intent.DEFINITION),
        ("Was ist ein Index?", Intent.DEFINITION),
        ("C’est quoi un index ?", Intent.DEFINITION),
        ("Why does the deployment fail with exit code 1?", Intent.TROUBLESHOOTING),
        ("I get an error when I log in", Intent.TROUBLESHOOTING),
        ("KeyError: 'name'", Intent.TROUBLESHOOTING),
        ("What is the difference between HNSW and IVFFlat?", Intent.COMPARISON),
        ("HNSW vs. IVFFlat", Intent.COMPARISON),
        ("confronto tra pane e pasta", Intent.COMPARISON),
        ("comparaison entre Plus et Standard", Intent.COMPARISON),
        ("vergelijking tussen Plus en Standard", Intent.COMPARISON),
        ("HNSW 和 IVFFlat 的区别", Intent.COMPARISON),
        ("List all distance operators", Intent.LIST),
        ("What are the main benefits of the plan?", Intent.LIST),
        ("Is replication supported?", Intent.YES_NO),
        ("支持复制吗？", Intent.YES_NO),
        ("What is the capital of the region in which the plant stands?", Intent.LOOKUP),
        ("deductible standard plan", Intent.LOOKUP),
        ("How does the pump work?", Intent.LOOKUP),
        ("Thank you so much!", Intent.CHIT_CHAT),
        ("hello there", Intent.CHIT_CHAT),
        ("谢谢", Intent.CHIT_CHAT),
        ("", Intent.LOOKUP),
    ],
)
def test_intent_is_told_by_the_wording(question: str, intent: Intent) -> None:
    """A greeting before a question is no chit-chat."""
    assert intent_of(question) == intent


# Entities


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ('Where is "balance billing" explained?', EntityKind.QUOTED, "balance billing"),
        ("What is in nebari-config.yaml of mine?", EntityKind.PATH, "nebari-config.yaml"),
        ("Why is it in /tmp/kube.conf now?", EntityKind.PATH, "/tmp/kube.conf"),
        ("See https://example.org/a?b=c for it", EntityKind.PATH, "https://example.org/a?b=c"),
        ("What does ORA-01555 mean?", EntityKind.ERROR_CODE, "ORA-01555"),
        ("I see HTTP 404 there", EntityKind.ERROR_CODE, "HTTP 404"),
        ("It raises KeyError here", EntityKind.ERROR_CODE, "KeyError"),
        ("What does ef_search do?", EntityKind.IDENTIFIER, "ef_search"),
        ("What does hnsw.ef_search do?", EntityKind.IDENTIFIER, "hnsw.ef_search"),
        ("How do I use getUserName here?", EntityKind.IDENTIFIER, "getUserName"),
        ("What does --force do?", EntityKind.IDENTIFIER, "--force"),
        ("Can I use more than 2,000 dimensions?", EntityKind.NUMBER, "2,000 dimensions"),
        ("Is it $50 or more?", EntityKind.NUMBER, "$50"),
        ("How long is 15 min really?", EntityKind.NUMBER, "15 min"),
        ("What does Northwind Health Plus cover?", EntityKind.NAME, "Northwind Health Plus"),
        ("NASA or not?", EntityKind.NAME, "NASA"),
        ("Who sang at Super Bowl 50?", EntityKind.NAME, "Super Bowl 50"),
        ("In 2005, what was it?", EntityKind.NUMBER, "2005"),
        ("Does Nebari run?", EntityKind.NAME, "Nebari"),
    ],
)
def test_entities_are_found(text: str, kind: EntityKind, expected: str) -> None:
    """Each with its kind, and as it is written."""
    (found,) = entities(text)
    assert (found.kind, found.text) == (kind, expected)


@pytest.mark.parametrize("text", ["What is it?", "How do I do that?", "Should I? Yes. Perhaps.", ""])
def test_capitals_of_sentences_are_no_names(text: str) -> None:
    """Neither is I."""
    assert entities(text) == ()


@given(st.text(max_size=300))
def test_entities_are_parts_of_the_text(text: str) -> None:
    """Whatever the text."""
    assert all(entity.text in text for entity in entities(text))


# Complexity and the shortcut


@pytest.mark.parametrize(
    ("question", "complexity"),
    [
        ("What is the deductible?", ()),
        ("What differentiates them?", ()),
        ("Compare the plans step by step", ("compare", "step by step")),
        ("What is it? And what does it cost?", ("several questions",)),
        ("See https://example.org/?a=b?c for it", ()),
        ("word " * 31, ("long",)),
    ],
)
def test_complexity_is_said(question: str, complexity: tuple[str, ...]) -> None:
    """By whole words, by question marks, by length."""
    assert understand(question).complexity == complexity
    assert understand(question).is_complex == bool(complexity)


def test_a_question_of_code_alone_is_searched_as_it_is() -> None:
    """There is no language to embed."""
    question = "```\nSELECT 1;\n```"
    assert (understand(question).language_text, understand(question).search_text) == ("", question)
    assert understand("What is `x`?").search_text == "What is x?"


def test_a_clear_best_passage_makes_a_simple_question_sure() -> None:
    """Both legs must agree, and another document must be behind."""
    best = passage(score=0.9, scores={"vector_rank": 1, "text_rank": 1})
    same = passage(score=0.89, position=1)
    other = passage(uri="wheel.md", score=0.9 - AHEAD - 0.01)
    simple = understand("What does the pump lift?")
    assert is_sure(simple, [best, same, other])
    assert is_sure(simple, [best])
    assert not is_sure(simple, [])
    assert not is_sure(simple, [best, replace(other, score=0.85)])
    assert not is_sure(simple, [replace(best, scores=Scores(vector_rank=1)), other])
    assert not is_sure(understand("Compare pump and wheel"), [best, other])
    assert not is_sure(understand("Why? And how?"), [best, other])


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.",
        "/a",
        "`",
        "``a",
        "A ",
        "1.",
        "(",
        "a(",
        "_a",
        "aA",
        "'",
        "Traceback ",
        "~~~\n",
        "\n",
        "a=",
        "-",
        " at ",
    ],
)
def test_the_longest_questions_are_read(piece: str) -> None:
    """For any repetition: no text is lost; `test_growth` counts the work."""
    question = (piece * 4000)[:4000]
    assert understand(question).question == question


@pytest.mark.parametrize("line", [("a" * 990 + " ") * 4, ("a" * 60 + " ") * 65, "1 " * 1999])
def test_the_work_grows_with_the_question(line: str) -> None:
    """No question of the longest size holds up the others."""
    question = f"x\n{line}"
    assert understand(question).language_text
