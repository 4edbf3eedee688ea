"""Issues, pull requests and discussions of GitHub (SRC-13, SRC-14).

Belongs here: the connector against a server on loopback: texts, changes, limits, what a hostile server gains. Not here:
storing (`integration/test_github`).
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import FetchError, FetchRefusedError, HeadwaterError, InvalidConfigurationError, SourceError
from headwater.fetching.http_client import Response
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, open_connector
from headwater.sources.github import issues as github_issues
from headwater.sources.github.config import GitHubConfig
from headwater.sources.github.wait_allowance import seconds_to_wait
from headwater.sources.guesses import Address
from headwater.sources.source_context import SourceContext
from headwater.sources.source_kind import guess_source
from tests.github_server import REPOSITORY, GitHubServer, github_server
from tests.hostile_server import for_ever, gzip_of_zeros, hostile_server, loopback_gate, response

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"
LIST = f"/api/v3/repos/{REPOSITORY}/issues"


@dataclass(frozen=True)
class Stored:
    """What is stored of a document."""

    fingerprint: str
    validator: str


@dataclass
class Syncs:
    """Syncs of one source, one after the other, each knowing what the ones before it found."""

    hub: GitHubServer
    folder: Path
    config: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Stored] = field(default_factory=dict)
    texts: dict[str, ParsedDocument] = field(default_factory=dict)
    waits: list[tuple[float, str]] = field(default_factory=list)

    def connector(self, *, is_full: bool = False) -> Any:
        """The connector."""
        context = SourceContext(
            folder=self.folder,
            gate=loopback_gate(allow="127.0.0.1"),
            known={} if is_full else self.known,
            wait=lambda seconds, reason: self.waits.append((seconds, reason)),
        )
        given = {"repository": REPOSITORY, "server": self.hub.url, "read": ["issues"], **self.config}
        return open_connector("github", given, context)

    def sync(self, *, is_full: bool = False) -> dict[str, list[str]]:
        """Fetch everything; returns the ends of addresses by what became of them."""
        items: list[Found] = list(self.connector(is_full=is_full).fetch())
        found: dict[str, list[str]] = {"fetched": [], "unchanged": [], "problems": []}
        seen = set()
        for item in items:
            seen.add(item.uri)
            if isinstance(item, FetchedDocument):
                self.known[item.uri] = Stored(item.fingerprint, item.validator)
                self.texts[item.uri] = item.parse()
                found["fetched"].append(self.short(item.uri))
            elif isinstance(item, UnchangedDocument):
                assert item.uri in self.known
                found["unchanged"].append(self.short(item.uri))
            else:
                found["problems"].append(item.message)
        gone = set() if "" in seen else set(self.known) - seen
        for uri in gone:
            del self.known[uri]
        return {**found, "removed": sorted(map(self.short, gone))}

    def short(self, uri: str) -> str:
        """The end of an address."""
        return uri.removeprefix(f"{self.hub.url}/{REPOSITORY}/")

    def text(self, end: str) -> str:
        """The text of a document."""
        return self.texts[f"{self.hub.url}/{REPOSITORY}/{end}"].text


@pytest.fixture
def hub() -> Iterator[GitHubServer]:
    """A repository with 25 issues, pages of 10."""
    with github_server() as server:
        server.page_size = 10
        for number in range(1, 26):
            server.issue(number)
        yield server


@pytest.fixture
def syncs(hub: GitHubServer, tmp_path: Path) -> Syncs:
    """The issues of that repository."""
    return Syncs(hub, tmp_path / "own")


def numbers(first: int, last: int) -> list[str]:
    """The ends of the addresses of issues."""
    return [f"issues/{number}" for number in range(first, last + 1)]


# What a document says


def test_an_issue_is_a_document(syncs: Syncs, hub: GitHubServer) -> None:
    """Title, state, labels, author, dates, milestone; the comments that people agree with first (SRC-13)."""
    hub.issue(
        7, body="<!-- fill in -->\r\nIt drips.\n\n# Steps\n\n```sh\n# not a heading\n```\n\nNotes\n-----\n",
        labels=[{"name": "bug"}, {"name": "seal"}], milestone={"title": "2.0"}, state="closed", title=" Seal\tleaks ",
        state_reason="not_planned", closed_at="2026-01-02T00:00:00Z", created_at="2026-01-01T08:00:00Z",
    )  # fmt: skip
    for body, likes in (("First.", 0), ("Use grease.", 3), ("Second.", 0), ("Replace it.", 9)):
        hub.comment(7, body, likes=likes)
    syncs.sync()
    document = syncs.texts[f"{hub.url}/{REPOSITORY}/issues/7"]
    assert document.title == "Seal leaks"
    assert document.text == (
        "# Seal leaks\n\n"
        "Closed as not planned issue 7, opened by bo on 2026-01-01. Labels: bug, seal. Milestone: 2.0.\n\n"
        "It drips.\n\n### Steps\n\n```sh\n# not a heading\n```\n\n#### Notes\n\n"
        "## Comment by dee\n\nReplace it.\n\n## Comment by dee\n\nUse grease.\n\n"
        "## Comment by dee\n\nFirst.\n\n## Comment by dee\n\nSecond."
    )
    assert document.category == "issues"
    assert dict(document.metadata) == {
        "number": 7, "state": "closed as not planned", "labels": ["bug", "seal"], "milestone": "2.0", "author": "bo",
        "created": "2026-01-01T08:00:00Z", "updated": hub.issues[7]["updated_at"], "closed": "2026-01-02T00:00:00Z",
        "comments": 4,
    }  # fmt: skip


def test_what_is_read_can_be_chosen(syncs: Syncs, hub: GitHubServer) -> None:
    """Issues, pull requests, or both; a merged one says so."""
    hub.issue(26, is_pull=True, pull_request={"merged_at": "2026-01-01T00:00:00Z"}, state="closed")
    assert "pull/26" not in syncs.sync()["fetched"]
    syncs.config["read"] = ["pull_requests"]
    done = syncs.sync()
    assert (done["fetched"], done["removed"]) == (["pull/26"], sorted(numbers(1, 25)))
    assert syncs.text("pull/26").split("\n")[2] == "Merged pull request 26, opened by cy on 2026-01-01."
    syncs.config["read"] = ["issues", "pull_requests"]
    assert syncs.sync() == {"fetched": numbers(1, 25), "unchanged": ["pull/26"], "problems": [], "removed": []}


def test_fields_that_are_empty_or_unknown_do_no_harm(syncs: Syncs, hub: GitHubServer) -> None:
    """A deleted author, no body, labels as words, fields of a later version."""
    hub.issue(1, user=None, body=None, labels=["a", None, {"name": None}], milestone=None, reactions=None, new={"x": 1})
    hub.comments[1] = [{"body": None, "user": None, "created_at": None}]
    hub.issue(1, comments=1)
    done = syncs.sync()
    assert (len(done["fetched"]), done["problems"]) == (25, [])
    assert "Open issue 1, opened on 2026-01-01. Labels: a." in syncs.text("issues/1")


# Changes


def test_only_what_changed_is_fetched(syncs: Syncs, hub: GitHubServer) -> None:
    """Pages come as 304 while nothing on them changed, and only changed issues' comments are fetched (SRC-13)."""
    for number in (3, 14, 15):
        hub.comment(number, "Hm.")
    assert syncs.sync()["fetched"] == numbers(1, 25)
    hub.take()
    assert syncs.sync()["unchanged"] == numbers(1, 25)
    assert [status for _, status in hub.take()] == [304, 304, 304]
    hub.comment(14, "It is the seal.")
    hub.issue(26)
    done = syncs.sync()
    assert (done["fetched"], len(done["unchanged"]), done["removed"]) == (["issues/14", "issues/26"], 24, [])
    assert [(path.partition("?")[0], status) for path, status in hub.take()] == [
        ("/issues", 304), ("/issues", 200), ("/issues/14/comments", 200), ("/issues", 200),
    ]  # fmt: skip
    assert "It is the seal." in syncs.text("issues/14")


