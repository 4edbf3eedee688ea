"""The blocks of a web page as markdown: headings, paragraphs, lists, definitions, quotations, code, tables.

Belongs here: one subtree, in order. Not here: which subtree holds the content, what is left out (`content`).
Guarantee: no text of the subtree is lost; nesting of any depth is read, the deepest levels without their structure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from headwater.parsing.html.code_blocks import PREFORMATTED, code_block, code_table, code_text, fence_code, is_code
from headwater.parsing.html.element_text import find_admonition_title, is_title
from headwater.parsing.html.inline import Page, inline, plain_words
from headwater.parsing.html.manual_pages import has_manual_sections, read_manual
from headwater.parsing.html.preformatted import TypedBlock, read_typed_text
from headwater.parsing.html.tables import cells_of, is_grid, is_layout, note_of, pipe_table

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
     "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "li", "main",
     "menu", "nav", "noscript", "ol", "optgroup", "p", "search", "section", "summary", "table", "tbody", "td", "tfoot",
     "th", "thead", "tr", "ul", *_HEADINGS, *PREFORMATTED}
)  # fmt: skip
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_DEPTH_LIMIT = 80
_SIGNATURE = re.compile(r"(?:^|\s)sig(?=\s|$)")
_TEXINFO = re.compile(  # classes that makeinfo writes
    r"(?:^|\s)(?:first-)?def(?:fn|vr|var|tp|cv|op|un|mac|spec|opt|ivar|method|block|type\w{2,6})?(?=\s|$)"
)
_DOMAINS = re.compile(
    r"(?:^|\s)(?:function|method|class|attribute|exception|data|property|classmethod|staticmethod)(?=\s|$)"
)
_PERMALINK = re.compile(r"(?:\s*\[source\])?\s*[¶#]?\s*$")
# What a generator leaves out or puts in; other tags, such as `{% extends "a.html" %}`, may be shown.
_TEMPLATE_TAGS = re.compile(r"(?:\{%[-\s]*(?:#|include\b|comment\b|endcomment\b)[^%]{0,500}%\}\s*+)++")
_EMPHASIS = re.compile(r"(?P<code>`+[^`]*+`+)|(?<!\\)\*+")  # of words in a term, all of which is bold
_SHORT_DEFINITION = 600  # characters of a definition that stands in one list item
_NAME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Block:
    """A block of markdown; `level` is that of a heading, else 0."""

    kind: Literal["heading", "text", "code", "list", "table", "quote"]
    text: str
    level: int = 0


def blocks_of(root: Any, page: Page) -> list[Block]:
    """The blocks of an element, in order; the page notes their links."""
    return _Reader(page, is_manual=has_manual_sections(root)).read(root, 0)


def join_blocks(blocks: Sequence[Block]) -> str:
    """Blocks as a markdown text."""
    return "\n\n".join(block.text for block in blocks)


class _Reader:
    """Reads a subtree of one page; knows the last heading."""

    def __init__(self, page: Page, *, is_manual: bool) -> None:
        self._page = page
        self._is_manual = is_manual
        self._level = 0
        self._section = ""

    def read(self, element: Any, depth: int) -> list[Block]:
        """The blocks in an element, whatever it is itself."""
        if depth > _DEPTH_LIMIT:
            words = plain_words(element)
            return [Block("text", words)] if words else []
        blocks: list[Block] = []
        run: list[Any] = [element.text or ""]
        for child in element:
            if self._is_inline(child, depth):
                run += [child, child.tail or ""]
                continue
            blocks += self._paragraph(run)
            blocks += self._block(child, depth + 1)
            run = [child.tail or ""]
        return blocks + self._paragraph(run)

    def _is_inline(self, element: Any, depth: int) -> bool:
        """Whether an element is part of a paragraph: by its name, and because no block is in it."""
        if not isinstance(element.tag, str):
            return True
        if element.tag in _BLOCKS or element.get("role") == "heading":
            return False
        if element.tag == "code":
            return "\n" not in (element.text_content() or "").strip() or element.getparent().tag in PREFORMATTED
        return depth > _DEPTH_LIMIT or not len(element) or next(element.iter(*_BLOCKS), None) is None

    def _paragraph(self, run: list[Any]) -> list[Block]:
        words = inline(run, self._page) if any(not isinstance(node, str) or node.strip() for node in run) else ""
        return [Block("text", words)] if words and not _TEMPLATE_TAGS.fullmatch(words) else []

    def _block(self, element: Any, depth: int) -> list[Block]:
        name = element.tag
        level = _HEADINGS.get(name) or (_aria_level(element) if element.get("role") == "heading" else 0)
        if level:
            return self._heading(element, level, depth)
        if name in PREFORMATTED or name == "code":
            return self._read_preformatted(element)
        if name in _LISTS:
            return self._list(element, depth)
        if name == "dl":
            return self._definitions(element, depth)
        if name == "table" or is_grid(element):
            return self._table(element, depth)
        if name == "blockquote":
            return self._quote(element, depth)
        if name == "summary" and next(element.iter(*_HEADINGS), None) is not None:
            return self.read(element, depth)
        if name == "summary" or is_title(element):
            words = inline([element], self._page, is_plain=True) if name in ("summary", "p") else ""
            return [Block("text", f"**{words}**")] if words else self.read(element, depth)
        if (title := find_admonition_title(element)) is not None:
            title.drop_tree()
            return self._note(title, [element], depth)
        return self.read(element, depth)

    def _read_preformatted(self, element: Any) -> list[Block]:
        typed_text = "" if is_code(element) else code_text(element)
        manual = read_manual(typed_text, level=self._level, section=self._section, has_sections=self._is_manual)
        if manual:
            return [_make_manual_block(text) for text in manual]
        typed_blocks = read_typed_text(typed_text)
        if not typed_blocks:
            text = code_block(element)
            return [Block("code", text)] if text else []
        return [self._make_block(typed_block) for typed_block in typed_blocks]

    def _make_block(self, typed_block: TypedBlock) -> Block:
        if typed_block.kind == "code":
            return Block("code", fence_code(typed_block.text, ""))
        if typed_block.kind == "list":  # its marks are those of markdown
            items = (item.partition(" ") for item in typed_block.text.split("\n"))
            return Block("list", "\n".join(f"{mark} {inline([words], self._page)}" for mark, _, words in items))
        lines = [" ".join(inline([line], self._page).split()) for line in typed_block.text.split("\n")]
        if typed_block.kind == "heading":  # below the page's own
            level = min(max(self._level, 1) + typed_block.level, 6)
            return Block("heading", f"{'#' * level} {' '.join(lines)}", level)
        if typed_block.kind == "quote":
            return Block("quote", "\n".join(f"> {line}".rstrip() for line in lines))
        return Block("text", "\n".join(lines))

    def _heading(self, element: Any, level: int, depth: int) -> list[Block]:
        if next(element.iter("pre", "table", "ul", "ol", "p"), None) is not None:  # a heading around a whole part
            return self.read(element, depth)
        words = " ".join(inline([element], self._page, is_plain=True).split())
        if not words:
            return []
        self._level, self._section = level, words
        return [Block("heading", f"{'#' * level} {words}", level)]

    def _list(self, element: Any, depth: int) -> list[Block]:
        items = [child for child in element if isinstance(child.tag, str)]
        if any(next(item.iter(*_HEADINGS), None) is not None for item in items):  # cards, not points
            return [block for item in items for block in self.read(item, depth)]
        start = (element.get("start") or "").strip()
        item_number = int(start) if start.isdecimal() and len(start) < 9 else 1
        lines: list[str] = []
        for item in items:
            mark = f"{item_number}. " if element.tag == "ol" else "- "
            is_list = item.tag in _LISTS and depth <= _DEPTH_LIMIT
            item_blocks = self._block(item, depth + 1) if is_list else self.read(item, depth)
            if item.tag in _LISTS and item_blocks and lines:  # a list in a list, outside its point
                lines.append(_indent(item_blocks[0].text, "  "))
            elif item_blocks:
                lines.append(_item(item_blocks, mark))
                item_number += 1
        separator = "\n\n" if any("\n\n" in line for line in lines) else "\n"
        return [Block("list", separator.join(lines))] if lines else []

    def _definitions(self, element: Any, depth: int) -> list[Block]:
        rows = [row for child in element for row in (child if child.tag == "div" else [child])]
        names = element.get("class") or ""
        if _DOMAINS.search(names) or _TEXINFO.search(names) or any(_is_signature(row) for row in rows):
            return self._signatures(rows, depth)
        entries: list[tuple[list[str], list[Block]]] = []
        for row in rows:
            if row.tag == "dt":
                if not entries or entries[-1][1]:
                    entries.append(([], []))
                entries[-1][0].append(" ".join(inline([row], self._page).split()))
            elif isinstance(row.tag, str):
                entries = entries or [([], [])]
                entries[-1][1].extend(self.read(row, depth))
        if all(_is_short(blocks) for _, blocks in entries):
            lines = [_definition(terms, blocks) for terms, blocks in entries if any(terms) or blocks]
            return [Block("list", "\n".join(lines))] if lines else []
        return [block for terms, blocks in entries for block in (*_terms(terms), *blocks)]

    def _signatures(self, rows: list[Any], depth: int) -> list[Block]:
        """Documented objects of a program: a heading with the name, below it the signature and the description."""
        outer_level = self._level
        blocks: list[Block] = []
        previous_name = ""  # of the row above: several signatures of one object have one heading
        for row in rows:
            if row.tag != "dt":
                blocks += self.read(row, depth) if isinstance(row.tag, str) else []
                previous_name = ""
                continue
            signature = " ".join(_signature(row).split())
            name = _object_name(row, signature)
            self._level = level = min(outer_level + 1, 6)
            if name != previous_name:
                blocks.append(Block("heading", f"{'#' * level} {inline([name], self._page)}", level))
            previous_name = name
            if not name.endswith(signature):
                blocks.append(Block("text", f"`{signature.replace('`', chr(39))}`"))
        self._level = outer_level
        return blocks

    def _table(self, element: Any, depth: int) -> list[Block]:
        caption = element.find("caption")
        caption_blocks = [] if caption is None else self.read(caption, depth)
        if code := code_table(element):
            texts = [text for cell in code if (text := code_block(cell))]
            return [*caption_blocks, *(Block("code", text) for text in texts)]
        if is_layout(element):
            return [*caption_blocks, *(block for cell in cells_of(element) for block in self.read(cell, depth))]
        if note := note_of(element):
            return [*caption_blocks, *self._note(note[0], note[1:], depth)]
        text = pipe_table(element, self._page)
        kind: Literal["text", "list", "table"] = "text" if "\n" not in text else "table" if text[0] == "|" else "list"
        return [*caption_blocks, Block(kind, text)] if text else caption_blocks

    def _note(self, title: Any, cells: list[Any], depth: int) -> list[Block]:
        """A note whose title begins its first paragraph: on a line of its own it would head what follows the note."""
        words = inline([title], self._page, is_plain=True).rstrip(" :")
        blocks = [block for cell in cells for block in self.read(cell, depth)]
        if blocks and blocks[0].kind == "text":
            return [Block("text", f"**{words}:** {blocks[0].text}"), *blocks[1:]]
        return [Block("text", f"**{words}**"), *blocks]

    def _quote(self, element: Any, depth: int) -> list[Block]:
        inside = self.read(element, depth)
        if any(block.kind in ("heading", "table", "code") for block in inside):  # indentation, not words of someone
            return inside
        lines = join_blocks(inside).split("\n") if inside else []
        return [Block("quote", "\n".join(f"> {line}".rstrip() for line in lines))] if lines else []


def _make_manual_block(text: str) -> Block:
    marks = text.partition(" ")[0]
    if marks and not marks.strip("#"):
        return Block("heading", text, len(marks))
    return Block("code" if text.startswith("```") else "list" if text.startswith(("- ", " ")) else "text", text)


def _aria_level(element: Any) -> int:
    level = element.get("aria-level") or "2"
    return min(int(level), 6) if level.isdecimal() and 0 < int(level) < 100 else 2


def _indent(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _item(parts: list[Block], mark: str) -> str:
    """A list item: its first block after the mark, the others below it, indented."""
    lines: list[str] = []
    for index, block in enumerate(parts):
        is_tight = index == 0 or (block.kind == "list" and "\n\n" not in block.text)
        lines += ([] if is_tight else [""]) + [_indent(block.text, " " * len(mark))]
    return mark + "\n".join(lines)[len(mark) :]


def _is_short(blocks: list[Block]) -> bool:
    return len(blocks) <= 2 and all(
        block.kind in ("text", "list") and len(block.text) <= _SHORT_DEFINITION for block in blocks
    )


def _definition(terms: list[str], blocks: list[Block]) -> str:
    term = ", ".join(block.text for block in _terms(terms))
    if not blocks:
        return f"- {term}"
    first = blocks[0]
    if first.kind == "text":
        return _item([Block("text", f"{term}: {first.text}" if term else first.text), *blocks[1:]], "- ")
    return _item([Block("text", term), *blocks] if term else blocks, "- ")


def _terms(terms: list[str]) -> list[Block]:
    bare = (term.rstrip("*") for term in terms)
    plain = (text.rstrip(" :") + term[len(text) :] for text, term in zip(bare, terms, strict=True))
    unmarked = (_EMPHASIS.sub(lambda match: match["code"] or "", term).strip() for term in plain)
    return [Block("text", f"**{term}**") for term in unmarked if term]


def _is_signature(row: Any) -> bool:
    return row.tag == "dt" and bool(_SIGNATURE.search(row.get("class") or ""))


def _signature(row: Any) -> str:
    signature = _PERMALINK.sub("", plain_words(row)).strip()
    is_texinfo = (row.get("id") or "").startswith("index-")
    return signature.lstrip(": ") if is_texinfo else signature  # the category may be empty


def _object_name(row: Any, signature: str) -> str:
    """The full name of a documented object: its anchor, its bold words, or what its signature begins with."""
    anchor = row.get("id") or ""
    if anchor and anchor.rpartition(".")[2] in signature and len(anchor) <= _NAME_LIMIT:
        return anchor
    bold = row.find(".//strong") if anchor.startswith("index-") else None
    if bold is not None and (name := plain_words(bold)) and len(name) <= _NAME_LIMIT:
        return str(name)
    return signature.partition("(")[0][:_NAME_LIMIT].strip() or signature[:_NAME_LIMIT]
