"""The names that code mentions: those it defines, imports, binds and calls, from a syntax tree that was parsed already.

Belongs here: reading mentions with the queries of a language. Not here: the queries (`mention_queries`), which
definition a name means (`headwater.linking`). Guarantee: pure; the work is linear in the tree, and nothing recurses; at
most `MENTION_LIMIT` mentions are read.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from headwater.chunking.grammars import GRAMMARS, load_language
from headwater.chunking.mention_queries import QUERIES
from headwater.domain.media_types import CodeMediaType

if TYPE_CHECKING:
    from tree_sitter import Node, Query

MENTION_LIMIT = 50_000
_MAX_NAME_CHARS = 300  # characters of a name, a type or a value; anything longer is no name
_MAX_IMPORT_CHARS = 5_000  # characters
_FIELDS = ("type", "value", "around")
_KINDS = ("class", "function", "impl", "callee", "import", "package", "bind")


class Mention(NamedTuple):
    """A name at `text[start:end]`; for a definition, the span is all of it.

    `kind` is class, function or impl (a definition), callee, import, package or bind (a parameter or a variable).
    `type` is what its declaration says of its type, `value` what it is set to, `around` the object that is called on,
    the receiver of a method or the base classes.
    """

    kind: str
    start: int
    end: int
    name: str
    type: str = ""
    value: str = ""
    around: str = ""


@cache
def _query(media_type: CodeMediaType) -> "Query":
    from tree_sitter import Query

    grammar = GRAMMARS[media_type]
    return Query(load_language(grammar.package, grammar.function), QUERIES[media_type])


def read_mentions(text: str, root: "Node", media_type: CodeMediaType) -> tuple[Mention, ...]:
    """Read the mentions of a tree, those that begin first and contain others first.

    Args:
        text: the code; one byte of the tree is one of its characters.
        root: its tree.
        media_type: its language; without queries there are none.
    """
    if media_type not in QUERIES:
        return ()
    from tree_sitter import QueryCursor

    mentions: list[Mention] = []
    kinds: dict[int, str] = {}  # by pattern, because this runs for each of some 10,000 mentions a second
    for pattern, captures in QueryCursor(_query(media_type)).matches(root):
        kind = kinds.get(pattern) or kinds.setdefault(pattern, next(kind for kind in _KINDS if kind in captures))
        node = captures[kind][0]
        start, end = node.start_byte, node.end_byte
        if len(captures) == 1:
            limit = _MAX_IMPORT_CHARS if kind == "import" else _MAX_NAME_CHARS
            mentions.append(Mention(kind, start, end, text[start if end - start <= limit else end - limit : end]))
        else:
            name = (
                _text(text, captures["name"][0])
                if "name" in captures
                else text[max(start, end - _MAX_NAME_CHARS) : end]
            )
            mentions.append(Mention(kind, start, end, name, *(_field(text, captures, key) for key in _FIELDS)))
        if len(mentions) >= MENTION_LIMIT:
            break
    mentions.sort(key=_place)
    return tuple(mentions)


def _place(mention: Mention) -> tuple[int, int]:
    return mention[1], -mention[2]


def _field(text: str, captures: "Mapping[str, Sequence[Node]]", key: str) -> str:
    return _text(text, captures[key][0]) if key in captures else ""


def _text(text: str, node: "Node") -> str:
    """The text of a node; of a long one its end, because the name that is called stands there."""
    return text[max(node.start_byte, node.end_byte - _MAX_NAME_CHARS) : node.end_byte]
