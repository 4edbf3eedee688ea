"""The links of code in JavaScript, TypeScript, Go, Java, Rust, C and C++ (GRA-1).

Belongs here: what is common to them: definitions, and calls of names that the file defines, imports or declares a type
for. Not here: how each names modules and imports (`language_rules`), Python (`python_links`). Guarantee: pure; a name
that a variable or a parameter hides, and a member of an object of unknown type, have no target.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from headwater.chunking.mentions import Mention
from headwater.domain.links import Link, LinkKind
from headwater.linking.language_rules import RULES, Rules
from headwater.linking.scopes import Scope, walk

FAMILIES: Mapping[str, str] = {
    "text/javascript": "javascript", "text/x-typescript": "javascript", "text/x-tsx": "javascript", "text/x-go": "go",
    "text/x-java": "java", "text/x-rust": "rust", "text/x-c": "c", "text/x-c++": "c",
}  # fmt: skip
"""The languages whose symbols can mean each other, by media type."""
_TARGET_LIMIT = 6
_SEPARATORS = re.compile(r"\?\.|::|->|\.")
_GENERIC = re.compile(r"<[^<>]*>")
_MEMBER = re.compile(r"->|\.")
_SEES_MEMBERS = ("java", "c")
"""Where a method calls another one of its class by its name alone."""
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def code_links(mentions: Sequence[Mention], uri: str, length: int, media_type: str) -> Iterator[Link]:
    """The links of a file.

    Args:
        mentions: of the file, in order.
        uri: its path.
        length: of the text, in characters.
        media_type: one of `FAMILIES`.
    """
    family = FAMILIES[media_type]
    yield from _File(mentions, uri, length, family, RULES[family]).links()


class _File:
    def __init__(self, mentions: Sequence[Mention], uri: str, length: int, family: str, rules: Rules) -> None:
        self._uri, self._family, self._rules = uri, family, rules
        package = next((mention.name for mention in mentions if mention.kind == "package"), "")
        self._module = Scope("module", rules.module(uri, package), length + 1, None)
        self._links: list[Link] = []
        self._calls: list[tuple[Scope, Mention]] = []
        for scope, mention in walk([self._plain(mention) for mention in mentions], self._module):
            if mention.kind == "callee":
                self._calls.append((scope, mention))
            elif mention.kind == "import":
                self._import(scope, mention)
            elif mention.kind == "bind":
                self._bind(scope, mention)
            elif mention.kind in ("class", "function"):
                self._define(scope, mention)

    def links(self) -> Iterator[Link]:
        """All of them: those that the file defines first."""
        symbol = self._rules.file_symbol(self._uri)
        if symbol:
            yield Link(LinkKind.DEFINES, posixpath.basename(symbol), (symbol,), 0, self._family)
        yield from self._links
        for scope, mention in self._calls:
            names = _parts(mention, self._family)
            if _NAME.fullmatch(names[-1]):
                targets = tuple(dict.fromkeys(self._targets(scope, names)))[:_TARGET_LIMIT]
                name = targets[0].rpartition(".")[2] if targets else names[-1]
                yield Link(LinkKind.CALLS, name, targets, mention.start, self._family, scope.name)

    def _plain(self, mention: Mention) -> Mention:
        """A definition with the class that holds it in its name: `K::m` in C++, a method's receiver in Go."""
        if mention.kind not in ("class", "function", "impl"):
            return mention
        name = ".".join(_SEPARATORS.split(_without_generics(mention.name)))
        receiver = self._rules.receiver(mention.around) if mention.around else ""
        return mention._replace(name=f"{receiver}.{name}" if receiver else name)

    def _define(self, scope: Scope, mention: Mention) -> None:
        if not all(_NAME.fullmatch(segment) for segment in mention.name.split(".")):
            return
        qualified = f"{scope.name}.{mention.name}" if scope.name else mention.name
        scope.defined[mention.name] = qualified
        name = qualified.rpartition(".")[2]
        self._links.append(Link(LinkKind.DEFINES, name, (qualified,), mention.start, self._family, scope.name))

    def _import(self, scope: Scope, mention: Mention) -> None:
        for name, targets, last in self._rules.imported(mention.name, self._uri):
            if name and targets:
                scope.imported[name] = targets
            self._links.append(
                Link(LinkKind.IMPORTS, last, targets[:_TARGET_LIMIT], mention.start, self._family, scope.name)
            )

    def _bind(self, scope: Scope, mention: Mention) -> None:
        for name, targets, last in self._rules.required(mention.value, mention.name, self._uri):
            scope.imported[name] = targets
            self._links.append(
                Link(LinkKind.IMPORTS, last, targets[:_TARGET_LIMIT], mention.start, self._family, scope.name)
            )
            return
        type_ = _without_generics(mention.type).lstrip("*& ")
        is_definition = scope.mention is not None and scope.mention.start == mention.start  # `const f = () => …`
        for name in _NAME.findall(mention.name) if not is_definition else ():
            if name not in scope.defined:
                scope.bind(name, type_ if _NAME.fullmatch(type_) else "")

    def _targets(self, scope: Scope, parts: Sequence[str]) -> Sequence[str]:
        first, *members = parts
        if first in ("this", "self", "Self") and members:
            return self._of_object(scope, first, members)
        receiver = _receiver_of(scope)
        if receiver and receiver[0] == first and len(members) == 1:
            return [f"{self._module.name}.{receiver[1]}.{members[0]}"]
        within: Scope | None = scope
        while within is not None:
            if within.kind != "class" or self._family in _SEES_MEMBERS:
                if first in within.bound and not (self._family == "java" and not members):
                    return self._members(within, within.bound[first], members)
                if first in within.defined:
                    return [".".join([within.defined[first], *members])]
                if first in within.imported:
                    return [".".join([name, *members]) for name in within.imported[first]]
            within = within.parent
        targets = self._rules.elsewhere(self._uri, self._module.name, parts)
        if self._family == "c" and targets:  # the class and the namespaces around it come first
            outer = scope.name.split(".")[:-1] if scope.kind == "function" else []
            return [".".join([*outer[:count], *parts]) for count in range(len(outer), -1, -1)]
        return targets

    def _of_object(self, scope: Scope, first: str, rest: Sequence[str]) -> Sequence[str]:
        """A member of the object whose method this is, or of one of its fields."""
        owner = scope.around
        if len(rest) == 1:
            name = owner.name if owner is not None else scope.name.rpartition(".")[0] if self._family == "c" else ""
            return [f"{name}.{rest[0]}"] if name else []
        if first == "this" and len(rest) == 2 and owner is not None:
            return self._members(owner, owner.bound.get(rest[0], ""), rest[1:])
        return []

    def _members(self, scope: Scope, type_: str, rest: Sequence[str]) -> Sequence[str]:
        """The member of an object whose type is a name of this file."""
        if not type_ or len(rest) != 1:
            return []
        within: Scope | None = scope
        while within is not None:
            if type_ in within.defined:
                return [f"{within.defined[type_]}.{rest[0]}"]
            if type_ in within.imported:
                return [f"{name}.{rest[0]}" for name in within.imported[type_]]
            within = within.parent
        return self._rules.elsewhere(self._uri, self._module.name, [type_, *rest])


def _parts(mention: Mention, family: str) -> list[str]:
    """The names of a call: `a.b::c` has three; one on what another call returns has its last, after an empty one."""
    path = _without_generics(f"{mention.around}.{mention.name}" if mention.around else mention.name)
    if family == "c" and not path.startswith("this->") and _MEMBER.search(path):
        return ["", _MEMBER.split(path)[-1].strip()]  # of an object, whose class is not known
    names = [name.strip() for name in _SEPARATORS.split(path)]
    return names if all(_NAME.fullmatch(name) for name in names) else ["", names[-1]]


def _without_generics(written: str) -> str:
    return _GENERIC.sub("", written).strip().removesuffix("::") if "<" in written else written.strip()


def _receiver_of(scope: Scope) -> tuple[str, str] | None:
    """The receiver of the method around a scope in Go, and its type."""
    within: Scope | None = scope
    while within is not None and not (within.mention and within.mention.around):
        within = within.parent
    if within is None or within.mention is None:
        return None
    words = within.mention.around.strip("()").split()
    return (words[0], words[-1].lstrip("*").partition("[")[0]) if len(words) == 2 else None
