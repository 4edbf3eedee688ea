"""Another answerer than the one that quotes: what it gets, what it yields, what is kept (ANS-1).

Belongs here: the seam between evidence, answerer and record. Not here: quoting (`test_answers`).
"""

from collections.abc import Callable, Iterator

import pytest

from headwater.answering.answer_evidence import Evidence
from headwater.answering.answerer import Answerer
from headwater.answering.direct_answer import ask
from headwater.answering.events import Delta, Done, Event
from headwater.answering.question_reader import ReadQuestion
from headwater.answering.quote_text import compose
from headwater.answering.refusal import refuse
from headwater.domain.answers import Answer
from headwater.domain.usage import Usage
from headwater.errors import ModelUnavailableError
from headwater.quote.quotes import choose_quotes
from query_api.routes.answer_payloads import AnswerPayload
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
QUESTION = "How many litres of water does the pump lift per minute?"
BESIDE = "What is the capital of France?"

pytestmark = pytest.mark.synced(files=FILES)


class _Shouting:
    """Answers with its first passage, in two calls of a model that costs."""

    name = "toy/shouting"

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:  # noqa: ARG002 - the protocol's
        yield Usage(prompt_tokens=100, completion_tokens=1, cost=0.25)
        yield Delta(text="LISTEN: ")
        yield from compose(choose_quotes(evidence.question, evidence.passages, weights={}))
        yield Usage(prompt_tokens=10, completion_tokens=5, cost=0.5)
        yield Done()


class _Unwilling:
    """Finds no answer in its evidence."""

    name = "toy/unwilling"

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:  # noqa: ARG002 - the protocol's
        return refuse(evidence)


class _Breaking:
    """Breaks off after its first words."""

    name = "toy/breaking"

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:  # noqa: ARG002 - the protocol's
        yield Delta(text="The pump")
        if self._error:
            raise self._error


def _ask(kb: Headwater, question: str, answerer: Answerer) -> Answer:
    return ask(kb.store, kb.settings, kb.knowledge_base, question, answerer=answerer)


def test_an_answerer_is_one_class(kb: Headwater) -> None:
    """Its deltas are the text, its citations are stored with their lineage, and the costs of its calls add up."""
    answer = _ask(kb, QUESTION, _Shouting())
    assert answer.answer.startswith("LISTEN: ")
    assert answer.answer.endswith("forty litres of water per minute. [1]")
    assert (answer.model, answer.refused) == ("toy/shouting", False)
    spent = {"prompt_tokens": 110, "completion_tokens": 6, "cost": 0.75}
    assert dict(answer.usage) == {**spent, "stages": {"answering": {"model": "toy/shouting", **spent}}}
    assert {"search", "answer", "total"} <= answer.timings_ms.keys()
    assert [citation.uri for citation in answer.citations] == ["pump.md"]
    assert AnswerPayload.of(answer) == AnswerPayload.from_stored(kb.store.answers.get(answer.id))


def test_an_answerer_may_refuse(kb: Headwater) -> None:
    """With the reason that every refusal gives; the passages it was given are kept."""
    answer = _ask(kb, QUESTION, _Unwilling())
    assert (answer.refused, answer.reason, answer.citations) == (True, "nothing_relevant", ())
    assert [passage.uri for passage in answer.passages] == ["pump.md"]


def test_without_evidence_no_answerer_is_asked(kb: Headwater) -> None:
    """A question that no trusted passage is there for costs no call of a model (RET-7)."""
    answer = _ask(kb, BESIDE, _Breaking(ModelUnavailableError("It was asked.")))
    assert (answer.refused, answer.reason, answer.model) == (True, "nothing_relevant", "toy/breaking")


@pytest.mark.parametrize("error", [None, ModelUnavailableError("The model went away.")])
def test_an_answer_that_breaks_off_is_not_kept(kb: Headwater, error: Exception | None) -> None:
    """Neither when the model goes away nor when the events end without an end."""
    with pytest.raises((ModelUnavailableError, RuntimeError)):
        _ask(kb, QUESTION, _Breaking(error))
    assert kb.query("SELECT count(*) FROM answers")[0]["count"] == 0
