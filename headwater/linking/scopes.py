"""The scopes of a code file: which definition surrounds each mention, and what each scope binds.

Belongs here: nesting. Not here: the rules of a language. Guarantee: pure; linear in the mentions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from headwater.chunking.mentions import Mention

DEPTH_LIMIT = 20
"""Nested definitions; deeper ones count as part of the one at this depth."""


@dataclass(slots=True)
class Scope:
    """A module, class or function with the names that it binds.

    `bound` maps each variable to its type as written (empty if unknown, or if it gets several); `imported` maps a name
    to the names that it may stand for.
    """

    kind: str
    name: str
    end: int
    parent: "Scope | None"
    mention: Mention | None = None
    defined: dict[str, str] = field(default_factory=dict)
    imported: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)

    def bind(self, name: str, type_: str) -> None:
        """Note that a name is a variable; with two types it has none."""
        known_type = self.bound.get(name)
        self.bound[name] = type_ if known_type is None or known_type == type_ else ""

    def attribute(self, name: str, type_: str) -> None:
        """Note the type of an attribute of a class; with two types it has none."""
        known_type = self.attributes.get(name)
        self.attributes[name] = type_ if known_type is None or known_type == type_ else ""

    @property
    def around(self) -> "Scope | None":
        """The class whose method this is, or is within; None outside any."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope


def walk(mentions: Sequence[Mention], module: Scope, *, joined: str = ".") -> Iterator[tuple[Scope, Mention]]:
    """Pass each mention with the scope in which it stands; a definition gets a scope of its own for those after it.

    Args:
        mentions: in order, the outer ones first.
        module: the outermost scope.
        joined: what stands between the names of a scope and of a definition in it.
    """
    scope = module
    depth = 0
    for mention in mentions:
        while mention.start >= scope.end and scope.parent is not None:
            scope, depth = scope.parent, depth - 1
        yield scope, mention
        if mention.kind in ("class", "function", "impl") and depth < DEPTH_LIMIT:
            name = f"{scope.name}{joined}{mention.name}" if scope.name else mention.name
            kind = "function" if mention.kind == "function" else "class"
            scope, depth = Scope(kind, name, mention.end, scope, mention), depth + 1
