"""YAML from outside, read safely.

Belongs here: a loader that makes plain values only. Not here: what the values mean. Guarantee: no object is
constructed and no alias expanded, so a short text cannot become a huge value.
"""

from typing import Any

import yaml
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, SequenceNode

# What PyYAML lets through from a value that is not what its tag says, such as `!!timestamp soon`.
_ALSO_INVALID = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class _PlainLoader(yaml.SafeLoader):
    """SafeLoader without aliases."""

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if self.check_event(AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", event.start_mark)
        return super().compose_node(parent, index)


def load_yaml(text: str) -> Any:
    """Read one YAML document into plain values.

    Raises:
        yaml.YAMLError: it is not valid, or uses aliases.
    """
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - derived from SafeLoader
    except _ALSO_INVALID as error:
        raise yaml.YAMLError(_reason(error)) from error


def compose_yaml(text: str) -> Node | None:
    """Read one YAML document into nodes, which know their lines.

    Raises:
        yaml.YAMLError: it is not valid, uses aliases, or gives a name twice.
    """
    try:
        tree = yaml.compose(text, Loader=_PlainLoader)
        _refuse_doubles(tree)
    except _ALSO_INVALID as error:
        raise yaml.YAMLError(_reason(error)) from error
    return tree


def _refuse_doubles(node: Node | None) -> None:
    """Refuse a name given twice in one mapping: the first would be dropped without a word."""
    if isinstance(node, MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise yaml.composer.ComposerError(None, None, f"{key.value} is given twice", key.start_mark)
            seen.add(str(key.value))
            _refuse_doubles(value)
    elif isinstance(node, SequenceNode):
        for item in node.value:
            _refuse_doubles(item)


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a value does not fit its tag"
