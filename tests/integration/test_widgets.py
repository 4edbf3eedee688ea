"""Widgets (INT-2): configuring them, and what visitors get over HTTP: nothing that is not public (SEC-1)."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from werkzeug.test import TestResponse

from cli.main import main
from headwater.administration.keys import create_key
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import read_file
from headwater.administration.sources import SourceEdit, add_source, change_source
from headwater.administration.visitors import begin_session, visitor_of
from headwater.administration.widgets import change_widget, create_widget, delete_widget
from headwater.answering import visitor_questions
from headwater.domain.access import Scope
from headwater.domain.widgets import Widget
from query_api.app import create_app
from query_api.widget.scripts import MODULES, SCRIPT, load_script
from tests.support import Headwater

pytestmark = pytest.mark.synced(
    files={
        "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n\n## Oil\n\nChange the oil in spring.\n"
    }
)
SITE = "https://docs.example.com"
QUESTION = "How many litres of water does the pump lift per minute?"
V1 = "/widget/v1"


@dataclass
class Page:
    """A page of some site that uses a widget."""

    client: FlaskClient
    widget: Widget
    origin: str = SITE
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        """Send a request as a browser does."""
        given = {"Origin": self.origin, "Sec-Fetch-Site": "cross-site", **self.headers, **headers}
        if self.token:
            given.setdefault("Authorization", f"Bearer {self.token}")
        return self.client.open(path, method=method, headers=given, json=body)

    def begin(self) -> "Page":
        """Begin a session."""
        response = self.send("POST", f"{V1}/sessions", {"widget": self.widget.id, "token": self.token})
        assert response.status_code == 200, response.text
        self.token = response.get_json()["token"]
        return self

    def ask(self, question: str = QUESTION, **more: Any) -> list[tuple[str, Any]]:
        """Ask; returns the events."""
        response = self.send("POST", f"{V1}/ask", {"question": question, **more})
        assert response.status_code == 200, response.text
        return events(response)


def events(response: TestResponse) -> list[tuple[str, Any]]:
    """The events of a stream: names and data."""
    found = []
    for block in response.text.split("\n\n"):
        lines: Mapping[str, str] = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@pytest.fixture
def page(kb: Headwater) -> Page:
    """A page with a session."""
    made = create_widget(kb.store, "kb", "docs", {"origins": [f"{SITE}/guide/"], "widget_per_minute": 1000})
    return Page(client=create_app(kb.settings).test_client(use_cookies=False), widget=made).begin()


def refused(response: TestResponse, status: int, code: str) -> None:
    """The response is a problem that no page of another site can read."""
    assert (response.status_code, response.get_json()["code"]) == (status, code), response.text
    assert "Access-Control-Allow-Origin" not in response.headers


def test_a_visitor_is_answered_and_reads_no_more_than_is_public(page: Page, kb: Headwater) -> None:
    """Blocks, citations with their passage, an end; no path, model, cost or id of ours; the same by its address."""
    found = page.ask()
    assert {name for name, _ in found} <= {"status", "block", "citation", "done"}
    done = found[-1][1]
    assert done["citations"][0]["text"].startswith("The pump lifts forty litres of water per minute.")
    assert done["citations"][0]["link"] is None  # a file of this machine
    text = json.dumps(found)
    for hidden in (str(kb.folder), "model", "usage", "cost", "uri", "document_id", "related", "score"):
        assert hidden not in text
    again = page.send("GET", f"{V1}/answers/{done['id']}/events")
    assert events(again)[-1] == ("done", done)
    assert again.headers["Access-Control-Allow-Origin"] == SITE
    assert "Access-Control-Allow-Credentials" not in again.headers
    assert again.headers["Vary"] == "Origin"
    served = page.ask()[-1][1]  # from the store, for another question
    assert served["id"] != done["id"]
    assert events(page.send("GET", f"{V1}/answers/{served['id']}/events"))[-1][1]["id"] == served["id"]
    results = page.send("POST", f"{V1}/search", {"query": "pump oil"}).get_json()["results"]
    assert [one["title"] for one in results] == ["Pump"]


def test_a_visitor_learns_no_path(page: Page, kb: Headwater) -> None:
    """A refusal names no document, also when it is read again; a document without a title is called by its file."""
    folder = kb.folder / "files"
    (folder / "customers" / "acme").mkdir(parents=True)
    (folder / "customers" / "acme" / "offer.txt").write_text("The turbine lifts ninety litres of water per minute.\n")
    add_source(kb.store, "kb", "files", kind="folder", config={"path": str(folder)})
    kb.sync()
    ours = page.client.post(
        "/api/v1/knowledge-bases/kb/answers",
        json={"question": "Which colour has the carpet beside the turbine in Oslo?"},
    )
    assert "offer.txt" in ours.get_json()["answer"]
    answered = page.ask("How many litres does the turbine lift per minute?")
    refusal = page.ask("Which colour has the carpet beside the turbine in Oslo?")
    again = events(page.send("GET", f"{V1}/answers/{refusal[-1][1]['id']}/events"))
    other = Page(client=create_app(kb.settings).test_client(use_cookies=False), widget=page.widget, token=page.token)
    stored = events(other.send("GET", f"{V1}/answers/{refusal[-1][1]['id']}/events"))
    for found in (refusal, again, stored):
        assert [data["html"] for name, data in found if name == "block"] == [
            "<p>The documents do not answer this question.</p>\n"
        ]
        assert found[-1][1]["refused"]
    assert answered[-1][1]["citations"][0]["title"] == "offer.txt"
    search = page.send("POST", f"{V1}/search", {"query": "turbine"}).text
    assert "offer.txt" in search
    assert "acme" not in json.dumps([answered, refusal, again, stored]) + search


def test_only_listed_origins_get_a_session(page: Page, kb: Headwater) -> None:
    """Another origin, none, or an opaque one gets 403 and no headers of CORS, nor does its preflight."""
    for origin in (
        "https://evil.example",
        "http://docs.example.com",
        "https://docs.example.com.evil.example",
        "null",
        "",
    ):
        stranger = Page(client=page.client, widget=page.widget, origin=origin)
        refused(stranger.send("POST", f"{V1}/sessions", {"widget": page.widget.id}), 403, "FORBIDDEN")
        refused(stranger.send("GET", f"{V1}/widgets/{page.widget.id}"), 403, "FORBIDDEN")
        refused(stranger.send("OPTIONS", f"{V1}/ask"), 403, "ORIGIN_NOT_ALLOWED")
    allowed = page.send("OPTIONS", f"{V1}/ask")
    assert (allowed.status_code, allowed.headers["Access-Control-Allow-Origin"]) == (204, SITE)
    refused(page.send("POST", f"{V1}/sessions", {"widget": "wdg_" + "0" * 16}), 404, "NOT_FOUND")
    # A page of ours, such as the preview, may; but not at a name that an attacker can point at this machine.
    ours = Page(client=page.client, widget=page.widget, origin="http://localhost").begin()
    assert ours.ask()[-1][0] == "done"
    rebound = Page(
        client=page.client, widget=page.widget, origin="http://evil.example", headers={"Host": "evil.example"}
    )
    refused(rebound.send("POST", f"{V1}/sessions", {"widget": page.widget.id}), 403, "FORBIDDEN")
    create_key(kb.store, "first", Scope.ADMIN)  # visitors need no key, whatever others need
    assert page.ask()[-1][0] == "done"


def test_a_listed_page_can_read_why_its_body_is_refused(page: Page) -> None:
    """Too large, not JSON, compressed, not an object, or with a NUL: refused before the session is looked at."""
    bodies: tuple[tuple[bytes, str, int], ...] = (
        (b'{"question": "%s"}' % (b"x" * 1_000_001), "application/json", 413),
        (b"question=pump", "text/plain", 415),
        (b'{"question": "pump', "application/json", 400),
        (b'["pump"]', "application/json", 422),
        (b'{"question": "pump\\u0000"}', "application/json", 422),
    )
    for body, kind, status in bodies:
        for origin in (SITE, "https://evil.example", ""):
            headers = {"Origin": origin, "Content-Type": kind, "Authorization": f"Bearer {page.token}"}
            for path in ("ask", "search", "sessions"):
                response = page.client.post(f"{V1}/{path}", data=body, headers=headers)
                assert response.status_code == status, response.text
                assert response.headers.get("Access-Control-Allow-Origin") == (origin if origin == SITE else None)
                assert "Origin" in response.headers["Vary"]


def test_a_token_is_worth_something_here_alone(page: Page, kb: Headwater) -> None:
    """Tampered, signed by another widget, from another origin, expired, or at another address: refused."""
    other = create_widget(kb.store, "kb", "other", {"origins": [SITE, "https://two.example"]})
    body = {"query": "pump"}
    foreign = begin_session(other, SITE)
    signed = foreign.split(".", 1)[1]
    elsewhere = begin_session(other, "https://two.example")
    plain = URLSafeTimedSerializer(b"guess", salt="widget").dumps({"origin": SITE, "visitor": "x"})
    wrong = (
        f"{page.widget.id}.{signed}",
        page.token[:-2] + "AA",
        f"{page.widget.id}.{plain}",
        elsewhere,
        "x",
        page.widget.id,
    )
    for token in wrong:
        refused(page.send("POST", f"{V1}/search", body, Authorization=f"Bearer {token}"), 401, "UNAUTHENTICATED")
    stolen = Page(client=page.client, widget=page.widget, origin="https://evil.example", token=page.token)
    refused(stolen.send("POST", f"{V1}/search", body), 403, "FORBIDDEN")
    refused(Page(client=page.client, widget=page.widget).send("POST", f"{V1}/search", body), 401, "UNAUTHENTICATED")
    key = create_key(kb.store, "admin", Scope.ADMIN).text
    refused(page.send("POST", f"{V1}/search", body, Authorization=f"Bearer {key}"), 401, "UNAUTHENTICATED")
    app = create_app(kb.settings).test_client(use_cookies=False)
    for path in ("/api/v1/knowledge-bases", "/v1/models", "/api/v1/keys"):
        assert app.get(path, headers={"Authorization": f"Bearer {page.token}"}).status_code == 401


def test_an_expired_token_is_renewed_for_the_same_visitor(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an hour the page may know that it expired; another session keeps the visitor; after a day it does not."""
    mine = page.ask()[-1][1]["id"]
    clock = URLSafeTimedSerializer.default_signer.get_timestamp
    later = [3601]
    monkeypatch.setattr(URLSafeTimedSerializer.default_signer, "get_timestamp", lambda self: clock(self) + later[0])
    expired = page.send("GET", f"{V1}/answers/{mine}/events")
    assert (expired.status_code, expired.get_json()["code"]) == (401, "SESSION_EXPIRED")
    assert expired.headers["Access-Control-Allow-Origin"] == SITE
    assert events(page.begin().send("GET", f"{V1}/answers/{mine}/events"))[-1][0] == "done"
    later[0] += 25 * 3600
    assert page.begin().send("GET", f"{V1}/answers/{mine}/events").status_code == 404