def test_a_worker_without_the_last_lists_finds_the_same(syncs: Syncs, hub: GitHubServer, tmp_path: Path) -> None:
    """And so does one whose lists are damaged, or of another repository; only the pages are fetched again."""
    syncs.sync()
    lists = tmp_path / "own" / "lists.json"
    for content in ("", "{", "[]", '{"address": 1}', lists.read_text().replace("acme", "other"), "[" * 100_000):
        lists.write_text(content)
        hub.take()
        assert syncs.sync()["unchanged"] == numbers(1, 25)
        assert [status for _, status in hub.take()] == [200, 200, 200]


def test_deleted_and_transferred_issues_are_removed(syncs: Syncs, hub: GitHubServer) -> None:
    """Each only after the server has said so of itself; an issue that the list missed stays."""
    syncs.sync()
    missed = {number: hub.issues.pop(number) for number in (2, 5, 9, 12)}
    hub.deleted.add(2)
    hub.moved[9] = f"{hub.url}/api/v3/moved"
    hub.answers["moved"] = (200, {}, json.dumps({**missed[9], "repository_url": "elsewhere"}).encode())
    hub.answers[f"{LIST}/12"] = (200, {}, json.dumps(missed[12]).encode())
    done = syncs.sync()
    assert (done["fetched"], done["problems"]) == ([], [])
    assert done["removed"] == ["issues/2", "issues/5", "issues/9"]
    hub.answers[f"{LIST}/12"] = (500, {}, b"{}")
    done = syncs.sync()
    assert (done["removed"], len(done["problems"])) == ([], 1)


