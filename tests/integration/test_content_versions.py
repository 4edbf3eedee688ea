"""When a file that was read again is a new version, and where its borders fall then (DOC-1, CHK-5)."""

from collections.abc import Callable

import pytest

from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.parsing.markdown import MarkdownParser
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
    """Though no file changed: the same bytes may give another text."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.\n"})
    kb.sync()
    monkeypatch.setattr(MarkdownParser, "version", "markdown-of-tomorrow")
    assert kb.sync()["docs"].changed == 1
    assert _versions(kb) == 2


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
