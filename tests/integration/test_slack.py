"""Slack (SRC-26): what is touched, how many requests it takes, and refusals."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.slack.mrkdwn import to_markdown
from headwater.sources.source_context import SourceContext
from tests.hostile_server import Names, loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.slack_stub import TEAM, TOKEN, SlackStub
from tests.support import Headwater

Make = Callable[..., Headwater]
_PUMPS = f"{TEAM}/archives/C0PUMPS"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackStub]:
    """A workspace with a thousand threads in one channel."""
    with serve_stub(SlackStub(1_000)) as running:
        assert isinstance(running, SlackStub)
        prepare(running, monkeypatch)
        yield running


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackStub]:
    """A workspace in which nobody wrote anything."""
    with serve_stub(SlackStub()) as running:
        assert isinstance(running, SlackStub)
        prepare(running, monkeypatch)
        yield running


def prepare(stub: SlackStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stub be fetched from, with a secret for each of its hosts."""
    for name, url in (("SLACK", stub.url), ("FILES", stub.files_url)):
        monkeypatch.setenv(f"HEADWATER_CREDENTIAL_{name}", TOKEN)
        monkeypatch.setenv(f"HEADWATER_CREDENTIAL_{name}_HOST", url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: SlackStub, **fields: Any) -> dict[str, Any]:
    """The config of a source."""
    names = {"credential": "slack", "files_credential": "files"}
    return {"url": f"{_PUMPS}/p1780000060000001", "endpoint": f"{stub.url}/api", "delay": 0, **names, **fields}


