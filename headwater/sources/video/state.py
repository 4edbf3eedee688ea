"""What a source remembers of a video between syncs, kept as its document's validator.

Belongs here: that record and its form. Not here: what is done with it. Guarantee: a text of another form is an empty
record.
"""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class VideoState:
    """A video as it was at the last sync.

    `listed` identifies what the list said of it, `facts` what its page said; `track` is the address of its subtitles,
    and `validator` what their server said of them.
    """

    listed: str = ""
    facts: str = ""
    track: str = ""
    validator: str = ""

    def text(self) -> str:
        """The record as text, the same for the same record."""
        return json.dumps({name: value for name, value in asdict(self).items() if value}, sort_keys=True)


def read_state(text: str) -> VideoState:
    """Read a record."""
    try:
        fields = json.loads(text) if text else {}
        return VideoState(**{name: str(fields.get(name, "")) for name in VideoState.__dataclass_fields__})
    except (ValueError, AttributeError, TypeError):
        return VideoState()
