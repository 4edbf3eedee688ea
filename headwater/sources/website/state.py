"""What a source remembers of a page between syncs, kept as its document's validator.

Belongs here: that record and its form. Not here: what is done with it. Guarantee: every worker finds it, because it is
in the database; a text of another form is an empty record.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MAX_LINKS_BYTES = (
    10_000_000  # bytes of links when decompressed: as many as a page may have, each of the greatest length
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageState:
    """A page as it was at the last sync.

    `validator` is the server's; `packed` holds what it links to, so that a crawl goes on below a page that has not
    changed or fails, compressed because every sync reads all records; `marks` are those of its blocks, None for a file;
    `asked` is the address that was asked for, if the document has another; `changed` is what a list says of its last
    change.
    """

    validator: str = ""
    packed: str = ""
    marks: tuple[str, ...] | None = None
    asked: str = ""
    changed: str = ""

    @property
    def links(self) -> tuple[str, ...]:
        """What it links to."""
        if not self.packed:
            return ()
        try:
            joined = zlib.decompressobj().decompress(base64.b85decode(self.packed), _MAX_LINKS_BYTES).decode()
        except (ValueError, zlib.error):
            return ()
        return tuple(joined.split("\n"))

    def text(self) -> str:
        """The record as text, the same for the same record."""
        fields: dict[str, Any] = {"v": self.validator, "u": self.asked, "m": self.changed, "l": self.packed}
        if self.marks is not None:
            fields["b"] = "".join(self.marks)
        return json.dumps({name: value for name, value in fields.items() if value or name == "b"}, sort_keys=True)


def read_state(text: str) -> PageState:
    """Read a record."""
    try:
        fields = json.loads(text) if text else {}
        marks = fields.get("b")
        return PageState(
            validator=str(fields.get("v", "")),
            packed=str(fields.get("l", "")),
            marks=None if marks is None else tuple(marks[start : start + 8] for start in range(0, len(marks), 8)),
            asked=str(fields.get("u", "")),
            changed=str(fields.get("m", "")),
        )
    except (ValueError, AttributeError, TypeError):
        return PageState()


def pack_links(links: Sequence[str]) -> str:
    """Links as they are kept in a record."""
    return base64.b85encode(zlib.compress("\n".join(links).encode(), 9)).decode() if links else ""
