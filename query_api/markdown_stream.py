"""Growing markdown as HTML, block by block.

Belongs here: splitting markdown into blocks while it grows, and rendering them safely. Not here: when they are sent
(`routes.answer_events`). Guarantee: the HTML has no script, no image, no style and no attribute that loads or runs
anything, whatever the markdown holds; a block that was final never changes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from query_api import mathml
from query_api.bare_addresses import link_addresses
from query_api.code_colours import CODE_CLASSES, colour_code

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", *mathml.TAGS,
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "code": {"class"}, "ol": {"start"}, **mathml.ATTRIBUTES}
_SCHEMES = {"http", "https", "mailto"}


@dataclass(frozen=True, kw_only=True, slots=True)
class HtmlBlock:
    """The HTML of a block; the next one with the same index replaces it, unless it is final."""

    index: int
    html: str
    final: bool


class MarkdownStream:
    """Markdown to which text is added at its end."""

    def __init__(self, *, is_coloured: bool = False, is_known: Callable[[str], bool] | None = None) -> None:
        """Begin.

        Args:
            is_coloured: whether code has colours and formulas are drawn, which only our own pages do.
            is_known: whether an address that stands in the text may be a link; None if none may.
        """
        self._open = ""
        self._index = 0
        self._shown = ""
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._parser.disable("reference")  # "[1]: https://…" would turn every marker [1] into a link
        self._parser.add_render_rule("image", _image)
        if is_coloured:
            self._parser.options["highlight"] = _colour_code
            mathml.add_formulas(self._parser)
        if is_known:
            link_addresses(self._parser, is_known)

    def add(self, text: str) -> None:
        """Add text at the end."""
        self._open += text.replace("\r", "")

    def changed(self, *, is_complete: bool = False) -> Iterator[HtmlBlock]:
        """Yield the blocks that were completed since the last call, then the open one if it changed.

        Args:
            is_complete: no more text will come, so every block is final.
        """
        lines = self._open.split("\n")
        complete_lines = (
            lines if is_complete else lines[:-1]
        )  # what the last line begins can still become something else
        starts = _starts(self._parser.parse("\n".join(complete_lines)))
        ends = [*starts[1:], *([len(lines)] if is_complete and starts else [])]
        for start, end in zip([0, *starts[1:]], ends, strict=False):
            yield HtmlBlock(index=self._index, html=self._html("\n".join(lines[start:end])), final=True)
            self._index, self._shown = self._index + 1, ""
        self._open = "\n".join(lines[ends[-1] if ends else 0 :])
        html = self._html(self._open)
        if html != self._shown:
            self._shown = html
            yield HtmlBlock(index=self._index, html=html, final=False)

    def _html(self, markdown: str) -> str:
        html = self._parser.render(markdown)
        return nh3.clean(
            html,
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            allowed_classes={"span": set(CODE_CLASSES)},
            url_schemes=_SCHEMES,
            url_relative="deny",  # it would lead into the page that shows the answer, or to any server by "//"
            link_rel="noopener noreferrer",
        )


def _starts(tokens: Sequence[Token]) -> list[int]:
    """The first lines of the blocks."""
    return [token.map[0] for token in tokens if token.level == 0 and token.nesting >= 0 and token.map]


def _colour_code(code: str, language: str, _: str) -> str:
    return colour_code(code, language)


def _image(_: Any, tokens: Sequence[Token], position: int, *__: Any) -> str:
    """An image as its text: loading it would tell its server about the reader."""
    return escapeHtml(tokens[position].content)