def test_a_change_of_the_widget_ends_tokens_at_once(page: Page, kb: Headwater) -> None:
    """Switched off, without the origin, deleted: each ends what was allowed; the answers stay, and the audit knows."""
    change_widget(kb.store, "kb", "docs", {"enabled": False})
    refused(page.send("POST", f"{V1}/search", {"query": "pump"}), 404, "NOT_FOUND")
    change_widget(kb.store, "kb", "docs", {"enabled": True, "origins": ["https://two.example"]})
    refused(page.send("POST", f"{V1}/search", {"query": "pump"}), 403, "FORBIDDEN")
    change_widget(kb.store, "kb", "docs", {"origins": [SITE]})
    mine = page.ask()[-1][1]["id"]
    delete_widget(kb.store, "kb", "docs")
    refused(page.send("POST", f"{V1}/search", {"query": "pump"}), 404, "NOT_FOUND")
    assert kb.store.answers.get(mine).state == "done"
    actions = [entry.action for entry in kb.store.audit.all(limit=10)]
    assert actions[:5] == ["widget.delete", "widget.change", "widget.change", "widget.change", "widget.create"]


def test_a_visitor_has_only_their_own_answers(page: Page, kb: Headwater) -> None:
    """Reading, stopping, judging and following up another's answer look as if it did not exist."""
    mine = page.ask()[-1][1]["id"]
    other = Page(client=page.client, widget=page.widget).begin()
    ours = page.client.post("/api/v1/knowledge-bases/kb/answers", json={"question": QUESTION, "fresh": True})
    for answer in (mine, ours.get_json()["id"]):
        for method, path, body in (
            ("GET", f"{V1}/answers/{answer}/events", None),
            ("POST", f"{V1}/answers/{answer}/cancel", {}),
            ("PUT", f"{V1}/answers/{answer}/feedback", {"vote": "down"}),
            ("POST", f"{V1}/ask", {"question": "And per hour?", "follows": answer}),
        ):
            assert other.send(method, path, body).status_code == 404, path
    followed = page.ask("And per hour?", follows=mine)[-1][1]["id"]
    assert "pump" in kb.store.answers.get(followed).search_text


