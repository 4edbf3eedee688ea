"""A picture of one thing and its neighbours: those that lead to it on the left, those that it leads to on the right.

Belongs here: the layout and its SVG. Not here: which neighbours there are (`link_picture`). Guarantee: pure; texts are
escaped and only http(s) addresses become links; equal input gives equal bytes; colours follow the reader's light or
dark scheme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Literal
from urllib.parse import urlsplit

ROW_LIMIT = 60
"""The most neighbours on a side; the rest is counted."""

_WIDTH, _COLUMN, _CENTRE = 1080, 336, 240
_ROW, _HEADING, _BETWEEN, _MARGIN = 36, 26, 12, 24
_FLAT_ROW, _MOST_TALL = 24, 14
"""A side with more neighbours has flat rows, with everything on one line."""
_MAX_CENTRE_PIXELS = 320  # of a tall picture, so that the centre is in its first screenful
_LETTER = 6.6  # width of a letter of a label at 12 pixels, a little more than in common typefaces
_SMALL_LETTER = 5.8  # of a detail
_STYLE = (
    "svg{--paper:#fff;--ink:#1f2328;--quiet:#59636e;--line:#d0d7de;--box:#f6f8fa;"
    "--calls:#0969da;--imports:#8250df;--references:#1a7f37;--defines:#9a6700;font:12px system-ui,sans-serif}"
    "@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--quiet:#9198a1;--line:#3d444d;--box:#151b23;"
    "--calls:#4493f8;--imports:#ab7df8;--references:#3fb950;--defines:#d29922}}"
    ".paper{fill:var(--paper)}.box{fill:var(--box);stroke:var(--line)}.label{fill:var(--ink)}"
    ".detail{fill:var(--quiet);font-size:10.5px}.name{font-weight:600;font-size:14px}.edge{fill:none;opacity:.55}"
    "a:hover .label{text-decoration:underline}.heading{font-weight:600}"
    + "".join(
        f".{kind} .edge{{stroke:var(--{kind})}}.{kind} .heading{{fill:var(--{kind})}}"
        for kind in ("calls", "imports", "references", "defines")
    )
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """Something in the picture: its name, where it is, and an address that opens it (empty for none)."""

    name: str
    detail: str = ""
    address: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Neighbours of the same kind; `kind` chooses the colour."""

    title: str
    kind: Literal["calls", "imports", "references", "defines"]
    nodes: Sequence[Node]


@dataclass(frozen=True, slots=True)
class _Row:
    """A heading or a neighbour at a height; `node` is None for a heading. `share` is its place in the side, 0 to 1."""

    y: float
    group: Group
    text: str
    node: Node | None
    height: float = _HEADING
    share: float = 0.5


def neighbourhood_svg(centre: Node, left: Sequence[Group], right: Sequence[Group]) -> str:
    """Draw a picture.

    Args:
        centre: what the picture is about.
        left: the neighbours that lead to it.
        right: the neighbours that it leads to.

    Returns:
        SVG with its own width and height.
    """
    sides = [_rows(left), _rows(right)]
    heights = [_end(rows) for rows in sides]
    content_height = max(*heights, 70)
    height = content_height + 2 * _MARGIN
    middle = min(height / 2, _MAX_CENTRE_PIXELS)
    size = f'width="{_WIDTH}" height="{height:g}" viewBox="0 0 {_WIDTH} {height:g}"'
    elements = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(centre.name)} and what it is linked with</title><style>{_STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
    ]
    for is_right, rows, tall in zip((False, True), sides, heights, strict=True):
        shift = max(float(_MARGIN), middle - tall / 2)
        elements += [_row(row, shift, middle, is_right=is_right) for row in rows]
    elements.append(_centre(centre, middle, is_alone=not any(sides)))
    return "".join(chain(elements, ("</svg>\n",)))


