"""The daily budget of a widget (INT-2): exact with many visitors at once, in two processes."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPConnection
from json import dumps, loads
from pathlib import Path
from uuid import uuid4

import pytest

from headwater.administration.visitors import begin_session, visitor_of
from headwater.administration.widgets import change_widget, create_widget
from headwater.answering import visitor_questions
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_tasks import FOR_VISITORS, AnswerTasks
from headwater.domain.widgets import Widget
from headwater.errors import BudgetSpentError, InvalidInputError, RateLimitedError
from tests.api_server import api_server
from tests.embedding_server import EmbeddingServer
from tests.paced import Paced
from tests.probe.conftest import serving
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"})

SITE = "https://docs.example.com"
VISITORS = 100
BUDGET = 20
_PRICED = "text-embedding-3-small"
_BUSY = ("RATE_LIMITED", "TOO_MANY_CONNECTIONS")
"""Too many at once: another stream, or connection, ends soon."""


def visit(port: int, widget: Widget, number: int) -> str:
    """Ask as one visitor, again while the server is busy; `answered`, or the code of the refusal."""
    headers = {
        "Origin": SITE,
        "Authorization": f"Bearer {begin_session(widget, SITE)}",
        "Content-Type": "application/json",
    }
    body = dumps({"question": f"How many litres does pump {number} lift per minute?"})
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        try:
            connection.request("POST", "/widget/v1/ask", body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        except ConnectionError:  # all connect at once, and the queue of the socket is shorter
            time.sleep(0.2)
            continue
        finally:
            connection.close()
        if response.status == 200:
            assert "event: done" in text, text
            return "answered"
        code = str(loads(text)["code"])
        if code not in _BUSY:
            return code
        time.sleep(0.2)


@pytest.mark.servers
def test_the_budget_is_exact_for_many_visitors_at_once(kb: Headwater, tmp_path: Path) -> None:
    """Half of them ask gunicorn, half another process: 20 are answered, 80 are told that the budget is spent."""
    limits = {"widget_per_minute": 100_000, "visitor_per_minute": 100_000, "questions_per_day": BUDGET}
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE], **limits})
    url = str(kb.settings.database_url)
    with api_server(kb.settings) as here, serving(tmp_path, url, kb.settings.cache) as there:
        ports = (int(here.url.rpartition(":")[2]), there.port)
        with ThreadPoolExecutor(VISITORS) as visitors:
            results = list(visitors.map(lambda number: visit(ports[number % 2], widget, number), range(VISITORS)))
    assert (results.count("answered"), results.count("BUDGET_SPENT")) == (BUDGET, VISITORS - BUDGET)
    assert kb.store.widget_questions.days(widget)[0].questions == BUDGET
    assert len(kb.query("SELECT FROM widget_questions")) == BUDGET
    assert kb.query("SELECT count(*) AS count FROM answers")[0]["count"] == BUDGET


def test_the_cost_counts_once_and_ends_the_day(kb: Headwater) -> None:
    """The cost of an answer is added when it has ended, once, also if its process was killed; the next day is free."""
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE], "cost_per_day": 2.5})
    visitor = visitor_of(kb.store, begin_session(widget, SITE), SITE)
    runs = AnswerTasks(kb.store, kb.settings)
    answers = [
        visitor_questions.ask(kb.store, runs, visitor, f"How many litres does pump {number} lift?")
        for number in range(2)
    ]
    for run in answers:
        run.result()
    kb.query("UPDATE answers SET usage = usage || '{\"cost\": 1.25}' WHERE id = %s RETURNING 1", answers[0].id)
    killed = (
        "UPDATE answers SET usage = usage || '{\"cost\": 1.25}', state = 'generating', saved_at = now() - %s::interval"
    )
    kb.query(f"{killed} WHERE id = %s RETURNING 1", "5 seconds", answers[1].id)
    assert [kb.store.widget_questions.days(widget)[0].cost for _ in range(2)] == [1.25, 1.25]
    kb.query(f"{killed} WHERE id = %s RETURNING 1", "2 minutes", answers[1].id)
    with pytest.raises(BudgetSpentError) as caught:
        visitor_questions.ask(kb.store, runs, visitor, "How much oil?")
    assert 0 < (caught.value.retry_after or 0) <= 24 * 3600
    assert kb.store.widget_questions.days(widget)[0].cost == 2.5
    kb.query("UPDATE widget_days SET day = day - 1 RETURNING 1")
    visitor_questions.ask(kb.store, runs, visitor, "How much oil?").result()
    assert [(day.questions, day.cost) for day in kb.store.widget_questions.days(widget, 2)] == [(1, 0), (2, 2.5)]


def test_what_cannot_begin_costs_nothing(kb: Headwater) -> None:
    """A question that is refused before its answer begins is given back to the budget."""
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE], "questions_per_day": 1})
    visitor = visitor_of(kb.store, begin_session(widget, SITE), SITE)
    stopped = AnswerTasks(kb.store, kb.settings)
    stopped.stop()
    for question in ("", "How much oil?"):
        with pytest.raises(Exception, match=r"stopping|empty") as caught:
            visitor_questions.ask(kb.store, stopped, visitor, question)
        assert question or isinstance(caught.value, InvalidInputError)
    assert kb.store.widget_questions.days(widget)[0].questions == 0
    change_widget(kb.store, "kb", "docs", {"label": "Ask"})
    visitor_questions.ask(kb.store, AnswerTasks(kb.store, kb.settings), visitor, "How much oil?").result()


def test_visitors_leave_places_for_others(kb: Headwater) -> None:
    """However many visitors ask, others are answered; the visitor who is refused keeps the question of the budget."""
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE]})
    visitor = visitor_of(kb.store, begin_session(widget, SITE), SITE)
    runs, slow = AnswerTasks(kb.store, kb.settings), Paced()
    asked = AnswerRequest(knowledge_base=kb.knowledge_base, question="How many litres does the pump lift?")
    waiting = [
        runs.start(replace(asked, id=uuid4()), slow, is_followed=True, is_for_visitor=True) for _ in range(FOR_VISITORS)
    ]
    with pytest.raises(RateLimitedError):
        visitor_questions.ask(kb.store, runs, visitor, asked.question)
    assert kb.store.widget_questions.days(widget)[0].questions == 0
    assert "forty" in runs.start(replace(asked, id=uuid4())).result().answer
    slow.let(30 * FOR_VISITORS)
    for run in waiting:
        run.result()
    assert "forty" in visitor_questions.ask(kb.store, runs, visitor, asked.question).result().answer


def test_a_search_counts_what_its_vector_costs(headwater: Callable[..., Headwater], models: EmbeddingServer) -> None:
    """It takes no question from the budget, but it ends the budget in money as answers do."""
    kb = headwater(files={"pump.md": "# Pump\n\nThe pump lifts water.\n"}, embedding_model=f"openai/{_PRICED}")
    kb.sync()
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE], "cost_per_day": 1e-9})
    visitor = visitor_of(kb.store, begin_session(widget, SITE), SITE)
    for number in (1, 2):
        asked = len(models.requests)
        assert visitor_questions.search(kb.store, kb.settings, visitor, f"pump {number}", 5).passages
        assert len(models.requests) == asked + 1
    (day,) = kb.store.widget_questions.days(widget)
    assert day.questions == 0
    assert day.cost == pytest.approx(2 * 7 * 0.02 / 1_000_000)
    with pytest.raises(BudgetSpentError):
        visitor_questions.ask(
            kb.store, AnswerTasks(kb.store, kb.settings), visitor, "How much water does the pump lift?"
        )
