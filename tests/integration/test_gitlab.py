"""GitLab (SRC-24): what is touched, how many requests it takes, and servers that misbehave."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from tests.gitlab_stub import GitLabStub
from tests.hostile_server import loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.support import Headwater

Make = Callable[..., Headwater]
_THREADS = ["issues", "merge_requests"]


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitLabStub]:
    """A server with 700 issues and 300 merge requests, one of which links to a text and a sound."""
    made = GitLabStub(700, 300)
    links = made.upload("Parts list.md", b"# Parts\n\nA brass screw."), made.upload("sound.wav", b"RIFF")
    made.put("issues", 3, "Valve 3 leaks", f"See {links[0]} and {links[1]}.")
    with serve_stub(made):
        prepare(made, monkeypatch)
        yield made


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitLabStub]:
    """A server without anything."""
    with serve_stub(GitLabStub()) as made:
        assert isinstance(made, GitLabStub)
        prepare(made, monkeypatch)
        yield made


def prepare(stub: GitLabStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stub be fetched from, with its secret."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_GITLAB", "glpat-token")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_GITLAB_HOST", stub.url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: GitLabStub, **more: Any) -> dict[str, Any]:
    """The config of a source."""
    return {"url": f"{stub.url}/mill/pumps/-/issues/1", "delay": 0, "credential": "gitlab", **more}


def fetch(
    stub: GitLabStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None, **more: Any
) -> Iterator[Found]:
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("gitlab", config(stub, **more), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def endings(items: list[Found], kind: type) -> list[str]:
    """What the URIs of items of a kind end with."""
    return sorted(item.uri.split("/-/")[1] for item in items if isinstance(item, kind))


def test_requests_are_few(stub: GitLabStub, tmp_path: Path) -> None:
    """Of 1,000 items: a quiet sync is two requests; what changed is fetched with them (SRC-24)."""
    known = as_known(list(fetch(stub, tmp_path, read=_THREADS)))
    assert len(known) == 1_001
    assert len(stub.taken()) == 1 + 8 + 4 + 1  # the project, the lists, the file
    assert {type(item) for item in fetch(stub, tmp_path, known, read=_THREADS)} == {UnchangedDocument}
    assert len(stub.taken()) == 2
    stub.put("issues", 5, "Sluice stuck", "It opens at nine.")
    stub.comment("issues", 200, 77, "Oil it.")
    stub.put("merge_requests", 5_004, "Mend all valves", "All of them.")
    stub.put("issues", 3, "Valve 3 leaks", f"See {stub.upload('Parts list.md', b'# Parts, a steel screw.')}.")
    del stub.entries["issues"][7]
    stub.move(9, 900, project=8)
    stub.put("issues", 11, "The key", "It hangs in the shed.", confidential=True)
    items = list(fetch(stub, tmp_path, known, read=_THREADS))
    *threads, file = endings(items, FetchedDocument)
    assert threads == ["issues/200", "issues/3", "issues/5", "merge_requests/4"]
    assert file.startswith("project/7/uploads/")
    assert len(items) == 1_001 - 2  # that of issue 7 is noticed once a day
    assert not [item for item in items if item.uri.endswith(("/issues/9", "/issues/11"))]
    assert len(stub.taken()) == 2 + 1 + 1  # its comment, the file


def test_what_a_list_leaves_out_is_asked_for(stub: GitLabStub, tmp_path: Path) -> None:
    """Once a day all is listed; of what is missing then, only what the server says is gone is removed (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path, read=_THREADS)))
    del stub.entries["issues"][7]
    assert len(list(fetch(stub, tmp_path, known, read=_THREADS))) == 1_001
    stub.hidden = set(range(100, 700))
    expire(tmp_path)
    stub.taken()
    items = list(fetch(stub, tmp_path, known, read=_THREADS))
    assert (len(items), {type(item) for item in items}) == (1_000, {UnchangedDocument})
    assert len([path for path in stub.taken() if path.split("/")[-2] == "issues"]) == 601
    items = list(fetch(stub, tmp_path / "another", known, read=_THREADS))
    assert (len(items), {type(item) for item in items}) == (1_000, {UnchangedDocument})
    stub.fault = lambda request: StubReply(status=500) if request.path.split("/")[-2] == "issues" else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(stub, tmp_path / "third", known, read=_THREADS))


