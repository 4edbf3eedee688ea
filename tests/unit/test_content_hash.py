"""What makes a document's version a new one."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.syncing.new_versions import version_hash

DOCUMENT = ParsedDocument(
    uri="a.md",
    title="Pump",
    text="It lifts water.",
    media_type="text/markdown",
    category="machines",
    language="en",
    metadata={"owner": "Ida"},
    references=("b.md",),
)
OTHERS: Mapping[str, Any] = {
    "title": "Wheel",
    "text": "It lifts oil.",
    "media_type": "text/plain",
    "category": "tools",
    "language": "de",
    "metadata": {"owner": "Ole"},
    "references": ("c.md",),
}


@pytest.mark.parametrize(
    "name",
    # Notes are for people, places move with what is above the text, and of the original what was read of it counts, not
    # its bytes: a page says the time with each fetch.
    [field.name for field in fields(ParsedDocument) if field.name not in ("uri", "notes", "places", "original")],
)
def test_every_field_counts(name: str) -> None:
    """A document with any changed field is a new version (DOC-1)."""
    assert version_hash(replace(DOCUMENT, **{name: OTHERS[name]})) != version_hash(DOCUMENT)


def test_the_name_does_not_count() -> None:
    """Under another URI, the same content has the same hash."""
    assert version_hash(replace(DOCUMENT, uri="b.md")) == version_hash(DOCUMENT)
