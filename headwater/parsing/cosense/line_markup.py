"""What stands within a line of Cosense: links, decorations, images, icons, formulas, code.

Belongs here: brackets, backticks and hashtags. Not here: lines (`cosense_page`). Guarantee: the work is linear in the
line's length; brackets within each other end at a depth.
"""

import re

from headwater.parsing.cosense.project import Project, page_link

_MAX_DEPTH = 12
_URL = re.compile(r"https?://[^\s\[\]<>]{1,4000}")
_IMAGE = re.compile(
    r"https?://(?:(?:[^/\s]{1,300}/)?[^?#\s]{1,3000}\.(?:png|jpe?g|gif|svg|webp|avif)(?:[?#]\S{0,1000})?"
    r"|(?:i\.)?gyazo\.com/[0-9a-f]{32}(?:/\w{1,20})?)\Z",
    re.IGNORECASE,
)
_DECORATED = re.compile(r"([*/\-_!\"#%&'()+,.{|}~<>]{1,20})[ \u3000]+(?=\S)")
_ICON = re.compile(r"(.{1,300})\.icon(?:\*\d{1,4})?\Z")
_LINE_ID = re.compile(r"#[0-9a-f]{24}\Z")
_TAG = re.compile(r"(?<!\S)#([^\s#\[\]`]{1,200})")
_RISKY = re.compile(r"[\\*\[\]`]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)")


class Inline:
    """Writes lines of one page as markdown; `links` are the titles that they lead to, each once."""

    def __init__(self, project: Project) -> None:
        self.links: dict[str, None] = {}
        self._project = project

    def markdown(self, text: str, depth: int = 0) -> str:
        """A part of a line as markdown."""
        ends = bracket_ends(text) if depth < _MAX_DEPTH else {}
        texts: list[str] = []
        position = begin = 0
        while position < len(text):
            converted, end = self._special(text, position, ends, depth)
            if converted is None:
                position = end
                continue
            texts += [self._plain(text[begin:position]), converted]
            position = begin = end
        texts.append(self._plain(text[begin:]))
        return "".join(texts)

    def _special(self, text: str, at: int, ends: dict[int, int], depth: int) -> tuple[str | None, int]:
        """What begins at a place, as markdown, and where it ends; None for plain text, and where to look next."""
        if text[at] == "`":
            end = text.find("`", at + 1)
            return (text[at : end + 1], end + 1) if end > at + 1 else (None, at + 1)
        if text[at] != "[" or at not in ends:
            return None, _next(text, at + 1)
        end = ends[at]
        if ends.get(at + 1) == end - 1 and text[at + 2 : end - 1].strip():
            return self._bold(text[at + 2 : end - 1], depth), end + 1
        markdown = self._convert_bracket(text[at + 1 : end], depth)
        return (None, at + 1) if markdown is None else (markdown, end + 1)

    def _bold(self, inner: str, depth: int) -> str:
        image = _image(inner.strip())
        return image or f"**{self.markdown(inner.strip(), depth + 1)}**"

    def _convert_bracket(self, inner: str, depth: int) -> str | None:
        """What brackets hold; None if they are only brackets."""
        if not inner.strip():
            return None
        if inner.startswith("$ "):
            return f"${inner[2:].strip()}$"
        decorated = _DECORATED.match(inner)
        if decorated is not None:
            return _decorate(decorated[1], self.markdown(inner[decorated.end() :].strip(), depth + 1))
        return self._external(inner.strip()) or self._internal(inner.strip())

    def _external(self, inner: str) -> str:
        """A link to elsewhere, or an image; empty if it holds no address."""
        first, last = inner.split()[0], inner.split()[-1]
        for url, label in ((first, inner[len(first) :].strip()), (last, inner[: len(inner) - len(last)].strip())):
            if not _URL.fullmatch(url):
                continue
            if not label:
                return _image(url) or url
            if image := _image(url):
                return f"[{image}]({_address(label)})" if _URL.fullmatch(label) else image
            return f"[{_image(label) or _escape(label)}]({_address(url)})"
        return ""

    def _internal(self, inner: str) -> str | None:
        icon = _ICON.fullmatch(inner)
        title = icon[1] if icon is not None else _LINE_ID.sub("", inner)
        if not title:
            return None
        project_prefix = f"/{self._project.name}/"
        if title.startswith(project_prefix) and title != project_prefix:
            title = title.removeprefix(project_prefix)
        elif title.startswith("/"):
            label = title.rpartition("/")[2] if icon is not None else title
            return f"[{_escape(label)}]({self._project.elsewhere(title)})"
        return self._link(title, title)

    def _link(self, title: str, shown: str) -> str:
        self.links[title] = None
        return f"[{_escape(shown)}]({page_link(title)})"

    def _plain(self, text: str) -> str:
        """Text without notation, but with hashtags and addresses."""
        texts: list[str] = []
        position = 0
        for url in _URL.finditer(text):
            texts += [self._convert_tags(text[position : url.start()]), url.group()]
            position = url.end()
        return "".join([*texts, self._convert_tags(text[position:])])

    def _convert_tags(self, text: str) -> str:
        texts: list[str] = []
        position = 0
        for tag in _TAG.finditer(text):
            texts += [_escape(text[position : tag.start()]), self._link(tag[1], tag.group())]
            position = tag.end()
        return "".join([*texts, _escape(text[position:])])


def bracket_ends(text: str) -> dict[int, int]:
    """Where each bracket of a line is closed; those within backticks are text."""
    open_at: list[int] = []
    ends: dict[int, int] = {}
    position = 0
    while position < len(text):
        if text[position] == "`" and (end := text.find("`", position + 1)) > position + 1:
            position = end
        elif text[position] == "[":
            open_at.append(position)
        elif text[position] == "]" and open_at:
            ends[open_at.pop()] = position
        position += 1
    return ends


def _next(text: str, at: int) -> int:
    """The next place where something may begin."""
    while at < len(text) and text[at] not in "[`":
        at += 1
    return at


def _image(url: str) -> str:
    if not _IMAGE.fullmatch(url):
        return ""
    return f"![]({_address(url)})"


def _address(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


def _decorate(marks: str, text: str) -> str:
    for mark, sign in (("*", "**"), ("/", "*"), ("-", "~~")):
        if mark in marks:
            text = f"{sign}{text}{sign}"
    return text


def _escape(text: str) -> str:
    return _RISKY.sub(lambda match: f"\\{match.group()}", text)
