"""The definitions of table rows in an RTF file.

Belongs here: the control words before a row's cells. Not here: the cells, and tables of rows (`doc_tables`).
Guarantee: a definition has a bounded number of cells.
"""

from headwater.parsing.office.doc_tables import BELOW, MERGED, RESTART, RowDefinition

_MAX_CELLS = 200
_FLAGS = {"clmrg": MERGED, "clvmgf": BELOW | RESTART, "clvmrg": BELOW}
_FIRST_ROW, _OTHER_LOOK = 0x0020, 0x0400
_LOOK = "tbllk"  # begins the words for which parts of a table its style sets off


class Row:
    """Reads a definition, from the word with which it begins."""

    def __init__(self) -> None:
        """Make one without cells."""
        self._first = 0
        self._edges: list[int] = []
        self._flags: list[int] = []
        self._flag = 0
        self._is_header = False
        self._look = 0

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word."""
        if word == "cellx" and len(self._edges) < _MAX_CELLS:
            self._edges.append(number or 0)
            self._flags.append(self._flag)
            self._flag = 0
        elif word in _FLAGS:
            self._flag |= _FLAGS[word]
        elif word == "trhdr":
            self._is_header = True
        elif word == "trleft":
            self._first = number or 0
        elif word.startswith(_LOOK):
            self._look |= _FIRST_ROW if word == "tbllkhdrrows" else _OTHER_LOOK

    def build(self) -> RowDefinition:
        """The definition."""
        edges = (min(self._first, *self._edges), *self._edges) if self._edges else ()
        return RowDefinition(edges, self._flags, self._is_header, self._look)
