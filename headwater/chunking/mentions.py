"""The names that code mentions: those it defines, imports, binds and calls, from a syntax tree that was parsed already.

Belongs here: reading mentions with the queries of a language. Not here: the queries (`mention_queries`), which
definition a name means (`headwater.linking`). Guarantee: pure; the work is linear in the tree, and nothing recurses; at
most `MENTION_LIMIT` mentions are read.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from headwater.chunking.languages import GRAMMARS, load_language
from headwater.chunking.mention_queries import QUERIES
from headwater.domain.media_types import CodeMediaType

if TYPE_CHECKING:
    from tree_sitter import Node, Query

MENTION_LIMIT = 50_000
_LONGEST = 300  # characters of a name, a type or a value; anything longer is no name
_LONGEST_IMPORT = 5_000  # characters
_KINDS = ("class", "function", "impl", "callee", "import", "package", "bind")


class Mention(NamedTuple):
    """A name at `text[start:end]`; for a definition, the span is all of it.

    `kind` is class, function or impl (a definition), callee, import, package or bind (a parameter or a variable).
    `type` is what its declaration says of its type, `value` what it is set to, `around` the object that is called on, the
    receiver of a method or the base classes.
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

    found: list[Mention] = []
    for _, captures in QueryCursor(_query(media_type)).matches(root):
        kind = next((kind for kind in _KINDS if kind in captures), None)
        if kind is None:
            continue
        node = captures[kind][0]
        start, end = node.start_byte, node.end_byte
        name = captures["name"][0] if "name" in captures else node
        limit = _LONGEST_IMPORT if kind == "import" else _LONGEST
        others = {key: _text(text, captures[key][0]) for key in ("type", "value", "around") if key in captures}
        found.append(Mention(kind, start, end, _text(text, name, limit), **others))
        if len(found) >= MENTION_LIMIT:
            break
    return tuple(sorted(found, key=lambda mention: (mention.start, -mention.end)))


def _text(text: str, node: "Node", limit: int = _LONGEST) -> str:
    """The text of a node; of a long one its end, because the name that is called stands there."""
    return text[max(node.start_byte, node.end_byte - limit) : node.end_byte]
