"""Writing the tree of a reStructuredText document as markdown.

Belongs here: what each node of docutils becomes. Not here: reading (`parser`), Sphinx's names (`sphinx`). Guarantee:
messages of docutils, comments and raw parts are left out; text of a node that is unknown here stays.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from docutils import nodes

from headwater.parsing.markdown.writer import bold, escape_tags, fence_code, indent_block, item, pipe_table
from headwater.parsing.rst.list_labels import read_labels_of_items
from headwater.parsing.rst.rst_tables import read_rows
from headwater.parsing.rst.rst_tree import drop_entries, drop_other_formats, read_labels
from headwater.parsing.title_fields import find_title, read_fields

_UNSEEN = (nodes.system_message, nodes.Invisible, nodes.raw, nodes.decoration, nodes.meta, nodes.generated)
_FIELDS = {"orphan", "nosearch", "tocdepth", "nocomments", "no-search"}  # for Sphinx, at the beginning of a file
_BLOCKS = (nodes.Body, nodes.Structural, nodes.Part, nodes.document)
_REFERENCE = re.compile(
    r"`([^`<>]*[^`<>\s])\s*(?:<[^<>`]*>)?`__?|([^\W_](?:[\w.:+-]*[^\W_])?)__?|\|([^|\n]+)\|_{0,2}", re.DOTALL
)
_MARKUP = re.compile(r"^(#{1,6}\s|```|~~~)")


_TICKS = re.compile("`+")
_SERIES = re.compile(r"(?P<series>[A-Z]{2,8}): (?P<number>\d{1,6})\n")  # such as "PEP: 572"


class RstMarkdown:
    """A document as markdown."""

    def __init__(self, document: nodes.document) -> None:
        self.links: list[str] = []
        self.title = ""
        self._document = document
        drop_entries(document)
        drop_other_formats(document)
        self._labels = read_labels(document)

    def text(self) -> str:
        """The whole text."""
        self.title = _read_title(self._document)
        is_titled = any(isinstance(child, nodes.title) for child in self._document.children)
        return "\n\n".join(self._blocks(self._document.children, 1 if is_titled else 0))

    def _blocks(self, children: Sequence[nodes.Node], level: int) -> list[str]:
        return [block for child in children for block in self._block(child, level) if block.strip()]

    def _block(self, node: nodes.Node, level: int) -> Iterator[str]:
        """The blocks that a node becomes; a section is a level below its parent."""
        if isinstance(node, nodes.comment) and "target" in node:
            self.links.append(f"{node['target'].removesuffix('.rst')}.rst")
        elif isinstance(node, _UNSEEN) and not isinstance(node, nodes.substitution_reference):
            return
        elif isinstance(node, nodes.section):
            yield from self._blocks(node.children, level + 1)
        else:
            write = self._writers.get(type(node).__name__)
            yield from write(self, node, level) if write else self._other(node, level)

    def _other(self, node: nodes.Node, level: int) -> Iterator[str]:
        if isinstance(node, nodes.Element) and any(isinstance(child, _BLOCKS) for child in node.children):
            yield from self._blocks(node.children, level)
        else:
            yield self._line([node])

    def _heading(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield f"{'#' * min(max(level, 1), 6)} {self._inline(node).replace(chr(10), ' ')}"

    def _paragraph(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield self._line(node.children)

    def _line(self, children: Sequence[nodes.Node]) -> str:
        text = "".join(self._write_inline(child) for child in children).strip()
        return _MARKUP.sub(r"\\\1", text)

    def _code(self, node: nodes.Element, _: int) -> Iterator[str]:
        classes = [name for name in node.get("classes", ()) if name != "code"]
        yield fence_code(node.astext(), node.get("language", classes[0] if classes else ""))

    def _list(self, node: nodes.Element, level: int) -> Iterator[str]:
        labels = read_labels_of_items(node)
        is_numbered, first = isinstance(node, nodes.enumerated_list) and not any(labels), int(node.get("start", 1))
        marks = (f"{first + index}." if is_numbered else "-" for index in range(len(node.children)))
        texts = ["\n\n".join(_label_blocks(label, self._blocks(child.children, level)))
                 for label, child in zip(labels, node.children, strict=True)]  # fmt: skip
        items = [item(text, mark) for text, mark in zip(texts, marks, strict=True) if text]
        yield ("\n\n" if any("\n\n" in text for text in items) else "\n").join(items)

    def _definitions(self, node: nodes.Element, level: int) -> Iterator[str]:
        for entry in node.children:
            terms = [self._inline(child) for child in entry.children if isinstance(child, nodes.term)]
            kinds = [self._inline(child) for child in entry.children if isinstance(child, nodes.classifier)]
            inside = [child for child in entry.children if isinstance(child, nodes.definition)]
            yield from self._write_description(", ".join(terms), kinds, inside, level)

    def _write_description(
        self, term: str, kinds: Sequence[str], inside: Sequence[nodes.Node], level: int
    ) -> Iterator[str]:
        kind = f" ({', '.join(kinds)})" if kinds else ""
        blocks = [block for child in inside if isinstance(child, nodes.Element)
                  for block in self._blocks(child.children, level)]  # fmt: skip
        yield item("\n\n".join(_label_blocks(f"{bold(term)}{kind}:" if term else "", blocks)))

    def _fields(self, node: nodes.Element, level: int) -> Iterator[str]:
        blocks: list[str] = []
        for field in node.children:
            name, body = field.children[0].astext(), field.children[1]
            if name.partition(" ")[0] not in _FIELDS:
                blocks += self._write_description(name, (), [body], level)
        yield "\n".join(blocks)

    def _options(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield "\n".join(
            item("\n\n".join([f"`{entry.children[0].astext()}`: {first}", *following]))
            for entry in node.children
            for first, *following in [self._blocks(entry.children[1].children, level) or [""]]
        )

    def _admonition(self, node: nodes.Element, level: int) -> Iterator[str]:
        blocks = [child for child in node.children if not isinstance(child, nodes.title)]
        titles = [self._inline(child) for child in node.children if isinstance(child, nodes.title)]
        yield f"**{titles[0] if titles else type(node).__name__.capitalize()}**"
        yield from self._blocks(blocks, level)

    def _quote(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield indent_block("\n\n".join(self._blocks(node.children, level)), "> ").replace("\n\n", "\n>\n")

    def _lines(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield "\n".join(f"{self._inline(line)}" for line in node.findall(nodes.line))

    def _note(self, node: nodes.Element, level: int) -> Iterator[str]:
        name = next((child.astext() for child in node.children if isinstance(child, nodes.label)), "")
        content = [child for child in node.children if not isinstance(child, nodes.label)]
        yield indent_block(f"[^{name}]: " + "\n\n".join(self._blocks(content, level)), "    ").lstrip()

    def _table(self, node: nodes.Element, level: int) -> Iterator[str]:
        for title in node.children:
            if isinstance(title, nodes.title):
                yield f"**{self._inline(title)}**"
        rows = read_rows(node, lambda entry: self._write_cell(entry, level))
        yield pipe_table(rows, has_header=next(iter(node.findall(nodes.thead)), None) is not None)

    def _write_cell(self, node: nodes.Element, level: int) -> str:
        """The content of a cell on one line: items are divided by semicolons, and code has no fence."""
        texts: list[str] = []
        for child in node.children:
            if isinstance(child, (nodes.bullet_list, nodes.enumerated_list)):
                texts.append("; ".join(filter(None, (self._write_cell(entry, level) for entry in child.children))))
            elif isinstance(child, (nodes.literal_block, nodes.doctest_block, nodes.math_block)):
                texts.append(_spell_code(" ".join(child.astext().split())))
            else:
                texts += self._blocks([child], level)
        return " ".join(filter(None, texts))

    def _image(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield self._write_inline(node)

    def _transition(self, _: nodes.Element, __: int) -> Iterator[str]:
        yield "---"

    def _inline(self, node: nodes.Element) -> str:
        return "".join(self._write_inline(child) for child in node.children).strip()

    def _write_inline(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Text):
            return escape_tags(node.astext())
        if isinstance(node, _UNSEEN) or not isinstance(node, nodes.Element):
            return ""
        if isinstance(node, nodes.problematic):  # most lead to what another file defines
            match = _REFERENCE.fullmatch(node.astext())
            return str(next(filter(None, match.groups())) if match else node.astext())
        if isinstance(node, nodes.image):
            return f"![{node.get('alt', '')}]({node.get('uri', '')})" if node.get("alt") else ""
        if isinstance(node, (nodes.literal, nodes.math)):
            return _spell_code(str(node.astext()))
        if node.get("label") in self._labels:
            return escape_tags(self._labels[node["label"]])
        inside = "".join(self._write_inline(child) for child in node.children)
        return self._shape_text(node, inside)

    def _shape_text(self, node: nodes.Element, inside: str) -> str:
        if isinstance(node, nodes.reference):
            return self._link(node, inside)
        if isinstance(node, nodes.footnote_reference):
            return f"[^{inside}]"
        if isinstance(node, (nodes.title_reference, nodes.emphasis)) and inside.strip():
            return f"*{inside}*"
        if isinstance(node, nodes.strong) and inside.strip():
            return bold(inside)
        return inside

    def _link(self, node: nodes.Element, inside: str) -> str:
        target = node.get("refuri", "")
        if node.get("is_document"):
            self.links.append(target)
            return inside
        if not target or target.startswith("mailto:") or target == inside:
            return inside
        self.links.append(target)
        return f"[{inside}]({target})"

    _writers: ClassVar[dict[str, Callable[[Any, Any, int], Iterator[str]]]] = {
        "title": _heading, "subtitle": _paragraph, "paragraph": _paragraph, "literal_block": _code,
        "doctest_block": _code, "math_block": _code, "bullet_list": _list, "enumerated_list": _list,
        "definition_list": _definitions, "field_list": _fields, "option_list": _options, "block_quote": _quote,
        "line_block": _lines, "footnote": _note, "citation": _note, "table": _table, "image": _image,
        "transition": _transition, "rubric": _admonition,
        **dict.fromkeys(("note", "warning", "tip", "hint", "important", "caution", "danger", "error", "attention",
                         "admonition", "topic", "sidebar"), _admonition),
    }  # fmt: skip


def _label_blocks(label: str, blocks: Sequence[str]) -> list[str]:
    """Blocks below a label; a text stands behind it."""
    if blocks and (not label or not blocks[0].startswith(("```", "|", "- "))):
        return [f"{label} {blocks[0]}".strip(), *blocks[1:]]
    return [label, *blocks]


def _spell_code(text: str) -> str:
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _read_title(document: nodes.document) -> str:
    """The first heading, or what the fields say that a document without a title of its own begins with."""
    blocks = [child for child in document.children if not isinstance(child, (nodes.Invisible, nodes.system_message))]
    header = ""
    if blocks and isinstance(blocks[0], nodes.field_list):
        header = "\n".join(": ".join(child.astext() for child in field.children) for field in blocks[0].children)
    elif blocks and isinstance(blocks[0], nodes.paragraph) and read_fields(blocks[0].rawsource) == blocks[0].rawsource:
        header = blocks[0].rawsource
    if title := find_title(header):
        series = _SERIES.match(header)
        identifier = f"{series['series']} {series['number']} – " if series else ""
        return f"{identifier}{_TICKS.sub('', title).strip()}"
    heading = next(iter(document.findall(nodes.title)), None)
    return heading.astext().strip() if heading is not None else ""
