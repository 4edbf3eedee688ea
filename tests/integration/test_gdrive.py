"""Google Drive (SRC-28): what is touched, how many requests it takes, tokens, and refusals."""

import base64
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.place_links import link_to
from headwater.domain.source_settings import SourceSettings
from headwater.errors import FetchError, InvalidConfigurationError, SourceError, TooLargeError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.gdrive import api, drive_tree
from headwater.sources.gdrive.document import clean_markdown
from headwater.sources.source_context import SourceContext
from tests.gdrive_stub import ACCOUNT, DOCUMENT, FOLDER, GOOGLE, REFRESH, GoogleDriveStub, error, key_file
from tests.hostile_server import Names, loopback_gate
from tests.json_stub import StubReply, StubRequest, serve_stub
from tests.support import Headwater

Make = Callable[..., Headwater]
_ANYTHING = {"id": "manuals-folder", "mimeType": FOLDER, "startPageToken": "1"}
_URI = "https://drive.google.com/open?id="


@pytest.fixture
def stub(small: GoogleDriveStub) -> GoogleDriveStub:
    """A folder with 200 documents in 20 folders."""
    for number in range(20):
        small.put(f"folder-{number:02}", f"Part {number}", FOLDER, parent="manuals-folder")
    return add_documents(small, 200)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleDriveStub]:
    """A folder without files."""
    with serve_stub(GoogleDriveStub()) as running:
        assert isinstance(running, GoogleDriveStub)
        running.put("manuals-folder", "Manuals", FOLDER)
        prepare(running, monkeypatch)
        yield running


def add_documents(stub: GoogleDriveStub, until: int) -> GoogleDriveStub:
    """Add documents to the 20 folders, up to a number of all documents."""
    for number in range(sum(key.startswith("doc-") for key in stub.files), until):
        text = f"# Valve {number}\n\nValve {number} drips."
        stub.put(f"doc-{number:04}", f"Valve {number}", content=text, parent=f"folder-{number % 20:02}")
    return stub


def prepare(stub: GoogleDriveStub, monkeypatch: pytest.MonkeyPatch, secret: str = "") -> None:
    """Let a stub be fetched from, with the key of an account."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRIVE", secret or key_file())
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRIVE_HOST", stub.url.partition("://")[2])
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


def config(stub: GoogleDriveStub, **fields: Any) -> dict[str, Any]:
    """The config of a source."""
    url = "https://drive.google.com/drive/folders/manuals-folder"
    return {"url": url, "endpoint": stub.url, "credential": "drive", **fields}


def fetch(
    stub: GoogleDriveStub, folder: Path, known: dict[str, Any] | None = None, waits: list[float] | None = None,
    **fields: Any,
) -> Iterator[Found]:  # fmt: skip
    """Everything that the connector finds, one by one."""
    waited: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=folder / "own", known=known or {}, gate=loopback_gate(), wait=lambda seconds, _: waited.append(seconds)
    )
    return open_connector("gdrive", config(stub, **fields), context).fetch()


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def ids_of(items: list[Found], kind: type = FetchedDocument) -> list[str]:
    """The ids of the documents of one kind, in order."""
    return sorted(item.uri.removeprefix(_URI) for item in items if isinstance(item, kind))


def count_requests(stub: GoogleDriveStub) -> Counter[str]:
    """How many requests of each sort there were since the last time."""
    sorts = [path.rpartition("/")[2] if path.endswith(("export", "token", "changes", "files", "Token")) else "file"
             for path in stub.taken()]  # fmt: skip
    return Counter(sorts)


def expire(folder: Path) -> None:
    """Let a day pass since the record was written."""
    path = folder / "own" / "list.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "listed": 0}))


def test_requests_are_few(stub: GoogleDriveStub, tmp_path: Path) -> None:
    """Of 1,000 files: a quiet sync is two requests and one for a token; only what changed is touched (SRC-28)."""
    add_documents(stub, 1_000)
    known = as_known(list(fetch(stub, tmp_path)))
    assert len(known) == 1_000
    assert count_requests(stub) == {"token": 1, "file": 1, "startPageToken": 1, "files": 21, "export": 1_000}
    assert {type(item) for item in fetch(stub, tmp_path, known)} == {UnchangedDocument}
    assert count_requests(stub) == {"token": 1, "file": 1, "changes": 1}
    for number in (1, 2, 21):
        stub.put(f"doc-{number:04}", f"Valve {number}", content="# Sluice\n\nIt opens at nine.")
    stub.trash("doc-0003")
    stub.change("doc-0004", name="Sluice 4")
    stub.change("doc-0005", parents=[stub.root])
    items = list(fetch(stub, tmp_path, known))
    assert ids_of(items) == ["doc-0001", "doc-0002", "doc-0004", "doc-0021"]
    assert len(ids_of(items, UnchangedDocument)) == 994
    assert len(items) == 998
    assert count_requests(stub) == {"token": 1, "file": 1, "changes": 1, "export": 4}
    renamed = as_known(items)[f"{_URI}doc-0004"]
    assert (renamed.parse().title, renamed.renamed_from) == ("Sluice 4", "")
    assert [item for item in fetch(stub, tmp_path, as_known([*known.values(), *items])) if "doc-0005" in item.uri] == []


def test_what_only_left_the_list_of_changes_stays(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Drive says `removed` of a file that the account can still read otherwise (SRC-23)."""
    for name in ("a", "b"):
        small.put(name, name, content="# Valve\n\nIt drips.", parent="manuals-folder")
    known = as_known(list(fetch(small, tmp_path)))
    small.lost = {"a", "b"}
    small.log += ["a"]
    small.delete("b")
    assert ids_of(list(fetch(small, tmp_path, known)), UnchangedDocument) == ["a"]


