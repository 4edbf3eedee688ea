"""Passages for tests of what is done with them."""

from typing import Any
from uuid import UUID

from headwater.models import Passage, Scores


def passage(**values: Any) -> Passage:
    """A passage with these values; its `end` follows from its start and text, unless given."""
    plain: dict[str, Any] = {
        "rank": 1,
        "score": 0.0,
        "scores": Scores(),
        "chunk_id": UUID(int=values.get("rank", 1)),
        "document_id": UUID(int=1),
        "document_version_id": UUID(int=1),
        "source": "docs",
        "uri": "a.md",
        "title": "A",
        "category": "",
        "breadcrumb": (),
        "start": 0,
        "line": 1,
        "position": 0,
        "kind": "prose",
        "text": "Text.",
    }
    given = {**plain, **values}
    return Passage(**{"end": given["start"] + len(given["text"]), **given})
