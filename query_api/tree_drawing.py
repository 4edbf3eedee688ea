"""Summary trees as a picture: SVG.

Belongs here: which nodes are shown, where they are, and the picture. Not here: reading trees
(`headwater.store.content.summaries`), the route and the command. Guarantee: text of sources is escaped, there is no
script, and nothing is loaded from elsewhere; the same trees give the same picture.

The root is on the left, and what a summary was made of is to its right. Every node is a link to its page.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from unicodedata import east_asian_width
from urllib.parse import quote
from uuid import UUID
from xml.sax.saxutils import escape, quoteattr

from headwater.answering.answer_summaries import plain_text, without_title
from headwater.domain.corpus import Source
from headwater.domain.plurals import pluralize
from headwater.domain.summaries import NodeKind, SummaryNode
from headwater.store.store import Store

MAX_NODES = 70
"""How many nodes of a source are drawn without a depth: deeper levels are left out as a whole."""
LIMIT = 1_000
"""How many nodes of a source are drawn with a depth."""
_WIDTH, _HEIGHT = 350, 72  # of a box, in pixels
_ACROSS, _DOWN = 56, 10  # between boxes
_MARGIN = 20
_TITLE, _LINE = 38, 45  # characters of a line in a box
_HOVER = 700  # characters of the text that a pointer shows
_SPACE = re.compile(r"\s+")
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = """
svg{--paper:#fff;--box:#f6f7f9;--edge:#c3cad4;--ink:#1d2530;--soft:#5b6675;--top:#2f6fdd;--leaf:#2c8a57;--mid:#8a5cc4}
@media (prefers-color-scheme:dark){svg{--paper:#14181d;--box:#1e242c;--edge:#465160;--ink:#e8ecf1;--soft:#a3afbe;
--top:#78a8ff;--leaf:#63c795;--mid:#bd98ee}}
.paper{fill:var(--paper)}.edge{fill:none;stroke:var(--edge);stroke-width:1.3}
.box{fill:var(--box);stroke:var(--edge)}a:hover .box,a:focus .box{stroke:var(--top);stroke-width:2}
.bar{fill:var(--mid)}.source .bar,.knowledge_base .bar{fill:var(--top)}.document .bar{fill:var(--leaf)}
.piece .bar{fill:var(--edge)}
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--soft)}
.title{font-weight:600;font-size:13px;fill:var(--ink)}.kind{font-size:10px;text-anchor:end}
""".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnTree:
    """The nodes of a source to draw, each before those below it."""

    source: str
    nodes: tuple[SummaryNode, ...]


@dataclass(kw_only=True, slots=True)
class _Box:
    """A node to draw, and its place; `address` is where it leads."""

    kind: str
    title: str
    text: str
    hidden: str
    address: str
    children: list["_Box"] = field(default_factory=list)
    column: int = 0
    y: int = 0

    @property
    def x(self) -> int:
        """Its left edge."""
        return _MARGIN + self.column * (_WIDTH + _ACROSS)


def read_trees(store: Store, sources: Sequence[Source], *, depth: int | None) -> list[DrawnTree]:
    """Read the nodes to draw of some sources.

    Args:
        store: the store.
        sources: the sources; those without a tree are left out.
        depth: how many levels below the top; by default as many as have no more than `MAX_NODES` nodes.
    """
    if depth is None:
        trees = store.summaries.top_levels(sources, most=MAX_NODES)
    else:
        read = (store.summaries.nodes(source, depth=depth, limit=LIMIT) for source in sources)
        trees = [nodes for nodes in read if nodes]
    return [DrawnTree(source=nodes[0].source or "", nodes=tuple(nodes)) for nodes in trees]


def draw_trees(name: str, trees: Sequence[DrawnTree], *, root: str = "") -> str:
    """Draw trees as SVG: several below a box of the knowledge base.

    Args:
        name: of the knowledge base.
        trees: the result of `read_trees`; without any, the picture says so.
        root: the address that the pages begin with; empty for links within it.
    """
    pages = f"{root}/kb/{quote(name, safe='')}"
    tops = [_tree(tree, pages) for tree in trees]
    if len(tops) > 1:
        top = _knowledge_base(name, pluralize(len(tops), "source"), pages)
        top.children = tops
    else:
        top = tops[0] if tops else _knowledge_base(name, "It has no summaries.", pages)
    rows = _place(top, 0, 0)
    boxes = list(_walk(top))
    width = max(box.x for box in boxes) + _WIDTH + _MARGIN
    height = 2 * _MARGIN + rows * (_HEIGHT + _DOWN) - _DOWN
    label = _clean(f"Summaries of {name}")
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(label)}>',
            f"<title>{escape(label)}</title>",
            f"<style>{_STYLE}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            *(_edge(box, child) for box in boxes for child in box.children),
            *(_draw_box(box) for box in boxes),
            "</svg>\n",
        ]
    )


def _tree(tree: DrawnTree, root: str) -> _Box:
    by_parent: defaultdict[UUID | None, list[SummaryNode]] = defaultdict(list)
    for node in tree.nodes:
        by_parent[node.parent_id].append(node)
    return _box(tree.nodes[0], by_parent, tree.source, root)


def _box(node: SummaryNode, below: Mapping[UUID | None, Sequence[SummaryNode]], source: str, root: str) -> _Box:
    children = below.get(node.id, ())
    missing = node.child_count - len(children)
    hidden = f", {missing} below" if missing else ""
    text = plain_text(node.text)
    if node.kind is NodeKind.SOURCE:
        title = source
    elif node.kind is NodeKind.DOCUMENT:
        title, text = node.title, plain_text(without_title(node.text, node.title))
    else:
        title = f"Part {node.position + 1}" if node.kind is NodeKind.PIECE else f"Group of {node.child_count}"
    return _Box(
        kind=node.kind.value,
        title=title,
        text=text,
        hidden=hidden,
        address=f"{root}/summaries/{node.id}",
        children=[_box(child, below, source, root) for child in children],
    )


def _knowledge_base(name: str, words: str, root: str) -> _Box:
    return _Box(kind="knowledge_base", title=name, text=words, hidden="", address=f"{root}/contents")


def _place(box: _Box, column: int, row: int) -> int:
    """Place a box and those to its right from a row on; returns how many rows they take."""
    box.column = column
    box.y = _MARGIN + row * (_HEIGHT + _DOWN)  # beside its first child, so that the root is in sight
    rows = 0
    for child in box.children:
        rows += _place(child, column + 1, row + rows)
    return max(rows, 1)


def _walk(box: _Box) -> Iterator[_Box]:
    yield box
    for child in box.children:
        yield from _walk(child)


def _edge(box: _Box, child: _Box) -> str:
    x, y, end, there = box.x + _WIDTH, box.y + _HEIGHT // 2, child.x, child.y + _HEIGHT // 2
    middle = (x + end) // 2
    return f'<path class="edge" d="M{x} {y}C{middle} {y} {middle} {there} {end} {there}"/>'


def _draw_box(box: _Box) -> str:
    x, y = box.x, box.y
    kind = f"{box.kind.replace('_', ' ')}{box.hidden}"
    titles = _lines(box.title, _TITLE, 2)
    lines = [*titles, *_lines(box.text, _LINE, 3 - len(titles))]
    elements = [
        f"<title>{escape(_clean(f'{box.title}: {box.text}')[:_HOVER])}</title>",
        f'<rect class="box" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>',
        f'<rect class="bar" x="{x}" y="{y}" width="5" height="{_HEIGHT}" rx="2"/>',
        *(
            f'<text class="{"title" if index < len(titles) else "line"}" x="{x + 14}" y="{y + 19 + 16 * index}">'
            f"{escape(line)}</text>"
            for index, line in enumerate(lines)
        ),
        f'<text class="kind" x="{x + _WIDTH - 6}" y="{y + _HEIGHT - 5}">{escape(kind)}</text>',
    ]
    group = f'<g class="{box.kind}">{"".join(elements)}</g>'
    return f"<a href={quoteattr(box.address)}>{group}</a>" if box.address else group


def _lines(text: str, most: int, count: int) -> list[str]:
    """A text in lines of a width, the last one cut; wide characters count twice."""
    words, lines = _clean(text).split(" "), [""]
    for word in words:
        line = f"{lines[-1]} {word}".strip()
        if _width(line) <= most or not lines[-1]:
            lines[-1] = line
        elif len(lines) < count:
            lines.append(word)
        else:
            lines[-1] += "…"
            break
    return [_cut(line, most) for line in lines]


def _cut(line: str, most: int) -> str:
    width = 0
    for place, character in enumerate(line):
        width += _width(character)
        if width > most + 1:
            return f"{line[:place]}…"
    return line


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _clean(text: str) -> str:
    """A text in one line, of characters that XML allows."""
    return _SPACE.sub(" ", _INVALID.sub(" ", text)).strip()