def fetch(
    stub: SlackStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **fields: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    gate = loopback_gate(Names({"files.site.test": ("127.0.0.1",)}), allow="127.0.0.1,files.site.test")
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=gate, wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("slack", config(stub, **fields), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def uri_of(time: str, channel: str = "C0PUMPS") -> str:
    """The address of a message."""
    return f"{TEAM}/archives/{channel}/p{time.replace('.', '')}"


def expire(folder: Path) -> None:
    """Let a day pass since the records were written."""
    for path in (folder / "own").glob("channel_*.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "listed": 0}))


def test_requests_are_few(stub: SlackStub, tmp_path: Path) -> None:
    """Of 1,000 threads: a quiet sync is two requests; what changed is fetched with them (SRC-26)."""
    times = sorted(stub.messages["C0PUMPS"])
    stub.say("Oil it.", thread=times[50], user="U2")
    stub.say("Parts:", thread=times[51], files=[stub.share("Parts list.md", b"# Parts\n\nA brass screw.", "F0PARTS")])
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 1_001
    names = ["auth.test", "users.list", "conversations.info"]
    lists, threads = ["conversations.history"] * 2, ["conversations.replies"] * 2
    file = "GET /files-pri/T1-F0PARTS/download/Parts%20list.md"
    assert sorted(stub.taken()) == sorted([*(f"GET /api/{name}" for name in [*names, *lists, *threads]), file])
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert stub.taken() == ["GET /api/conversations.history"] * 2
    stub.edit(times[5], "Sluice 5 is stuck.")
    stub.say("With thin oil.", thread=times[50])
    stub.say("Sorry.", thread=times[60])
    stub.delete(times[7])
    stub.delete(times[51])
    new = stub.say("A new one.")
    items = list(fetch(stub, tmp_path, known))
    touched = {uri_of(time) for time in (times[5], times[50], times[60], times[51], new)}
    assert set(as_known(items)) == touched
    assert uri_of(times[7]) not in {item.uri for item in items}
    assert len(items) == 1_001, "one is gone, one is new"
    assert "This message was deleted" not in as_known(items)[uri_of(times[51])].parse().text
    assert sorted(stub.taken()) == sorted(
        ["GET /api/conversations.history"] * 2 + ["GET /api/conversations.replies"] * 4
    )


def test_what_a_list_leaves_out_is_asked_for(stub: SlackStub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed, with or without a record of the last sync (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.hidden = set(sorted(stub.messages["C0PUMPS"])[::2])
    for folder in (tmp_path, tmp_path / "another"):
        items = list(fetch(stub, folder, known))
        assert (len(items), {type(item) for item in items}) == (1_000, {UnchangedDocument})
    stub.fault = lambda request: StubReply(status=500) if request.path.endswith("replies") else None
    with pytest.raises(FetchError, match=r"3 items of Slack in a row could not be fetched"):
        list(fetch(stub, tmp_path / "third", known))


def test_a_large_channel_is_listed_once_a_day(
    small: SlackStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile only the last week is; a reply in an older thread, or an edited one, is found with the daily list."""
    monkeypatch.setattr("headwater.sources.slack.channel_reader.LIST_SIZE", 3)
    old = [small.say(f"Valve {number} leaks.") for number in range(10)]
    small._count += 20 * 1_440  # days
    recent = small.say("The sluice is stuck.")
    answer = small.say("Oil it.", thread=recent)
    known = as_known(list(fetch(small, tmp_path)))
    assert len(known) == 11
    small.say("It still does.", thread=old[3])
    small.edit(answer, "Oil it with thin oil.")
    small.delete(old[4])
    small.requests.clear()
    items = list(fetch(small, tmp_path, known))
    assert {type(item) for item in items} == {UnchangedDocument}
    assert [request.fields["oldest"][:4] for request in small.requests] == ["1781"]
    expire(tmp_path)
    items = list(fetch(small, tmp_path, known))
    fetched = as_known(items)
    assert set(fetched) == {uri_of(old[3]), uri_of(recent)}
    assert "thin oil" in fetched[uri_of(recent)].parse().text
    assert len(items) == 10


def test_a_thread_is_written_whole(small: SlackStub, tmp_path: Path) -> None:
    """Each message has a place that opens it; marks become markdown; bots and notes are left out (SRC-26)."""
    small.say("<@U2> has joined the channel", subtype="channel_join")
    small.say("Ticket 7 is open.", subtype="bot_message", bot_id="B1")
    link = "<https://mill.org/a_(b)|the *plan*>"
    first = small.say(f"*Valve* 3 leaks, <@U2>: see {link} &amp; <#C0SLUICE|sluice>\n# no &lt;b&gt;\n• ~old~")
    small.say("```\nturn(*x*)  # &lt;3\n```", thread=first, user="U2", subtype="thread_broadcast")
    small.say("Answer of a bot.", thread=first, bot_id="B9")
    last = small.say("Thank you <!here>", thread=first)
    (document,) = (item.parse() for item in as_known(list(fetch(small, tmp_path))).values())
    assert document.text == (
        "# Valve 3 leaks, @Bo Ask: see the plan & #sluice\n\n"
        "## Message by Ida Ek on 2026-05-28\n\n"
        "**Valve** 3 leaks, @Bo Ask: see [the *plan*](https://mill.org/a_%28b%29) & #sluice\n"
        "\\# no \\<b>\n- ~~old~~\n\n"
        "## Reply by Bo Ask on 2026-05-28\n\n```\nturn(*x*)  # <3\n```\n\n"
        "## Reply by Ida Ek on 2026-05-28\n\nThank you @here"
    )
    assert (document.category, document.metadata["authors"]) == ("pumps", ["Ida Ek", "Bo Ask"])
    for words, time, query in (("leaks", first, ""), ("Thank", last, f"?thread_ts={first}&cid=C0PUMPS")):
        begin = document.text.rindex(words)
        place = document.places.between(begin, begin + 5, text=document.text)
        assert link_to(document.uri, place) == f"{uri_of(time)}{query}"
        assert place.label.startswith("message of 2026-05-28 ")
    everything = as_known(list(fetch(small, tmp_path / "bots", bots=True)))
    assert len(everything) == 2
    assert "Answer of a bot" in everything[uri_of(first)].parse().text


def test_a_thread_with_a_bot_changes_with_the_setting(small: SlackStub, tmp_path: Path) -> None:
    """What a bot wrote is gone from a thread as soon as bots are left out (SRC-14)."""
    first = small.say("Valve 3 leaks.")
    small.say("Answer of a bot", thread=first, subtype="bot_message", user="")
    known = as_known(list(fetch(small, tmp_path, bots=True)))
    assert "Answer of a bot" in known[uri_of(first)].parse().text
    (document,) = fetch(small, tmp_path, known, bots=False)
    assert isinstance(document, FetchedDocument)
    assert "Answer of a bot" not in document.parse().text


def test_a_sync_that_was_interrupted_reads_no_thread_again(small: SlackStub, tmp_path: Path) -> None:
    """Without files, what is stored of a thread suffices, also if the channel's record was never written (REL-1)."""
    first = small.say("Valve 3 leaks.")
    small.say("It is closed.", thread=first)
    known = as_known(list(fetch(small, tmp_path, files_credential=None)))
    assert any(path.endswith("replies") for path in small.taken())
    assert {type(item) for item in fetch(small, tmp_path / "again", known, files_credential=None)} == {
        UnchangedDocument
    }
    assert not any(path.endswith("replies") for path in small.taken())


def test_files_are_read_by_their_own_host(small: SlackStub, tmp_path: Path) -> None:
    """With the secret that is for it; their citations open their pages; without that secret none is read (SRC-14)."""
    files = [small.share("Parts.md", b"# Parts\n\nA brass screw.", "F0PARTS"), small.share("x.wav", b"RIFF", "F0SOUND")]
    first = small.say("Parts:", files=files, subtype="file_share")
    known = as_known(list(fetch(small, tmp_path)))
    file = known[f"{_PUMPS}/F0PARTS/Parts.md"].parse()
    place = file.places.between(0, 5, text=file.text)
    assert (link_to(file.uri, place) or "").startswith(f"{TEAM}/files/U1/F0PARTS/Parts.md")
    assert list(as_known(list(fetch(small, tmp_path / "none", files_credential=None)))) == [uri_of(first)]
    assert {type(item) for item in fetch(small, tmp_path, known)} == {UnchangedDocument}
    small.fault = lambda request: (
        StubReply(status=302, headers={"Location": "/login"}) if "files" in request.path else None
    )
    items = list(fetch(small, tmp_path / "new"))
    assert [item.uri for item in items if isinstance(item, DocumentProblem)] == [f"{_PUMPS}/F0PARTS/Parts.md"]
    page = StubReply(content=b"<!doctype html><html>Sign in</html>")
    small.fault = lambda request: page if "files" in request.path else None
    (problem,) = (item for item in fetch(small, tmp_path / "page") if isinstance(item, DocumentProblem))
    assert "perhaps one to sign in" in problem.message, "as Slack answers a token without `files:read`"
    small.fault = lambda _: None
    assert len(as_known(list(fetch(small, tmp_path / "new", as_known(items))))) == 1, "it is asked for again"
    small.say("And more.", thread=first)
    small.fault = lambda request: StubReply(status=500) if request.path.endswith("replies") else None
    items = list(fetch(small, tmp_path, known))
    assert [item.uri for item in items] == [uri_of(first), f"{_PUMPS}/F0PARTS/Parts.md"]
    assert [item.uri for item in fetch(small, tmp_path)] == [""], "in a full sync, nobody says that the file is there"


def test_a_channel_that_is_refused_stops_nothing(small: SlackStub, tmp_path: Path) -> None:
    """It is one problem until it is shown again, and what is stored of it stays (SRC-14)."""
    small.say("Valve 3 leaks.")
    small.say("The sluice opens at nine.", channel="C0SLUICE")
    channels: dict[str, Any] = {"channels": ["C0PUMPS", "C0SLUICE"]}
    known = as_known(list(fetch(small, tmp_path, **channels)))
    assert len(known) == 2
    for code in ("not_in_channel", "channel_not_found", "missing_scope"):
        small.refused = {"C0SLUICE": code}
        for folder in (tmp_path, tmp_path / code):
            items = list(fetch(small, folder, known, **channels))
            assert [type(item) for item in items] == [UnchangedDocument, DocumentProblem]
            assert items[1].uri == f"{TEAM}/archives/C0SLUICE/", "its slash keeps what is stored below it"
    with pytest.raises(FetchError, match=r"does not show it to the credential slack \(missing_scope\)"):
        list(fetch(small, tmp_path / "alone", known, channels=["C0SLUICE"]))


def test_a_token_that_ends_in_the_middle_loses_nothing(stub: SlackStub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew; a busy server is waited for."""
    for time in sorted(stub.messages["C0PUMPS"])[:20]:
        stub.say("Oil it.", thread=time)
    items: list[Found] = []
    refusal = StubReply(content={"ok": False, "error": "token_revoked"})
    stub.fault = lambda _: refusal if len(stub.requests) > 10 else None
    with pytest.raises(SourceError, match=r"does not accept the credential slack \(token_revoked\).*Renew it"):
        items.extend(fetch(stub, tmp_path))
    assert len(items) > 900
    busy = [StubReply(status=429, headers={"Retry-After": "30"})]
    stub.requests.clear()
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 3 else None
    waits: list[float] = []
    again = list(fetch(stub, tmp_path, as_known(items), waits))
    assert (len(again), waits) == (1_000, [30.0])
    assert {item.uri for item in again if isinstance(item, UnchangedDocument)} >= {
        item.uri for item in items if isinstance(item, FetchedDocument) and item.parse().metadata["messages"] == 1
    }


@pytest.mark.dagster
def test_a_sync_follows_its_channel(headwater: Make, small: SlackStub, caplog: pytest.LogCaptureFixture) -> None:
    """A question is answered from a reply, whose author is a filter; no secret is in any row or log."""
    caplog.set_level(logging.DEBUG)
    first = small.say("When does the sluice of the mill open?")
    answer = small.say("The sluice of the mill opens at nine, if the lever is oiled.", thread=first, user="U2")
    second = small.say("The valve of the mill drips at nine.")
    kb = headwater()
    fields = config(small, files_credential=None)
    kb.store.sources.create(kb.slug, slug="slack", kind="slack", config=fields, settings=SourceSettings())
    done = kb.sync("slack")["slack"]
    assert (done.state, done.added, done.errors) == ("ready", 2, [])
    citation = kb.ask("When does the sluice of the mill open?").citations[0]
    assert link_to(citation.uri, citation.place) == f"{uri_of(answer)}?thread_ts={first}&cid=C0PUMPS"
    assert {passage.uri for passage in kb.search("mill at nine", authors=("Bo Ask",))} == {uri_of(first)}
    small.delete(second)
    done = kb.sync("slack")["slack"]
    assert (done.removed, done.unchanged, done.errors) == (1, 1, [])
    assert TOKEN not in f"{kb.dump()} {caplog.text}"


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        ({"ok": False, "error": "invalid_auth"}, SourceError, "does not accept the credential slack"),
        ({"ok": False, "error": "fatal_error"}, FetchError, r"refuses .* \(fatal_error\)"),
        ({"ok": False}, FetchError, "no answer"),
        ({"ok": True, "messages": 7}, SourceError, "no list"),
        (b"<html>", SourceError, "no JSON"),
        ({"ok": True, "messages": [], "response_metadata": {"next_cursor": "x"}}, FetchError, "does not end"),
    ],
)
def test_a_server_that_misbehaves_changes_nothing(
    small: SlackStub, tmp_path: Path, reply: Any, error: type[Exception], message: str
) -> None:
    """Whatever its list answers, it is an error of the whole source, without the secret (SEC-1)."""
    with pytest.raises(SourceError, match=r"Name a `credential`: a bot token"):
        list(fetch(small, tmp_path, credential=None))
    small.fault = lambda request: StubReply(content=reply) if request.path.endswith("history") else None
    with pytest.raises(error, match=message) as caught:
        list(fetch(small, tmp_path))
    assert TOKEN not in str(caught.value)


def test_odd_messages_are_left_out(small: SlackStub, tmp_path: Path) -> None:
    """Entries of other forms are ignored; too many threads are an error."""
    odd: list[Any] = [{"ts": "x"}, 7, None, {"ts": "1780000000.000001", "text": 7, "files": [{"id": "../x"}, 3]}]

    def answer(request: StubRequest) -> StubReply | None:
        return StubReply(content={"ok": True, "messages": odd}) if request.path.endswith("history") else None

    small.fault = answer
    assert list(fetch(small, tmp_path)) == []
    small.fault = lambda _: None
    small.say("One.")
    small.say("Two.")
    with pytest.raises(TooLargeError, match="more than 1 threads"):
        list(fetch(small, tmp_path / "other", threads=1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Reply by Ida\nWords\n---\nmore", "\\## Reply by Ida\nWords\n\\---\nmore"),
        ("~~~\n# no code", "\\~~~\n\\# no code"),
        ("``` open\n# x", "\\``` open\n\\# x"),
        ("&gt;&gt;&gt; Alert: full\nsince nine", "> Alert: full\nsince nine"),
        ("a &lt; b &lt;script&gt;", "a < b \\<script>"),
        ("<javascript:alert(1)|click> <mailto:a@b.org|a@b.org>", "click a@b.org"),
        ("<@U1> <@U7|bo> <!subteam^S1|@team> <#C1|general>", "@Ida @bo @team #general"),
        ("*bold* and 2*3*4, ~old~, `*code*`", "**bold** and 2*3*4, ~~old~~, `*code*`"),
        ("<https://mill.org/*a*> <https://mill.org|[a](b)>", "<https://mill.org/*a*> [(a)(b)](https://mill.org)"),
    ],
)
def test_marks_become_markdown(text: str, expected: str) -> None:
    """Nothing that people write becomes a heading of the document, code to its end, HTML or another address."""
    assert to_markdown(text, {"U1": "Ida"}) == expected


def test_a_file_may_not_be_anywhere(small: SlackStub, tmp_path: Path) -> None:
    """An address that is refused is one problem, and the secret goes to its own host alone (SEC-1, SRC-14)."""
    file = small.share("Parts.md", b"# Parts", "F0PARTS")
    for number, url in enumerate(("http://169.254.169.254/x", "file:///etc/passwd", f"{small.url}/x")):
        small.say("Parts:", files=[{**file, "id": f"F0{number}", "url_private_download": url}])
    small.fault = lambda request: StubReply(content=b"# Elsewhere") if request.path == "/x" else None
    items = list(fetch(small, tmp_path))
    problems = [item for item in items if isinstance(item, DocumentProblem)]
    assert [problem.uri.split("/")[-2] for problem in problems] == ["F01", "F00"]
    assert all("may not be fetched" in problem.message for problem in problems)
    assert ["authorization" in request.headers for request in small.requests if request.path == "/x"] == [False]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"url": "https://mill.slack.com/"}, "channels: name at least one id"),
        ({"url": "https://mill.slack.com/", "channels": ["general"]}, "must be the id of a channel"),
        ({"url": "https://x:y@mill.slack.com/archives/C0PUMPS"}, "neither a user name nor a password"),
    ],
)
def test_a_config_names_channels(fields: dict[str, Any], message: str) -> None:
    """By their ids, which do not change."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config("slack", {"credential": "slack", **fields})