def test_a_visitor_replaces_only_their_own_vote(page: Page, kb: Headwater) -> None:
    """A vote becomes the answer's feedback; one that somebody of ours gave stays."""

    def votes() -> list[tuple[str, str]]:
        return [(one.vote, one.comment) for one in kb.store.feedback.all(kb.knowledge_base)]

    mine = page.ask()[-1][1]["id"]
    for vote, comment in (("up", ""), ("down", "The unit is missing.")):
        sent_vote = page.send("PUT", f"{V1}/answers/{mine}/feedback", {"vote": vote, "comment": comment})
        assert sent_vote.status_code == 204, sent_vote.text
        assert votes() == [(vote, comment)]
    page.client.put(f"/api/v1/answers/{mine}/feedback", json={"vote": "down", "comment": "Checked."})
    other = Page(client=page.client, widget=page.widget).begin()
    for visitor, answer in ((page, mine), (other, other.ask()[-1][1]["id"])):
        assert visitor.send("PUT", f"{V1}/answers/{answer}/feedback", {"vote": "up"}).status_code == 204
        assert votes() == [("down", "Checked.")]
    assert kb.store.widget_questions.votes(page.widget) == (2, 0)


def test_a_visitor_who_left_too_early_reads_the_answer_that_served_the_question(page: Page, kb: Headwater) -> None:
    """One from the store, which is found under another id: known until the visitor comes back."""
    first = page.ask()[-1][1]
    left = page.send("POST", f"{V1}/ask", {"question": QUESTION})
    location = left.headers["Location"]
    left.close()
    assert first["id"] not in location
    again = page.send("GET", location)
    assert (again.status_code, events(again)[-1][0]) == (200, "done")
    mine = UUID(location.split("/")[-2])
    assert str(kb.query(f"SELECT answer_id FROM widget_questions WHERE id = '{mine}'")[0]["answer_id"]) == first["id"]


