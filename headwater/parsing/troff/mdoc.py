"""The macros of mdoc(7), in which the BSDs write manual pages.

Belongs here: sections, lists, displays. Not here: the macros within a line (`mdoc_words`), what all packages share
(`requests`), man(7) (`man`). Guarantee: see the package; the words of an unknown macro stay.
"""

import re
from functools import partial

from headwater.parsing.troff.manual_page import Page
from headwater.parsing.troff.mdoc_words import AROUND, BLANK, CLOSING, FONTS, PLAIN, SILENT, WORDS, MacroLine
from headwater.parsing.troff.requests import Requests

_TOUCHING = re.compile(rf"\* ?{BLANK} ?(?:[^\w\s]{{1,3}} ?{BLANK} ?)?\*")
_BLANKS = re.compile(rf" ?{BLANK} ?")


class Mdoc(Requests):
    """Reads a file with the macros of mdoc(7)."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._name = ""
        self._section = ""
        self._lists: list[str] = []
        self._counts: list[int] = []  # of the items of each numbered list so far
        self._is_joined = False
        self._is_tight = False
        callable_names = (*FONTS, *PLAIN, *AROUND, *CLOSING, *WORDS, "Ns", "Ap", "Xr", "Lk", "Mt", "Nd")
        self.handlers |= {name: partial(self._inline, name) for name in callable_names}
        self.handlers |= dict.fromkeys(SILENT, self._silent)
        self.handlers |= {
            "Dt": self._title, "Sh": partial(self._heading, 2), "Ss": partial(self._heading, 3), "Pp": self._paragraph,
            "Lp": self._paragraph, "Bl": self._begin_list, "El": self._end_list, "It": self._item, "Bd": self._display,
            "Ed": self._end_display, "Sm": self._space_words, "Dl": self._display_line, "D1": self._display_line,
        }  # fmt: skip

    def read(self) -> Page:
        """The page; its title is its name, with the section of the manual."""
        page = super().read()
        page.title = f"{self._name}({self._section})" if self._name and self._section else self._name
        return page

    def take_text(self, line: str) -> None:
        """A line of a paragraph."""
        self._add(self.to_markdown(line))

    def _add(self, text: str) -> None:
        is_joined = self._is_joined or text.startswith(BLANK)
        self._is_joined = self._is_tight or text.endswith(BLANK)
        text = _settle_spaces(text)
        if self.is_unfilled:
            self.add_unfilled(text.replace("**", "").replace("*", ""))
        elif is_joined:
            self.page.join(text)
        else:
            self.page.line(text)

    def _title(self, rest: str) -> None:
        words = self.arguments(rest)
        self._name = words[0].lower() if words else ""
        self._section = words[1] if len(words) > 1 else ""

    def _heading(self, level: int, rest: str) -> None:
        self._lists, self._counts = [], []
        self.page.heading(level, self.plain(" ".join(self.arguments(rest))))

    def _paragraph(self, _: str) -> None:
        self.page.paragraph()

    def _silent(self, rest: str) -> None:
        words = self.arguments(rest)
        if words and words[0] in self.handlers:
            self._add(self._words(words))

    def take_unknown(self, name: str, rest: str) -> None:
        """A macro that is unknown here: its words, if it is one of mdoc's by its name."""
        if name[:1].isupper() or name[:1] == "%":
            self._add(self._words(self.arguments(rest)))

    def _space_words(self, rest: str) -> None:
        """Whether the words of the next lines have spaces between them."""
        self._is_tight, self._is_joined = rest.strip() == "off", False

    def _inline(self, name: str, rest: str) -> None:
        if name == "Nm" and self.page.is_synopsis:
            self.page.break_line()
        self._add(self._words([name, *self.arguments(rest)]))

    def _begin_list(self, rest: str) -> None:
        kind = next((word[1:] for word in self.arguments(rest) if word.startswith("-")), "tag")
        self.page.enter()
        self._lists.append(kind)
        self._counts.append(0)
        self._rows: list[list[str]] = []

    def _end_list(self, _: str) -> None:
        kind = self._lists.pop() if self._lists else ""
        del self._counts[len(self._lists) :]
        if kind == "column":
            is_marked = len(self._rows) > 1 and all(cell.startswith("**") for cell in self._rows[0] if cell)
            self.page.table(self._rows, has_header=is_marked)
        self.page.leave()

    def _item(self, rest: str) -> None:
        kind = self._lists[-1] if self._lists else "tag"
        words = self.arguments(rest)
        while words and words[-1] == "Xo" and (line := self.next_line()) is not None:
            words = [*words[:-1], *self._continue_head(line)]
        rendered = _settle_spaces(self._words(words))
        if kind == "column":
            cells = [self._words(cell.split()) for cell in " ".join(words).split(" Ta ")]
            self._rows.append([_settle_spaces(cell) for cell in cells])
        elif kind == "enum":
            self._counts[-1] += 1
            self.page.item(f"{self._counts[-1]}.")
        elif kind in ("bullet", "dash", "hyphen", "item") or not rendered:
            self.page.item()
        else:
            self.page.item(tag=rendered)

    def _continue_head(self, line: str) -> list[str]:
        """The words of a line that continues the head of an item."""
        words = self.arguments(line.removeprefix("."))
        return words[:-1] if words[-1:] == ["Xc"] else [*words, "Xo"]

    def _display(self, rest: str) -> None:
        if any(word in ("-literal", "-unfilled") for word in self.arguments(rest)):
            self.handlers["nf"]("")

    def _end_display(self, _: str) -> None:
        self.handlers["fi"]("")

    def _display_line(self, rest: str) -> None:
        rendered = _settle_spaces(self._words(self.arguments(rest)))
        self.page.code([self.plain(rendered.replace("**", "").replace("*", ""))])

    def _words(self, words: list[str]) -> str:
        """The words of a macro line as markdown, with the macros that they call."""
        line = MacroLine(
            words, name=self._name, is_tight=self._is_tight, is_macro=self.handlers.__contains__, plain=self.plain
        )
        text = line.read()
        self._name, self._is_tight = line.name, line.is_tight
        return text


def _settle_spaces(text: str) -> str:
    """A line without the marks of missing spaces, and the spaces beside them."""
    if _TOUCHING.search(text):  # markdown could not tell where one emphasis ends and the next begins
        text = text.replace("*", "")
    return _BLANKS.sub("", text)
