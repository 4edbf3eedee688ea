"""Change logs that underline their releases and mark the sections below them (SRC-6)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import parse_markdown

LOG = """2.1.2 - 2026-02-09
==================

# Broker
- It stops.

## Bridges
- They go on.

```sh
# A comment
```

2.1.1 - 20260204
================

# Broker
- It starts.
"""


def _parse(text: str) -> ParsedDocument:
    return parse_markdown(text, uri="ChangeLog.md")


def test_sections_stand_below_their_release() -> None:
    """Both are of the first level in the file; code stays, and lines are those of the file."""
    document = _parse(LOG)
    assert document.title == "ChangeLog"
    assert document.text == LOG.replace("# Br", "## Br")
    assert document.places is not None
    for words, line in (("Broker\n- It stops", 4), ("- They go on", 8), ("# A comment", 11), ("- It starts", 18)):
        start = document.text.index(words)
        place = document.places.between(start, start + len(words.partition("\n")[0]), text=document.text)
        assert place is not None
        assert (place.first, place.last) == (line, line)


def test_a_title_above_the_releases_stays() -> None:
    """It is no section of any."""
    document = _parse(f"# News\n\nText.\n\n{LOG}")
    assert document.title == "News"
    assert document.text.startswith("# News\n")
    assert "\n## Broker\n" in document.text


@pytest.mark.parametrize(
    "text",
    [
        LOG.replace("2.1.1 - 20260204", "The old releases"),
        LOG.replace("# Broker", "# 2.1.0", 1),
        "2.1.2\n===\n\n# Broker\n\nIt stops.\n",
    ],
)
def test_other_headings_keep_their_level(text: str) -> None:
    """What is underlined must be releases, two or more, and what is marked must be none."""
    assert _parse(text).text == text