def test_private_sources_are_never_served(page: Page, kb: Headwater) -> None:
    """With the tag `private` a source is neither searched nor answered from, nor is an answer from it read again."""
    folder = kb.folder / "secret"
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n\nThe secret turbine lifts ninety litres of water per minute.\n")
    add_source(kb.store, "kb", "secret", kind="markdown_tree", config={"path": str(folder)})
    kb.sync()
    question = "How many litres does the secret turbine lift?"
    shown = page.ask(question)
    assert "ninety" in json.dumps(shown)
    mine, visitor = UUID(shown[-1][1]["id"]), visitor_of(kb.store, page.token, SITE)
    assert "ninety" in visitor_questions._history(kb.store, visitor, mine)[0].answer
    change_source(kb.store, "kb", "secret", SourceEdit(settings={"tags": ["private"]}))
    assert [(turn.question, turn.answer) for turn in visitor_questions._history(kb.store, visitor, mine)] == [
        (question, "")
    ]
    assert page.send("GET", f"{V1}/answers/{shown[-1][1]['id']}/events").status_code == 404  # nor from memory
    fresh = Page(client=create_app(kb.settings).test_client(use_cookies=False), widget=page.widget, token=page.token)
    assert fresh.send("GET", f"{V1}/answers/{shown[-1][1]['id']}/events").status_code == 404
    assert "ninety" not in json.dumps(page.ask(question))
    assert "ninety" not in page.send("POST", f"{V1}/search", {"query": question}).text


