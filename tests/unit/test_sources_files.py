"""The connector `files`: uploads, local files and remote ones (SRC-1)."""

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from headwater.administration.knowledge_base_file import read_file
from headwater.domain.documents import DocumentProblem
from headwater.domain.uploads import UploadedFile
from headwater.errors import DocumentError, FilesUnavailableError, InvalidConfigurationError, SourceError
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from tests.office_files import docx_file, encrypted, paragraph
from tests.page_server import PageServer, page_server

PUMP = b"# Pump\n\nThe pump lifts water."


@pytest.fixture
def pages() -> Iterator[PageServer]:
    """A site that knows ETags."""
    with page_server() as told:
        yield told


def test_an_encrypted_upload_is_read_with_a_password_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the message about an encrypted file says; the source names the secret (SRC-3, SRC-14)."""
    upload = uploaded("a.docx", encrypted(docx_file(paragraph("The pump lifts.")), "opensesame"))
    context = SourceContext(folder=tmp_path, uploads=lambda: (upload,))
    monkeypatch.setenv("HEADWATER_CREDENTIAL_REPORTS", "opensesame")
    (found,) = open_connector("files", {"passwords": ["reports"]}, context).fetch()
    assert isinstance(found, FetchedDocument)
    assert "pump" in found.parse().text
    assert "opensesame" not in repr(found)


def fetch(
    tmp_path: Path, *uploads: UploadedFile, files: tuple[dict[str, str], ...] = (), **context: Any
) -> list[Found]:
    """Everything that the connector finds."""
    given = SourceContext(folder=tmp_path / "own", uploads=lambda: uploads, **context)
    return list(open_connector("files", {"files": list(files)} if files else {}, given).fetch())


def uploaded(name: str, content: bytes, media_type: str = "") -> UploadedFile:
    """A file that was uploaded; its hash is its name."""
    return UploadedFile(name=name, hash=f"hash of {name}", media_type=media_type, read=partial(bytes, content))


class Remembered:
    """What is stored of a document."""

    def __init__(self, fingerprint: str, validator: str = "") -> None:
        self.fingerprint, self.validator = fingerprint, validator


def test_an_upload_becomes_a_document(tmp_path: Path) -> None:
    """Its type is that of its content, whatever it is called; its file is the original."""
    (found,) = fetch(tmp_path, uploaded("notes/pump.md", PUMP))
    assert isinstance(found, FetchedDocument)
    assert (found.uri, found.fingerprint) == ("notes/pump.md", "hash of notes/pump.md")
    document = found.parse()
    assert (document.title, document.category) == ("Pump", "notes")
    assert document.original is not None
    assert (document.original.content, document.original.media_type) == (PUMP, "text/markdown")


def test_the_named_type_decides_where_the_content_says_little(tmp_path: Path) -> None:
    """Text without an ending is read as what its upload says it is."""
    (plain,), (marked,) = (fetch(tmp_path, uploaded("pump", PUMP, kind)) for kind in ("", "text/markdown"))
    assert isinstance(plain, FetchedDocument)
    assert isinstance(marked, FetchedDocument)
    assert (plain.parse().media_type, marked.parse().media_type) == ("text/plain", "text/markdown")


def test_a_known_content_is_not_read(tmp_path: Path) -> None:
    """A changed one is."""

    def unreadable() -> bytes:
        raise FilesUnavailableError("lost")

    lost = UploadedFile(name="a.md", hash="1", media_type="", read=unreadable)
    assert fetch(tmp_path, lost, known={"a.md": Remembered("1")}) == [UnchangedDocument(uri="a.md")]
    (problem,) = fetch(tmp_path, lost, known={"a.md": Remembered("2")})
    assert problem == DocumentProblem(uri="a.md", code="DOCUMENT_FAILED", message="lost")


def test_passwords_open_encrypted_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the source names are tried on every file (SRC-3); one that is not in the environment fails it."""
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret")
    writer.write(locked := BytesIO())
    context = SourceContext(folder=tmp_path, uploads=lambda: [uploaded("a.pdf", locked.getvalue())])
    source = open_connector("files", {"passwords": ["drawer"]}, context)
    with pytest.raises(SourceError, match="HEADWATER_CREDENTIAL_DRAWER"):
        list(source.fetch())
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRAWER", "secret")
    (found,) = source.fetch()
    assert isinstance(found, FetchedDocument)
    with pytest.raises(DocumentError, match="has no text"):  # it was opened: its only page is blank
        found.parse()