def test_changes_elsewhere_do_not_count(small: GoogleDriveStub, tmp_path: Path) -> None:
    """The list of changes is of the whole account, `items` of the folder."""
    small.put("a", "a", content="# Valve\n\nIt drips.", parent="manuals-folder")
    known = as_known(list(fetch(small, tmp_path, items=5)))
    for number in range(9):
        small.put(f"other-{number}", "Other", content="# Other", parent=small.root)
    assert ids_of(list(fetch(small, tmp_path, known, items=5)), UnchangedDocument) == ["a"]


def test_a_folder_of_a_drive_that_the_account_does_not_belong_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is listed whole each time, since the account can read no list of the drive's changes."""
    with serve_stub(GoogleDriveStub(drive="0ADrive")) as stub:
        assert isinstance(stub, GoogleDriveStub)
        prepare(stub, monkeypatch)
        stub.is_member = False
        stub.put("manuals-folder", "Manuals", FOLDER)
        stub.put("a", "a", content="# Valve\n\nIt drips.", parent="manuals-folder")
        known = as_known(list(fetch(stub, tmp_path)))
        stub.put("b", "b", content="# Sluice\n\nIt opens.", parent="manuals-folder")
        assert ids_of(list(fetch(stub, tmp_path, known))) == ["b"]
        stub.is_member = True
        assert ids_of(list(fetch(stub, tmp_path, known))) == ["b"]


def test_a_login_host_that_is_busy_blames_no_credential(small: GoogleDriveStub, tmp_path: Path) -> None:
    """A secret that is right is not renewed for it."""
    small.fault = lambda request: StubReply(status=429, content={}) if request.path == "/token" else None
    with pytest.raises(FetchError, match="gives no token"):
        list(fetch(small, tmp_path))


def test_what_a_list_leaves_out_is_asked_for(stub: GoogleDriveStub, tmp_path: Path) -> None:
    """Half of it is missing but there: nothing is removed, with or without a record of the last sync (SRC-23)."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.hidden = {f"doc-{number:04}" for number in range(0, 200, 2)} | {"folder-03"}
    stub.delete("doc-0001")
    stub.trash("folder-05")
    for folder in (tmp_path / "another", tmp_path):
        if folder == tmp_path:
            expire(tmp_path)
        stub.taken()
        items = list(fetch(stub, folder, known))
        assert len(ids_of(items, UnchangedDocument)) == 200 - 1 - 10
        assert len(items) == 189
        requests = count_requests(stub)
    assert requests["file"] == 1 + 100 + 3  # nothing of what was in the folder that is gone
    stub.fault = lambda request: error(500, "backendError") if request.path.endswith("doc-0000") else None
    expire(tmp_path)
    items = list(fetch(stub, tmp_path, known))
    assert ids_of(items, DocumentProblem) == ["doc-0000"]
    assert len(ids_of(items, UnchangedDocument)) == 188
    stub.fault = lambda request: error(500, "backendError") if "/files/doc-" in request.path else None
    with pytest.raises(FetchError, match=r"3 items of .* in a row could not be fetched"):
        list(fetch(stub, tmp_path / "third", known))


def test_a_place_that_is_not_known_any_more_leads_to_a_whole_list(stub: GoogleDriveStub, tmp_path: Path) -> None:
    """Nothing is fetched again, and nothing is removed."""
    known = as_known(list(fetch(stub, tmp_path)))
    for fault in (error(400, "invalid"), error(404, "notFound"), error(410, "deleted")):
        stub.taken()
        stub.fault = lambda request, fault=fault: fault if request.path.endswith("/changes") else None  # type: ignore[misc]
        assert len(ids_of(list(fetch(stub, tmp_path, known)), UnchangedDocument)) == 200
        requests = count_requests(stub)
        assert (requests["changes"], requests["files"], requests["export"]) == (1, 21, 0)


def test_a_folder_takes_along_what_is_in_it(stub: GoogleDriveStub, tmp_path: Path) -> None:
    """It moves out, in again, into another one, and is renamed; Drive says so of the folder alone."""
    known = as_known(list(fetch(stub, tmp_path)))
    stub.change("folder-01", parents=[stub.root])
    assert len(ids_of(list(fetch(stub, tmp_path, known)), UnchangedDocument)) == 190
    stub.change("folder-01", parents=["folder-02"])
    items = list(fetch(stub, tmp_path, known))
    moved = as_known(items)
    assert (len(moved), len(items)) == (10, 200)
    assert {item.parse().category for item in moved.values()} == {"Part 2/Part 1"}
    stub.change("folder-02", name="Pumps")
    items = list(fetch(stub, tmp_path, known | moved))
    assert (len(as_known(items)), len(items)) == (20, 200)
    stub.trash("folder-02")
    assert len(list(fetch(stub, tmp_path, known | as_known(items)))) == 180


def test_a_sync_that_was_interrupted_goes_on(stub: GoogleDriveStub, tmp_path: Path) -> None:
    """A token that ends in the middle and is not renewed: what was read is kept, and not read again (SRC-23)."""
    items: list[Found] = []
    stub.fault = lambda _: setattr(stub, "is_revoked", len(stub.requests) > 100)
    message = r"does not accept the credential drive \(400 invalid_grant\).*Renew it.*What was read is kept"
    with pytest.raises(SourceError, match=message) as caught:
        items.extend(fetch(stub, tmp_path))
    assert "BEGIN" not in str(caught.value)
    assert 50 < len(items) < 100
    stub.fault, stub.is_revoked = lambda _: None, False
    stub.taken()
    again = list(fetch(stub, tmp_path, as_known(items)))
    assert (len(again), len(ids_of(again, UnchangedDocument))) == (200, len(items))
    assert count_requests(stub)["export"] == 200 - len(items)


def test_a_token_is_renewed(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Before it ends, or once when it is refused; nobody notices."""
    for number in range(12):
        small.put(f"doc-{number:06}", f"Valve {number}", content=f"# Valve {number}", parent="manuals-folder")
    small.seconds = 300
    assert len(list(fetch(small, tmp_path))) == 12
    assert count_requests(small) == {"token": 15, "file": 1, "startPageToken": 1, "files": 1, "export": 12}
    small.seconds = 3599
    small.fault = lambda _: small.tokens.clear() if len(small.requests) == 10 else None
    assert len(list(fetch(small, tmp_path / "another"))) == 12
    assert count_requests(small)["token"] == 2