def test_the_words_of_an_error_are_not_for_visitors(page: Page, kb: Headwater) -> None:
    """A model that does not exist is named to nobody outside; the code stays."""
    broken = kb.knowledge_base.settings.model_copy(update={"answer_model": "no/model"})
    kb.store.knowledge_bases.update("kb", settings=broken)
    failed = page.send("POST", f"{V1}/ask", {"question": "What lifts?"})
    assert failed.status_code >= 400 or failed.text.count("event: error") == 1
    assert "no/model" not in failed.text
    assert "try again" in failed.text


def test_limits_by_visitor_and_address(page: Page, kb: Headwater) -> None:
    """A visitor's own limit does not touch others; the address counts all of its visitors, but not this machine's."""
    change_widget(kb.store, "kb", "docs", {"visitor_per_minute": 2, "address_per_minute": 3})
    for _ in range(2):
        assert page.send("POST", f"{V1}/search", {"query": "pump"}).status_code == 200
    stopped = page.send("POST", f"{V1}/search", {"query": "pump"})
    assert (stopped.status_code, stopped.get_json()["code"]) == (429, "RATE_LIMITED")
    assert stopped.headers["Access-Control-Allow-Origin"] == SITE
    statuses = []
    for _ in range(4):
        visitor = Page(client=page.client, widget=page.widget).begin()
        sent_from = visitor.client.post(
            f"{V1}/search",
            json={"query": "pump"},
            headers={"Origin": SITE, "Authorization": f"Bearer {visitor.token}"},
            environ_base={"REMOTE_ADDR": "192.0.2.7"},
        )
        statuses.append(sent_from.status_code)
    assert statuses == [200, 200, 200, 429]


def test_the_script_is_small_and_every_site_may_load_it(page: Page) -> None:
    """All files together are below 40 KB, the one that every page loads below 5; nothing else is served."""
    assert len(load_script(SCRIPT).encode()) < 5_000
    assert sum(len(load_script(name).encode()) for name in (SCRIPT, *MODULES)) < 40_000
    script = page.client.get("/widget.js", headers={"Host": "kb.example"})
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    for name in MODULES:
        assert f"/files/{'x'}/{name}".count("..") == 0
        found = page.client.get(f"{V1}/files/x/{name}")
        assert (found.status_code, found.headers["Access-Control-Allow-Origin"]) == (200, "*")
    for name in ("js/main.js", "css/headwater.css", "widget/launcher.js.map", "../app.py"):
        assert page.client.get(f"{V1}/files/x/{name}").status_code == 404


def test_a_file_configures_widgets(kb: Headwater) -> None:
    """The section creates and changes; the same file again changes nothing; without the section widgets stay."""
    path = kb.folder / "kb.yaml"
    head = "knowledge_base: {slug: kb, settings: {embedding_model: builtin/hash}}\n"
    path.write_text(
        head + "widgets:\n  - slug: docs\n    origins: [https://docs.example.com/a]\n    accent: '#AA0000'\n"
    )
    assert apply(kb.store, read_file(path)).widgets == {"docs": "created"}
    assert apply(kb.store, read_file(path)).widgets == {"docs": "unchanged"}
    assert kb.store.widgets.get("kb", "docs").settings.accent == "#aa0000"
    made = kb.store.widgets.get("kb", "docs").id
    path.write_text(path.read_text().replace("#AA0000", "#00aa00"))
    assert apply(kb.store, read_file(path)).widgets == {"docs": "changed"}
    assert kb.store.widgets.get("kb", "docs").id == made
    path.write_text(head)
    assert apply(kb.store, read_file(path)).widgets == {}
    path.write_text(head + "widgets: []\n")
    assert apply(kb.store, read_file(path)).widgets == {"docs": "unlisted"}
    assert apply(kb.store, read_file(path), prune=True).widgets == {"docs": "deleted"}
    path.write_text(head + "widgets:\n  - slug: docs\n    origins: ['*']\n")
    with pytest.raises(Exception, match=r"kb\.yaml:4: widgets\[0\]\.origins\[0\]: would let every site"):
        read_file(path)