def test_a_file_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    """An empty one, one of no known type, one that is not there, one that is a folder."""
    (tmp_path / "pump.md").write_bytes(PUMP)
    entries = tuple({"path": str(tmp_path / name)} for name in ("none.md", ".", "pump.md"))
    found = fetch(tmp_path, uploaded("a", b""), uploaded("b", bytes(range(256))), files=entries)
    assert [type(one).__name__ for one in found] == ["DocumentProblem"] * 4 + ["FetchedDocument"]
    messages = [one.message for one in found if isinstance(one, DocumentProblem)]
    assert messages[0] == "The file is empty."
    assert "file type isn't supported" in messages[1]
    assert "There is no file or folder" in messages[2]
    assert "not a regular file" in messages[3]


def test_a_local_file_has_its_own_name_or_another(tmp_path: Path) -> None:
    """And is read only where sources may read."""
    (tmp_path / "pump.md").write_bytes(PUMP)
    path = str(tmp_path / "pump.md")
    found = fetch(tmp_path, files=({"path": path}, {"path": path, "name": "manuals/pump.md"}))
    assert [one.uri for one in found] == ["pump.md", "manuals/pump.md"]
    (problem,) = fetch(tmp_path, files=({"path": path},), local_paths=(tmp_path / "other",))
    assert isinstance(problem, DocumentProblem)
    assert "HEADWATER_LOCAL_PATHS" in problem.message


def test_a_remote_file_is_fetched_through_the_gate(tmp_path: Path, pages: PageServer) -> None:
    """An address that is not public is refused; an allowed one is asked whether its file has changed (SEC-1)."""
    pages.pages["pump.md"] = PUMP
    url = f"{pages.url}pump.md"
    (refused,) = fetch(tmp_path, files=({"url": url},))
    assert isinstance(refused, DocumentProblem)
    assert (refused.uri, refused.code) == (url, "FETCH_REFUSED")
    assert pages.asked() == []
    gate = UrlGuard(allowed=(parse_allowed("127.0.0.1"),))
    (found,) = fetch(tmp_path, files=({"url": url},), gate=gate)
    assert isinstance(found, FetchedDocument)
    assert (found.uri, found.parse().title) == (url, "Pump")
    known = {url: Remembered(found.fingerprint, found.validator)}
    assert fetch(tmp_path, files=({"url": url},), gate=gate, known=known) == [UnchangedDocument(uri=url)]
    assert pages.asked() == [("pump.md", 200), ("pump.md", 304)]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "either a path or a url"),
        ({"path": "/a", "url": "https://example.org/a"}, "either a path or a url"),
        ({"path": "a.md"}, "absolute"),
        ({"path": "/a", "name": "../b"}, "not the name of a folder"),
        ({"url": "ftp://example.org/a"}, "http:// or https://"),
        ({"url": "https://user:secret@example.org/a"}, "neither a user name nor a password"),
        ({"url": "https:///a"}, "http:// or https://"),
        ({"url": "https://example.org/\x00"}, "http:// or https://"),
        ({"url": "https://example.org/a", "name": "b"}, "only be used together with path"),
        ({"path": "/a", "credential": "x"}, "only be used together with url"),
        ({"path": "/a", "colour": "red"}, "no such field"),
    ],
)
def test_a_wrong_entry_is_refused(entry: dict[str, str], message: str) -> None:
    """Before it is stored; a secret in an address would be shown."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config("files", {"files": [entry]})


def test_relative_paths_start_at_the_file(tmp_path: Path) -> None:
    """As in other kinds (KB-4)."""
    file = tmp_path / "kb.yaml"
    file.write_text("knowledge_base: {slug: a}\nsources: [{slug: s, kind: files, files: [{path: ./a.md}]}]\n")
    (source,) = read_file(file).sources
    assert source.config == {"files": [{"path": str(tmp_path / "a.md")}]}
