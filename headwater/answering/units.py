"""What can answer a question on its own: a paragraph, a list with its lead-in, a row with its header, code, a section.

Belongs here: the shapes and the unit. Not here: finding units (`sections`), which unit answers (`scoring`, `choosing`).
Guarantee: pure; a unit is a continuous span of its stretch.
"""

from dataclasses import dataclass
from enum import StrEnum

from headwater.quote.blocks import Block
from headwater.quote.stretches import Stretch


class Shape(StrEnum):
    """What a unit consists of."""

    TEXT = "text"
    LIST = "list"
    ITEM = "item"
    ROW = "row"
    TABLE = "table"
    CODE = "code"
    SECTION = "section"
    DEFINITION = "definition"
    OUTLINE = "outline"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A possible answer: `stretch.text[start:end]`, in the order of its `blocks`.

    `headings` are those above it, the nearest last; a line in bold or a defined name counts as one. `lead` is text
    above that it needs to be understood: the lead-in of an item, the header of a row. `term` is what it defines.
    """

    stretch: Stretch
    shape: Shape
    start: int
    end: int
    blocks: tuple[Block, ...]
    headings: tuple[str, ...] = ()
    lead: str = ""
    term: str = ""
    is_steps: bool = False
    is_introduction: bool = False

    @property
    def text(self) -> str:
        """Its text, verbatim."""
        return self.stretch.text[self.start : self.end]

    @property
    def language(self) -> str:
        """Its document's."""
        return self.stretch.chunks[0].language
