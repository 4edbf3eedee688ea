"""What holds within a group of an RTF file.

Belongs here: the properties of characters and paragraphs, and who reads the texts of a group. Not here: what is made
of them (`rtf_tree`, `rtf_story`). Guarantee: a change within a group does not reach what is around it.
"""

from dataclasses import dataclass, field
from typing import Protocol

from headwater.parsing.office.doc_fields import INSTRUCTION_CHARS
from headwater.parsing.office.rtf_rows import Row
from headwater.parsing.office.rtf_words import NUMBERS, PARAGRAPH_WORDS, TOGGLES

_MAX_FALLBACK = 100

Values = dict[str, int]
"""Properties by their control words; they are replaced, never changed."""


class Reader(Protocol):
    """Reads a group that is no text of the document."""

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word."""

    def read_text(self, text: str) -> None:
        """Read a text."""


class Words:
    """Reads a text that the document needs: the instruction of a field, the label of an item."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._texts: list[str] = []
        self._length = 0

    def __str__(self) -> str:
        """Return the text."""
        return "".join(self._texts)

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word, which says nothing here."""

    def read_text(self, text: str) -> None:
        """Read a stretch of it."""
        if self._length <= INSTRUCTION_CHARS:
            self._texts.append(text)
            self._length += len(text)


@dataclass(slots=True)
class Group:
    """A group; a new one begins as a copy of the one around it."""

    characters: Values = field(default_factory=dict)
    paragraph: Values = field(default_factory=dict)
    reader: Reader | None = None
    """Who reads its texts; None for the text of the document."""
    is_skipped: bool = False
    is_story: bool = False
    """Whether a text of its own, such as a note, ends with it."""
    skips_next: bool = False
    """Whether the next group in it is skipped, because another says the same."""
    fallback: int = 1
    """How many characters stand behind one of Unicode for programs that do not know it."""
    row: Row = field(default_factory=Row)
    instruction: Words = field(default_factory=Words)
    """Of the field around it."""
    target: str = ""
    """The address of the link around it."""

    @property
    def font(self) -> int | None:
        """The number of the font; None if it is that of the file."""
        return self.characters.get("f")

    @property
    def depth(self) -> int:
        """In how many tables a paragraph is."""
        return max(self.paragraph.get("itap", 0), int(self.paragraph.get("intbl", 0) != 0))

    def read_word(self, word: str, number: int | None) -> None:
        """Set the property that a control word names."""
        if word == "plain":
            self.characters = {}
        elif word == "pard":
            self.paragraph = {}
        elif word in TOGGLES or (word in NUMBERS and number is not None):
            self.characters = {**self.characters, word: 1 if number is None else number}
        elif word in PARAGRAPH_WORDS:
            self.paragraph = {**self.paragraph, word: 1 if number is None else number}
        elif word == "uc":
            self.fallback = min(max(number or 0, 0), _MAX_FALLBACK)
        elif word == "upr":
            self.skips_next = True

    def open(self) -> "Group":
        """A group in this one."""
        is_skipped = self.is_skipped or self.skips_next
        self.skips_next = False
        return Group(
            self.characters, self.paragraph, self.reader, is_skipped, False, False, self.fallback, self.row,
            self.instruction, self.target,
        )  # fmt: skip