def test_a_large_repository_is_asked_for_changes_only(
    syncs: Syncs, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `since`, with one answer without content if there are none; all is listed again once a day."""
    monkeypatch.setattr(github_issues, "_MAX_LISTED_PAGES", 2)
    syncs.sync()
    last = hub.issues[25]["updated_at"].replace(":", "%3A")
    hub.take()
    done = syncs.sync()
    assert len(done["unchanged"]) == 25
    first = f"/issues?state=all&per_page=100&sort=updated&direction=desc&since={last}"
    assert hub.take() == [(first, 200)]
    syncs.sync()
    assert hub.take() == [(first, 304)]
    for number in (3, 8, 26, 27, *range(11, 20)):
        hub.issue(number)
    done = syncs.sync()
    assert len(done["fetched"]) == 13
    assert [status for _, status in hub.take()] == [200, 200]
    del hub.issues[4]
    assert syncs.sync()["removed"] == []
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 90_000)
    assert syncs.sync()["removed"] == ["issues/4"]
    assert syncs.sync(is_full=True)["fetched"] == [end for end in numbers(1, 27) if end != "issues/4"]


def test_an_issue_that_failed_is_fetched_by_the_next_sync(
    syncs: Syncs, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though others have changed since."""
    monkeypatch.setattr(github_issues, "_MAX_LISTED_PAGES", 2)
    syncs.sync()
    hub.comment(3, "Hm.")
    hub.comment(20, "Hm.")
    hub.answers[f"{LIST}/3/comments"] = (500, {}, b"{}")
    done = syncs.sync()
    assert (done["fetched"], len(done["problems"]), done["removed"]) == (["issues/20"], 1, [])
    hub.answers.clear()
    assert syncs.sync()["fetched"] == ["issues/3"]


# Discussions


@pytest.fixture
def discussing(syncs: Syncs, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> Syncs:
    """The discussions of the repository, with a token."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_HUB", TOKEN)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_HUB_HOST", hub.url.removeprefix("http://"))
    hub.token = TOKEN
    hub.page_size = 2
    syncs.config = {"credential": "hub", "read": ["discussions"]}
    for number in range(101, 106):
        hub.discussion(number, said("a", "Any oil."), said("b", "No idea.", likes=2), said("c", "SAE 30.", likes=1))
    return syncs


def said(name: str, body: str, *, likes: int = 0, **fields: Any) -> dict[str, Any]:
    """A comment of a discussion."""
    return {"id": name, "body": body, "author": {"login": name}, "upvoteCount": likes, **fields}


def test_a_discussion_begins_with_its_answer(discussing: Syncs, hub: GitHubServer) -> None:
    """Then the comments with the most votes; replies stay with their comment; hidden ones are left out."""
    reply = {"nodes": [said("r", "Thanks."), said("s", "Spam", isMinimized=True)]}
    comments = [
        said("a", "Any oil."), said("b", "No idea.", likes=2), said("c", "SAE 30.", replies=reply),
        said("d", "Buy!", isMinimized=True), said("e", "Olive.", reactionGroups=[
            {"content": "HEART", "reactors": {"totalCount": 5}}, {"content": "CONFUSED", "reactors": {"totalCount": 9}},
        ]),
    ]  # fmt: skip
    hub.discussion(101, *comments, answer={"id": "c"}, closed=True, stateReason="RESOLVED")
    assert discussing.sync()["fetched"] == [f"discussions/{number}" for number in range(101, 106)]
    assert discussing.text("discussions/101") == (
        "# Which oil for 101?\n\n"
        "Closed as resolved discussion 101, opened by ann on 2026-01-01. Category: Q&A. Labels: oil.\n\nWe wonder.\n\n"
        "## Accepted answer by c\n\nSAE 30.\n\n### Reply by r\n\nThanks.\n\n## Comment by e\n\nOlive.\n\n"
        "## Comment by b\n\nNo idea.\n\n## Comment by a\n\nAny oil."
    )


def test_only_changed_discussions_are_fetched(discussing: Syncs, hub: GitHubServer) -> None:
    """By the time of their last change, their answer and the number of comments; one that is gone is removed."""
    discussing.sync()
    hub.take()
    assert len(discussing.sync()["unchanged"]) == 5
    assert len(hub.take()) == 3
    hub.discussions[102]["listed"].append(said("z", "Late."))
    hub.discussions[103] |= {"answer": {"id": "c"}, "answerChosenAt": hub.now()}
    del hub.discussions[104]
    done = discussing.sync()
    assert (done["fetched"], done["removed"]) == (["discussions/102", "discussions/103"], ["discussions/104"])
    assert "Late." in discussing.text("discussions/102")


# Limits


@pytest.mark.parametrize("style", ["retry-after", "reset"])
def test_a_sync_waits_as_it_is_told(syncs: Syncs, hub: GitHubServer, style: str) -> None:
    """It asks again after that, and for the same."""
    hub.limit, hub.style, hub.pause = 2, style, 0.0
    done = syncs.sync()
    assert (done["fetched"], done["problems"]) == (numbers(1, 25), [])
    ((seconds, reason),) = syncs.waits
    assert 1 <= seconds <= 2
    assert "accepts no more requests" in reason


def test_a_query_waits_as_it_is_told(discussing: Syncs, hub: GitHubServer) -> None:
    """GraphQL says it with status 200."""
    hub.limit, hub.style, hub.pause = 3, "graphql", 0.0
    assert len(discussing.sync()["fetched"]) == 5
    assert discussing.waits


@pytest.mark.parametrize(("style", "pause"), [("retry-after", 901), ("reset", 3600), ("secondary", 9999)])
def test_a_sync_that_would_wait_too_long_ends_and_the_next_goes_on(
    syncs: Syncs, hub: GitHubServer, style: str, pause: float
) -> None:
    """What was read stays, nothing counts as removed, and the comments that were read are not fetched again."""
    for number in range(1, 26):
        hub.comment(number, "Hm.")
    hub.limit, hub.style, hub.pause = 12, style, pause
    done = syncs.sync()
    assert 10 <= len(done["fetched"]) < 25
    (problem,) = done["problems"]
    assert "accepts no more requests for" in problem
    assert "No document counts as removed." in problem
    assert done["removed"] == []
    hub.limit, hub._paused_until = 0, 0.0
    hub.take()
    again = syncs.sync()
    assert sorted(again["fetched"] + done["fetched"]) == sorted(numbers(1, 25))
    assert len([path for path, _ in hub.take() if "comments" in path]) == 25 - len(done["fetched"])


def test_a_limit_at_once_fails_the_source(syncs: Syncs, hub: GitHubServer) -> None:
    """Nothing was read, so nothing changes."""
    hub.limit, hub._counted, hub.pause = 1, 1, 4000
    with pytest.raises(FetchError, match="accepts no more requests for 67 minutes"):
        syncs.sync()


@pytest.mark.parametrize(
    ("status", "headers", "content", "seconds"),
    [
        (403, {}, b"Not allowed", None),
        (404, {"retry-after": "5"}, b"", None),
        (200, {"x-ratelimit-remaining": "0"}, b"", None),
        (403, {"retry-after": "5"}, b"", 5),
        (403, {"retry-after": "0"}, b"", 1),
        (429, {}, b"", 60),
        (429, {"retry-after": "-5"}, b"", 60),
        (429, {"retry-after": "9" * 400}, b"", float("inf")),
        (403, {}, b'{"message": "You have exceeded a Secondary Rate Limit"}', 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000090",
               "date": "Sun, 09 Sep 2001 01:46:40 GMT"}, b"", 91),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "7", "date": "Sun, 09 Sep 2001 01:46:40 GMT"},
         b"", 1),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon", "date": "today"}, b"", None),
        (403, {"x-ratelimit-remaining": "9", "x-ratelimit-reset": "1000000090"}, b"", None),
    ],
)  # fmt: skip
def test_how_long_an_answer_asks_to_wait(
    status: int, headers: dict[str, str], content: bytes, seconds: float | None
) -> None:
    """By the server's clock, since ours may differ."""
    answer = Response(url="u", status=status, headers=headers, content=content, media_type="", validator="")
    assert seconds_to_wait(answer) == seconds


# What a server gains


def test_a_token_goes_to_its_host_only(discussing: Syncs, hub: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """And to no other: not by the next page, not by a redirect, and not if it is for another host (SRC-14)."""
    with github_server() as other:
        discussing.config["read"] = ["issues"]
        hub.answers[LIST] = (200, {"Link": f'<{other.url}/a>; rel="next"'}, json.dumps([hub.issues[1]]).encode())
        with pytest.raises(FetchRefusedError, match="next page is at another host") as caught:
            discussing.sync()
        assert TOKEN not in str(caught.value)
        hub.answers[LIST] = (302, {"Location": f"{other.url}{LIST}"}, b"")
        with pytest.raises(FetchError):
            discussing.sync()
        assert other.tokens <= {""}
        discussing.config["read"] = ["discussions"]
        hub.answers["/api/graphql"] = (307, {"Location": f"{other.url}/api/graphql"}, b"")
        with pytest.raises(FetchError, match="redirects the request, which is not followed"):
            discussing.sync()
        assert other.tokens <= {""}
        monkeypatch.setenv("HEADWATER_CREDENTIAL_HUB_HOST", "api.github.com")
        with pytest.raises(SourceError, match="is not for 127"):
            discussing.sync()
    assert hub.tokens == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize("location", ["http://10.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd"])
def test_redirects_to_private_addresses_are_refused(syncs: Syncs, hub: GitHubServer, location: str) -> None:
    """As for every other source (SEC-1)."""
    hub.answers[LIST] = (302, {"Location": location}, b"")
    with pytest.raises(FetchRefusedError):
        syncs.sync()


def test_a_server_that_may_not_be_reached_is_not(syncs: Syncs, hub: GitHubServer) -> None:
    """No request is sent without HEADWATER_FETCH_ALLOW."""
    config = {"repository": REPOSITORY, "server": hub.url}
    with pytest.raises(FetchRefusedError):
        list(open_connector("github", config, SourceContext(folder=syncs.folder)).fetch())
    assert hub.asked == []


JSON = {"Content-Type": "application/json"}
HOSTILE = {
    "not JSON": (200, {"Content-Type": "text/html"}, b"<p>Sign in</p>", "not with JSON"),
    "no type": (200, {"Content-Type": ""}, b"[]", "answers with no type"),
    "broken": (200, JSON, b"[", "JSON that cannot be read"),
    "not UTF-8": (200, JSON, b'["\xff"]', "JSON that cannot be read"),
    "deep": (200, JSON, b"[" * 1_000_000, "JSON that cannot be read"),
    "an object": (200, JSON, b"{}", "does not answer with a list"),
    "nobody": (401, JSON, b"{}", "does not accept the token"),
    "nothing": (404, JSON, b"{}", "Check the repository's name"),
    "switched off": (410, JSON, b"{}", "they are switched off"),
    "broken server": (500, JSON, b"{}", "answers 500"),
    "bomb": (200, {**JSON, "Content-Encoding": "gzip"}, b"".join(gzip_of_zeros(1)), "larger than 30 MB"),
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", HOSTILE)
def test_an_answer_that_makes_no_sense_changes_nothing(syncs: Syncs, hub: GitHubServer, name: str) -> None:
    """The source fails with what to do; nothing counts as removed."""
    status, headers, content, reason = HOSTILE[name]
    hub.answers[LIST] = (status, headers, content)
    with pytest.raises(SourceError, match=reason):
        syncs.sync()


def test_an_endless_body_ends(tmp_path: Path) -> None:
    """It is larger than an answer may be, as its head says or as it comes."""
    with hostile_server() as server:
        server.answers[LIST] = response(b"[", length=10**12, Content_Type="application/json")
        config = {"repository": REPOSITORY, "server": server.url("", host="site.test")}
        source = open_connector("github", config, SourceContext(folder=tmp_path, gate=loopback_gate()))
        with pytest.raises(SourceError, match="larger than 30 MB"):
            list(source.fetch())


def test_a_body_that_drips_ends(tmp_path: Path) -> None:
    """After the time that a request may take."""
    with hostile_server() as server:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        server.answers[LIST] = for_ever(b" ", head, pause=0.1)
        config = {"repository": REPOSITORY, "server": server.url("", host="site.test")}
        source = open_connector("github", config, SourceContext(folder=tmp_path, gate=loopback_gate(seconds=1.0)))
        with pytest.raises(FetchError, match=r"within 1 s|longer than 1 s"):
            list(source.fetch())


def test_a_list_without_end_ends(syncs: Syncs, hub: GitHubServer) -> None:
    """A page that names itself, or one before it."""
    link = f'<{hub.url}{LIST}?state=all&per_page=100&sort=created&direction=asc>; rel="next"'
    hub.answers[LIST] = (200, {"Link": link}, json.dumps([hub.issues[1]]).encode())
    assert "does not end" in syncs.sync()["problems"][0]


@pytest.mark.parametrize("entry", [None, 5, {}, {"number": "x"}, {"number": 10**30, "updated_at": ""}, {"number": -1}])
def test_a_wrong_entry_costs_only_itself(syncs: Syncs, hub: GitHubServer, entry: Any) -> None:
    """It may be a known issue, so nothing counts as removed."""
    syncs.sync()
    hub.answers[LIST] = (200, {}, json.dumps([hub.issues[1], entry, hub.issues[2]]).encode())
    done = syncs.sync()
    assert ("issues/1" in done["unchanged"], "issues/2" in done["unchanged"]) == (True, True)
    assert (len(done["problems"]), done["removed"]) == (1, [])


def test_no_error_shows_the_token(discussing: Syncs, hub: GitHubServer) -> None:
    """Whatever a server says, it is in no message and in no file of the source (SRC-14)."""
    told = f'{{"message": "Bad token {TOKEN}", "errors": [{{"type": "{TOKEN[:0]}FORBIDDEN", "message": "{TOKEN}"}}]}}'
    for status in (200, 401, 403, 500):
        hub.answers["/api/graphql"] = (status, {}, told.encode())
        with pytest.raises(HeadwaterError) as caught:
            discussing.sync()
        assert TOKEN not in str(caught.value)
    hub.answers.clear()
    discussing.config["read"] = ["issues", "discussions"]
    discussing.sync()
    assert all(TOKEN not in path.read_text() for path in discussing.folder.rglob("*") if path.is_file())


# Exports, configs, addresses


def exported(folder: Path, *lines: bytes | dict[str, Any]) -> list[Any]:
    """What the lines of an export give."""
    path = folder / "issues.jsonl"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return list(open_connector("github", {"path": str(path)}, SourceContext(folder=folder / "own")).fetch())


def test_an_export_is_read_line_by_line(tmp_path: Path) -> None:
    """As `gh issue list --json …` writes it; a bad line costs only itself (SRC-13)."""
    url = "https://github.com/acme/pumps"
    comments = [
        {"author": {"login": "bo"}, "body": "Hm.", "reactionGroups": []},
        {"author": {"login": "cy"}, "body": "Grease it.",
         "reactionGroups": [{"content": "THUMBS_UP", "users": {"totalCount": 4}}]},
    ]  # fmt: skip
    good = {"number": 4, "title": "Squeaks", "body": "Loudly.", "state": "CLOSED", "stateReason": "COMPLETED",
            "author": {"login": "ann"}, "labels": [{"name": "noise"}], "createdAt": "2026-01-02T03:04:05Z",
            "milestone": {"title": "3.0"}, "comments": comments, "url": f"{url}/issues/4"}  # fmt: skip
    pull = {"number": 5, "title": "Oil", "state": "MERGED", "url": f"{url}/pull/5"}
    bad: list[bytes | dict[str, Any]] = [
        b"{", b"[]", b"\xff", b"[" * 50_000, {"number": 6}, {"number": 6, "url": "javascript:alert(1)"},
        {"number": 6, "url": f"{url}/issues/7"}, {"number": 6, "title": [], "url": f"{url}/issues/6"},
    ]  # fmt: skip
    items = exported(tmp_path, good, *bad, pull)
    first, last = (item for item in items if isinstance(item, FetchedDocument))
    assert (first.uri, last.uri) == (f"{url}/issues/4", f"{url}/pull/5")
    assert first.parse().text == (
        "# Squeaks\n\nClosed as completed issue 4, opened by ann on 2026-01-02. Labels: noise. Milestone: 3.0.\n\n"
        "Loudly.\n\n## Comment by cy\n\nGrease it.\n\n## Comment by bo\n\nHm."
    )
    assert last.parse().text == "# Oil\n\nMerged pull request 5."
    problems = [item.message for item in items if isinstance(item, DocumentProblem)]
    assert [message.partition(":")[0] for message in problems] == [f"line {number}" for number in range(2, 10)]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "give either a repository or the path"),
        ({"repository": "a/b", "path": "/x"}, "give either a repository or the path"),
        ({"repository": "flask"}, "repository: must be an owner and a name"),
        ({"repository": "a/b/c"}, "repository: must be"),
        ({"repository": "a/.."}, "repository: must be"),
        ({"repository": "a/b?x"}, "repository: must be"),
        ({"repository": "a/b", "server": "github.com"}, "server: must be"),
        ({"repository": "a/b", "server": "https://u:p@github.com"}, "server: must be"),
        ({"repository": "a/b", "server": "https://github.com/api"}, "server: must be"),
        ({"repository": "a/b", "read": ["wiki"]}, "read.0: "),
        ({"repository": "a/b", "read": ["discussions"]}, "discussions need a credential"),
        ({"repository": "a/b", "credential": TOKEN}, "credential: must be a name"),
        ({"path": "/x", "credential": "a"}, "can only be used together with repository"),
    ],
)
def test_a_wrong_config_is_refused(config: dict[str, Any], message: str) -> None:
    """With the field."""
    with pytest.raises(InvalidConfigurationError) as caught:
        open_connector("github", config, SourceContext(folder=Path("/own")))
    assert message in str(caught.value)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    ("server", "rest", "graphql"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://acme.ghe.com/", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("https://git.acme.com:8443", "https://git.acme.com:8443/api/v3", "https://git.acme.com:8443/api/graphql"),
    ],
)
def test_where_the_interfaces_of_a_server_are(server: str, rest: str, graphql: str) -> None:
    """GitHub's own servers have a host for them; GitHub Enterprise Server has paths."""
    config = GitHubConfig(repository="a/b", server=server)
    assert (config.rest, config.graphql) == (rest, graphql)


@pytest.mark.parametrize(
    ("address", "kind", "read"),
    [
        ("https://github.com/pallets/flask/issues", "github", ["issues"]),
        ("github.com/pallets/flask/issues?q=is%3Aopen", "github", ["issues"]),
        ("https://github.com/pallets/flask/issues/5000", "github", ["issues"]),
        ("https://github.com/pallets/flask/pulls", "github", ["pull_requests"]),
        ("https://github.com/pallets/flask/pull/12/files", "github", ["pull_requests"]),
        ("https://github.com/pallets/flask/discussions/", "github", ["discussions"]),
        ("https://github.com/pallets/flask", "codebase", None),
        ("https://gitlab.com/pallets/flask/issues", "website", None),
        ("https://github.com/pallets/flask/wiki", "website", None),
    ],
)
def test_addresses_of_issues_are_recognised(address: str, kind: str, read: list[str] | None) -> None:
    """Repositories and other pages are not."""
    found = guess_source(Address.of(address))
    assert (found.kind, found.guess.config.get("read")) == (kind, read)
    if read:
        assert found.guess.config["repository"] == "pallets/flask"
        assert ("not only this one" in found.guess.words) == any(part.isdecimal() for part in address.split("/"))
