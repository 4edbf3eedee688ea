"""The macros of mdoc(7) within a line, which may call each other.

Belongs here: what each becomes. Not here: macros that begin lines only (`mdoc`). Guarantee: linear in the line; a word
that is no macro stays.
"""

import re
from collections.abc import Callable, Sequence

from headwater.parsing.troff.escapes import Run, write_runs

FONTS = {"Fl": "B", "Cm": "B", "Ic": "B", "Sy": "B", "Nm": "B", "Ar": "I", "Em": "I", "Va": "I", "Pa": "I", "Ad": "I",
          "Li": "C", "Ql": "C"}  # fmt: skip
PLAIN = {"No", "Ev", "Dv", "Er", "Fa", "Fn", "Ft", "Vt", "An", "Tn", "Fd", "In", "Lb", "Ms", "St", "Cd", "Ta", "Sx"}
AROUND = {"Op": "[]", "Dq": "“”", "Qq": '""', "Sq": "‘’", "Pq": "()", "Bq": "[]", "Brq": "{}", "Aq": "<>", "Oo": "[ ",
           "Po": "( ", "Do": "“ ", "So": "‘ ", "Qo": '" ', "Bo": "[ ", "Bro": "{ ", "Ao": "< "}  # fmt: skip
CLOSING = {"Oc": "]", "Pc": ")", "Dc": "”", "Sc": "’", "Qc": '"', "Bc": "]", "Brc": "}", "Ac": ">"}
WORDS = {"Bx": "BSD", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly", "Ux": "UNIX"}
SILENT = {"Xo", "Xc", "Bk", "Ek", "Sm", "Tg", "Os", "Dd", "Bf", "Ef", "Eo", "Ec", "Rs", "Re", "Fo", "Fc", "Db", "Hf"}
_AFTER = re.compile(r"[.,:;)\]?!]")
BLANK = "\x1f"
"""Stands for a space that must not be."""
_SIGNS = {"Ns": [BLANK], "Ap": [BLANK, "'", BLANK], "Nd": ["—"], **{name: [word] for name, word in WORDS.items()}}


class MacroLine:
    """One line while it is read.

    `name` is that of the page's command, which `Nm` stands for. While it `is_tight`, words have no spaces between them.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        name: str,
        is_tight: bool,
        is_macro: Callable[[str], bool],
        plain: Callable[[str], str],
    ) -> None:
        self.name = name
        self.is_tight = is_tight
        self._is_glued = False  # whether the next word has no space before it, in such a line
        self._words = words
        self._is_macro = is_macro
        self._plain = plain
        self._position = 0
        self._shown: list[str] = []
        self._ends: list[str] = []  # what closes at the end of the line
        self._font = "R"
        self._dashes = ""

    def read(self) -> str:
        """The line as markdown."""
        while self._position < len(self._words):
            word = self._words[self._position]
            self._position += 1
            if self.is_tight and self._is_glued and word != "Sm":
                self._shown.append(BLANK)
            self._is_glued = True
            self._take(word)
        self._close()
        return " ".join(self._shown)

    @property
    def _peek(self) -> str:
        return self._words[self._position] if self._position < len(self._words) else ""

    @property
    def _is_alone(self) -> bool:
        """Whether no word of its own follows a macro."""
        return not self._peek or self._is_macro(self._peek)

    def _take(self, word: str) -> None:
        if word in AROUND:
            around = AROUND[word]
            opening, closing = around[0], around[1:]
            self._shown += [opening, BLANK]
            self._ends += [closing] if closing.strip() else []
            self._font = "R"
        elif word in CLOSING:
            self._shown += [BLANK, CLOSING[word]]
            self._font = "R"
        elif word in ("Xr", "Lk", "Mt"):
            self._link(word)
        elif word in _SIGNS:
            self._shown += _SIGNS[word]
        elif word == "Sm":
            self.is_tight, self._is_glued = self._peek == "off", False
            self._position += 1
        elif word in FONTS or word in PLAIN or word in SILENT:
            self._macro(word)
        elif _AFTER.fullmatch(word):
            if self._position == len(self._words):
                self._close()
            self._shown += [BLANK, word]
        elif word in ("(", "["):
            self._shown += [word, BLANK]
        else:
            self._shown.append(write_runs([Run(f"{self._dashes}{self._plain(word)}", self._font)]))

    def _macro(self, word: str) -> None:
        """A macro that sets the font of the words behind it."""
        previous = self._words[self._position - 2] if self._position > 1 else ""
        if word == "Nm":
            self.name = self.name or self._peek
            if self._is_alone or _AFTER.fullmatch(self._peek):
                self._shown.append(write_runs([Run(self.name, "B")]))
        self._font = FONTS.get(word, "R")
        self._dashes = f"{self._dashes if previous == 'Fl' else ''}-" if word == "Fl" else ""
        if word == "Fl" and self._peek != "Fl" and self._is_alone:
            self._shown.append(f"**{self._dashes}**")
        if word == "Ar" and self._is_alone:
            self._shown.append("*file* ...")

    def _link(self, macro: str) -> None:
        """A reference to another page, or an address."""
        words = self._words[self._position :]
        target = words[0] if words else ""
        label = [word for word in words[1:] if not _AFTER.fullmatch(word)]
        if macro == "Xr":
            label = label[:1] if len(words) > 1 and not _AFTER.fullmatch(words[1]) else []
            self._shown.append(f"{target}({label[0]})" if label else target)
        else:
            label = label if macro == "Lk" else []
            self._shown.append(f"[{' '.join(label)}]({target})" if label else target)
        self._position += 1 + len(label)
        self._font = "R"

    def _close(self) -> None:
        for closing in reversed(self._ends):
            self._shown += [BLANK, closing]
        self._ends = []
