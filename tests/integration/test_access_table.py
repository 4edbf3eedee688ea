"""Every route for every kind of caller; what a caller may not see looks as if it were not there (API-6)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from headwater.administration.deletion import delete_source
from headwater.administration.golden_sets import add_golden_questions
from headwater.administration.keys import create_key
from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.administration.sources import add_source
from headwater.administration.widgets import create_widget
from headwater.domain.access import Scope
from headwater.domain.evaluations import GoldenQuestion
from query_api.app import create_app
from query_api.guards.hosts import READING
from query_api.guards.route_facts import RouteFacts, facts_of
from query_api.guards.visibility import kind_of
from tests.support import Headwater

pytestmark = pytest.mark.synced(
    files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"},
    summary_model="builtin/extractive",
)

EVIL = {"Origin": "https://evil.example"}
OURS = {"Sec-Fetch-Site": "same-origin"}
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
WRONG = f"hw_aaaaaaaa_{'a' * 43}"
WITHOUT_FILES = ("originals.get_original", "uploads.get_file", "uploads.list_files")
"""What a source of a folder does not have."""
_NEEDED = {"links.get_symbol": "?name=pump", "links.draw_symbol": "?name=pump"}
"""What a route cannot do without."""
_NOTHING = "00000000-0000-0000-0000-000000000007"
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, kw_only=True)
class World:
    """The app, its keys, a session, and the ids of what the knowledge base `kb` has."""

    client: FlaskClient
    keys: dict[str, str]
    session: str
    ids: dict[str, Any]

    def send(
        self, method: str, path: str, headers: Mapping[str, str] = NO_HEADERS, *, key: str = "", cookie: bool = False,
        json: Any = None,
    ) -> TestResponse:  # fmt: skip
        """Send a request, with a key or the session's cookie."""
        sent = dict(headers)
        if key:
            sent["Authorization"] = f"Bearer {key}"
        if cookie:
            sent["Cookie"] = f"headwater_session={self.session}"
        return self.client.open(path, method=method, headers=sent, json=json)


@pytest.fixture
def world(kb: Headwater) -> World:
    """`kb` with an answer, a conversation, feedback, a golden question, a sync, a deletion; and `other`, without."""
    create_knowledge_base(kb.store, "other")
    create_widget(kb.store, "kb", "docs", {"origins": ["https://docs.example.com"]})
    add_source(kb.store, "kb", "old", kind="jsonl", config={"path": str(kb.folder / "old.jsonl")})
    deletion = delete_source(kb.settings, kb.store, "kb", "old")
    (question,) = add_golden_questions(kb.store, "kb", [GoldenQuestion(question="What lifts?", unanswerable=True)])
    client = create_app(kb.settings).test_client()
    answer = client.post("/api/v1/knowledge-bases/kb/answers", json={"question": "How many litres?"}).get_json()
    talk = client.post("/api/v1/knowledge-bases/kb/conversations", json={}).get_json()
    client.put(f"/api/v1/answers/{answer['id']}/feedback", json={"vote": "up"})
    passage = client.post("/api/v1/knowledge-bases/kb/search", json={"query": "pump", "group_by": "passage"})
    found = passage.get_json()["passages"][0]
    keys = {
        "other": create_key(kb.store, "other", Scope.READ, knowledge_bases=["other"]).text,
        "narrow": create_key(kb.store, "narrow", Scope.ADMIN, knowledge_bases=["other"]).text,
        "own": create_key(kb.store, "own", Scope.ADMIN, knowledge_bases=["kb"]).text,
        "read": create_key(kb.store, "read", Scope.READ).text,
        "bot": create_key(kb.store, "bot", Scope.BOT).text,
        "write": create_key(kb.store, "write", Scope.WRITE).text,
        "admin": create_key(kb.store, "admin", Scope.ADMIN).text,
    }
    app = create_app(kb.settings)  # the first one believes for a second that there is no key
    opened = app.test_client(use_cookies=False)
    logged_in = opened.post("/login", data={"key": keys["admin"]}, headers=OURS)
    session = str(logged_in.headers["Set-Cookie"]).split(";")[0].removeprefix("headwater_session=")
    ids = {
        "answers": answer["id"],
        "chunks": found["chunk_id"],
        "conversations": talk["id"],
        "deletions": deletion.id,
        "document-versions": found["document_version_id"],
        "documents": found["document_id"],
        "golden": question.id,
        "summary-nodes": kb.store.summaries.nodes(kb.source("docs"), depth=0, limit=1)[0].id,
        "syncs": kb.store.sync_history.all()[0].id,
    }
    return World(client=opened, keys=keys, session=session, ids=ids)


