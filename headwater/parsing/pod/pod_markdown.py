"""The paragraphs of POD as markdown.

Belongs here: headings, lists, code, what is for other formats. Not here: what stands in a paragraph (`pod_inline`).
Guarantee: an item holds what stands up to the next; code stays as it is; what is for other formats, and code between
the documentation, is left out; the work is linear.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from headwater.parsing.markdown.writer import fence_code, item, plain_markdown
from headwater.parsing.pod.pod_inline import read_inline

_COMMAND = re.compile(r"=(?P<name>[A-Za-z]\w{0,30})(?:[ \t]+|\n|\Z)(?P<text>.*)", re.DOTALL)
_NAME = re.compile(r"(?P<name>\S.{0,80}?)(?:\s+(?:--?|[–—])\s.*)?", re.DOTALL)
_NUMBER = re.compile(r"(?P<number>\d{1,9})[.)]?(?:\s+|\Z)")
_BULLET = re.compile(r"[*•o-](?:\s+|\Z)")
_HEADING = re.compile(r"head(?P<level>[1-6])")
_WEAVER = frozenset({"method", "attr", "func"})
"""Commands of Pod::Weaver, which become headings of the second level."""
_MAX_LEVEL = 6
_MAX_DEPTH = 12  # of lists in lists
_MAX_TERMS = 8  # above one text


@dataclass(slots=True)
class _List:
    """A list that is open: what stands before its first item, its items, and the item that is open."""

    texts: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    mark: str = ""

    def begin_item(self, text: str) -> None:
        """Begin an item: a bullet, a number, or a term, of which several may stand above one text."""
        digits = _NUMBER.match(text)
        if mark := digits or _BULLET.match(text):
            self.end_item()
            self.mark = f"{int(digits['number'])}." if digits else "-"
            words = text[mark.end() :].strip()
            self.texts = [plain_markdown(read_inline(words))] if words else []
            return
        if self.mark or self.texts or len(self.terms) >= _MAX_TERMS:
            self.end_item()
        self.terms.append(" ".join(read_inline(text).split()))

    def end_item(self) -> None:
        """End the open item; terms without a text are items of their own."""
        text = "\n\n".join(self.texts)
        if self.terms and text:
            label = ", ".join(filter(None, self.terms))
            is_paragraph = not re.match(r"```|- |\d+\. ", text)
            self.items.append(item(f"{label}: {text}" if is_paragraph else f"{label}:\n\n{text}"))
        elif self.terms:
            self.items += [item(term) for term in self.terms if term]
        elif text:
            self.items.append(item(text, self.mark) if self.mark else text)
        self.texts, self.terms, self.mark = [], [], ""

    def text(self) -> str:
        """The whole list."""
        self.end_item()
        return "\n".join(self.items)


class PodDocument:
    """POD as markdown, with the name of the page."""

    def __init__(self, source: str) -> None:
        self._paragraphs = list(_read_paragraphs(source))
        self._blocks: list[str] = []
        self._lists: list[_List] = []
        self._code: list[str] = []
        self._ignored_lists = 0  # those that are nested too deeply
        self._format = ""  # that the paragraphs are for; empty if they are POD
        self.title = self._find_title()

    def text(self) -> str:
        """The whole text."""
        for paragraph in self._paragraphs:
            command = _COMMAND.match(paragraph)
            if self._format:
                is_end = command and command["name"] == "end" and command["text"].split()[:1] == [self._format]
                self._format = "" if is_end else self._format
            elif command:
                self._end_code()
                self._read_command(command["name"], " ".join(command["text"].split()))
            elif paragraph[0] in " \t":
                self._code.append(paragraph.expandtabs(8))
            else:
                self._end_code()
                self._add(plain_markdown(read_inline(paragraph)))
        self._end_code()
        while self._lists:
            self._end_list()
        heading = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*heading, *filter(str.strip, self._blocks)])

    def _find_title(self) -> str:
        """The name of the page, in its section NAME."""
        for index, paragraph in enumerate(self._paragraphs[:-1]):
            command = _COMMAND.match(paragraph)
            if command and command["name"] == "head1":
                words = read_inline(command["text"], is_code=True).split()
                name = _NAME.fullmatch(read_inline(self._paragraphs[index + 1].strip(), is_code=True).strip())
                is_page = words == ["NAME"] and not self._paragraphs[index + 1].startswith("=")
                return " ".join(name["name"].split()) if is_page and name else ""
        return ""

    def _read_command(self, name: str, text: str) -> None:
        if heading := _HEADING.fullmatch(name):
            self._add_heading(int(heading["level"]), text)
        elif name in _WEAVER:
            self._add_heading(2, text)
        elif name in ("over", "item", "back"):
            self._read_list(name, text)
        elif name == "begin":
            words = text.split()[:1] or ["?"]
            self._format = "" if words[0].startswith(":") else words[0]

    def _read_list(self, name: str, text: str) -> None:
        if name == "item":
            if not self._lists:
                self._lists.append(_List())  # somebody forgot where it begins
            self._lists[-1].begin_item(text)
        elif name == "over" and len(self._lists) < _MAX_DEPTH:
            self._lists.append(_List())
        elif name == "over":
            self._ignored_lists += 1
        elif self._ignored_lists:
            self._ignored_lists -= 1
        elif self._lists:
            self._end_list()

    def _add_heading(self, level: int, text: str) -> None:
        while self._lists:
            self._end_list()
        words = " ".join(read_inline(text).split())
        if words:
            self._blocks.append(f"{'#' * min(level + bool(self.title), _MAX_LEVEL)} {words}")

    def _end_list(self) -> None:
        text = self._lists.pop().text()
        self._add(text)

    def _end_code(self) -> None:
        if self._code:
            lines = "\n\n".join(self._code).split("\n")
            indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            self._add(fence_code("\n".join(line[indent:].rstrip() for line in lines)))
            self._code.clear()

    def _add(self, block: str) -> None:
        if not block.strip():
            return
        (self._lists[-1].texts if self._lists else self._blocks).append(block)


def _read_paragraphs(source: str) -> Iterator[str]:
    """The paragraphs of the documentation: from a line with a command up to `=cut`."""
    lines: list[str] = []
    is_pod = False
    for line in [*source.split("\n"), ""]:
        command = _COMMAND.match(line)
        if not is_pod:
            is_pod = command is not None and command["name"] != "cut"
            lines = [line] if is_pod else []
        elif command and command["name"] == "cut" and not (lines and lines[0][:1] in (" ", "\t")):
            yield from ["\n".join(lines)] if lines else []
            is_pod, lines = False, []
        elif line.strip():
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []
