"""The links of a Python file: definitions, imports and calls (GRA-1).

Belongs here: what a name in a scope stands for. Not here: reading imports and annotations (`python_names`). Guarantee:
pure; a name that a variable or a parameter hides has no target, and an attribute of an object has one only if the file
says of which class the object is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headwater.chunking.mentions import Mention
from headwater.domain.links import Link, LinkKind
from headwater.linking.python_names import (
    BUILTINS,
    COMMON_METHODS,
    DOTTED,
    LAST_NAME,
    absolute,
    is_standard,
    module_of,
    parse_annotation,
    parse_constructor,
    parse_import,
    parse_targets,
)
from headwater.linking.scopes import Scope, walk

_FAMILY = "python"
_TARGET_LIMIT = 6
_SUPER = "super()."


def python_links(mentions: Sequence[Mention], uri: str, length: int) -> Iterator[Link]:
    """The links of a file.

    Args:
        mentions: of the file, in order.
        uri: its path, from which its module gets its name.
        length: of the text, in characters.
    """
    return _File(mentions, uri, length).links()


class _Variable(NamedTuple):
    """A variable or parameter of a scope, with its class as written; empty if unknown."""

    scope: Scope
    type: str


class _File:
    def __init__(self, mentions: Sequence[Mention], uri: str, length: int) -> None:
        self._uri = uri
        self._module = Scope("module", module_of(uri), length + 1, None)
        self._stars: list[str] = []
        self._links: list[Link] = []
        self._calls: list[tuple[Scope, Mention]] = []
        self._constants: set[str] = set()
        for scope, mention in walk(mentions, self._module):
            if mention.kind == "callee":
                self._calls.append((scope, mention))
            elif mention.kind == "bind":
                self._bind(scope, mention)
            elif mention.kind == "import":
                self._import(scope, mention)
            else:
                self._define(scope, mention)

    def links(self) -> Iterator[Link]:
        """All of them: those that the file defines first."""
        if self._module.name:
            name = self._module.name.rpartition(".")[2]
            yield Link(LinkKind.DEFINES, name, (self._module.name,), 0, _FAMILY)
        yield from self._links
        for scope, mention in self._calls:
            link = self._call(scope, mention)
            if link is not None:
                yield link

    def _define(self, scope: Scope, mention: Mention) -> None:
        qualified = f"{scope.name}.{mention.name}" if scope.name else mention.name
        # A name that is defined twice and differently, such as for two platforms, is still this name of this module.
        scope.defined[mention.name] = qualified
        self._links.append(Link(LinkKind.DEFINES, mention.name, (qualified,), mention.start, _FAMILY, scope.name))

    def _import(self, scope: Scope, mention: Mention) -> None:
        for name, targets in parse_import(mention.name, self._uri):
            if name == "*":
                self._stars += targets
            elif "." in name:  # `import a.b` binds `a`
                first = name.partition(".")[0]
                scope.imported[first] = absolute(first, self._module.name)
            else:
                scope.imported[name] = targets
            if not is_standard(targets[0]):
                last = targets[0].rpartition(".")[2]
                self._links.append(
                    Link(LinkKind.IMPORTS, last, targets[:_TARGET_LIMIT], mention.start, _FAMILY, scope.name)
                )

    def _bind(self, scope: Scope, mention: Mention) -> None:
        type_ = parse_annotation(mention.type) if mention.type else parse_constructor(mention.value)
        if mention.name.startswith("self.") and mention.name.count(".") == 1:
            owner = scope.around
            if owner is not None:
                value = scope.bound.get(mention.value, "") if mention.value.isidentifier() else ""
                owner.attribute(mention.name[5:], type_ or value)
            return
        names = parse_targets(mention.name)
        for name in names:
            scope.bind(name, type_ if len(names) == 1 and name == mention.name else "")
            if scope.kind == "class":
                scope.attribute(name, type_)
        is_constant = scope is self._module and names == [mention.name] and (mention.value or mention.type)
        if is_constant and mention.name not in self._constants:
            target = f"{scope.name}.{mention.name}" if scope.name else mention.name
            self._constants.add(mention.name)
            self._links.append(Link(LinkKind.DEFINES, mention.name, (target,), mention.start, _FAMILY, scope.name))

    def _call(self, scope: Scope, mention: Mention) -> Link | None:
        called_name = mention.name
        if DOTTED.fullmatch(called_name):
            first, _, attributes = called_name.partition(".")
            if not attributes and first in BUILTINS and not self._is_known(scope, first):
                return None
            targets = self._targets(scope, first, attributes)
        elif called_name.startswith(_SUPER) and DOTTED.fullmatch(called_name, len(_SUPER)):
            owner = scope.around
            targets = self._find_inherited(owner, called_name[len(_SUPER) :]) if owner else ()
        else:
            last = LAST_NAME.search(called_name)
            if last is None:
                return None
            called_name, targets = last[1], ()
            if called_name in COMMON_METHODS:
                return None
        targets = tuple(dict.fromkeys(targets))[:_TARGET_LIMIT]
        name = (targets[0] if targets else called_name).rpartition(".")[2]
        if not targets and "." in mention.name and name in COMMON_METHODS:
            return None
        if targets and is_standard(targets[0]):
            return None
        return Link(LinkKind.CALLS, name, targets, mention.start, _FAMILY, scope.name)

    def _targets(self, scope: Scope, first: str, rest: str) -> Iterable[str]:
        owner = scope.around if first in ("self", "cls") and rest else None
        if owner is not None and scope.kind == "function":
            return self._of_object(owner, rest)
        meaning = self._meaning(scope, first)
        if meaning is None:
            return [f"{module}.{first}{rest and '.' + rest}" for module in self._stars]
        if not isinstance(meaning, _Variable):
            return [f"{name}.{rest}" if rest else name for name in meaning]
        if not meaning.type or not rest or "." in rest:  # of an attribute of an object, the class is not known here
            return ()
        return [f"{name}.{rest}" for name in self._class(meaning.scope, meaning.type)]

    def _of_object(self, owner: Scope, rest: str) -> Iterable[str]:
        """What an attribute of `self` may be: a method of its class or of a base, or one of an attribute's class."""
        attribute, _, method = rest.partition(".")
        if not method:
            return [f"{owner.name}.{attribute}", *self._find_inherited(owner, attribute)]
        type_ = owner.attributes.get(attribute, "")
        return [] if "." in method or not type_ else [f"{name}.{method}" for name in self._class(owner, type_)]

    def _find_inherited(self, owner: Scope, method: str) -> Iterator[str]:
        around = owner.mention.around if owner.mention else ""
        for base_text in around.strip("()").split(","):
            base = base_text.strip()
            if DOTTED.fullmatch(base):
                for name in self._class(owner.parent or owner, base):
                    yield f"{name}.{method}"

    def _class(self, scope: Scope, type_: str) -> Sequence[str]:
        """The names that a type may mean; none if a variable has its name."""
        first, _, attributes = type_.partition(".")
        meaning = self._meaning(scope, first)
        if meaning is None or isinstance(meaning, _Variable):
            return ()
        return [f"{name}.{attributes}" if attributes else name for name in meaning]

    def _meaning(self, scope: Scope, name: str) -> "Sequence[str] | _Variable | None":
        """The names that a name stands for, or that it is a variable; None if the file does not bind it."""
        within: Scope | None = scope
        while within is not None:
            # A method does not see the names of its class.
            if within.kind != "class" or within is scope:
                if name in within.bound:
                    return _Variable(within, within.bound[name])
                if name in within.defined:
                    return (within.defined[name],)
                if name in within.imported:
                    return within.imported[name]
            within = within.parent
        return None

    @staticmethod
    def _is_known(scope: Scope, name: str) -> bool:
        within: Scope | None = scope
        while within is not None:
            if name in within.defined or name in within.imported:
                return True
            within = within.parent
        return False