def path_of(rule: Rule, world: World | None) -> str:
    """The path to something of `kb`; to nothing at all if `world` is None."""
    part = rule.rule.removeprefix("/api/v1/").split("/")[0]
    is_number = part in ("syncs", "deletions") or ("kb" in rule.arguments and "id" in rule.arguments)
    found: Any = 10**6 if is_number else _NOTHING
    if world is not None:
        found = world.ids.get(part, world.ids["golden"])
    values = {"kb": "kb" if world else "nothing", "source": "docs", "name": "pump.md", "id": found}
    values |= {"version": "1", "filename": "index.css", "token": "none"}
    values |= {"widget": "docs" if world else "nothing", "sync": world.ids["syncs"] if world else 10**6}
    values |= {"platform": "slack", "workspace": "T1", "channel": "C1"}
    for name, of in (
        ("conversation_id", "conversations"),
        ("answer_id", "answers"),
        ("version_id", "document-versions"),
        ("document_id", "documents"),
        ("node_id", "summary-nodes"),
    ):
        values[name] = world.ids[of] if world else _NOTHING
    return _PARAMETER.sub(lambda match: str(values[match.group(1)]), rule.rule)


def cases(client: FlaskClient) -> list[tuple[Rule, str]]:
    """Every route with each of its methods."""
    rules = sorted(client.application.url_map.iter_rules(), key=lambda rule: rule.rule)
    return [(rule, method) for rule in rules for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})]


def expected(rule: Rule, facts: RouteFacts, method: str) -> dict[str, int | None]:
    """The status for each kind of caller; None if the route itself decides."""
    scope, is_reading = facts.scope, method in READING
    is_form = facts.body == "form"
    forged = None if is_reading else 403
    if rule.endpoint.startswith("widget."):  # a token instead of a key, and an origin; no caller here has one
        lacking = None if facts.visitors == "origin" else 401
        every = (
            "no key",
            "wrong key",
            "other's key",
            "narrow admin",
            "read",
            "bot",
            "write",
            "admin",
            "session",
            "forged",
        )
        return dict.fromkeys(every, lacking)
    if scope is Scope.OPEN:
        alone = None if is_reading else 403  # a form of the login page, which says no origin here
        names = ("no key", "wrong key", "other's key", "narrow admin", "read", "bot", "write", "admin")
        return {**dict.fromkeys(names, alone), "session": None, "forged": forged}
    if kind_of(rule, facts) is not None:
        narrow: int | None = 404
    else:
        assert facts.about is not None, f"{rule}: say with `allow` what it is about"
        narrow = None if facts.about == "visible" else 403
    other = 403 if narrow is None and is_form and not is_reading else narrow  # a form comes from a page of ours
    return {
        "no key": 401,
        "wrong key": 401,
        "other's key": other if scope is Scope.READ else 403,
        "narrow admin": other,
        "read": None if scope is Scope.READ and (is_reading or not is_form) else 403,
        "bot": None if scope in (Scope.READ, Scope.BOT) and (is_reading or not is_form) else 403,
        "write": 403 if scope in (Scope.ADMIN, Scope.BOT) or (is_form and not is_reading) else None,
        "admin": 403 if is_form and not is_reading else None,  # a form comes from a page of ours
        "session": None,
        "forged": forged,
    }