def test_threads_of_one_time_are_all_listed(small: GitLabStub, tmp_path: Path) -> None:
    """Lists go on at a time; an import may have written more entries at once than a page has."""
    for number in range(1, 351):
        small.put("issues", number, "Imported", "From elsewhere.")
    for entry in small.entries["issues"].values():
        entry |= {"created_at": "2026-06-01T09:00:00.000Z"}
    assert len(as_known(list(fetch(small, tmp_path)))) == 350


def test_a_thread_is_written_whole(small: GitLabStub, tmp_path: Path) -> None:
    """All comments, each with its own link; labels, people and dates; what its texts name (SRC-24)."""
    body = "## Steps\n\n1. Turn, as in !1.\n\n```python\nturn()  # 5\n```\n<script>alert(1)</script>"
    fields: dict[str, Any] = {
        "labels": ["pump", "urgent"],
        "milestone": {"title": "Spring"},
        "assignees": [{"name": "Ada"}],
    }
    small.put("issues", 12, "Valve leaks", body, **fields)
    for number in range(130):
        small.comment("issues", 12, 900 + number, f"Remark {number}: use the **brass** screw of mill/sub/valves#4.")
    small.comment("issues", 12, 2_000, "added ~pump label", system=True)
    small.comment("issues", 12, 2_001, "The customer is Miller.", internal=True)
    small.put("merge_requests", 5_001, "Mend it", "Closes #12.", state="merged", merged_at="2026-06-02T00:00:00Z")
    small.comment("merge_requests", 5_001, 3_000, "Why?", position={"new_path": "src/pump.py"})
    documents = as_known(list(fetch(small, tmp_path, read=_THREADS)))
    document = documents[f"{small.url}/mill/pumps/-/issues/12"].parse()
    assert document.text.startswith(
        "# Valve leaks (#12)\n\n### Steps\n\n1. Turn, as in !1.\n\n```python\nturn()  # 5\n```\n\n## Details\n\n"
        "Issue mill/pumps#12, open. Opened by Ida Ek on 2026-06-01. Assigned to Ada. Milestone: Spring."
        " Labels: pump, urgent.\n\n## Comment by Bo Ask on 2026-06-01\n\nRemark 0: use the **brass** screw"
    )
    assert not {"alert", "added ~pump", "Miller"} & {
        word for word in ("alert", "added ~pump", "Miller") if word in document.text
    }
    assert document.category == "mill/pumps"
    assert document.metadata["labels"] == ["pump", "urgent"]
    assert (document.metadata["author"], document.metadata["comments"]) == ("Ida Ek", 130)
    assert document.references == (
        f"{small.url}/mill/pumps/-/merge_requests/1", f"{small.url}/mill/sub/valves/-/issues/4",
    )  # fmt: skip
    for words, ending, label in (("turn()", "", ""), ("Remark 0", "#note_900", "comment 900"),
                                 ("Remark 129", "#note_1029", "comment 1029")):  # fmt: skip
        begin = document.text.index(words)
        place = document.places.between(begin, begin + 5, text=document.text)
        assert link_to(document.uri, place) == f"{small.url}/mill/pumps/-/issues/12{ending}"
        assert (place.label if place else "") == label
    merged = documents[f"{small.url}/mill/pumps/-/merge_requests/1"].parse()
    assert "Merge request mill/pumps!1, merged on 2026-06-02." in merged.text
    assert "From branch `mend` into `main`." in merged.text
    assert "## Comment by Bo Ask on 2026-06-02 about `src/pump.py`\n\nWhy?" in merged.text


def test_what_is_confidential_is_read_only_if_asked_for(small: GitLabStub, tmp_path: Path) -> None:
    """An issue that becomes confidential disappears with the next sync; so do internal comments (SRC-24)."""
    small.put("issues", 1, "Leak", "In the boiler.")
    small.put("issues", 2, "Secret", "The key hangs in the shed.", confidential=True)
    small.comment("issues", 1, 70, "Internal remark.", internal=True)
    known = as_known(list(fetch(small, tmp_path, read=["issues"])))
    assert [uri.rpartition("/")[2] for uri in known] == ["1"]
    assert "Internal" not in known[f"{small.url}/mill/pumps/-/issues/1"].parse().text
    everything = as_known(list(fetch(small, tmp_path / "other", read=["issues"], confidential=True)))
    assert "shed" in everything[f"{small.url}/mill/pumps/-/issues/2"].parse().text
    assert "Internal remark" in everything[f"{small.url}/mill/pumps/-/issues/1"].parse().text
    changed = as_known(list(fetch(small, tmp_path / "other", everything, read=["issues"])))
    assert list(changed) == list(known), "whoever stops reading them has the issue without them"
    assert "Internal" not in changed[f"{small.url}/mill/pumps/-/issues/1"].parse().text
    small.put("issues", 1, "Leak", "In the boiler.", confidential=True)
    assert list(fetch(small, tmp_path, known, read=["issues"])) == []


