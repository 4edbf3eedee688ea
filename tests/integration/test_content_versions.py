"""When a file that was read again is a new version, and where its borders fall then (DOC-1, CHK-5)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from headwater.answering.staleness import stale_because
from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.domain.documents import ParsedDocument
from headwater.identity import content_hash
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.store.content.documents import clean_document
from tests.support import Headwater

Make = Callable[..., Headwater]
_WORDS = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "haven",
    "inlet",
    "jetty",
    "knoll",
    "lagoon",
    "marsh",
)


def _paragraph(number: int) -> str:
    return " ".join(_WORDS[(number * 5 + place * (number + 3)) % len(_WORDS)] for place in range(6 + number % 5)) + "."


def _versions(kb: Headwater) -> int:
    return int(kb.query("SELECT count(*) AS n FROM document_versions")[0]["n"])


def test_equal_content_in_other_bytes_is_no_new_version(headwater: Make) -> None:
    """Its fingerprint is noted, and nothing else is written."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.\n"})
    kb.sync()
    kb.write("a.md", "# A\r\n\r\nThe pump lifts water.\r\n")
    done = kb.sync()["docs"]
    assert (done.unchanged, done.changed, done.embedded) == (1, 0, 0)
    assert _versions(kb) == 1


def test_a_newer_parser_reads_everything_again(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though no file changed: the same bytes may give another text, and only that is a new version."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.\n", "b.md": "# B\n\nIt turns a wheel.\n"})
    kb.sync()
    monkeypatch.setattr(MarkdownParser, "version", "markdown-of-tomorrow")
    parse = MarkdownParser.parse

    def with_wheels(parser: MarkdownParser, file: File) -> ParsedDocument:
        found = parse(parser, file)
        return replace(found, text=found.text.replace("a wheel", "two wheels"))

    monkeypatch.setattr(MarkdownParser, "parse", with_wheels)
    done = kb.sync()["docs"]
    assert (done.changed, done.unchanged) == (1, 1)
    assert _versions(kb) == 3


def test_an_upgrade_makes_no_new_version_of_an_equal_document(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release before had the parser in the hash of a version; only who read it is noted (DOC-1)."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.\n", "b.txt": "The wheel turns.\n"})
    kb.sync()
    answer = kb.ask("What does the pump lift?")
    for name, version in (("a.md", "markdown-1"), ("b.txt", "markdown-2")):
        path = kb.folder / "docs" / name
        parser = MarkdownParser() if name == "a.md" else PlainTextParser()
        document = clean_document(parser.parse(File(content=path.read_bytes(), uri=name)))
        parts = (document.text, document.title, document.media_type, document.category, document.language)
        old_hash = content_hash(*parts, dict(document.metadata), list(document.references), version)
        kb.query(
            "UPDATE document_versions v SET content_hash = %s, parser_version = %s FROM documents d"
            " WHERE d.id = v.document_id AND d.uri = %s RETURNING v.id", old_hash, version, name,
        )  # fmt: skip
    kb.query("UPDATE documents SET read_by = NULL RETURNING id")
    noted = ("documents", "source_stages")  # who read each, and the hashes that were changed here
    before = {table: rows for table, rows in kb.content().items() if table not in noted}
    done = kb.sync()["docs"]
    assert (done.changed, done.unchanged, done.embedded) == (0, 2, 0)
    assert {table: rows for table, rows in kb.content().items() if table not in noted} == before
    assert stale_because(kb.store.answers.get(answer.id)) == ()
    monkeypatch.setattr(MarkdownParser, "parse", None)  # so that a second time would fail
    assert kb.sync()["docs"].errors == []


def test_a_sync_keeps_the_borders_of_the_version_before(headwater: Make) -> None:
    """Where a fresh cut of the edited text would have others."""
    kb = headwater(chunk_max=300, chunk_min=80, chunk_overlap=0)
    settings = chunk_settings(kb.knowledge_base.settings)

    def cut(text: str, before: list[str]) -> list[str]:
        chunks = chunk_text(text, title="", media_type="text/markdown", settings=settings, before=before)
        return [chunk.text for chunk in chunks]

    paragraphs = [_paragraph(number) for number in range(40)]
    old = "\n\n".join(paragraphs)
    edits = ("\n\n".join([*paragraphs[:at], "A word.", *paragraphs[at:]]) for at in range(40))
    new = next(text for text in edits if cut(text, cut(old, [])) != cut(text, []))
    for text in (old, new):
        kb.write("a.md", text)
        kb.sync()
    published = kb.query(
        "SELECT c.text FROM published_documents p JOIN version_chunks vc ON vc.version_id = p.version_id"
        " JOIN chunks c ON c.id = vc.chunk_id ORDER BY vc.position"
    )
    assert [row["text"] for row in published] == cut(new, cut(old, []))
