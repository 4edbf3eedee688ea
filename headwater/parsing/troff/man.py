"""The macros of man(7).

Belongs here: sections, paragraphs, tagged items, fonts. Not here: what all packages share (`requests`), mdoc(7)
(`mdoc`). Guarantee: see the package; a macro that is unknown here leaves no trace.
"""

import re
from functools import partial
from itertools import cycle

from headwater.parsing.troff.escapes import Run, read_runs, with_quotation_marks, write_runs
from headwater.parsing.troff.manual_page import BREAK, Page
from headwater.parsing.troff.requests import Requests

_NUMBER = re.compile(r"\d{1,3}[.)]")
_BULLETS = ("•", "*", "-", "o", "+", "·", "□", "–", "—", "○")
_TAG = re.compile(r"[*`\-+]{1,3}\S.{0,150}")
_OUTDENTED = re.compile(
    r"\\h'-\d+'[ \t]*+(?P<mark>\S.{0,20}?)\\h'\+\d+'\\c\s*"
)  # as DocBook's stylesheets write bullets
_EXAMPLE = re.compile(r"(?: {3}|\t)[ \t]*\S")
_GAP = re.compile(r"[ \t]*|\.br")  # may stand between two lines of an example
_LEAD = re.compile(r"[\w*(].*[.:]")  # a sentence above an example; a value of JSON begins with a quotation mark
_FONTS = {"B": "B", "I": "I", "R": "R", "SM": "R"}
_ALTERNATING = ("BR", "BI", "IB", "IR", "RB", "RI", "SB")