def test_a_thread_that_cannot_be_read_keeps_its_files(small: GitLabStub, tmp_path: Path) -> None:
    """Also without a record of the last sync; the next one reads what this one could not (SRC-23)."""
    small.put("issues", 1, "Leak", f"See {small.upload('Parts.md', b'# Parts, a steel screw.')}.")
    small.comment("issues", 1, 70, "Oil it.")
    known = as_known(list(fetch(small, tmp_path, read=["issues"])))
    assert len(known) == 2
    small.fault = lambda request: StubReply(status=500) if "notes" in request.path else None
    items = list(fetch(small, tmp_path / "new", known, read=["issues"]))
    assert [item.uri for item in items if isinstance(item, DocumentProblem)] == [""]
    items = list(fetch(small, tmp_path, read=["issues"]))  # a full sync, for which nothing counts as known
    assert [item.uri for item in items] == [""]
    small.fault = lambda _: None
    assert {item.uri for item in fetch(small, tmp_path / "new", known, read=["issues"])} == set(known)


def test_a_wiki_is_read_with_one_request(small: GitLabStub, tmp_path: Path) -> None:
    """A renamed page stays the same document; a page that the list leaves out is asked for (SRC-23, SRC-24)."""
    small.pages = {
        "home": ("home", "Welcome to the mill."),
        "guides/oil": ("Oil", "Oil it on Fridays.\n\n## Which oil?\n\nThe thin one."),
        "tools": ("Tools", "A hammer."),
    }
    known = as_known(list(fetch(small, tmp_path, read=["wiki"])))
    assert small.taken() == ["GET /api/v4/projects/mill%2Fpumps", "GET /api/v4/projects/7/wikis"]
    document = known[f"{small.url}/mill/pumps/-/wikis/guides/oil"].parse()
    assert document.text == "# Oil\n\nOil it on Fridays.\n\n## Which oil?\n\nThe thin one."
    begin = document.text.index("The thin")
    place = document.places.between(begin, begin + 3, text=document.text)
    assert link_to(document.uri, place) == f"{small.url}/mill/pumps/-/wikis/guides/oil#which-oil"
    assert {type(item) for item in fetch(small, tmp_path, known, read=["wiki"])} == {UnchangedDocument}
    assert small.taken() == ["GET /api/v4/projects/7/wikis"]
    small.pages["guides/oiling"] = small.pages.pop("guides/oil")
    small.hidden = {"home"}
    del small.pages["tools"]
    items = list(fetch(small, tmp_path, known, read=["wiki"]))
    assert endings(items, UnchangedDocument) == ["wikis/home"]
    (renamed,) = as_known(items).values()
    assert renamed.renamed_from == f"{small.url}/mill/pumps/-/wikis/guides/oil"


