"""Change logs in plain text (SRC-6)."""

import pytest

from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser

DEBIAN = """mill (1:2.{0}-1) unstable; urgency=medium

  * It grinds oats.
    - Rye, too.

 -- Ada Miller <ada@mill.example>  Thu, 25 May 2023 17:54:3{0} +0200

"""
GNU = "2024-03-0{0}  Ada Miller  <ada@mill.example>\n\n\t* mill.c: It grinds.\n\t# no heading\n\n"
DATED = "v2.{0} 2024-03-0{0}  Ada Miller\n\n\t+ It grinds oats\n\t  and rye.\n\n"
OUTLINE = (
    "Mill NEWS    -*- outline -*-\n\n* Noteworthy changes in release 2.1 (2024-03-01)\n\n** Fixes\n\n  It grinds.\n"
)
NOTES = "# Older entries have been removed from this changelog.\n# Read more.\n"


def _read(text: str) -> tuple[str, str]:
    document = PlainTextParser().parse(File(content=text.encode(), uri="changelog"))
    return document.text, document.media_type


def _repeat(entry: str) -> str:
    return "".join(entry.format(number) for number in (3, 2, 1))


@pytest.mark.parametrize(
    ("log", "beginning"),
    [
        (
            _repeat(DEBIAN) + NOTES,
            "# mill 2.3-1 (2023-05-25)\nunstable; urgency=medium\n* It grinds oats.\n  - Rye, too.\n\n-- Ada Miller",
        ),
        (_repeat(GNU), "# 2024-03-03  Ada Miller  <ada@mill.example>\n\n* mill.c: It grinds.\n\\# no heading\n"),
        (_repeat(DATED), "# v2.3 2024-03-03  Ada Miller\n\n+ It grinds oats\n  and rye.\n"),
        (OUTLINE, "Mill NEWS    -*- outline -*-\n\n# Noteworthy changes in release 2.1 (2024-03-01)\n\n## Fixes\n"),
    ],
)
def test_each_release_is_a_section(log: str, beginning: str) -> None:
    """Its text is flush left, line by line."""
    text, media_type = _read(log)
    assert text.startswith(beginning)
    assert media_type == "text/markdown"
    assert text.count("\n") == log.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        _repeat("2.{0} 2024-03-0{0} the mill stops\n"),
        _repeat("2024-03-0{0} We met Ada\n\n  She said so.\n\n"),
        _repeat(DATED + "Then we went home.\n\nAnd ate.\n\n"),
        "".join(DATED.format(number) for number in (2, 1)),
    ],
)
def test_other_texts_stay_plain(text: str) -> None:
    """Logs of programs, diaries, and texts with lines of their own between the entries."""
    assert _read(text) == (text, "text/plain")


def test_a_date_that_is_none_is_left_out() -> None:
    """A heading without one is still a release."""
    text, _ = _read(_repeat(DEBIAN).replace("25 May", "99 May"))
    assert text.startswith("# mill 2.3-1\n")
