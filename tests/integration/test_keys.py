"""Keys, sessions, limits and the audit, over HTTP, by page and by command (API-6)."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cli.main import main
from cli.processes.session_guard import SessionGuard
from headwater.administration.audit_trail import audit_transaction
from headwater.administration.callers import Callers, make_link
from headwater.administration.keys import create_key, revoke_key, rotate_key
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec
from headwater.administration.knowledge_bases import change_knowledge_base, create_knowledge_base
from headwater.administration.sources import SourceEdit, add_source, change_source
from headwater.domain.access import Bucket, Scope
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import InvalidInputError, NotFoundError, RateLimitedError
from headwater.settings import Settings
from headwater.store.store import Store
from query_api.app import create_app
from tests.support import looking

KB = "/api/v1/knowledge-bases"
OURS = {"Sec-Fetch-Site": "same-origin"}
HTML = {"Accept": "text/html"}


def client_of(settings: Settings) -> FlaskClient:
    """A client of a new app, without a memory for cookies."""
    return create_app(settings).test_client(use_cookies=False)


def bearer(key: str) -> dict[str, str]:
    """The header of a key."""
    return {"Authorization": f"Bearer {key}"}


def cookie_of(response: TestResponse) -> dict[str, str]:
    """The header that sends a cookie back."""
    return {"Cookie": str(response.headers["Set-Cookie"]).split(";")[0]}


def command(*arguments: str, status: int = 0) -> Any:
    """What a command prints with --json."""
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == status, (done.output, done.exception)
    return json.loads(done.stdout)


def test_no_key_is_needed_until_there_is_one(settings: Settings, store: Store) -> None:
    """Then every request needs one; also after all are revoked, for a revocation must open nothing."""
    client = client_of(settings)
    assert client.get(KB).status_code == 200
    made = client.post("/api/v1/keys", json={"name": "first", "scope": "admin"})
    assert made.status_code == 201
    text = made.get_json()["key"]
    assert re.fullmatch(r"hw_[a-z0-9]{8}_[\w-]{43}", text)
    client.application.extensions["headwater"].callers._looked = float("-inf")  # a second later
    assert client.get(KB).status_code == 401
    assert client.get(KB, headers=bearer(text)).status_code == 200
    assert client.get(KB, headers={"Authorization": f"bearer {text}"}).status_code == 200
    for wrong in (text[:-1] + ("a" if text[-1] != "a" else "b"), text.upper(), text + "a", "hw_", "é", ""):
        assert client.get(KB, headers=bearer(wrong)).status_code == 401, wrong
    assert client.get(KB, headers={"Authorization": f"Basic {text}"}).status_code == 401
    assert client.delete(f"/api/v1/keys/{made.get_json()['id']}", headers=bearer(text)).status_code == 200
    assert client.get(KB, headers=bearer(text)).status_code == 401
    assert client_of(settings).get(KB).status_code == 401
    assert client.get("/health/live").status_code == 200


def test_only_a_hash_of_a_key_is_stored(settings: Settings, store: Store) -> None:
    """No table has the secret, and neither has a list; it is in no repr."""
    made = create_key(store, "one", Scope.READ)
    secret = made.text.split("_", 2)[2]
    assert secret not in repr(made)
    everything = str(
        looking(store.database.url).execute("SELECT k::text, a::text FROM api_keys k, audit_entries a").fetchall()
    )
    assert made.key.id in everything
    assert secret not in everything
    assert secret not in json.dumps(command("keys", "list"))
    admin = replace(settings, admin_key="a" * 40, metrics_token="b" * 40)
    assert "a" * 40 not in repr(admin)
    assert "b" * 40 not in repr(admin)


def test_keys_are_made_listed_rotated_and_revoked_by_command(settings: Settings, store: Store) -> None:
    """The old secret of a rotated key works for the chosen time; a revoked key cannot be rotated."""
    create_knowledge_base(store, "docs")
    made = command("keys", "create", "reader", "--kb", "docs", "--expires", "2099-01-01")
    assert (made["scope"], made["knowledge_bases"], made["state"]) == ("read", ["docs"], "active")
    client = client_of(settings)
    assert client.get(f"{KB}/docs", headers=bearer(made["key"])).status_code == 200
    rotated = command("keys", "rotate", made["id"], "--grace", "1")
    assert rotated["id"] == made["id"]
    for key in (made["key"], rotated["key"]):
        assert client.get(f"{KB}/docs", headers=bearer(key)).status_code == 200
    again = command("keys", "rotate", made["id"], "--grace", "0")
    statuses = [client.get(f"{KB}/docs", headers=bearer(one["key"])).status_code for one in (made, rotated, again)]
    assert statuses == [401, 401, 200]
    (listed,) = command("keys", "list")["keys"]
    assert listed["last_used_at"] is not None
    assert datetime.fromisoformat(listed["last_used_at"]).second == 0
    assert command("keys", "revoke", made["id"])["state"] == "revoked"
    assert client.get(f"{KB}/docs", headers=bearer(again["key"])).status_code == 401
    assert command("keys", "rotate", made["id"], status=1)["error"]["code"] == "CONFLICT"
    assert command("keys", "revoke", "nokeyyet", status=2)["error"]["code"] == "NOT_FOUND"
    command("keys", "create", "late", "--expires", "2020-01-01", status=2)
    command("keys", "create", "lost", "--kb", "nowhere", status=2)


def test_a_key_opens_nothing_else_when_its_knowledge_base_is_deleted(settings: Settings, store: Store) -> None:
    """It is still limited, to none; and it follows a new slug."""
    create_knowledge_base(store, "a")
    create_knowledge_base(store, "b")
    key = create_key(store, "narrow", Scope.READ, knowledge_bases=["a"]).text
    client = client_of(settings)
    change_knowledge_base(store, "a", new_slug="c")
    assert client.get(f"{KB}/c", headers=bearer(key)).status_code == 200
    looking(store.database.url).execute("DELETE FROM knowledge_bases WHERE slug = 'c'")
    assert client.get(KB, headers=bearer(key)).get_json()["knowledge_bases"] == []
    assert client.get(f"{KB}/b", headers=bearer(key)).status_code == 404
    with pytest.raises(InvalidInputError, match="at least one"):
        create_key(store, "none", Scope.READ, knowledge_bases=[])


def test_an_expired_key_is_refused(settings: Settings, store: Store) -> None:
    """From that moment on; its sessions end with it."""
    made = create_key(store, "brief", Scope.ADMIN, expires_at=datetime.now(UTC) + timedelta(hours=1))
    client = client_of(settings)
    session = cookie_of(client.post("/login", data={"key": made.text}, headers=OURS))
    assert client.get(KB, headers=session).status_code == 200
    looking(store.database.url).execute("UPDATE api_keys SET expires_at = now()")
    assert client.get(KB, headers=bearer(made.text)).status_code == 401
    assert client.get(KB, headers=session).status_code == 401
    assert command("keys", "list")["keys"][0]["state"] == "expired"


def test_the_key_of_the_environment_administers(settings: Settings, store: Store) -> None:
    """So that a server can be set up without a command in its container; its sessions end when it is changed."""
    own = "x" * 40
    client = client_of(replace(settings, admin_key=own))
    assert client.get(KB).status_code == 401
    assert client.post("/api/v1/keys", json={"name": "a"}, headers=bearer(own)).status_code == 201
    session = cookie_of(client.post("/login", data={"key": own}, headers=OURS))
    assert client.get("/api/v1/keys", headers=session).status_code == 200
    changed = client_of(replace(settings, admin_key="y" * 40))
    assert changed.get("/api/v1/keys", headers=session).status_code == 401
    assert command("audit")["changes"][0]["actor_id"] == "environment"


def test_a_browser_logs_in_and_out(settings: Settings, store: Store) -> None:
    """By a page that works without a script; the cookie cannot be read by one, and is only for this host."""
    key = create_key(store, "me", Scope.ADMIN).text
    client = client_of(settings)
    sent = client.get("/kb/a/sources?x=1", headers=HTML)
    assert (sent.status_code, sent.headers["Location"]) == (303, "/login?next=/kb/a/sources%3Fx%3D1")
    assert client.get("/", headers={"Accept": "application/json"}).status_code == 401
    page = client.get(sent.headers["Location"], headers=HTML)
    assert 'value="/kb/a/sources?x=1"' in page.text
    assert client.post("/login", data={"key": "hw_no"}, headers=OURS).status_code == 422
    assert client.post("/login", data={"key": key}).status_code == 403  # not from a page
    done = client.post("/login", data={"key": key, "next": "/keys"}, headers=OURS)
    assert (done.status_code, done.headers["Location"]) == (303, "/keys")
    cookie = done.headers["Set-Cookie"]
    assert cookie.startswith("headwater_session=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"} <= set(cookie.split("; "))
    for away in ("//evil.example", "https://evil.example", "/\\evil.example"):
        led = client.post("/login", data={"key": key, "next": away}, headers=OURS)
        assert led.headers["Location"] == "/"
    session = cookie_of(done)
    assert "API keys" in client.get("/keys", headers={**HTML, **session}).text
    out = client.post("/logout", headers={**session, **OURS, "Content-Type": "application/x-www-form-urlencoded"})
    assert (out.status_code, out.headers["Location"]) == (303, "/login")
    assert client.get("/keys", headers={**HTML, **session}).status_code == 303


def test_over_https_the_cookie_is_for_this_very_host(settings: Settings, store: Store) -> None:
    """Said by the public address, or by a proxy that is trusted; nobody else's header counts."""
    key = create_key(store, "me", Scope.ADMIN).text
    public = client_of(replace(settings, api_url="https://docs.example"))
    there = {**OURS, "Host": "docs.example"}
    cookie = public.post("/login", data={"key": key}, headers=there).headers["Set-Cookie"]
    assert cookie.startswith("__Host-headwater_session=")
    assert "Secure" in cookie
    assert public.get(KB, headers={"Host": "docs.example", "Cookie": cookie.split(";")[0]}).status_code == 200
    said = {**OURS, "X-Forwarded-Proto": "https"}
    for proxies, name in (((), "headwater_session"), (("127.0.0.0/8",), "__Host-headwater_session")):
        client = client_of(replace(settings, trusted_proxies=proxies))
        found = client.post("/login", data={"key": key}, headers=said).headers["Set-Cookie"]
        assert found.split("=")[0] == name