def expire(folder: Path) -> None:
    """Let a day pass since the records were written."""
    for path in (folder / "own").glob("*.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "listed": 0}))


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_wiki_that_is_refused_stops_nothing(small: GitLabStub, tmp_path: Path, status: int) -> None:
    """It is one problem; its pages stay, and the rest is read (SRC-14, SRC-24)."""
    small.wiki_levels[8] = "enabled"
    small.put("issues", 1, "Leak", "In the boiler.")
    small.pages = {"home": ("home", "Welcome."), "oil": ("Oil", "On Fridays.")}
    group: dict[str, Any] = {"url": f"{small.url}/groups/mill/-/issues", "read": ["issues", "wiki"]}
    known = as_known(list(fetch(small, tmp_path, **group)))
    assert len(known) == 5
    small.fault = lambda request: StubReply(status=status) if request.path.endswith("/projects/7/wikis") else None
    small.pages["tools"] = ("Tools", "A hammer.")
    items = list(fetch(small, tmp_path, known, **group))
    (problem,) = (item for item in items if isinstance(item, DocumentProblem))
    assert problem.uri == f"{small.url}/mill/pumps/-/wikis/", "its slash keeps what is stored below it"
    assert {item.uri for item in items if isinstance(item, UnchangedDocument)} == set(known)
    assert endings(items, FetchedDocument) == ["wikis/tools"]
    items = list(fetch(small, tmp_path / "full", **group))
    assert (len(items), [item.uri for item in items if isinstance(item, DocumentProblem)]) == (5, [problem.uri])
    with pytest.raises(FetchError, match=r"not shown|answers 500"):
        list(fetch(small, tmp_path / "alone", known, read=["wiki"]))


def test_a_wiki_that_is_switched_off_disappears(small: GitLabStub, tmp_path: Path) -> None:
    """Its project says so, so its pages are not asked for, which GitLab would refuse (SRC-23)."""
    small.put("issues", 1, "Leak", "In the boiler.")
    small.pages = {str(number): ("Page", f"Number {number}.") for number in range(5)}
    known = as_known(list(fetch(small, tmp_path)))
    assert len(known) == 6
    small.wiki_levels[7] = "disabled"
    small.fault = lambda request: StubReply(status=403) if "/wikis" in request.path else None
    items = list(fetch(small, tmp_path, known))
    assert (len(items), sum(isinstance(item, DocumentProblem) for item in items)) == (7, 1)
    assert endings(list(fetch(small, tmp_path, known)), UnchangedDocument) == ["issues/1"]


@pytest.mark.parametrize("read", [["wiki"], ["issues", "merge_requests", "wiki"]])
def test_wiki_pages_follow_their_project(small: GitLabStub, tmp_path: Path, read: list[str]) -> None:
    """A project that gets another path takes its pages along, changed ones too, with a record and without one."""
    small.wiki_levels[8] = "enabled"
    small.pages = {"home": ("home", "Welcome."), "oil": ("Oil", "On Fridays.")}
    group: dict[str, Any] = {"url": f"{small.url}/groups/mill/-/issues", "read": read}
    project: dict[str, Any] = {"read": read}
    redirect = StubReply(status=301, headers={"Location": "/elsewhere"})
    for name, fields in (("project", project), ("group", group)):
        small.projects[7] = "mill/pumps"
        small.fault = lambda _: None
        known = as_known(list(fetch(small, tmp_path / name, **fields)))
        small.projects[7] = "mill/sluices"
        small.pages["home"] = ("home", f"Welcome to the {name}.")
        small.fault = lambda request: redirect if "mill%2Fpumps" in request.path else None
        expire(tmp_path / name)
        for folder in [tmp_path / name] + [tmp_path / "new"] * (name == "group"):
            items = list(fetch(small, folder, known, **fields))
            renamed = {uri: item.renamed_from for uri, item in as_known(items).items() if item.renamed_from}
            base = f"{small.url}/mill"
            assert renamed == {
                f"{base}/sluices/-/wikis/{slug}": f"{base}/pumps/-/wikis/{slug}" for slug in ("home", "oil")
            }
            assert not [item.uri for item in items if "/pumps/" in item.uri]


def test_entries_that_lists_repeat_count_once(small: GitLabStub, tmp_path: Path) -> None:
    """Lists go on at the time of the last entry, so they repeat some; `items` counts each once."""
    for number in range(1, 4):
        small.put("issues", number, "Leak", "It drips.")
    answers = [small.answer, small.answer]

    def repeat(request: StubRequest) -> StubReply | None:
        if not request.path.endswith("/issues") or not answers:
            return None
        fields = {name: value for name, value in request.fields.items() if name != "created_after"}
        reply = answers.pop()(replace(request, fields=fields))
        return replace(reply, headers={"Link": '<https://x/?page=2>; rel="next"'})

    small.fault = repeat
    assert len(as_known(list(fetch(small, tmp_path, read=["issues"], items=3)))) == 3
    assert not answers
    with pytest.raises(TooLargeError, match="more than 2 issues"):
        list(fetch(small, tmp_path / "other", read=["issues"], items=2))


def test_a_project_may_have_the_name_of_a_page(small: GitLabStub, tmp_path: Path) -> None:
    """An address that may mean two things is asked for; the longer path comes first."""
    small.projects[9] = "mill/issues"
    small.put("issues", 1, "Leak", "In the boiler.")
    small.put("issues", 2, "Rust", "On the lever.", project=9)
    for path, ending in {
        "mill/issues": "mill/issues/-/issues/2", "mill/issues/-/boards": "mill/issues/-/issues/2",
        "mill/issues/issues/2": "mill/issues/-/issues/2", "mill/pumps/issues": "mill/pumps/-/issues/1",
        "mill/pumps/issues/1": "mill/pumps/-/issues/1", "mill/pumps/-/issues/1": "mill/pumps/-/issues/1",
        "mill/issues.git": "mill/issues/-/issues/2",
    }.items():  # fmt: skip
        url = f"{small.url}/{path}"
        items = list(fetch(small, tmp_path / path.replace("/", "_"), url=url, read=["issues"]))
        assert [item.uri for item in items] == [f"{small.url}/{ending}"], path


def test_a_group_is_read_with_its_projects(small: GitLabStub, tmp_path: Path) -> None:
    """An issue that moves to another project of the group stays the same document; a wiki is read if it is named."""
    small.put("issues", 1, "Leak", "In the boiler.")
    small.put("issues", 2, "Rust", "On the lever.", project=8)
    small.pages = {"home": ("home", "Welcome.")}
    group: dict[str, Any] = {"url": f"{small.url}/groups/mill/-/issues"}
    known = as_known(list(fetch(small, tmp_path, **group)))
    assert endings(list(known.values()), FetchedDocument) == ["issues/1", "issues/2"]
    small.move(1, 30, project=8)
    (moved, *rest) = as_known(list(fetch(small, tmp_path, known, **group))).values()
    assert (moved.uri, moved.renamed_from, rest) == (
        f"{small.url}/mill/sub/valves/-/issues/30", f"{small.url}/mill/pumps/-/issues/1", [],
    )  # fmt: skip
    items = as_known(list(fetch(small, tmp_path / "other", read=["wiki"], **group)))
    assert list(items) == [f"{small.url}/mill/pumps/-/wikis/home"]
    with pytest.raises(SourceError, match=r"shows no project and no group mill/other"):
        list(fetch(small, tmp_path / "third", url=f"{small.url}/mill/other"))


def test_a_file_that_failed_is_asked_for_again(stub: GitLabStub, tmp_path: Path) -> None:
    """Although its issue has not changed; one that a server does not give is left out."""
    stub.fault = lambda request: StubReply(status=500) if "/uploads/" in request.path else None
    items = list(fetch(stub, tmp_path, read=["issues"]))
    assert len([item for item in items if isinstance(item, DocumentProblem)]) == 1
    stub.fault = lambda _: None
    documents = as_known(list(fetch(stub, tmp_path, as_known(items), read=["issues"])))
    assert any("brass" in one.parse().text for one in documents.values())


@pytest.mark.dagster
def test_a_sync_follows_its_server(headwater: Make, small: GitLabStub, caplog: pytest.LogCaptureFixture) -> None:
    """A question is answered from a comment, whose label and author are filters; no secret is in any row or log."""
    caplog.set_level(logging.DEBUG)
    small.put("issues", 1, "Sluice stuck", "The lever is rusty.", labels=["sluice"])
    small.comment("issues", 1, 77, "The sluice of the mill opens at nine, if the lever is oiled.")
    small.put("issues", 2, "Valve leaks", "The valve of the mill drips at nine.", labels=["valve"])
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="gitlab", kind="gitlab", config=config(small), settings=SourceSettings())
    done = kb.sync("gitlab")["gitlab"]
    assert (done.state, done.added, done.errors) == ("ready", 2, [])
    place = kb.ask("When does the sluice of the mill open?").citations[0].place
    assert place is not None
    assert (place.label, place.first) == ("comment 77", "#note_77")
    assert {passage.title for passage in kb.search("mill at nine", tags=("valve",))} == {"Valve leaks (#2)"}
    assert {passage.title for passage in kb.search("mill", authors=("Nobody",))} == set()
    assert "glpat" not in f"{kb.dump()} {caplog.text}"


