"""Places on their way through a sync, a search, an answer and a trace (LIN-1): they are those of the original file."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.domain.source_settings import SourceSettings
from headwater.files.file_store import open_files
from headwater.parsing import registry
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File, Parser
from headwater.parsing.plain_text import PlainTextParser
from query_api.app import create_app
from query_api.routes.answer_payloads import AnswerPayload
from tests.support import CONTENT_TABLES, Headwater

Make = Callable[..., Headwater]
FRONT = "---\ntitle: Pump\nowner: Ida\n---\n\n"
BODY = "# Pump\n\nThe pump lifts water from the deep well.\n\n## Care\n\nGrease the winch every seventh month.\n"
QUESTION = "When do I grease the winch?"


def jsonl(kb: Headwater, *lines: dict[str, Any], **config: str) -> None:
    """Make the source one of ready documents."""
    path = kb.folder / "docs" / "lines.jsonl"
    kb.store.sources.update(kb.source(), kind="jsonl", config={"path": str(path), **config}, settings=SourceSettings())
    path.write_text("\n".join(map(json.dumps, lines)))


def run(*arguments: str) -> str:
    """The output of a command."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def labels(kb: Headwater, question: str = QUESTION) -> list[str]:
    """The places of an answer's citations, as they are kept."""
    kept = kb.store.answers.get(kb.ask(question).id)
    payload = AnswerPayload.from_stored(kept)
    return [citation.place.label if citation.place else "" for citation in payload.citations]


def stored(kb: Headwater) -> list[Any]:
    return [row["places"] for row in kb.query("SELECT places FROM document_versions ORDER BY id")]


def test_a_citation_shows_the_lines_of_its_sentences(headwater: Make) -> None:
    """Front matter is counted; the range is the sentence's, not the chunk's; every way of reading says the same."""
    kb = headwater(files={"a.md": FRONT + BODY})
    kb.sync()
    answer = kb.ask(QUESTION)
    (citation,) = answer.citations
    passage = kb.search(QUESTION)[0]
    assert citation.place is not None
    assert citation.place.label == "L12"
    assert passage.place is not None
    assert (passage.place.first, passage.place.last) == (6, 12)
    assert passage.line == 1  # of the text that is left, as are the offsets

    found = json.loads(run("search", "kb", QUESTION, "--json"))["passages"][0]
    assert found["place"] == {"kind": "line", "first": 6, "last": 12, "label": "L6–L12", "address": ""}
    assert found["link"] is None
    assert "(a.md, L6–L12)" in run("search", "kb", QUESTION)
    assert "(a.md, L12, trust" in run("ask", "kb", QUESTION)
    assert "[1] a.md, L12\n" in run("trace", str(answer.id))
    assert ", L6–L12\n" in run("trace", str(citation.chunk_id))

    client = create_app(kb.settings).test_client()
    read = client.get(f"/api/v1/answers/{answer.id}").json
    assert read is not None
    place = {"kind": "line", "first": 12, "last": 12, "label": "L12", "address": ""}
    assert read["citations"][0]["place"] == place
    assert read["passages"][0]["place"]["label"] == "L6–L12"
    for path in (f"answers/{answer.id}/lineage", f"chunks/{citation.chunk_id}", f"chunks/{citation.chunk_id}/lineage"):
        assert f'"label":"{"L12" if "answers" in path else "L6–L12"}"'.encode() in client.get(
            f"/api/v1/{path}"
        ).data.replace(b"\\u2013", "–".encode())


def test_lines_that_end_otherwise_and_stripped_markup_are_counted(headwater: Make) -> None:
    """CRLF files and MDX: the line is the one that an editor shows."""
    imports = "import A from 'a';\n\n\n<A\n  b={1}\n>\n\n"
    kb = headwater(files={"a.mdx": (FRONT + imports + BODY + "\n</A>\n").replace("\n", "\r\n")})
    kb.sync()
    assert labels(kb) == ["L19"]


def test_a_page_is_the_place_of_what_stands_on_it(headwater: Make) -> None:
    """JSONL's `page` is one place; its URI stays as it is, and is a link that opens there."""
    kb = headwater()
    uri = "https://x.org/manual.pdf"
    jsonl(kb, {"uri": uri, "page": 12, "text": "Grease the winch every seventh month."})
    kb.sync()
    (citation,) = kb.ask(QUESTION).citations
    assert citation.uri == f"{uri}#page=12"
    assert labels(kb) == ["p. 12"]
    found = json.loads(run("ask", "kb", QUESTION, "--json"))["citations"][0]
    assert (found["link"], found["place"]["kind"]) == (f"{uri}#page=12", "page")


def test_code_and_text_have_their_own_lines(headwater: Make) -> None:
    """A ready document's text is all of it, so its lines count from its first; a repository's page opens at them."""
    kb = headwater()
    code = "import winch\n\n\ndef grease(winch):\n    return winch.grease('lithium', every='seventh month')\n"
    jsonl(kb, {"uri": "https://github.com/o/r/blob/main/care.py", "text": code}, media_type="text/x-python")
    kb.sync()
    passage = next(passage for passage in kb.search("grease winch lithium") if "def grease" in passage.text)
    assert passage.place is not None
    assert (passage.place.first, passage.place.last) == (passage.line, 5)
    found = json.loads(run("search", "kb", "grease winch lithium", "--json"))["passages"][0]
    assert found["link"].startswith("https://github.com/o/r/blob/main/care.py?plain=1#L")