def test_limits_are_waited_for(small: GoogleDriveStub, tmp_path: Path) -> None:
    """As long as Drive says, else twice as long each time; a limit of a day is an error that says so."""
    small.put("doc-0001", "Valve", content="# Valve\n\nIt drips.", parent="manuals-folder")
    busy = [
        error(403, "userRateLimitExceeded"), error(429, "rateLimitExceeded", Retry_After="120"),
        error(403, "rateLimitExceeded", Retry_After="7"), error(403, "rateLimitExceeded"),
    ]  # fmt: skip
    small.fault = lambda request: busy.pop() if busy and "export" in request.path else None
    waits: list[float] = []
    assert ids_of(list(fetch(small, tmp_path, waits=waits))) == ["doc-0001"]
    assert waits == [1.0, 7.0, 120.0, 8.0]
    small.fault = lambda request: error(403, "dailyLimitExceeded") if "export" in request.path else None
    with pytest.raises(FetchError, match=r"no more requests of this project today \(dailyLimitExceeded\)"):
        list(fetch(small, tmp_path / "another"))
    small.fault = lambda request: error(403, "rateLimitExceeded") if "/files" in request.path else None
    with pytest.raises(FetchError, match=r"accepts no more requests \(rateLimitExceeded\)"):
        list(fetch(small, tmp_path / "third"))