def test_a_token_that_ends_in_the_middle_loses_nothing(stub: GitLabStub, tmp_path: Path) -> None:
    """What was read stays; the error says what to renew."""
    items: list[Found] = []
    stub.fault = lambda _: StubReply(status=401) if len(stub.requests) > 6 else None
    with pytest.raises(SourceError, match=r"does not accept the credential gitlab.*Renew it. What was read is kept"):
        items.extend(fetch(stub, tmp_path, read=_THREADS))
    assert len(items) > 300
    stub.fault = lambda _: None
    again = list(fetch(stub, tmp_path, as_known(items), read=_THREADS))
    assert len([item for item in again if isinstance(item, UnchangedDocument)]) == len(items)
    assert len(again) == 1_001


def test_a_busy_server_is_waited_for(stub: GitLabStub, tmp_path: Path) -> None:
    """As long as it says; nothing is left out."""
    busy = [StubReply(status=429, headers={"Retry-After": "120"}), StubReply(status=503, headers={"Retry-After": "7"})]
    stub.fault = lambda _: busy.pop() if busy and len(stub.requests) > 2 else None
    waits: list[float] = []
    assert len(as_known(list(fetch(stub, tmp_path, waits=waits, read=_THREADS)))) == 1_001
    assert sorted(waits) == [7.0, 120.0]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (StubReply(status=403), FetchError, "is not shown to the credential gitlab"),
        (StubReply(status=404), FetchError, "is not there, or not shown to this credential"),
        (StubReply(content=b"<html>"), SourceError, "no list"),
        (StubReply(content={"issues": 3}), SourceError, "no list"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
    ],
)
def test_a_server_that_misbehaves_changes_nothing(
    small: GitLabStub, tmp_path: Path, fault: StubReply, error: type[Exception], message: str
) -> None:
    """Whatever its lists answer, it is an error of the whole source, without the secret (SEC-1)."""
    small.fault = lambda request: fault if request.path.endswith("/issues") else None
    with pytest.raises(error, match=message) as caught:
        list(fetch(small, tmp_path))
    assert "glpat" not in str(caught.value)


