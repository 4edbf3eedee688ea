"""Turns of conversations that can be read in two ways (CNV-1, RET-4).

Belongs here: which reading is chosen by what is found, what a turn gets of the ones before, and a model that repeats
one. Not here: the rules (tests/unit/test_follow_ups).
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.answering.record import record
from headwater.domain.answers import Answer, Turn
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from tests.chat_server import ChatServer
from tests.support import Headwater

FILES = {
    f"{name}.md": f"# {name.capitalize()}\n\n## Start\n\n{start}\n\n## Cost\n\nThe {name} costs {cost} euros a year.\n"
    for name, start, cost in (
        ("pump", "To start the pump, open the valve and press the green button.", 300),
        ("mill", "To start the mill, lift the gate of the sluice.", 500),
        ("kiln", "To start the kiln, light the gas burner with a long match.", 700),
        ("crane", "To start the crane, release the brake of the winch.", 900),
    )
} | {
    "firing.md": "# Firing the kiln\n\n## Start of the firing\n\nStart the kiln slowly.\n\n## Kiln sitter\n\nStart the "
    "kiln with the sitter set.\n\n## Night\n\nNever start the kiln at night.\n",
    "badge.md": "# Badge\n\nTo replace a lost badge, ask the porter at the gate for a form with a stamp.\n",
}

pytestmark = pytest.mark.synced(files=FILES)


def make_answer(
    kb: Headwater, question: str, history: Sequence[Turn] = (), **own_settings: object
) -> tuple[AnswerMaker, Answer]:
    """An answer to a question behind others, with some settings of the knowledge base's own."""
    settings = KnowledgeBaseSettings.model_validate({**kb.knowledge_base.settings.model_dump(), **own_settings})
    base = replace(kb.knowledge_base, settings=settings)
    request = AnswerRequest(knowledge_base=base, question=question, history=tuple(history))
    making = AnswerMaker(kb.store, kb.settings, request, choose_answerer(kb.store, kb.settings, settings))
    return making, record(kb.store, making)


def _turn(made: tuple[AnswerMaker, Answer]) -> Turn:
    making, answer = made
    assert making.read is not None
    documents = tuple(citation.document_id for citation in answer.citations)
    return Turn(
        question=answer.question, answer=answer.answer, search_text=making.read.search_text, documents=documents
    )


def test_what_is_found_decides_what_an_open_turn_is_about(kb: Headwater) -> None:
    """A turn whose words only another document holds finds it; otherwise it stays with its subject (RET-4)."""
    started = _turn(make_answer(kb, "How do I start the kiln?"))
    night = Turn(question="Should I never start firing the kiln slowly at night with the kiln sitter set?")
    making, answer = make_answer(kb, "what if my badge is lost", [night])
    assert making.read is not None
    assert making.read.search_text == "what if my badge is lost"
    assert answer.citations[0].uri == "badge.md"
    making, answer = make_answer(kb, "which euros must we pay", [started])
    assert making.read is not None
    assert making.read.search_text.endswith("kiln")
    assert answer.citations[0].uri == "kiln.md"


def test_a_question_is_not_refused_for_what_was_asked_before_it(kb: Headwater) -> None:
    """Behind a question that no document answers, one that they answer is read alone (RET-4)."""
    making, answer = make_answer(
        kb, "How do I start the kiln?", [Turn(question="Who won the football match in Lisbon?")]
    )
    assert making.read is not None
    assert making.read.search_text == "How do I start the kiln?"
    assert answer.citations[0].uri == "kiln.md"


def test_a_question_without_turns_before_it_is_searched_for_once(kb: Headwater) -> None:
    """As it was asked (RET-4)."""
    making, _ = make_answer(kb, "who can replace a lost badge")
    assert making.read is not None
    assert (making.read.search_text, making.read.alone, making.read.unsaid) == (
        "who can replace a lost badge",
        None,
        "",
    )


def test_the_documents_cited_last_come_first(kb: Headwater) -> None:
    """Of passages that are alike, that of the document which the last answer cites (RET-4)."""
    first = Turn(question="What is there?", search_text="What is there?")
    for uri in ("mill.md", "crane.md"):
        (document_id,) = {
            citation.document_id
            for citation in make_answer(kb, f"How do I start the {uri.removesuffix('.md')}?")[1].citations
        }
        making, _ = make_answer(kb, "how much does it cost?", [replace(first, documents=(document_id,))])
        assert making.evidence is not None
        assert making.evidence.passages[0].uri == uri
        assert making.evidence.passages[0].scores.boost > 1


def test_a_model_that_repeats_an_earlier_question_is_not_followed(kb: Headwater, chat: ChatServer) -> None:
    """Its text lacks the words of the turn, so the rules stay (RET-4)."""
    chat.by_model["cheap"] = '{"search_text": "How do I start the kiln?", "grades": []}'
    making, _ = make_answer(
        kb, "and its yearly cost in euros?", [Turn(question="How do I start the kiln?")], cheap_model="openai/cheap"
    )
    assert making.read is not None
    assert making.read.search_text == "and its yearly cost in euros? start kiln"