def test_every_route_for_every_caller(world: World) -> None:
    """No key, a wrong one, a key to another knowledge base, read, bot, write, admin, a session, a forged Origin.

    A new route that does not say what it is about fails here. Callers that are let in ask for what does
    not exist, so that nothing is changed.
    """
    wrong = []
    for rule, method in cases(world.client):
        facts = facts_of(world.client.application, rule.endpoint)
        real, nothing = path_of(rule, world), path_of(rule, None)
        form = {"Content-Type": "application/x-www-form-urlencoded"} if facts.body == "form" else {}
        body: Any = None if method == "GET" or form else {}
        got = {
            "no key": world.send(method, real, form),
            "wrong key": world.send(method, real, key=WRONG, headers=form),
            "other's key": world.send(method, real, key=world.keys["other"], json=body, headers=form),
            "narrow admin": world.send(method, real, key=world.keys["narrow"], json=body, headers=form),
            "read": world.send(method, nothing, key=world.keys["read"], headers=form),
            "bot": world.send(method, nothing, key=world.keys["bot"], headers=form),
            "write": world.send(method, nothing, key=world.keys["write"], headers=form),
            "admin": world.send(method, nothing, key=world.keys["admin"], headers=form),
            "session": world.send(method, nothing, {**OURS, **form}, cookie=rule.endpoint != "login_page.log_out"),
            "forged": world.send(method, nothing, {**EVIL, **form}, cookie=True),
        }
        want = expected(rule, facts, method)
        for caller, response in got.items():
            status = response.status_code
            is_right = status == want[caller] if want[caller] else status not in (401, 403)
            if not is_right:
                wrong.append(
                    f"{method} {rule.rule}: {caller} got {status} instead of {want[caller]}: {response.text[:200]}"
                )
            if status >= 400 and rule.rule.startswith("/v1/"):
                assert "error" in response.get_json(), rule
            if status >= 400 and rule.rule == "/mcp":
                assert response.get_json()["jsonrpc"] == "2.0"
            if status == 401:
                assert response.headers["WWW-Authenticate"].startswith("Bearer")
            response.close()
    assert not wrong, "\n".join(wrong)


def test_what_belongs_to_others_looks_as_if_it_did_not_exist(world: World) -> None:
    """The same response, but for the id, as for something that no knowledge base has; its own key gets it."""
    seen = 0
    for rule, method in cases(world.client):
        if kind_of(rule, facts_of(world.client.application, rule.endpoint)) is None:
            continue
        real, nothing = path_of(rule, world), path_of(rule, None)
        theirs = world.send(method, real, key=world.keys["narrow"])
        missing = world.send(method, nothing, key=world.keys["narrow"])
        values = [(real_part, part) for real_part, part in zip(real.split("/"), nothing.split("/"), strict=True)]
        text = theirs.text
        for found, absent in values:
            text = text.replace(f" {found}.", f" {absent}.") if found != absent else text
        assert (theirs.status_code, text.replace(" kb.", " nothing.")) == (missing.status_code, missing.text), rule
        if method == "GET" and not rule.rule.startswith("/kb/"):
            own = world.send(method, real + _NEEDED.get(rule.endpoint, ""), key=world.keys["own"])
            assert own.status_code == 200 or rule.endpoint in WITHOUT_FILES, (rule, own.text)
            own.close()
            seen += own.status_code == 200
    assert seen > 20


