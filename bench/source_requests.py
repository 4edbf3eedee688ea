"""How many requests syncs of Confluence, Jira and Notion take: `python -m bench.source_requests [COUNT]`.

Belongs here: 1,000 items of each kind on a stub, and what happens to them. Not here: whether the documents are right
(`tests/integration/test_confluence.py` and its neighbours). Guarantee: nothing leaves this machine.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from headwater.errors import HeadwaterError
from headwater.sources.connector import FetchedDocument, Found, open_connector
from headwater.sources.source_context import SourceContext
from tests.confluence_stub import ConfluenceStub
from tests.hostile_server import loopback_gate
from tests.jira_stub import JiraStub
from tests.json_stub import JsonStub, StubReply, serve_stub
from tests.notion_stub import NotionStub, id_of


class Subject:
    """A stub, how a source reads it, and the edits of each situation."""

    def __init__(self, kind: str, stub: JsonStub, config: dict[str, Any], secret: str) -> None:
        self.kind, self.stub, self.config, self.secret = kind, stub, config, secret
        self.known: dict[str, Any] = {}
        self.waits: list[float] = []

    def items(self, folder: Path) -> Iterator[Found]:
        """Everything that a sync finds."""
        context = SourceContext(
            folder=folder, known=self.known, gate=loopback_gate(), wait=lambda seconds, _: self.waits.append(seconds)
        )
        return open_connector(self.kind, self.config, context).fetch()

    def sync(self, situation: str, folder: Path) -> None:
        """Sync, and print what it took."""
        began, found, error = time.perf_counter(), list[Found](), ""
        try:
            for item in self.items(folder):
                found.append(item)
        except HeadwaterError as failure:
            error = f" · {failure}"
        requests = len(self.stub.taken())
        counts = Counter(type(item).__name__ for item in found)
        gone = len(self.known.keys() - {item.uri for item in found})
        fetched = {item.uri: item for item in found if isinstance(item, FetchedDocument)}
        shown = f"{counts['FetchedDocument']} fetched, {counts['UnchangedDocument']} unchanged, {gone} gone or renamed"
        seconds = time.perf_counter() - began
        print(f"{self.kind:11} {situation:34} {requests:5} requests, {seconds:5.1f} s: {shown}{error}")
        self.known |= fetched


def main() -> None:
    """Run every situation for every kind."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    secrets = {"ATLASSIAN": "ann@example.com:token", "NOTION": "ntn_secret"}
    confluence, data_center, jira, notion = (
        ConfluenceStub(count), ConfluenceStub(count, is_cloud=False), JiraStub(count), NotionStub(count),
    )  # fmt: skip
    for stub in (confluence, data_center):
        stub.attach("att1", "1003", "Parts.md", b"# Parts", "text/markdown")
    jira.attach("10003", "501", "Parts.md", b"# Parts", "text/markdown")
    notion.attach(1003, 9001, "Parts.md", b"# Parts")
    stubs: list[tuple[str, JsonStub, str, Callable[[], None], Callable[[], None]]] = [
        ("confluence", confluence, "atlassian", lambda: edit_confluence(confluence), lambda: hide(confluence, count)),
        (
            "confluence",
            data_center,
            "atlassian",
            lambda: edit_confluence(data_center),
            lambda: hide(data_center, count),
        ),
        ("jira", jira, "atlassian", lambda: edit_jira(jira), lambda: hide(jira, count)),
        ("notion", notion, "notion", lambda: edit_notion(notion), lambda: hide(notion, count)),
    ]
    for kind, stub, name, edit, halve in stubs:
        with serve_stub(stub), tempfile.TemporaryDirectory() as folder:
            os.environ[f"HEADWATER_CREDENTIAL_{name.upper()}"] = secrets[name.upper()]
            os.environ[f"HEADWATER_CREDENTIAL_{name.upper()}_HOST"] = stub.url.partition("://")[2]
            subject = Subject(kind, stub, {"delay": 0, "credential": name, **_config(stub)}, secrets[name.upper()])
            _run(subject, Path(folder), edit, halve)


def _run(subject: Subject, folder: Path, edit: Callable[[], None], halve: Callable[[], None]) -> None:
    stub = subject.stub
    stub.fault = lambda _: StubReply(status=401) if len(stub.requests) > 5 else None
    subject.sync("token ends at the sixth request", folder / "own")
    stub.fault = lambda _: None
    subject.known = {}
    subject.sync("first", folder / "own")
    subject.sync("nothing changed", folder / "own")
    edit()
    subject.sync("3 edited, 1 deleted, 1 renamed, 1 file", folder / "own")
    with patch("headwater.sources.item_list._DAY", -1.0):
        subject.sync("the daily whole list", folder / "own")
    busy = [StubReply(status=429, headers={"Retry-After": "30"})]
    stub.fault = lambda _: busy.pop() if busy else None
    subject.sync("busy for 30 s", folder / "own")
    print(f"{'':11} waited {subject.waits} s")
    stub.fault = lambda _: None
    halve()
    with patch("headwater.sources.item_list._DAY", -1.0):
        subject.sync("half is left out, but there", folder / "own")


def _config(stub: JsonStub) -> dict[str, Any]:
    if isinstance(stub, NotionStub):
        return {"endpoint": stub.url}
    assert isinstance(stub, ConfluenceStub | JiraStub)
    edition = "cloud" if stub.is_cloud else "data_center"
    if isinstance(stub, JiraStub):
        return {"url": stub.url, "projects": ["ENG", "OPS"], "edition": edition}
    return {"url": f"{stub.url}{stub.context}/spaces/ENG", "edition": edition}


def edit_confluence(stub: ConfluenceStub) -> None:
    """Three edits, a deletion, a new title, and a new version of a file."""
    for number in (1004, 1005, 1006):
        stub.put(str(number), f"Valve {number - 1000}", "<p>The sluice opens at nine.</p>")
    stub.trash("1007")
    stub.put("1008", "Sluice", "<p>Renamed.</p>")
    stub.attach("att1", "1003", "Parts.md", b"# More parts", "text/markdown")


def edit_jira(stub: JiraStub) -> None:
    """Three edits, a deletion, an issue that is moved, and a file that is added."""
    for number in (4, 5, 6):
        stub.put(str(10_000 + number), f"ENG-{number + 1}", "Sluice", "<p>It opens at nine.</p>")
    del stub.issues["10007"]
    stub.put("10008", "OPS-1", "Sluice", "<p>Moved.</p>")
    stub.attach("10009", "502", "More.md", b"# More parts", "text/markdown")


def edit_notion(stub: NotionStub) -> None:
    """Three edits, a deletion, a new title, and a file that is added."""
    for number in (1004, 1005, 1006):
        stub.put(number, f"Valve {number - 1000}", "The sluice opens at nine.")
    stub.trash(1007)
    stub.put(1008, "Sluice", "Renamed.")
    stub.attach(1009, 9002, "More.md", b"# More parts")


def hide(stub: ConfluenceStub | JiraStub | NotionStub, count: int) -> None:
    """Leave half of the items out of every list."""
    half = range(count // 2, count)
    names = {JiraStub: [str(10_000 + number) for number in half], NotionStub: [id_of(1000 + number) for number in half]}
    stub.hidden |= set(names.get(type(stub), [str(1000 + number) for number in half]))


if __name__ == "__main__":
    main()