def test_google_documents_are_converted(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Into markdown, else HTML; what Google adds to it is left out, and citations open the document (SRC-28)."""
    text = (
        "# **Oil the lever** {#oil-the-lever}\r\n\r\nTurn it 90\\-degrees \\- then 2\\. wait.\n\n![A lever][image1]\n\n"
        "See [the valve](https://docs.google.com/document/d/doc-000002/edit?tab=t.0#heading=h.x) and a\\_b.\n\n"
        "[image1]: <data:image/png;base64,iVBORw0KGgo=>\n"
    )
    parent = small.put("folder-01", "Care", FOLDER, parent="manuals-folder")
    small.put("doc-000001", "Lever / care", content=text, parent=parent, description="Weekly")
    small.put("doc-000002", "Valve", parent=parent)
    del small.exports["doc-000002", "text/markdown"]
    small.exports["doc-000002", "text/html"] = b"<h1>Valve</h1><p>It drips.</p>"
    document = as_known(list(fetch(small, tmp_path)))[f"{_URI}doc-000001"].parse()
    assert document.text.startswith(
        "# **Oil the lever**\n\nTurn it 90-degrees - then 2. wait.\n\nA lever\n\nSee [the valve]"
    )
    assert ("base64" in document.text, "a\\_b" in document.text) == (False, True)
    assert (document.title, document.category) == ("Lever / care", "Care")
    assert f"[the valve]({_URI}doc-000002#heading=h.x) and" in document.text
    assert document.references == (f"{_URI}doc-000002",)
    assert document.metadata == {
        "authors": ["Ida Holm"], "description": "Weekly", "created": "2026-06-01T09:04:00.000Z",
        "last_modified": "2026-06-01T09:04:00.000Z", "path": "Care/Lever - care",
    }  # fmt: skip
    place = document.places.between(0, 5, text=document.text)
    assert place is not None
    assert (place.label, link_to(document.uri, place)) == (
        "",
        "https://docs.google.com/document/d/doc-000001/edit?usp=drivesdk",
    )
    converted = as_known(list(fetch(small, tmp_path)))[f"{_URI}doc-000002"].parse()
    assert "It drips." in converted.text
    assert converted.title == "Valve"


def test_each_type_goes_its_own_way(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Files are downloaded; what cannot be read is left out with a reason, or is a problem of one document."""
    for identity, name, media_type, content in (
        ("md-0000001", "Sluice.md", "text/markdown", b"# Sluice\n\nIt opens at nine."),
        ("py-0000001", "pump.py", "text/x-python", b"def pump():\n    return 40\n"),
        ("csv-000001", "Parts 2026.csv", "text/csv", b"part,size\nscrew,4\n"),
        ("mp4-000001", "film.mp4", "video/mp4", b"\0\0\0\x18ftypmp42"),
        ("draw-00001", "Sketch", f"{GOOGLE}drawing", b""),
        ("form-00001", "Survey", f"{GOOGLE}form", b""),
        ("huge-00001", "Huge", DOCUMENT, b"a" * 10_000_001),
        ("kept-00001", "secret.md", "text/markdown", b"# No"),
    ):
        small.put(identity, name, media_type, content, parent="manuals-folder")
    small.put("big-000001", "big.pdf", "application/pdf", b"%PDF", parent="manuals-folder", size=str(10**9))
    small.fault = lambda request: (
        error(403, "cannotDownloadFile") if request.fields.get("alt") and "kept" in request.path else None
    )
    context = SourceContext(folder=tmp_path / "own", gate=loopback_gate())
    connector = open_connector("gdrive", config(small), context)
    items = list(connector.fetch())
    documents = {uri: item.parse() for uri, item in as_known(items).items()}
    titles = {uri.removeprefix(_URI): document.title for uri, document in documents.items()}
    assert titles == {"md-0000001": "Sluice", "py-0000001": "pump.py", "csv-000001": "Parts 2026.csv"}
    problems = {item.uri.removeprefix(_URI): item.message for item in items if isinstance(item, DocumentProblem)}
    assert sorted(problems) == ["big-000001", "huge-00001", "kept-00001"]
    assert "more than 100 MB" in problems["big-000001"] or "larger than 100 MB" in problems["big-000001"]
    assert "cannotDownloadFile" in problems["kept-00001"]
    assert {line.message for line in connector.skipped.lines()} == {
        "1 .mp4 file: no parser reads this type here.", "1 Google drawing file: no parser reads this type here.",
        "1 Google form file: no parser reads this type here.",
    }  # fmt: skip
    quiet = list(fetch(small, tmp_path, as_known(items)))
    assert (ids_of(quiet, DocumentProblem), len(ids_of(quiet, UnchangedDocument))) == (sorted(problems), 3)


def test_a_page_to_sign_in_is_no_file(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Neither of a file nor of a document that is converted; HTML that was asked for is read (SEC-1)."""
    small.put("md-0000001", "Sluice.md", "text/markdown", b"# Sluice\n\nIt opens at nine.", parent="manuals-folder")
    small.put("doc-000001", "Mill", DOCUMENT, b"The mill.", parent="manuals-folder")
    page = StubReply(content=b"<!doctype html><html>Sign in</html>", headers={"Content-Type": "text/html"})
    small.fault = lambda request: page if {"alt", "mimeType"} & request.fields.keys() else None
    items = list(fetch(small, tmp_path))
    assert ids_of(items, DocumentProblem) == ["doc-000001", "md-0000001"]
    assert all("perhaps one to sign in" in item.message for item in items if isinstance(item, DocumentProblem))


def test_a_document_that_is_too_large_to_convert_is_one_problem(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Ten megabytes are Google's limit; another form may be smaller."""
    small.put("huge-00001", "Huge", content=b"a" * 10_000_001, parent="manuals-folder")
    small.exports["huge-00001", "text/html"] = b"a" * 10_000_001
    small.put("wide-00001", "Wide", content=b"a" * 10_000_001, parent="manuals-folder")
    small.exports["wide-00001", "text/html"] = b"<h1>Wide</h1><p>It is wide.</p>"
    items = list(fetch(small, tmp_path))
    (problem,) = (item for item in items if isinstance(item, DocumentProblem))
    assert (problem.uri, problem.code) == (f"{_URI}huge-00001", TooLargeError.code)
    assert "10 MB" in problem.message
    assert ids_of(items) == ["wide-00001"]


def test_pictures_make_no_document_too_large(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Google's markdown, HTML and slides hold them; then the text is read without its form (SRC-28)."""
    parent, huge = "manuals-folder", b"a" * 10_000_001
    small.put("pics-00001", "Album", content=huge, parent=parent)
    small.exports["pics-00001", "text/html"] = huge
    small.put("show-00001", "Show", f"{GOOGLE}presentation", parent=parent)
    office = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    small.exports |= {("show-00001", media_type): huge for media_type in (office, "application/pdf")}
    for key in ("pics-00001", "show-00001"):
        small.exports[key, "text/plain"] = b"\xef\xbb\xbfThe lever\r\n\r\nOil it weekly.\r\n"
    documents = {uri.removeprefix(_URI): item.parse() for uri, item in as_known(list(fetch(small, tmp_path))).items()}
    assert {key: document.title for key, document in documents.items()} == {"pics-00001": "Album", "show-00001": "Show"}
    for document in documents.values():
        assert document.text.split() == ["The", "lever", "Oil", "it", "weekly."]
        place = document.places.between(0, 3, text=document.text) if document.places else None
        assert (link_to(document.uri, place) or "").startswith("https://")
        assert place is None or place.label == ""


def test_a_dot_hides_nothing(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Drive has no hidden names: `.NET` is a name like others."""
    folder = small.put("folder-net", ".NET", FOLDER, parent="manuals-folder")
    small.put("doc-000001", ".NET at a glance", content="# Runtime", parent="manuals-folder")
    small.put("md-0000001", ".setup.md", "text/markdown", b"# Setup", parent=folder)
    assert ids_of(list(fetch(small, tmp_path))) == ["doc-000001", "md-0000001"]


def test_a_service_that_fails_for_a_moment_is_asked_again(small: GoogleDriveStub, tmp_path: Path) -> None:
    """After waits that grow; one that fails for ever is given up, and not each of its documents is waited for."""
    for number in range(9):
        small.put(f"doc-{number:06}", "Valve", content="# Valve", parent="manuals-folder")
    for path in ("/files", "/changes", "doc-000001", "doc-000002/export", "/token"):
        faults = [StubReply(status=status, content=b"<html>") for status in (504, 502, 500)]
        small.fault = lambda request, path=path, faults=faults: (  # type: ignore[misc]
            faults.pop() if faults and request.path.endswith(path) else None
        )
        waits: list[float] = []
        known = as_known(list(fetch(small, tmp_path / path.replace("/", "-"), waits=waits)))
        if path == "/changes":
            list(fetch(small, tmp_path / path.replace("/", "-"), known, waits))
        assert (len(known), waits) == (9, [] if path == "doc-000001" else [1.0, 4.0, 16.0])
    small.fault = lambda request: error(500, "backendError") if "1/export" in request.path else None
    waits.clear()
    assert ids_of(list(fetch(small, tmp_path, waits=waits)), DocumentProblem) == ["doc-000001"]
    assert waits == [1.0, 4.0, 16.0]
    small.fault = lambda request: (
        error(500, "backendError") if request.path.endswith(("0/export", "2/export", "4/export", "6/export")) else None
    )
    for identity in [*small.files]:
        if identity.startswith("doc-"):
            small.put(f"more-{identity}", "Valve", content="# Valve", parent="manuals-folder")
    waits.clear()
    assert len(ids_of(list(fetch(small, tmp_path / "many", waits=waits)), DocumentProblem)) == 8
    assert len(waits) == 20


def test_changes_of_a_large_account_are_not_all_kept(
    small: GoogleDriveStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what may be below the folder; what a later page moves there is listed with all that is in it (SRC-28)."""
    monkeypatch.setattr(api, "_LIST_SIZE", "10")
    monkeypatch.setattr(drive_tree, "_MAX_STRAY_ITEMS", 20)
    parent = small.put("folder-old", "Old", FOLDER, parent="manuals-folder")
    small.put("doc-000001", "Valve", content="# Valve", parent=parent)
    small.put("doc-000002", "Pump", content="# Pump", parent="manuals-folder")
    known = as_known(list(fetch(small, tmp_path)))
    small.put("folder-new", "New", FOLDER, parent=small.root)
    small.change("folder-old", parents=["folder-new"])
    small.log.remove("folder-new")
    for number in range(300):
        small.put(f"other-{number:04}", "Other", content="# Other", parent=small.root)
    small.put("doc-000003", "Crane", content="# Crane", parent="folder-new")
    for number in range(300, 400):
        small.put(f"other-{number:04}", "Other", content="# Other", parent=small.root)
    small.change("folder-new", parents=["manuals-folder"])
    sizes: list[int] = []
    change = drive_tree.DriveTree._change

    def note(tree: drive_tree.DriveTree, key: str, file: Any) -> None:
        change(tree, key, file)
        sizes.append(len(tree.items) + len(tree.files))

    monkeypatch.setattr(drive_tree.DriveTree, "_change", note)
    items = list(fetch(small, tmp_path, known))
    assert (len(sizes), max(sizes) < 100) == (403, True)
    assert ids_of(items) == ["doc-000001", "doc-000003"]
    assert ids_of(items, UnchangedDocument) == ["doc-000002"]
    assert as_known(items)[f"{_URI}doc-000001"].parse().category == "New/Old"


def test_a_folder_without_files_to_read_is_not_listed_each_time(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Nothing is stored of it, and nothing has to be; in a full sync of others, all is listed."""
    small.put("mp4-000001", "film.mp4", "video/mp4", b"a", parent="manuals-folder")
    assert list(fetch(small, tmp_path)) == []
    small.taken()
    assert list(fetch(small, tmp_path)) == []
    assert count_requests(small) == {"token": 1, "file": 1, "changes": 1}
    small.put("doc-000001", "Valve", content="# Valve", parent="manuals-folder")
    assert ids_of(list(fetch(small, tmp_path))) == ["doc-000001"]
    small.taken()
    assert ids_of(list(fetch(small, tmp_path))) == ["doc-000001"]
    assert count_requests(small)["files"] == 1


def test_shortcuts_are_followed_once(small: GoogleDriveStub, tmp_path: Path) -> None:
    """To a file and to a folder that are elsewhere, and in circles; what they lead to is kept up to date."""
    small.put("doc-000001", "Valve", content="# Valve", parent=small.root)
    small.put("outside-01", "Outside", FOLDER, parent=small.root)
    small.put("doc-000002", "Pump", content="# Pump", parent="outside-01")
    for number, target in enumerate(("doc-000001", "outside-01", "manuals-folder", "doc-000001", "gone-00001")):
        home = "outside-01" if target == "manuals-folder" else "manuals-folder"
        small.put(
            f"short-{number:04}", "Shortcut", f"{GOOGLE}shortcut", parent=home, shortcutDetails={"targetId": target}
        )
    small.put("doc-000004", "Crane", content="# Crane", parent=small.root)
    small.put("short-0009", "S", f"{GOOGLE}shortcut", parent="outside-01", shortcutDetails={"targetId": "doc-000004"})
    known = as_known(list(fetch(small, tmp_path)))
    assert sorted(known) == [f"{_URI}doc-00000{number}" for number in (1, 2, 4)]
    small.taken()
    assert len(list(fetch(small, tmp_path, known))) == 3
    assert count_requests(small) == {"token": 1, "file": 1, "changes": 1}
    small.put("doc-000001", "Valve", content="# Valve\n\nIt drips.")
    small.put("doc-000003", "Wheel", content="# Wheel", parent="outside-01")
    items = list(fetch(small, tmp_path, known))
    assert ids_of(items) == ["doc-000001", "doc-000003"]
    small.trash("short-0001")
    assert sorted(item.uri for item in fetch(small, tmp_path, known)) == [f"{_URI}doc-000001"]


def test_a_shared_drive_is_listed_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With its own list of changes; a folder in it takes one request for each folder."""
    with serve_stub(GoogleDriveStub(drive="0ASharedDrive")) as running:
        assert isinstance(running, GoogleDriveStub)
        prepare(running, monkeypatch)
        running.put("folder-01", "Part", FOLDER)
        for number in range(30):
            running.put(f"doc-{number:04}", f"Valve {number}", content=f"# Valve {number}", parent="folder-01")
        whole: dict[str, Any] = {"url": "https://drive.google.com/drive/u/0/folders/0ASharedDrive?usp=sharing"}
        known = as_known(list(fetch(running, tmp_path, **whole)))
        assert len(known) == 30
        assert count_requests(running)["files"] == 1
        running.put("doc-0001", "Valve 1", content="# Sluice")
        assert ids_of(list(fetch(running, tmp_path, known, **whole))) == ["doc-0001"]
        one_folder: dict[str, Any] = {"url": "https://drive.google.com/drive/folders/folder-01"}
        assert len(list(fetch(running, tmp_path / "folder", **one_folder))) == 30


def test_all_that_is_shared_with_an_account_is_one_source(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Whatever folder it is in, without what the account owns."""
    small.put("doc-000001", "Valve", content="# Valve", parent="hidden-001")
    small.put("doc-000002", "Own", content="# Own", parent=small.root, is_own=True)
    small.put("doc-000003", "Pump", content="# Pump", parent="manuals-folder")
    shared: dict[str, Any] = {"url": "https://drive.google.com/drive/shared-with-me"}
    known = as_known(list(fetch(small, tmp_path, **shared)))
    assert {uri.removeprefix(_URI): item.parse().category for uri, item in known.items()} == {
        "doc-000001": "", "doc-000003": "Manuals",
    }  # fmt: skip
    small.put("doc-000004", "Late", content="# Late", parent="hidden-002")
    small.put("doc-000005", "Mine", content="# Mine", parent=small.root, is_own=True)
    assert ids_of(list(fetch(small, tmp_path, known, **shared))) == ["doc-000004"]
    mine: dict[str, Any] = {"url": "https://drive.google.com/drive/my-drive"}
    assert len(list(fetch(small, tmp_path / "mine", **mine))) == 3


def test_a_change_of_readers_alone_counts(small: GoogleDriveStub, tmp_path: Path) -> None:
    """The document is not fetched for it; its digest of readers is another one."""
    small.put("doc-000001", "Valve", content="# Valve", parent="manuals-folder")
    (document,) = fetch(small, tmp_path)
    assert isinstance(document, FetchedDocument)
    small.change("doc-000001", permissionIds=["17"])
    small.taken()
    (same,) = fetch(small, tmp_path, as_known([document]))
    assert isinstance(same, UnchangedDocument)
    assert len({document.access, same.access, ""}) == 3
    assert count_requests(small)["export"] == 0


@pytest.mark.dagster
def test_a_sync_follows_its_drive(
    headwater: Make, small: GoogleDriveStub, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is renamed, and stays the same document; no secret and no token is in any row or log (SRC-14)."""
    caplog.set_level(logging.DEBUG)
    secret = json.dumps(REFRESH)
    prepare(small, monkeypatch, secret)
    small.put("doc-000001", "Sluice", content="# Opening\n\nThe sluice opens at nine.", parent="manuals-folder")
    small.put("doc-000002", "Valve", content="# Valve\n\nThe valve drips.", parent="manuals-folder")
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="drive", kind="gdrive", config=config(small), settings=SourceSettings())
    done = kb.sync("drive")["drive"]
    assert (done.state, done.added, done.errors) == ("ready", 2, [])
    ids = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents")}
    small.put("doc-000001", "Mill", content="# Opening\n\nThe sluice of the mill opens at ten.")
    small.delete("doc-000002")
    done = kb.sync("drive")["drive"]
    assert (done.added, done.changed, done.removed, done.errors) == (0, 1, 1, [])
    now = {row["uri"]: row["id"] for row in kb.query("SELECT uri, id FROM documents WHERE removed_at IS NULL")}
    assert now == {f"{_URI}doc-000001": ids[f"{_URI}doc-000001"]}
    citation = kb.ask("When does the sluice of the mill open?").citations[0]
    assert (link_to(citation.uri, citation.place) or "").startswith(
        "https://docs.google.com/document/d/doc-000001/edit"
    )
    small.is_revoked = True
    done = kb.sync("drive")["drive"]
    assert (done.state, done.removed) == ("failed", 0)
    for part in ("GOCSPX-tulip", "1//t", "ya29.", secret):
        assert part not in f"{kb.dump()} {caplog.text}"


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (error(403, "forbidden"), FetchError, r"does not show it to the credential drive \(forbidden\)"),
        (error(403, "accessNotConfigured"), SourceError, "Enable the Drive API"),
        (error(403, "insufficientPermissions"), SourceError, "the scope drive.readonly"),
        (error(500, "backendError"), FetchError, "answers 500"),
        (StubReply(content=b"<html>"), SourceError, "no JSON of this kind"),
        (StubReply(content={**_ANYTHING, "files": [], "nextPageToken": "a"}), FetchError, "does not end"),
        (StubReply(content={**_ANYTHING, "files": [], "incompleteSearch": True}), FetchError, "not search everything"),
        (StubReply(content=_ANYTHING), SourceError, "no list"),
        (StubReply(content={"id": "../../token", "mimeType": FOLDER}), SourceError, "is no file"),
        (StubReply(status=302, headers={"Location": "http://10.0.0.1/"}), FetchError, "redirect"),
        (error(404, "notFound"), SourceError, f"Share it with {ACCOUNT}"),
    ],
)  # fmt: skip
def test_a_server_that_misbehaves_changes_nothing(
    small: GoogleDriveStub, tmp_path: Path, fault: StubReply, kind: type[Exception], message: str
) -> None:
    """Whatever it answers, it is an error of the whole source, without a secret (SEC-1)."""
    small.fault = lambda request: None if request.path == "/token" else fault
    with pytest.raises(kind, match=message) as caught:
        list(fetch(small, tmp_path))
    assert "ya29." not in str(caught.value)


def test_a_folder_that_is_no_source_is_refused(small: GoogleDriveStub, tmp_path: Path) -> None:
    """One that is in the trash, and a file; nothing is removed."""
    small.put("doc-0000001", "Valve", parent="manuals-folder")
    with pytest.raises(SourceError, match="is no folder"):
        list(fetch(small, tmp_path, url="doc-0000001"))
    small.trash("manuals-folder")
    with pytest.raises(SourceError, match="is in the trash"):
        list(fetch(small, tmp_path))


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("xoxb-token", "neither the key of a service account nor a refresh token"),
        ('{"type": "service_account", "client_email": "a", "private_key": "tulip"}', "neither the key of"),
        ('{"type": "authorized_user", "client_id": "a"}', "neither the key of"),
        ('{"type": ["x"]}', "neither the key of"),
        ("[" * 100_000, "neither the key of"),
        (json.dumps({**REFRESH, "refresh_token": "tulip"}), r"\(400 invalid_grant\)"),
        (key_file(client_email="tulip@evil.test"), r"\(400 invalid_grant\)"),
    ],
)
def test_a_secret_of_another_form_is_refused(
    small: GoogleDriveStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str, message: str
) -> None:
    """The message shows nothing of it (SRC-14)."""
    prepare(small, monkeypatch, secret)
    with pytest.raises(SourceError, match=message) as caught:
        list(fetch(small, tmp_path))
    assert "tulip" not in str(caught.value)


def test_an_account_may_read_in_the_name_of_a_person(
    small: GoogleDriveStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the secret says so, which the operator sets, never a source's config (SRC-14)."""
    for secret, person in ((key_file(subject="ida@mill.org"), "ida@mill.org"), (key_file(), None)):
        prepare(small, monkeypatch, secret)
        list(fetch(small, tmp_path))
        assertion = next(request for request in small.requests if request.path == "/token").content["assertion"]
        claims = json.loads(base64.urlsafe_b64decode(f"{assertion.split('.')[1]}=="))
        assert claims.get("sub") == person
        small.taken()
    with pytest.raises(InvalidConfigurationError, match="subject"):
        check_config("gdrive", {**config(small), "subject": "ida@mill.org"})


def test_a_secret_goes_to_its_own_host_alone(
    small: GoogleDriveStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secret for Google goes to no other endpoint, and a token no further than to its host (SRC-14)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRIVE_HOST", "oauth2.googleapis.com")
    with pytest.raises(SourceError, match="is not for 127"):
        list(fetch(small, tmp_path))
    for endpoint in (
        "https://www.googleapis.com.evil.test",
        "https://www.googleapis.com:8443",
        "http://www.googleapis.com",
    ):
        with pytest.raises(SourceError, match="is not for"):
            list(fetch(small, tmp_path, endpoint=endpoint))
    assert small.requests == []
    prepare(small, monkeypatch)
    small.put("md-0000001", "Sluice.md", "text/markdown", b"# Sluice", parent="manuals-folder")
    with serve_stub(GoogleDriveStub()) as other:
        other.fault = lambda _: StubReply(content=b"# Elsewhere")
        target = {"Location": f"{other.url.replace('127.0.0.1', 'site.test')}/md"}
        small.fault = lambda request: StubReply(status=302, headers=target) if "alt" in request.fields else None
        gate = loopback_gate(Names({"site.test": ("127.0.0.1",)}), allow="127.0.0.1,site.test")
        context = SourceContext(folder=tmp_path / "own", gate=gate)
        (problem,) = open_connector("gdrive", config(small), context).fetch()
        assert "redirects" in getattr(problem, "message", "")
        assert other.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "https://drive.google.com.evil.test/drive/folders/abcdefghijk", "http://drive.google.com/drive/folders/abcdefghijk",
        "https://drive.google.com/drive/folders/../../token", "https://ida:tulip@drive.google.com/drive/my-drive",
        "https://drive.google.com/file/d/abcdefghijk/view", "a' in parents or '1", "short", "https://[",
    ],
)  # fmt: skip
def test_a_config_names_a_folder(url: str) -> None:
    """And nothing that changes the query or the path that its id stands in (SEC-1)."""
    with pytest.raises(InvalidConfigurationError, match="must be the address of a folder") as caught:
        check_config("gdrive", {"url": url, "credential": "drive"})
    assert "tulip" not in str(caught.value)


def test_odd_entries_are_left_out(small: GoogleDriveStub, tmp_path: Path) -> None:
    """Ids that would lead elsewhere, files that are within themselves, and numbers without end (SEC-1)."""
    small.put(
        "doc-000001", "Valve", content="# Valve", parent="manuals-folder", size="9" * 5_000, webViewLink="javascript:a"
    )
    small.put("circle-001", "Circle", FOLDER, parent="circle-002")
    small.put("circle-002", "Circle", FOLDER, parent="circle-001")
    odd = [{}, None, 7, {"id": "../token", "mimeType": DOCUMENT}, {"id": "a/b?alt=media", "mimeType": DOCUMENT},
           {"id": "doc-000009", "mimeType": ["x"]}, {"id": "doc-000008", "mimeType": "a b"}]  # fmt: skip

    def answer(request: StubRequest) -> StubReply | None:
        if request.path != "/drive/v3/files":
            return None
        return StubReply(content={"files": [*odd, *(file for key, file in small.files.items() if key != small.root)]})

    small.fault = answer
    known = as_known(list(fetch(small, tmp_path)))
    assert list(known) == [f"{_URI}doc-000001"]
    document = known[f"{_URI}doc-000001"].parse()
    assert document.places.address == document.uri
    changes = [3, {"fileId": "doc-000001", "file": {"id": 7}}, {"changeType": "drive", "driveId": "a"}]
    odd_list = StubReply(content={"changes": changes, "newStartPageToken": "9"})
    small.fault = lambda request: odd_list if request.path.endswith("/changes") else None
    assert ids_of(list(fetch(small, tmp_path, known)), UnchangedDocument) == ["doc-000001"]


@pytest.mark.parametrize(
    "text",
    [
        "# " + " " * 1_000_000 + "x", "# " + " {#a" * 250_000, "![" * 500_000, "![" + "a" * 999 + "![" * 500_000,
        "[image1]: <data:" * 60_000, "https://docs.google.com/" * 40_000, "https://docs.google.com/" + "a/" * 500_000,
        "a \\" * 300_000, "# {#" + "a" * 1_000_000,
    ],
)  # fmt: skip
def test_hostile_markdown_takes_no_longer_than_other(text: str) -> None:
    """The work is linear, whatever is never closed: a million characters take no hours (SEC-1)."""
    assert len(clean_markdown(text.encode())) <= len(text)
