"""What a source remembers of a page between syncs, kept as its document's validator.

Belongs here: that record and its form. Not here: what is done with it. Guarantee: every worker finds it, because it is
in the database; a text of another form is an empty record.
"""

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

_MOST_LINKS = 2_000
_LONGEST = 500_000  # characters of links when decompressed


@dataclass(frozen=True, kw_only=True, slots=True)
class PageState:
    """A page as it was at the last sync.

    `validator` is the server's; `links` are what it links to, so that a crawl goes on below a page that has not changed
    or fails; `marks` are those of its blocks, None for a file; `asked` is the address that was asked for, if the
    document has another; `changed` is what a list says of its last change.
    """

    validator: str = ""
    links: tuple[str, ...] = ()
    marks: tuple[str, ...] | None = None
    asked: str = ""
    changed: str = ""

    def text(self) -> str:
        """The record as text, the same for the same record."""
        found: dict[str, Any] = {"v": self.validator, "u": self.asked, "m": self.changed}
        if self.links:
            joined = "\n".join(self.links[:_MOST_LINKS]).encode()
            found["l"] = base64.b85encode(zlib.compress(joined, 9)).decode()
        if self.marks is not None:
            found["b"] = "".join(self.marks)
        return json.dumps({name: value for name, value in found.items() if value or name == "b"}, sort_keys=True)


def read_state(text: str) -> PageState:
    """Read a record."""
    try:
        found = json.loads(text) if text else {}
        marks = found.get("b")
        return PageState(
            validator=str(found.get("v", "")),
            links=_links(found.get("l", "")),
            marks=None if marks is None else tuple(marks[at : at + 8] for at in range(0, len(marks), 8)),
            asked=str(found.get("u", "")),
            changed=str(found.get("m", "")),
        )
    except (ValueError, AttributeError, TypeError, zlib.error):
        return PageState()


def _links(packed: str) -> tuple[str, ...]:
    if not packed:
        return ()
    joined = zlib.decompressobj().decompress(base64.b85decode(packed), _LONGEST).decode()
    return tuple(joined.split("\n"))