def test_a_file_that_is_its_text_costs_no_marks(headwater: Make) -> None:
    """Nor does a plain file, and each is known."""
    kb = headwater(files={"a.md": BODY, "b.txt": "Oil the hinge every third week.\n"})
    kb.sync()
    assert stored(kb) == [{"kind": "line", "marks": []}] * 2
    assert labels(kb, "When do I oil the hinge?") == ["L1"]


class _Pages(Parser):
    """Reads pages that a form feed parts; their places are exact."""

    media_types = ("text/markdown",)
    suffixes = (".md",)
    version = "pages-1"
    keeps_original = True

    def parse(self, file: File) -> ParsedDocument:
        """Each page begins where the one before ends."""
        read = file.content.decode()
        text, starts = read.replace("\f", "\n"), [(0, 1)]
        starts += [(at + 1, page) for page, at in enumerate(_feeds(read), start=2)]
        places = Places.of(PlaceKind.PAGE, starts)
        return ParsedDocument(uri=file.uri, title="", text=text, media_type="text/plain", places=places)


def _feeds(text: str) -> list[int]:
    return [at for at, character in enumerate(text) if character == "\f"]


def test_a_chunk_and_a_quote_over_two_pages_name_both(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser's version is the one that is kept with the version."""
    monkeypatch.setattr(registry, "parsers", lambda: {"pages": _Pages()})
    kb = headwater(
        files={"a.md": "The pump lifts water from the deep well.\n\fGrease the winch every seventh month.\f"}
    )
    kb.sync()
    passage = kb.search(QUESTION)[0]
    assert passage.place is not None
    assert passage.place.label == "p. 1–2"
    assert labels(kb) == ["p. 1–2"]  # as does the quote, which begins before the border
    assert kb.query("SELECT parser_version FROM document_versions") == [{"parser_version": "pages-1"}]
    assert kb.sync()["docs"].unchanged == 1


def test_a_file_is_kept_beside_its_text_where_its_parser_says_so(
    headwater: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its hash, with the parser's type; markdown is its own original (SRC-3)."""
    kb = headwater(files={"a.md": BODY})
    kb.sync()
    assert kb.query("SELECT original_hash FROM document_versions") == [{"original_hash": None}]
    monkeypatch.setattr(registry, "parsers", lambda: {"pages": _Pages()})
    kb.write("a.md", BODY + "\f")
    kb.sync()
    (kept,) = kb.query(
        "SELECT original_hash, original_media_type FROM document_versions WHERE original_hash IS NOT NULL"
    )
    content = (BODY + "\f").encode()
    assert (kept["original_hash"], kept["original_media_type"]) == (sha256(content).digest(), "text/markdown")
    assert open_files(kb.settings).read(sha256(content).hexdigest()) == content


def _as_before_the_upgrade(kb: Headwater) -> None:
    kb.query("UPDATE document_versions SET places = NULL RETURNING id")
    kb.query(
        "UPDATE document_versions SET parser_version = 'markdown-2' WHERE parser_version LIKE 'text-%%' RETURNING id"
    )
    kb.query("UPDATE citations SET place = NULL RETURNING marker")


def test_what_an_older_release_stored_has_a_place_only_where_it_is_right(headwater: Make) -> None:
    """In plain text, lines are the file's; in old markdown they are unknown. Old answers are shown without."""
    kb = headwater(files={"a.md": BODY, "b.txt": "One line.\n\nOil the hinge every third week.\n"})
    kb.sync()
    answer = kb.ask(QUESTION)
    passages = "(SELECT jsonb_agg(p - 'place' - 'places') FROM jsonb_array_elements(passages) AS p)"
    kb.query(f"UPDATE answers SET passages = {passages} RETURNING id")
    _as_before_the_upgrade(kb)
    old = AnswerPayload.from_stored(kb.store.answers.get(answer.id))
    assert [citation.place for citation in old.citations] == [None]
    assert {passage.place for passage in old.passages} == {None}
    assert "[1] a.md\n" in run("trace", str(answer.id))
    assert labels(kb) == [""]
    assert "(a.md, trust" in run("ask", "kb", QUESTION)
    assert labels(kb, "When do I oil the hinge?") == ["L1–L3"]


def test_an_older_release_s_pages_are_known_by_their_uris(headwater: Make) -> None:
    """A JSONL page says its number in its URI; other ready documents are their text."""
    kb = headwater()
    jsonl(
        kb,
        {"uri": "manual.pdf", "page": 12, "text": "Grease the winch every seventh month."},
        {"uri": "hinge", "text": "One line.\n\nOil the hinge every third week.\n"},
    )
    kb.sync()
    _as_before_the_upgrade(kb)
    assert labels(kb) == ["p. 12"]
    assert labels(kb, "When do I oil the hinge?") == ["L1–L3"]


def test_a_full_sync_fills_places_in_and_writes_nothing_else(headwater: Make) -> None:
    """No version, chunk or vector is made again, and a second full sync writes nothing at all."""
    kb = headwater(files={"a.md": FRONT + BODY, "b.txt": "Oil the hinge every third week.\n"})
    kb.sync()
    _as_before_the_upgrade(kb)
    tables = [table for table in CONTENT_TABLES if table not in ("document_versions", "source_stages")]
    before = {table: rows for table, rows in kb.content().items() if table in tables}
    kb.sync()
    assert stored(kb) == [None, None]  # an ordinary sync reads nothing again
    run("sync", "kb", "--full")
    assert {table: rows for table, rows in kb.content().items() if table in tables} == before
    assert kb.query("SELECT written_count FROM sync_sources ORDER BY id DESC LIMIT 1") == [{"written_count": 2}]
    assert {"kind": "line", "marks": [[0, 5]]} in stored(kb)
    assert None not in stored(kb)
    assert labels(kb) == ["L12"]
    filled = kb.content()
    run("sync", "kb", "--full")
    assert kb.content() == filled


def test_lines_follow_what_is_stripped_above_them(headwater: Make) -> None:
    """An edit that changes no text moves the places of the version that is there: no new version, nothing embedded."""
    kb = headwater(files={"a.md": "<!-- one -->\n\n" + BODY})
    kb.sync()
    answer = kb.ask(QUESTION)
    assert labels(kb) == ["L9"]
    kb.write("a.md", "<!-- one\ntwo\nthree -->\n\n" + BODY)
    done = kb.sync()["docs"]
    assert (done.unchanged, done.changed, done.embedded) == (1, 0, 0)
    assert labels(kb) == ["L11"]
    kept = AnswerPayload.from_stored(kb.store.answers.get(answer.id)).citations[0].place
    assert kept is not None
    assert kept.label == "L9"  # as it was when it was said


def test_a_past_answer_has_the_places_of_its_time(headwater: Make) -> None:
    """Each version has its own."""
    kb = headwater(files={"a.md": BODY})
    kb.sync()
    then = kb.now()
    kb.write("a.md", FRONT + BODY.replace("seventh", "eighth"))
    kb.sync()
    (past,) = kb.ask(QUESTION, as_of=then).citations
    assert past.place is not None
    assert past.place.label == "L7"
    assert labels(kb) == ["L12"]


def test_the_parser_of_a_document_decides_whether_it_is_read_again(
    headwater: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer parser of markdown reads markdown again, and no text file."""
    kb = headwater(files={"a.md": BODY, "b.txt": "Oil the hinge every third week.\n"})
    kb.sync()
    assert {row["v"] for row in kb.query("SELECT parser_version AS v FROM document_versions")} == {
        PlainTextParser.version,
        MarkdownParser.version,
    }
    monkeypatch.setattr(MarkdownParser, "version", "markdown-of-tomorrow")
    monkeypatch.setattr(PlainTextParser, "parse", None)  # so that reading it would fail
    done = kb.sync()["docs"]
    assert (done.changed, done.unchanged, done.errors) == (0, 2, [])
    monkeypatch.setattr(MarkdownParser, "parse", None)
    assert kb.sync()["docs"].errors == []


def test_half_characters_move_no_place(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halves of a character become one when they are stored; what is marked behind them moves with it."""
    halves = "\ud83d\ude00" * 5

    def parse(self: _Pages, file: File) -> ParsedDocument:
        text = f"{halves} The pump.\n\nGrease the winch every seventh month.\n"
        places = Places.of(PlaceKind.PAGE, [(0, 1), (text.index("Grease"), 2)])
        return ParsedDocument(uri=file.uri, title="", text=text, media_type="text/plain", places=places)

    monkeypatch.setattr(_Pages, "parse", parse)
    monkeypatch.setattr(registry, "parsers", lambda: {"pages": _Pages()})
    kb = headwater(files={"a.md": "x"})
    kb.sync()
    assert labels(kb) == ["p. 1–2"]  # as does the quote, which begins before the border


def test_a_document_without_a_parser_costs_itself(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported with a reason and keeps its last version; the others are read."""
    kb = headwater(files={"a.md": BODY, "b.txt": "Oil the hinge every third week.\n"})
    kb.sync()
    monkeypatch.setattr(registry, "parsers", lambda: {"markdown": MarkdownParser()})
    kb.write("a.md", BODY + "\nMore of it.\n")
    kb.write("b.txt", "Oil the hinge every fourth week.\n")
    done = kb.sync()["docs"]
    assert (done.changed, done.removed) == (1, 0)
    assert [(error.uri, error.code) for error in done.errors] == [("b.txt", "DOCUMENT_FAILED")]
    assert done.errors[0].message.startswith("This file type isn't supported")
    assert labels(kb, "When do I oil the hinge?") == ["L1"]
    monkeypatch.setattr(registry, "parsers", dict)
    messages = {error.message for error in kb.sync()["docs"].errors}
    assert messages == {"No parser is installed. Install Headwater again."}