def test_a_link_logs_in_once(settings: Settings, store: Store) -> None:
    """Its page asks for a press of the button, so that a program that looks at links does not use it up."""
    create_key(store, "first", Scope.READ)
    links = command("login")
    path = "/login?" + links["pages"].partition("?")[2]
    client = client_of(settings)
    page = client.get(path, headers=HTML)
    token = re.search(r'name="link" value="([\w-]{43})"', page.text)
    assert token
    opened = client.post("/login", data={"link": token.group(1)}, headers=OURS)
    assert client.get("/api/v1/keys", headers=cookie_of(opened)).status_code == 200
    assert client.post("/login", data={"link": token.group(1)}, headers=OURS).status_code == 422
    late = make_link(store)
    looking(store.database.url).execute("UPDATE login_links SET expires_at = now() - interval '1 second'")
    assert client.post("/login", data={"link": late}, headers=OURS).status_code == 422
    assert command("logout") == {"sessions": 1}
    assert client.get("/api/v1/keys", headers=cookie_of(opened)).status_code == 401


@pytest.mark.parametrize("end", [revoke_key, lambda store, key_id: rotate_key(store, key_id, timedelta(0))])
def test_a_session_ends_with_its_key(settings: Settings, store: Store, end: Callable[[Store, str], object]) -> None:
    """When that is revoked, or when its secret is replaced at once because someone else knows it."""
    made = create_key(store, "me", Scope.WRITE)
    client = client_of(settings)
    session = cookie_of(client.post("/login", data={"key": made.text}, headers=OURS))
    assert client.get(KB, headers=session).status_code == 200
    assert client.get("/api/v1/keys", headers=session).status_code == 403  # it may do what its key may
    end(store, made.key.id)
    assert client.get(KB, headers=session).status_code == 401