def test_a_list_without_end_is_an_error(small: GitLabStub, tmp_path: Path) -> None:
    """Entries without times cannot be gone on from; entries of other forms are left out."""
    odd: list[Any] = [{"id": 1}, 7, None, {"iid": "x"}] * 25
    headers = {"Link": '<https://x/?page=2>; rel="next"'}
    small.fault = lambda request: StubReply(content=odd, headers=headers) if "issues" in request.path else None
    with pytest.raises(FetchError, match="does not end"):
        list(fetch(small, tmp_path))


def test_a_secret_stays_at_its_host(small: GitLabStub, tmp_path: Path) -> None:
    """Files may be kept elsewhere, where the secret is not sent; a private address is refused (SEC-1, SRC-14)."""
    small.put("issues", 1, "Parts", f"See {small.upload('list.md', b'# Here')}.")
    with serve_stub(GitLabStub()) as other:
        elsewhere = f"{other.url.replace('127.0.0.1', 'site.test')}/file"
        other.fault = lambda _: StubReply(content=b"# Stored elsewhere")

        def redirect(request: StubRequest, url: str) -> StubReply | None:
            return StubReply(status=302, headers={"Location": url}) if "/uploads/" in request.path else None

        small.fault = lambda request: redirect(request, elsewhere)
        items = as_known(list(fetch(small, tmp_path, read=["issues"])))
        assert "Stored elsewhere" in next(one for uri, one in items.items() if "uploads" in uri).parse().text
        assert ["authorization" in request.headers for request in other.requests] == [False]
        other.fault = lambda _: StubReply(content=b"<!doctype html><html>Sign in</html>")
        again = fetch(small, tmp_path / "new", read=["issues"])
        assert "perhaps one to sign in" in next(item for item in again if isinstance(item, DocumentProblem)).message
    small.fault = lambda request: redirect(request, "http://169.254.169.254/x")
    problem = next(one for one in fetch(small, tmp_path / "other", read=["issues"]) if isinstance(one, DocumentProblem))
    assert "169.254.169.254 is refused" in problem.message
    small.fault = lambda _: None
    with pytest.raises(SourceError, match=r"it is private\. Name a `credential`: an access token"):
        list(fetch(small, tmp_path, credential=None))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url": "https://gitlab.com"}, "must be the address of a project or a group"),
        ({"url": "https://gitlab.com/mill/../x"}, "must be the address of a project or a group"),
        ({"url": "https://x:y@gitlab.com/mill"}, "neither a user name nor a password"),
        ({"url": "https://git.mill.org/mill", "server": "https://other.org"}, "server: url must begin with it"),
    ],
)
def test_a_config_names_a_project_or_group(values: dict[str, Any], message: str) -> None:
    """And nothing else of the server."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config("gitlab", values)
