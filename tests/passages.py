"""Passages as a search would give them.

Belongs here: one factory. Not here: searching. Guarantee: what is not said is the same each time.
"""

import uuid
from typing import Any

from headwater.domain.search import Passage, Scores


def passage(text: str = "The pump lifts water.", **values: Any) -> Passage:
    """Make a passage; `scores` may be a mapping, and a chunk is known by its document and position."""
    document = values.setdefault("uri", "pump.md")
    position = values.setdefault("position", 0)
    start = values.setdefault("start", 0)
    scores = values.pop("scores", {})
    made: dict[str, Any] = {
        "rank": 1, "score": 0.0, "source": "docs", "title": "Pump", "category": "", "breadcrumb": ("Pump",),
        "end": start + len(text), "line": 1, "kind": "markdown",
        "chunk_id": uuid.uuid5(uuid.NAMESPACE_URL, f"{document}#{position}"),
        "document_id": uuid.uuid5(uuid.NAMESPACE_URL, document),
        "document_version_id": uuid.uuid5(uuid.NAMESPACE_URL, f"{document} now"),
    }  # fmt: skip
    return Passage(
        **{**made, **values, "text": text, "scores": Scores(**scores) if isinstance(scores, dict) else scores}
    )


def numbered(**values: Any) -> Passage:
    """Make a passage that is known by its rank; all are of one document."""
    number = uuid.UUID(int=values.get("rank", 1))
    one = uuid.UUID(int=1)
    plain = {"chunk_id": number, "document_id": one, "document_version_id": one, "uri": "a.md", "title": "A",
             "breadcrumb": (), "kind": "prose", "text": "Text."}  # fmt: skip
    return passage(**{**plain, **values})