class Man(Requests):
    """Reads a file with the macros of man(7)."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._wants_tag = 0  # 1: the next line is a tag; 2: one more tag
        self._wants_heading = 0
        self._waiting = ""  # the font macro whose text is the next line
        self._link = ""
        self._link_starts = 0
        self._name = ""
        self._section = ""
        self._is_name = False
        self._is_hanging = False  # whether the next paragraph may be the tag of a body that an empty .IP begins
        self.handlers |= {
            "TH": self._title, "SH": partial(self._heading, 2), "SS": partial(self._heading, 3),
            "PP": self._paragraph, "P": self._paragraph, "LP": self._paragraph, "HP": self._begin_hanging,
            "TP": self._begin_tagged, "TQ": self._begin_tagged, "IP": self._begin_indented, "RS": self._enter,
            "RE": self._leave,
            "UR": self._begin_link, "UE": self._end_link, "MT": self._begin_link, "ME": self._end_link,
            "SY": self._synopsis, "YS": self._paragraph, "OP": self._option, "MR": self._page_name,
            **{name: partial(self._with_font, font) for name, font in _FONTS.items()},
            **{name: partial(self._alternate_fonts, name) for name in _ALTERNATING},
        }  # fmt: skip

    def read(self) -> Page:
        """The page; its title is the name in the section NAME, with the section of the manual."""
        page = super().read()
        if self._name:
            page.title = f"{self._name}({self._section})" if self._section else self._name
        return page

    def take_text(self, line: str) -> None:
        """A line of text: a heading, a tag, or part of a paragraph."""
        if self._waiting:
            macro, self._waiting = self._waiting, ""
            self._in_font(macro, [line])
            return
        if match := _OUTDENTED.fullmatch(line):
            self._begin_item(self.to_markdown(match["mark"]).strip())
            return
        is_indented = line[:1] in " \t"
        if is_indented and not self._wants_tag and len(self.page.lines) == 1 and _TAG.fullmatch(self.page.lines[0]):
            self.page.retag()  # as md2man writes options: the option, and a line that is indented
        elif self._may_begin_example and _EXAMPLE.match(line):
            self._take_example(line)
            return
        elif is_indented:
            self.page.break_line()
        self._add(self.to_markdown(line))

    @property
    def _may_begin_example(self) -> bool:
        """Whether no text is open that the next line could go on with, such as a command of two lines."""
        is_open = self._wants_tag or self._wants_heading or self.page.awaits_body
        last = self.page.lines[-1].rstrip(BREAK) if self.page.lines else ""
        return not is_open and (not last or _LEAD.fullmatch(last) is not None)

    def _take_example(self, line: str) -> None:
        """Lines that begin with blanks, which troff neither joins nor moves: commands, mostly."""
        lines, between = [line], list[str]()
        while (next_line := self.next_line()) is not None:
            if _EXAMPLE.match(next_line):
                lines += [*("" for gap in between if not gap.startswith(".")), next_line]
                between = []
            elif _GAP.fullmatch(next_line):
                between.append(next_line)
            else:
                self.put_back(next_line)
                break
        self.page.code([self.plain(example_line).expandtabs() for example_line in lines])

    def _add(self, text: str) -> None:
        if self._wants_heading:
            level, self._wants_heading = self._wants_heading, 0
            self._write_heading(text, level)
        elif self._wants_tag:
            self._wants_tag = 0
            self.page.item(tag=text.strip())
        else:
            if self._is_name:
                self._take_name(text)
            self.page.line(text)

    def _title(self, rest: str) -> None:
        arguments = [self.plain(argument) for argument in self.arguments(rest)]
        self._name = self._name or (arguments[0] if arguments else "")
        self._section = arguments[1] if len(arguments) > 1 else ""

    def _take_name(self, text: str) -> None:
        names = re.split(r"\s+[-–—−]+\s+|\s+\\-\s+", text.replace("*", "").replace("`", ""), maxsplit=1)
        if names[0].strip() and len(names) > 1:
            self._name = names[0].strip()
        self._is_name = False

    def _heading(self, level: int, rest: str) -> None:
        self.font = "R"
        self._wants_tag = 0
        words = self.arguments(rest)
        if words:
            self._write_heading(self.plain(" ".join(words)), level)
        else:
            self._wants_heading = level

    def _write_heading(self, text: str, level: int) -> None:
        text = text.replace("**", "")
        self.page.heading(level, text)
        self._is_name = level == 2 and text.strip().upper() == "NAME"

    def _paragraph(self, _: str) -> None:
        self.font, self._is_hanging = "R", False
        self.page.end_item()

    def _begin_tagged(self, _: str) -> None:
        self.font = "R"
        if not self.page.awaits_body:
            self.page.end_item()
        self._wants_tag = 1

    def _begin_indented(self, rest: str) -> None:
        self.font = "R"
        arguments = self.arguments(rest)
        tag = self.to_markdown(arguments[0]).strip() if arguments else ""
        bare = tag.strip("*")
        is_tagged, self._is_hanging = self._is_hanging and self.page.is_tagged, False
        if bare or tag == "*":
            self._begin_item(tag)
        elif is_tagged:
            self.page.retag()
        else:
            self.page.paragraph()

    def _begin_item(self, tag: str) -> None:
        """Begin an item whose tag may be a bullet or a number."""
        bare = tag.strip("*")
        if tag in _BULLETS or bare in _BULLETS:
            self.page.item()
            self._is_hanging = True  # ronn writes a tag behind a bullet
        elif _NUMBER.fullmatch(bare):
            self.page.item(bare)
        else:
            self.page.item(tag=tag)

    def _begin_hanging(self, _: str) -> None:
        self._paragraph("")
        self._is_hanging = True

    def _enter(self, _: str) -> None:
        if self.page.is_tagged:
            self.page.hold()
        else:
            self.page.enter()

    def _leave(self, _: str) -> None:
        self.page.leave()

    def _alternate_fonts(self, fonts: str, rest: str) -> None:
        self._in_font(fonts, self.arguments(rest))

    def _with_font(self, font: str, rest: str) -> None:
        arguments = self.arguments(rest)
        if arguments:
            self._in_font(font, [" ".join(arguments)])
        else:
            self._waiting = font

    def _in_font(self, fonts: str, texts: list[str]) -> None:
        """Texts in alternating fonts, without spaces between them."""
        runs: list[Run] = []
        for text, font in zip(texts, cycle(fonts.replace("S", "R")), strict=False):
            runs += read_runs(with_quotation_marks(text), self.strings, font)[0]
        if self.is_unfilled:
            self.add_unfilled("".join(run.text for run in runs))
        else:
            self._add(write_runs(runs))

    def _begin_link(self, rest: str) -> None:
        self._link = self.plain(rest).strip()
        self._link_starts = len(self.page.lines)

    def _end_link(self, rest: str) -> None:
        words = self.page.lines[self._link_starts :] if self._link else []
        if not words and self._link:
            self.page.line(f"<{self._link}>" if "://" in self._link else self._link)
        elif self._link:
            self.page.join(f" ({self._link})")
        if rest.strip():
            self.page.join(self.plain(rest.split()[0]))
        self._link = ""

    def _synopsis(self, rest: str) -> None:
        self.page.break_line()
        self._in_font("B", self.arguments(rest)[:1])

    def _option(self, rest: str) -> None:
        arguments = self.arguments(rest)
        texts = [
            write_runs(read_runs(argument, self.strings, font)[0])
            for argument, font in zip(arguments, "BI", strict=False)
        ]
        self._add(f"[{' '.join(texts)}]")

    def _page_name(self, rest: str) -> None:
        arguments = self.arguments(rest)
        section = f"({arguments[1]})" if len(arguments) > 1 else ""
        self._add(f"{self.plain(arguments[0])}{section}{''.join(arguments[2:])}" if arguments else "")