def test_keys_are_changed_on_their_page(settings: Settings, store: Store) -> None:
    """The secret is on the page that follows the button, and on no other; changes are on the page of the audit."""
    create_knowledge_base(store, "docs")
    client = client_of(settings)
    admin = {**OURS, **HTML, **bearer(create_key(store, "me", Scope.ADMIN).text)}
    made = client.post("/keys", data={"do": "create", "name": "<b>bot</b>", "scope": "read",
                                      "knowledge_base": "docs", "days": "7"}, headers=admin)  # fmt: skip
    found = re.search(r'id="new-key">(hw_[a-z0-9]{8}_[\w-]{43})<', made.text)
    assert found
    assert "<b>bot</b>" not in made.text
    session = {
        **OURS,
        **HTML,
        **cookie_of(client.post("/login", data={"key": admin["Authorization"][7:]}, headers=OURS)),
    }
    listed = client.get("/keys", headers=session).text
    assert found.group(1) not in listed
    assert "docs" in listed
    key_id = found.group(1).split("_")[1]
    assert client.post("/keys", data={"do": "revoke", "id": key_id}, headers=session).status_code == 303
    assert "key.revoke" in client.get("/audit", headers=session).text
    wrong = client.post("/keys", data={"do": "create", "name": "", "scope": "read"}, headers=session)
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (422, True)


