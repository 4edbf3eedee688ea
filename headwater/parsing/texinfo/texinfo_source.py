"""The lines of a Texinfo source that a reader of the manual sees.

Belongs here: comments, conditions, flags and values, macros. Not here: blocks (`texinfo_markdown`), what stands in a
line (`texinfo_inline`). Guarantee: pure; what macros write is limited, so the work is linear in the file; what is for
TeX, HTML or other programs is left out, because the same is said for Info, as text.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_LINE = re.compile(r"[ \t]*@(?P<name>[A-Za-z]+)(?![A-Za-z{])[ \t]*(?P<text>.*)")
_COMMENT = re.compile(r"(?<!@)@c(?:omment)?(?![A-Za-z]).*|\x7f.*")
_END = re.compile(r"[ \t]*@end[ \t]+(?P<name>[A-Za-z]+)")
_MACRO = re.compile(r"(?P<name>[\w-]{1,60})[ \t]*(?:\{(?P<parameters>[^{}]{0,500})\})?")
_CALL = re.compile(r"@(?P<name>[A-Za-z]\w{0,60})(?P<brace>\{?)")
_PARAMETER = re.compile(r"\\(?P<name>[\w-]{0,60})\\")
_VALUE = re.compile(r"@value\{(?P<name>[^{}\s]{1,200})\}")
_BRACE = re.compile(r"@[@{}]|[{}]")
_INDEX = re.compile(r"(?:[a-z]{1,8}index|syn(?:code)?index)")

_SILENT = frozenset({
    "tex", "iftex", "html", "ifhtml", "xml", "ifxml", "docbook", "ifdocbook", "latex", "iflatex", "ifplaintext",
    "ifnotinfo", "ignore", "titlepage", "menu", "detailmenu", "direntry", "documentdescription", "ifcommanddefined",
})  # fmt: skip
"""Environments whose text is for other programs, or leads to what the text has anyway."""
_TRANSPARENT = frozenset({
    "ifinfo", "ifnottex", "ifnothtml", "ifnotxml", "ifnotdocbook", "ifnotlatex", "ifnotplaintext",
    "ifcommandnotdefined", "ifset", "ifclear", "group",
})  # fmt: skip
"""Environments of which only the text counts; those that are paragraphs of their own are not here."""
_SETTINGS = frozenset({
    "afourlatex", "afourpaper", "afourwide", "allowcodebreaks", "anchor", "author", "bye", "c", "comment", "clickstyle",
    "codequotebacktick", "codequoteundirected", "contents", "defcodeindex", "defindex", "deftypefnnewline",
    "dircategory", "documentencoding", "documentlanguage", "everyfooting", "everyheading", "evenfooting",
    "evenheading", "exampleindent", "finalout", "firstparagraphindent", "fonttextsize", "frenchspacing",
    "footnotestyle", "headings", "include", "insertcopying", "kbdinputstyle", "listoffloats", "lowersections",
    "microtype", "need", "nodedescription", "novalidate", "oddfooting", "oddheading", "page", "pagesizes",
    "paragraphindent", "printindex", "raisesections", "refill", "setchapternewpage", "setcontentsaftertitlepage",
    "setfilename", "setshortcontentsaftertitlepage", "shortcontents", "shorttitlepage", "smallbook", "sp", "subtitle",
    "summarycontents", "title", "unmacro", "urefbreakstyle", "verbatiminclude", "vskip", "xrefautomaticsectiontitle",
})  # fmt: skip
_MAX_DEPTH = 8  # of macros in macros
_MAX_GROWTH = 8  # how often the text of macros and values may be as long as the file
_MIN_GROWTH = 100_000  # characters
_MAX_VALUE = 1_000  # characters
_MAX_CALL_LINES = 20  # of one call


@dataclass(frozen=True, slots=True)
class _Macro:
    parameters: tuple[str, ...]
    body: str


@dataclass(slots=True)
class _Definitions:
    values: dict[str, str] = field(default_factory=dict)
    macros: dict[str, _Macro] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)


def read_lines(source: str) -> list[str]:
    """The lines of a source that the text is made of: without comments and indexes, with macros written out.

    A line with the end of what was left out stays away, too; verbatim lines stay as they are.
    """
    return list(_Reader(source).lines())


class _Reader:
    """Reads lines one after the other; a macro puts those that it writes in front of the others."""

    def __init__(self, source: str) -> None:
        self._waiting: deque[tuple[str, int]] = deque((line, 0) for line in source.split("\n"))
        self._budget = max(_MIN_GROWTH, _MAX_GROWTH * len(source))
        self._definitions = _Definitions()
        self._endless: set[str] = set()  # environments that were looked through without an end
        self._readers: Mapping[str, Callable[[str], None]] = {
            **dict.fromkeys(("macro", "rmacro", "linemacro"), self._define),
            **dict.fromkeys(("noindent", "indent"), self._read_on),
            "set": self._set, "clear": self._clear, "alias": self._alias,
            "ifset": self._skip_unless_set, "ifclear": self._skip_if_set,
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """The lines that stay."""
        while self._waiting:
            line, depth = self._waiting.popleft()
            command = _LINE.match(line)
            name = self._definitions.aliases.get(command["name"], command["name"]) if command else ""
            if line.startswith("\\input"):
                continue
            if name == "bye":
                return
            if name == "verbatim":
                yield line
                yield from self._verbatim_lines()
            elif command and self._is_read(name, command["text"]):
                continue
            elif "@" in line or "\x7f" in line:
                yield from self._text_line(line, depth)
            else:
                yield line

    def _verbatim_lines(self) -> Iterator[str]:
        while self._waiting:
            line = self._waiting.popleft()[0]
            yield line
            if (end := _END.match(line)) and end["name"] == "verbatim":
                return

    def _is_read(self, name: str, text: str) -> bool:
        """Whether a line is done with: it defines something, or leaves something out."""
        if name in self._definitions.macros:
            return False
        if name in _SILENT:
            self._skip(name)
        elif name in self._readers:
            self._readers[name](_COMMENT.sub("", text).strip())
        elif name == "end":
            words = text.split()
            return bool(words) and (words[0] in _TRANSPARENT or words[0] in _SILENT)
        else:
            return name in _TRANSPARENT or name in _SETTINGS or _INDEX.fullmatch(name) is not None
        return True

    def _read_on(self, text: str) -> None:
        if text:
            self._waiting.appendleft((text, 0))

    def _set(self, text: str) -> None:
        flag, _, value = text.partition(" ")
        self._definitions.values[flag] = self._fill_values(value.strip())[:_MAX_VALUE]

    def _clear(self, text: str) -> None:
        self._definitions.values.pop(text, None)

    def _alias(self, text: str) -> None:
        alias, _, target = text.partition("=")
        self._definitions.aliases[alias.strip()] = target.strip()

    def _skip_unless_set(self, flag: str) -> None:
        if flag not in self._definitions.values:
            self._skip("ifset")

    def _skip_if_set(self, flag: str) -> None:
        if flag in self._definitions.values:
            self._skip("ifclear")

    def _skip(self, name: str) -> None:
        """Leave out lines up to the end of an environment; without an end, only its first line."""
        depth = 1
        if name in self._endless:
            return
        for count, (line, _) in enumerate(self._waiting, start=1):
            command = _LINE.match(line)
            if command and command["name"] == name:
                depth += 1
            elif command and command["name"] == "end" and command["text"].split()[:1] == [name]:
                depth -= 1
            if not depth:
                for _ in range(count):
                    self._waiting.popleft()
                return
        self._endless.add(name)

    def _define(self, text: str) -> None:
        header = _MACRO.match(text)
        body: list[str] = []
        while self._waiting:
            line = self._waiting.popleft()[0]
            if (end := _END.match(line)) and end["name"] in ("macro", "rmacro", "linemacro"):
                break
            body.append(line)
        if header:
            parameters = tuple(name.strip() for name in (header["parameters"] or "").split(",") if name.strip())
            self._definitions.macros[header["name"]] = _Macro(parameters, "\n".join(body))

    def _text_line(self, line: str, depth: int) -> Iterator[str]:
        """A line of text: without its comment, with values filled in; a macro in it is read again."""
        line = self._fill_values(line)
        if self._definitions.macros and line.count("{") > line.count("}"):
            line = self._complete(line)
        expanded = self._expand(line) if self._definitions.macros and depth < _MAX_DEPTH else None
        if expanded is not None:
            self._waiting.extendleft((written_line, depth + 1) for written_line in reversed(expanded.split("\n")))
            return
        text = _COMMENT.sub("", line)
        if self._definitions.aliases:
            text = _CALL.sub(
                lambda call: f"@{self._definitions.aliases.get(call['name'], call['name'])}{call['brace']}", text
            )
        if text.strip() or not line.strip():
            yield text

    def _complete(self, line: str) -> str:
        """A line that calls a macro, with those below it up to the end of the call."""
        calls = [call for call in _CALL.finditer(line) if call["brace"] and call["name"] in self._definitions.macros]
        if not calls:
            return line
        lines = [line]
        depth = _count_open(line[calls[-1].end() :]) + 1
        for (following, _), _ in zip(self._waiting, range(_MAX_CALL_LINES), strict=False):
            lines.append(following)
            depth += _count_open(following)
            if depth <= 0:
                for _ in lines[1:]:
                    self._waiting.popleft()
                return self._fill_values("\n".join(lines))
        return line

    def _fill_values(self, line: str) -> str:
        """A line with the values of its flags; one that another file sets is its name, in a title nothing."""
        is_title = line.startswith(("@settitle", "@top"))
        return _VALUE.sub(lambda value: self._read_value(value["name"], is_title=is_title), line)

    def _read_value(self, flag: str, *, is_title: bool) -> str:
        value = self._definitions.values.get(flag, "" if is_title else flag)
        self._budget -= len(value)
        return value if self._budget >= 0 else flag

    def _expand(self, line: str) -> str | None:
        """A line with its macros written out; None if it has none."""
        if self._budget < 0:
            return None
        texts: list[str] = []
        position = 0
        closes = _match_braces(line)
        for call in _CALL.finditer(line):
            macro = self._definitions.macros.get(call["name"])
            if macro is None or call.start() < position:
                continue
            arguments, end = _read_arguments(line, call, macro, closes)
            if end < 0:
                continue
            values = dict(zip(macro.parameters, [*arguments, *[""] * len(macro.parameters)], strict=False))
            self._budget -= _measure(macro, values)
            if self._budget < 0:
                return None
            expansion = _fill_parameters(macro, values)
            texts += [line[position : call.start()], expansion]
            position = end
        return "".join([*texts, line[position:]]) if texts else None


def _read_arguments(line: str, call: re.Match[str], macro: _Macro, closes: Mapping[int, int]) -> tuple[list[str], int]:
    """The arguments of a call, and where it ends; -1 if its braces are not closed."""
    if not call["brace"]:
        return ([line[call.end() :].strip()], len(line)) if macro.parameters else ([], call.end())
    end = closes.get(call.end() - 1, -1)
    if end < 0 or not macro.parameters:
        return [], end + (end >= 0)
    inside = line[call.end() : end]
    return (_split_arguments(inside) if len(macro.parameters) > 1 else [inside]), end + 1


def _count_open(text: str) -> int:
    """How many braces a text opens more than it closes."""
    braces = _BRACE.findall(text)
    return braces.count("{") - braces.count("}")


def _match_braces(text: str) -> Mapping[int, int]:
    """For each brace of a text that is closed, where."""
    closes, open_starts = {}, []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            open_starts.append(brace.start())
        elif brace[0] == "}" and open_starts:
            closes[open_starts.pop()] = brace.start()
    return closes


def _split_arguments(text: str) -> list[str]:
    """The arguments of a macro: a comma in braces, or behind a backslash, divides nothing."""
    arguments: list[list[str]] = [[]]
    depth = 0
    for sign in re.findall(r"\\.|@.|[{},]|[^\\@{},]+", text, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and not depth:
            arguments.append([])
        else:
            arguments[-1].append(sign[1:] if sign[0] == "\\" and sign[1:] in ("\\", "{", "}", ",") else sign)
    texts = ["".join(argument) for argument in arguments]
    return [text.strip() if index else text for index, text in enumerate(texts)]


def _measure(macro: _Macro, values: Mapping[str, str]) -> int:
    """How much a call costs: the characters that it reads, and those that it writes."""
    written_lengths = (macro.body.count(f"\\{name}\\") * len(value) for name, value in values.items())
    return 1 + len(macro.body) * (1 + len(values)) + sum(written_lengths)


def _fill_parameters(macro: _Macro, values: Mapping[str, str]) -> str:
    return _PARAMETER.sub(lambda parameter: values.get(parameter["name"], "\\"), macro.body)
