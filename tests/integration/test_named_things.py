"""Broad questions about what documents say in passing, keep in tables, or head in other ways (SUM-4)."""

from collections.abc import Callable

from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from tests.support import Headwater


def _ask(kb: Headwater, question: str) -> AssembledAnswer:
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=question)
    answerer = choose_answerer(kb.store, kb.settings, kb.knowledge_base.settings)
    return fold(AnswerMaker(kb.store, kb.settings, request, answerer).events())


def test_a_side_that_a_document_of_the_other_speaks_of_is_not_missing(headwater: Callable[..., Headwater]) -> None:
    """Nobody writes a page about each word that another page compares with its own."""
    text = "# The old hopper\n\nThe hopper holds more than the chute, and it is wider.\n"
    files = {"docs/hopper.md": text, "docs/bell.md": "# Bell\n\nThe bell rings at noon.\n"}
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "What is the difference between the hopper and the chute?")
    assert "The hopper holds more than the chute" in answer.text
    assert "Nothing in these documents" not in answer.text


def test_the_forms_of_one_table_are_not_its_members(headwater: Callable[..., Headwater]) -> None:
    """Of mills.md and mills.txt, none is a mill; of the pages of a folder, each is."""
    table = {f"docs/data/mills.{ending}": "They turn.\n" for ending in ("md", "mdx", "markdown", "txt")}
    pages = {f"docs/wheels/{name}.md": f"# {name}\n\nIt turns.\n" for name in ("Ada", "Birch", "Corby")}
    pages |= {f"docs/releases/1.{number}.md": f"# Release 1.{number}\n\nIt turns.\n" for number in range(4)}
    kb = headwater("docs", files={**table, **pages}, summary_model="builtin/extractive")
    kb.sync()
    assert not _ask(kb, "How many mills are there?").text.startswith("**4")
    assert _ask(kb, "How many wheels are there?").text.startswith("**3 documents** in wheels:")
    assert _ask(kb, "How many releases are there?").text.startswith("**4 documents** in releases:")


def test_a_change_log_with_underlined_headings_names_its_versions(headwater: Callable[..., Headwater]) -> None:
    """The line below a heading is no change, nor are links to all changes and thanks."""
    changes = """CHANGELOG
=========

2.5.0
-----

([full changelog](https://mill.example/compare/2.4...2.5))

- The mill grinds rye.

### Contributors to this release

The following people helped.

@ada ([activity](https://mill.example/ada)) | @bo ([activity](https://mill.example/bo))

2.4.0
-----

- The bell rings again.
"""
    kb = headwater(slug="noted", files={"changes.md": changes}, summary_model="builtin/extractive")
    kb.sync()
    said = _ask(kb, "What changed in 2.5?").text
    assert said == "About 2.5, these documents say:\n\n- **2.5.0**: The mill grinds rye. [1]"


def test_the_sentence_that_introduces_may_begin_with_a_link(headwater: Callable[..., Headwater]) -> None:
    """What a thing does besides was not the first that is said of it."""
    text = (
        "# [Gristly](https://mill.example)\n\n[![Build](https://mill.example/b.svg)](https://mill.example/b)\n\n"
        "Gristly also provides a bell.\n\nWith [Gristly](https://mill.example) you can grind oats and rye at home.\n"
    )
    kb = headwater(slug="noted", files={"README.md": text}, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "What is this?")
    assert answer.text.startswith("With Gristly you can grind oats and rye at home. [1]")


def test_when_a_version_was_released_is_said_beside_its_number(headwater: Callable[..., Headwater]) -> None:
    """Another version, or one without a date, says nothing of it."""
    text = "# Mill\n\n## Releases\n\n{0}\n\n## Bell\n\nThe bell was released into the yard of the mill.\n"
    told = "Version 0.50.0 of the mill was released on 3 May 2024. Since 0.24.0, releases have a bell."
    kb = headwater("docs", files={"docs/mill.md": text.format(told)}, summary_model="builtin/extractive")
    kb.sync()
    assert "3 May 2024" in _ask(kb, "When was 0.50.0 released?").text
    kb.write("docs/mill.md", text.format("Since 0.24.0, releases of the mill have a bell. 0.50.0 was the loudest."))
    kb.sync()
    assert _ask(kb, "When was 0.50.0 released?").reason is not None