def test_no_more_requests_pass_than_the_limit_allows(store: Store) -> None:
    """Of eight threads' requests at the same time; a costly one takes more; a refused one takes nothing anywhere."""
    waits: list[float] = []

    def ask() -> None:
        for _ in range(10):
            try:
                store.limits.take(Bucket(name="key:a", limit=20, seconds=3600))
            except RateLimitedError as error:
                waits.append(error.retry_after or 0)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(waits) == 80 - 20
    assert all(0 < wait <= 180 for wait in waits)
    store.limits.take(Bucket(name="key:b", limit=20, seconds=3600), cost=15)
    with pytest.raises(RateLimitedError):
        store.limits.take(Bucket(name="key:b", limit=20, seconds=3600), cost=6)
    store.limits.take(Bucket(name="key:b", limit=20, seconds=3600), cost=5)  # exactly the rest
    visitor, day = Bucket(name="visitor", limit=10, seconds=3600), Bucket(name="day", limit=1, seconds=86_400)
    store.limits.take(visitor, day)
    for _ in range(5):
        with pytest.raises(RateLimitedError):
            store.limits.take(visitor, day)
    store.limits.take(visitor, cost=9)  # the five took nothing of it
    store.limits.take(Bucket(name="free", limit=0))


def test_a_caller_with_too_many_requests_is_told_when_to_come_again(settings: Settings, store: Store) -> None:
    """In the shape of each protocol; another key, and this machine without keys, have limits of their own or none."""
    narrow = replace(settings, requests_per_minute=2)  # one in half a minute, which a busy machine does not need
    local = client_of(narrow)
    assert [local.get(KB).status_code for _ in range(5)] == [200] * 5
    keys = [create_key(store, name, Scope.ADMIN).text for name in ("a", "b")]
    client = client_of(narrow)
    assert [client.get(KB, headers=bearer(keys[0])).status_code for _ in range(3)] == [200] * 2 + [429]
    refused = client.get(KB, headers=bearer(keys[0]))
    assert (refused.get_json()["code"], refused.content_type) == ("RATE_LIMITED", "application/problem+json")
    assert 1 <= int(refused.headers["Retry-After"]) <= 30
    models = client.get("/v1/models", headers=bearer(keys[0]))
    assert (models.status_code, models.get_json()["error"]["code"]) == (429, "rate_limit_exceeded")
    assert "Retry-After" in models.headers
    tool = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=bearer(keys[0]))
    assert (tool.status_code, tool.get_json()["error"]["data"]["code"]) == (429, "RATE_LIMITED")
    client = client_of(replace(settings, requests_per_minute=6))
    asked = [client.post(f"{KB}/none/answers", json={"question": "a"}, headers=bearer(keys[1])) for _ in range(2)]
    assert [one.status_code for one in asked] == [404, 429]  # an answer costs five