def test_lists_and_bodies_name_only_visible_knowledge_bases(world: World) -> None:
    """Knowledge bases, the home page, syncs, deletions, feedback, models."""

    def got(path: str, key: str) -> Any:
        return world.send("GET", path, key=world.keys[key]).get_json()

    assert [one["slug"] for one in got("/api/v1/knowledge-bases", "other")["knowledge_bases"]] == ["other"]
    assert [one["slug"] for one in got("/api/v1/knowledge-bases", "read")["knowledge_bases"]] == ["kb", "other"]
    shown = [set(re.findall(r'href="/kb/(\w+)', world.send("GET", path, key=world.keys["other"]).text))
             for path in ("/", "/?find=kb")]  # fmt: skip
    assert shown == [{"other"}, set()]
    assert [one["id"] for one in got("/v1/models", "other")["data"]] == ["headwater/other"]
    assert world.send("GET", "/v1/models/headwater/kb", key=world.keys["other"]).status_code == 404
    for path, name in (("/api/v1/syncs", "syncs"), ("/api/v1/deletions", "deletions"),
                       ("/api/v1/feedback/statistics", "days")):  # fmt: skip
        assert got(path, "narrow")[name] == []
        assert got(path, "own")[name]
    for path in ("/api/v1/syncs?knowledge_base=kb", "/api/v1/feedback/statistics?knowledge_base=kb"):
        assert world.send("GET", path, key=world.keys["narrow"]).status_code == 404
    chat = {"model": "headwater/kb", "messages": [{"role": "user", "content": "How many litres?"}]}
    refused = world.send("POST", "/v1/chat/completions", key=world.keys["other"], json=chat)
    assert refused.get_json()["error"]["code"] == "model_not_found"
    assert world.send("POST", "/v1/context", key=world.keys["other"], json=chat).status_code == 404
    elsewhere = {"question": "And?", "conversation": world.ids["conversations"]}
    asked = world.send("POST", "/api/v1/knowledge-bases/other/answers", key=world.keys["other"], json=elsewhere)
    assert asked.status_code == 404


def test_tools_of_mcp_see_only_visible_knowledge_bases(world: World) -> None:
    """A list, a slug, a document version and a trace; a missing key is an error of the protocol."""

    def call(key: str, name: str, **arguments: Any) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        response = world.send("POST", "/mcp", key=world.keys[key], json=message)
        return str(response.get_json()["result"]["content"][0]["text"])

    assert "kb" not in call("other", "list_knowledge_bases").replace("knowledge", "")
    unknown = call("other", "search", knowledge_base="kb", query="pump")
    assert "There is no knowledge base kb. There are: other." in unknown
    assert "`kb`" not in world.send("GET", "/api/v1/knowledge-bases/kbb", key=world.keys["other"]).text
    assert "NOT_FOUND" in unknown
    version = world.ids["document-versions"]
    assert call("other", "read_document", document_version_id=version) == (
        f"There is no document version {version}. (NOT_FOUND)"
    )
    assert call("other", "trace", id=version).startswith("There is no answer, chunk, document version or summary")
    assert "forty litres" in call("read", "read_document", document_version_id=version)
    assert "[Pump]" in call("read", "trace", id=version)
    summary = world.ids["summary-nodes"]
    assert call("own", "trace", id=summary).startswith("summary ")
    assert call("other", "trace", id=summary).startswith("There is no answer, chunk, document version or summary")


def _talk(world: World, key: str) -> tuple[str, str]:
    """A conversation of a key with one turn; returns both ids."""
    talk = world.send("POST", "/api/v1/knowledge-bases/kb/conversations", key=world.keys[key], json={}).get_json()["id"]
    asked = {"question": "How many litres of water does the pump lift?", "conversation": talk}
    answer = world.send("POST", "/api/v1/knowledge-bases/kb/answers", key=world.keys[key], json=asked).get_json()
    return talk, answer["id"]


