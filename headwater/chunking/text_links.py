"""The links and the names of code that splitting a document finds, so that it need not be read again for them.

Belongs here: this class. Not here: finding them (`markdown_links`, `mentions`). Guarantee: pure data.
"""

from typing import NamedTuple

from headwater.chunking.mentions import Mention


class TextLinks(NamedTuple):
    """What a text says of others: links with their offsets, as written, and mentions of code."""

    references: tuple[tuple[int, str], ...] = ()
    mentions: tuple[Mention, ...] = ()