def test_guessing_is_limited_by_address(settings: Settings, store: Store) -> None:
    """Behind a trusted proxy by the client's own address, whatever it sends itself; addresses are stored as hashes."""
    create_key(store, "a", Scope.READ)
    client = client_of(replace(settings, trusted_proxies=("192.0.2.1",), requests_per_minute=100))

    def guess(forwarded: str, peer: str = "192.0.2.1") -> int:
        headers = {**bearer(f"hw_aaaaaaaa_{'a' * 43}"), "X-Forwarded-For": forwarded}
        return client.get(KB, headers=headers, environ_base={"REMOTE_ADDR": peer}).status_code

    assert [guess("198.51.100.7") for _ in range(3)] == [401, 401, 429]
    assert guess("203.0.113.9, 198.51.100.7") == 429  # it invented the first one
    assert guess("198.51.100.8") == 401
    assert [guess("198.51.100.7", peer="198.51.100.9") for _ in range(3)] == [401, 401, 429]  # no proxy of ours
    assert [guess("", peer="127.0.0.1") for _ in range(4)] == [401] * 4
    tables = "SELECT bucket FROM rate_limits UNION ALL SELECT salt::text FROM address_salts"
    stored = str(looking(store.database.url).execute(tables).fetchall())
    assert "address:" in stored
    assert "198.51" not in stored


def test_changes_are_noted_with_who_made_them(settings: Settings, store: Store) -> None:
    """By key, session, command line or nobody in particular; in pages, by action and by target; without secrets."""
    client = client_of(settings)
    client.post(KB, json={"slug": "docs"})
    admin = command("keys", "create", "me", "--scope", "admin")
    client = client_of(settings)
    key = bearer(admin["key"])
    session = {**OURS, **cookie_of(client.post("/login", data={"key": admin["key"]}, headers=OURS))}
    source = {"slug": "s", "kind": "website", "url": "https://example.com/", "credential": "SITE"}
    assert client.post(f"{KB}/docs/sources", json=source, headers=key).status_code == 201
    assert client.patch(f"{KB}/docs", json={"name": "Docs"}, headers=session).status_code == 200
    assert client.patch(f"{KB}/docs", json={"name": "Docs"}, headers=session).status_code == 200  # changes nothing
    assert client.delete(f"{KB}/docs/sources/s", headers=key).status_code == 200
    command("delete", "docs", "--yes")
    changes = client.get("/api/v1/audit", headers=key).get_json()["changes"]
    assert [(one["action"], one["target"], one["actor"], one["key"]) for one in changes] == [
        ("knowledge_base.delete", "docs", "command_line", None),
        ("source.delete", "docs/s", "key", None),
        ("knowledge_base.change", "docs", "session", admin["id"]),
        ("source.create", "docs/s", "key", None),
        ("key.create", admin["id"], "command_line", None),
        ("knowledge_base.create", "docs", "anyone", None),
    ]
    assert changes[1]["actor_id"] == admin["id"]
    assert admin["key"].split("_", 2)[2] not in json.dumps(changes)
    page = client.get("/api/v1/audit?limit=2", headers=key).get_json()
    rest = client.get(f"/api/v1/audit?limit=200&after={page['next']}", headers=key).get_json()
    assert (page["changes"] + rest["changes"], rest["next"]) == (changes, None)
    assert command("audit", "--target", "docs/s")["changes"] == [changes[1], changes[3]]
    assert command("audit", "--action", "key.create")["changes"] == [changes[4]]


def test_a_change_is_noted_with_what_became_different(store: Store) -> None:
    """A form sends every setting, and the slug; those that stay are not noted (API-6)."""
    old = create_knowledge_base(store, "a", name="A")
    settings = {**old.settings.model_dump(), "top_k": old.settings.top_k + 1}
    change_knowledge_base(store, "a", new_slug="a", name="A", description="", settings=settings)
    assert store.audit.all()[0].details == {"settings": ["top_k"]}
    change_knowledge_base(store, "a", new_slug="b", name="B", description="It pumps.", settings=settings)
    assert store.audit.all()[0].details == {"slug": "b", "name": "B", "description": "changed"}
    config = {"url": "https://example.com/", "exclude": ["/old/*"]}
    add_source(store, "b", "s", kind="website", config=config)
    times = {"refresh": None, "schedule": "0 3 * * *", "time_zone": None, "tags": (), "category": None, "paused": False}
    change_source(store, "b", "s", SourceEdit(config=config, settings=times))
    assert store.audit.all()[0].details == {"fields": ["schedule"]}