def test_the_api_configures_widgets(kb: Headwater) -> None:
    """Make, list, read, change, delete; a wrong value says which field; the secret is in no response."""
    client = create_app(kb.settings).test_client()
    path = "/api/v1/knowledge-bases/kb/widgets"
    made = client.post(path, json={"slug": "docs", "origins": ["https://Docs.example.com/"]})
    assert made.status_code == 201
    assert made.get_json()["settings"]["origins"] == ["https://docs.example.com"]
    assert f'data-headwater-widget="{made.get_json()["id"]}"' in made.get_json()["snippet"]
    assert "secret" not in made.text
    assert client.post(path, json={"slug": "docs", "origins": [SITE]}).status_code == 409
    wrong = client.patch(f"{path}/docs", json={"origins": ["*"]})
    assert (wrong.status_code, "origins" in wrong.get_json()["detail"]) == (422, True)
    assert client.patch(f"{path}/docs", json={"questions_per_day": 7}).get_json()["settings"]["questions_per_day"] == 7
    assert [one["slug"] for one in client.get(path).get_json()["widgets"]] == ["docs"]
    assert client.delete(f"{path}/docs").status_code == 200
    assert client.get(f"{path}/docs").status_code == 404


def test_the_pages_show_what_is_in_the_database(kb: Headwater) -> None:
    """The use of today (UTC) and not of yesterday, the votes of 30 days and not older ones, and a spent budget."""
    client, path = create_app(kb.settings).test_client(), "/kb/kb/widgets"
    widget = create_widget(kb.store, "kb", "docs", {"origins": [SITE], "questions_per_day": 1200, "cost_per_day": 0.02})
    kb.query(
        "INSERT INTO widget_days SELECT %s, (now() AT TIME ZONE 'UTC')::date - ago, 1100 + ago, 0.004 + ago"
        " FROM generate_series(0, 1) AS ago RETURNING 1",
        widget.id,
    )
    kb.query(
        "INSERT INTO widget_questions (id, widget_id, visitor, answer_id, day, asked_at, cost, vote)"
        " SELECT gen_random_uuid(), %s, 'v', gen_random_uuid(), current_date, now() - days * interval '1 day', 0, vote"
        " FROM (VALUES (0, 'up'), (29, 'up'), (31, 'up'), (2, 'down'), (3, NULL)) AS v (days, vote) RETURNING 1",
        widget.id,
    )
    used = "1,100 of 1,200 questions, $0.0040 of $0.0200"
    assert used in client.get(path).text
    shown = client.get(f"{path}/docs").text
    assert used in shown
    assert "rated 2 answers as helpful and 1 as not helpful" in shown
    assert "The budget is spent" not in shown
    assert used in CliRunner().invoke(main, ["widgets", "show", "kb", "docs"]).stdout.replace(
        "1100 of 1200", "1,100 of 1,200"
    )
    kb.query("UPDATE widget_days SET questions = 1200 WHERE questions = 1100 RETURNING 1")
    assert "The budget is spent" in client.get(f"{path}/docs").text


def test_the_commands_print_where_headwater_runs(kb: Headwater) -> None:
    """The address of the `headwater up` that runs for this home; once it has ended, the one in the settings."""

    def printed(*words: str) -> str:
        done = CliRunner().invoke(main, ["widgets", *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    create_widget(kb.store, "kb", "docs", {"origins": [SITE]})
    pid_file = kb.settings.home / "up.pid"
    with subprocess.Popen([sys.executable, "-c", "input()", "headwater", "up"], stdin=subprocess.PIPE) as running:
        addresses = ("http://127.0.0.1:9601", "http://127.0.0.1:9600", "http://127.0.0.1:9600", "http://127.0.0.1:9601")
        pid_file.write_text("\n".join((str(running.pid), *addresses)))
        assert 'src="http://127.0.0.1:9600/widget.js"' in printed("create", "kb", "more", "--origin", SITE)
        for words in (("snippet",), ("show",), ("edit", "--label", "Ask us")):
            assert 'src="http://127.0.0.1:9600/widget.js"' in printed(words[0], "kb", "docs", *words[1:])
        assert "http://127.0.0.1:9600" in json.loads(printed("snippet", "kb", "docs", "--json"))["policy"]
        assert running.stdin is not None
        running.stdin.close()
    assert f'src="{kb.settings.api_url}/widget.js"' in printed("snippet", "kb", "docs")
    pid_file.unlink()