def _rows(groups: Sequence[Group]) -> list[_Row]:
    rows: list[_Row] = []
    y, room = 0.0, ROW_LIMIT
    total = min(sum(len(group.nodes) for group in groups), ROW_LIMIT)
    tall = _ROW if total <= _MOST_TALL else _FLAT_ROW
    for group in groups:
        if not group.nodes:
            continue
        y += _BETWEEN if rows else 0
        rows.append(_Row(y, group, f"{group.title} ({len(group.nodes)})", None))
        y += _HEADING
        shown_nodes = list(group.nodes[:room])
        room -= len(shown_nodes)
        for node in shown_nodes:
            placed_count = sum(row.node is not None for row in rows)
            rows.append(_Row(y, group, node.name, node, tall, (placed_count + 0.5) / total))
            y += tall
        left_out = len(group.nodes) - len(shown_nodes)
        if left_out:
            rows.append(_Row(y, group, f"and {left_out} more", None))
            y += _HEADING
    return rows


def _end(rows: Sequence[_Row]) -> float:
    return 0.0 if not rows else rows[-1].y + rows[-1].height


def _row(row: _Row, shift: float, middle: float, *, is_right: bool) -> str:
    x = _WIDTH - _MARGIN - _COLUMN if is_right else _MARGIN
    y = row.y + shift
    kind = row.group.kind
    if row.node is None:
        is_heading = not row.text.startswith("and ")
        style = "heading" if is_heading else "detail"
        return f'<g class="{kind}"><text class="{style}" x="{x + 2}" y="{y + 16:g}">{escape(row.text)}</text></g>'
    tall = row.height - 4
    near_x = x if is_right else x + _COLUMN
    far_x = _WIDTH / 2 + (_CENTRE / 2 if is_right else -_CENTRE / 2)
    bend = (near_x + far_x) / 2
    start, end = y + tall / 2, middle + (row.share - 0.5) * 44
    edge = f'<path class="edge" d="M{far_x:g} {end:g}C{bend:g} {end:g} {bend:g} {start:g} {near_x:g} {start:g}"/>'
    box = f'<rect class="box" x="{x}" y="{y:g}" width="{_COLUMN}" height="{tall:g}" rx="5"/>'
    return f'<g class="{kind}">{edge}{_draw_link(row.node, box + _words(row, x + 10, y))}</g>'


def _words(row: _Row, x: float, y: float) -> str:
    """The name of a neighbour, and its place below or beside it."""
    node, room = row.node, _COLUMN - 20
    if node is None:
        return ""
    name = _short(node.name, room, _LETTER)
    if row.height == _ROW:
        return (
            f'<text class="label" x="{x}" y="{y + 14:g}">{escape(name)}</text>'
            f'<text class="detail" x="{x}" y="{y + 27:g}">{escape(_short(node.detail, room, _SMALL_LETTER))}</text>'
        )
    space = room - len(name) * _LETTER - 10
    detail = _short(node.detail, space, _SMALL_LETTER) if space > 60 else ""
    return (
        f'<text class="label" x="{x}" y="{y + 14:g}">{escape(name)}'
        f'<tspan class="detail" dx="8">{escape(detail)}</tspan></text>'
    )


def _centre(node: Node, middle: float, *, is_alone: bool) -> str:
    x, tall = (_WIDTH - _CENTRE) / 2, 60
    y = middle - tall / 2
    half = _WIDTH / 2
    detail = node.detail if not is_alone else f"{node.detail}: no links" if node.detail else "no links"
    box = (
        f'<rect class="box" x="{x:g}" y="{y:g}" width="{_CENTRE}" height="{tall}" rx="8"/>'
        f'<text class="label name" text-anchor="middle" x="{half:g}" y="{y + 26:g}">'
        f"{escape(_short(node.name, _CENTRE - 16, 7.9))}</text>"
        f'<text class="detail" text-anchor="middle" x="{half:g}" y="{y + 44:g}">'
        f"{escape(_short(detail, _CENTRE - 16, _SMALL_LETTER))}</text>"
    )
    return _draw_link(node, box)


def _draw_link(node: Node, box: str) -> str:
    """A box with its whole text as a tooltip, as a link if it has an address."""
    titled = f"<title>{escape(f'{node.name} {node.detail}'.strip())}</title>{box}"
    is_address = urlsplit(node.address).scheme in ("http", "https")
    return f'<a href="{escape(node.address)}">{titled}</a>' if is_address else f"<g>{titled}</g>"


def _short(text: str, room: float, letter: float) -> str:
    """A text that fits: of a long one the beginning and the end, where names and lines stand."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    most = int(room / letter)
    if len(text) <= most:
        return text
    tail = most * 3 // 5
    return f"{text[: most - tail - 1]}…{text[-tail:]}"