def test_a_change_and_its_note_are_stored_together(store: Store) -> None:
    """If one of them fails, neither is there; applying the same again notes nothing."""

    def fail() -> None:
        with audit_transaction(store) as note:
            store.knowledge_bases.create(slug="a", name="a", description="", settings=KnowledgeBaseSettings())
            note("knowledge_base.create", "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with pytest.raises(NotFoundError):
        store.knowledge_bases.get("a")
    assert store.audit.all() == []
    spec = KnowledgeBaseSpec(slug="a", name="a", description="", settings=KnowledgeBaseSettings(), sources=())
    for _ in range(2):
        apply(store, spec)
    assert [entry.action for entry in store.audit.all()] == ["knowledge_base.apply"]


def test_checking_and_counting_a_request_costs_two_statements(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One finds the key, one counts; whether there are keys at all is asked no more, nor is the use noted again."""
    key = bearer(create_key(store, "a", Scope.READ).text)
    client, minute = client_of(settings), datetime.now(UTC).replace(second=0, microsecond=0)
    client.get(KB, headers=key)
    from headwater.store.server.query_session import Session

    ran: list[str] = []
    run, thread = Session._run, threading.get_ident()

    def noting(session: Session, query: str, values: Any) -> Any:
        if threading.get_ident() == thread:  # one of an earlier test may still be at work
            ran.append(query)
        return run(session, query, values)

    monkeypatch.setattr(Session, "_run", noting)
    assert client.get(KB, headers=key).status_code == 200
    if datetime.now(UTC) < minute + timedelta(minutes=1):  # the use is noted once a minute
        assert "note_use_of_key" not in ran
    assert [query for query in ran if query != "note_use_of_key"] == [
        "secret_of_key", "take_from_bucket", "list_knowledge_bases",
    ]  # fmt: skip


def test_sessions_of_dagsters_ui_are_those_of_the_pages(settings: Settings, store: Store) -> None:
    """Once there is a key, nothing is read or changed there without an administrator's session."""
    import asyncio

    served: list[str] = []

    async def dagster(scope: Any, _: Any, send: Any) -> None:
        served.append(scope["path"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})

    guard = SessionGuard(dagster, settings)

    def ask(path: str, kind: str = "http", server: str = "127.0.0.1", **headers: str) -> dict[str, Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        path, _, query = path.partition("?")
        scope = {"type": kind, "path": path, "method": "GET", "headers": pairs, "server": (server, 3000)}
        asyncio.run(guard({**scope, "query_string": query.encode()}, lambda: None, send))  # type: ignore[arg-type, return-value]
        return dict(sent[0]) if sent else {"type": "passed"}

    assert ask("/graphql")["status"] == 200
    assert ask("/graphql", server="192.0.2.5")["status"] == 401  # not loopback
    admin, reader = (create_key(store, scope, scope) for scope in (Scope.ADMIN, Scope.READ))
    guard = SessionGuard(dagster, settings)
    served.clear()
    callers = Callers(settings)
    weak = f"headwater_session={callers.log_in(store, reader.text)}"
    good = f"headwater_session={callers.log_in(store, admin.text)}"
    assert [ask("/graphql")["status"], ask("/graphql", cookie=weak)["status"]] == [401, 403]
    assert ask("/graphql", authorization=f"Bearer {reader.text}")["status"] == 403
    assert ask("/graphql", kind="websocket")["type"] == "websocket.close"
    assert served == []
    assert ask("/server_info")["status"] == 200
    assert ask("/graphql", cookie=good)["status"] == 200
    assert ask("/graphql", kind="websocket", cookie=good)["type"] == "passed"
    assert ask("/graphql", authorization=f"Bearer {admin.text}")["status"] == 200
    link = "/headwater/login?" + command("login")["dagster"].partition("?")[2]
    assert ask(link, sec_purpose="prefetch")["status"] == 405
    opened = ask(link)
    cookie = dict(opened["headers"])[b"set-cookie"].decode()
    assert opened["status"] == 303
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert ask("/runs", cookie=cookie.split(";")[0])["status"] == 200
    assert ask(link)["status"] == 403