def test_a_conversation_is_read_by_its_own_key_and_by_administrators(world: World) -> None:
    """To every other key it looks as if it were not there: by its id, by those of its turns, in lists and on pages."""
    talk, turn = _talk(world, "read")
    mine = World(
        client=world.client, keys=world.keys, session="", ids={**world.ids, "conversations": talk, "answers": turn}
    )
    seen = 0
    for rule, method in cases(world.client):
        facts = facts_of(world.client.application, rule.endpoint)
        names = {"answer_id", "conversation_id"} & set(rule.arguments)
        if not names and kind_of(rule, facts) not in ("answer", "conversation"):
            continue
        form = {"Content-Type": "application/x-www-form-urlencoded", **OURS} if facts.body == "form" else {}
        got = world.send(method, path_of(rule, mine), form, key=world.keys["write"], json=None if form else {})
        if rule.endpoint != "evaluations.create_promotion":  # it takes a judged answer of any reader
            assert got.status_code == 404, (rule, got.text)
        if method == "GET":
            assert world.send(method, path_of(rule, mine), key=world.keys["read"]).status_code == 200, rule
            assert world.send(method, path_of(rule, mine), key=world.keys["own"]).status_code == 200, rule
            seen += 1
    assert seen >= 8
    kb = "/api/v1/knowledge-bases/kb"
    pinned = world.send("PATCH", f"/api/v1/conversations/{talk}", key=world.keys["read"], json={"pinned": True})
    assert pinned.get_json()["pinned"]
    for key, count in (("read", 1), ("write", 0), ("admin", 2), ("own", 2)):
        listed = world.send("GET", f"{kb}/conversations", key=world.keys[key]).get_json()["conversations"]
        assert len(listed) == count
        found = world.send("GET", f"{kb}/conversations?query=litres", key=world.keys[key]).get_json()["conversations"]
        assert len(found) == (key != "write")
        ids = [one["id"] for one in world.send("GET", f"{kb}/answers", key=world.keys[key]).get_json()["answers"]]
        assert (turn in ids) == (key != "write")
        paths = ("/kb/kb/chat", "/kb/kb/history", "/kb/kb/status")
        pages = [world.send("GET", path, key=world.keys[key]).text for path in paths]
        assert ["does the pump lift?" in page for page in pages] == [key != "write"] * 3
    trace = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "trace", "arguments": {"id": turn}}}
    for key in ("read", "write"):
        said = world.send("POST", "/mcp", key=world.keys[key], json=trace).get_json()["result"]["content"][0]["text"]
        assert ("There is no answer" in said) == (key == "write")
    further = {"question": "And?", "conversation": talk}
    assert world.send("POST", f"{kb}/answers", key=world.keys["write"], json=further).status_code == 404


def test_a_browser_reads_the_conversations_of_its_key_and_everybody_a_shared_one(world: World) -> None:
    """A session has those of the key that it was opened with; a link needs no key."""
    talk, turn = _talk(world, "write")
    logged_in = world.client.post("/login", data={"key": world.keys["write"]}, headers=OURS)
    cookie = {"Cookie": str(logged_in.headers["Set-Cookie"]).split(";")[0]}
    assert world.send("GET", f"/kb/kb/chat/{talk}", cookie).status_code == 200
    assert world.send("GET", f"/api/v1/answers/{turn}", cookie).status_code == 200
    page = world.send("PUT", f"/api/v1/conversations/{talk}/share", key=world.keys["write"]).get_json()["shared"]
    assert "How many litres" in world.send("GET", page).text


def test_callers_share_no_idempotency_key(world: World) -> None:
    """A repeat gets the first response of the same caller, never that of another one."""
    first = {"name": "first", "scope": "read"}
    again = {"Idempotency-Key": "one"}
    for key, title in (("read", "mine"), ("own", "yours")):
        path = "/api/v1/knowledge-bases/kb/conversations"
        made = [world.send("POST", path, again, key=world.keys[key], json={"title": title}) for _ in range(2)]
        assert [one.get_json()["title"] for one in made] == [title, title]
        assert "Idempotency-Replayed" in made[1].headers
    keys = [world.send("POST", "/api/v1/keys", again, key=world.keys["admin"], json=first) for _ in range(2)]
    assert keys[0].get_json()["key"] != keys[1].get_json()["key"]  # a secret is not kept


def test_a_session_changes_something_only_from_our_own_pages(world: World) -> None:
    """Without headers of a browser, or with those of another page, a cookie changes nothing; a key always may."""
    path, body = "/api/v1/knowledge-bases/kb/search", {"query": "pump"}
    for headers in ({}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Origin": "null"}, {"Origin": "http://localhost:3000"}):  # fmt: skip
        refused = world.send("POST", path, headers, cookie=True, json=body)
        assert (refused.status_code, refused.get_json()["code"]) == (403, "ORIGIN_NOT_ALLOWED"), headers
        assert world.send("POST", path, headers, key=world.keys["read"], json=body).status_code == 200
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}):
        assert world.send("POST", path, headers, cookie=True, json=body).status_code == 200
    assert world.send("GET", "/api/v1/keys", cookie=True).status_code == 200
