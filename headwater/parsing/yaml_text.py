"""Reading external YAML safely.

Belongs here: a loader that makes only plain values. Not here: the meaning of values. Guarantee: no object is
constructed and no alias expanded, so a short text cannot become a huge value.
"""

import re
from typing import Any

import yaml
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, SequenceNode

_BRACKETS = re.compile(r"[\[\]{}]")
_DEPTH_LIMIT = 500
# Errors that PyYAML raises for a value that does not match its tag, such as `!!timestamp soon`.
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
        _refuse_depth(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - derived from SafeLoader
    except _ALSO_INVALID as error:
        raise yaml.YAMLError(_reason(error)) from error


def load_yaml_mapping(text: str) -> tuple[Any, list[str]]:
    """Read one YAML document; values of a mapping that cannot be made are left out.

    Returns:
        The document, and messages about what was left out.

    Raises:
        yaml.YAMLError: it is not valid, or uses aliases.
    """
    _refuse_depth(text)
    problems: list[str] = []
    try:
        loader = _PlainLoader(text)
        root = loader.get_single_node()
        if not isinstance(root, MappingNode):
            return load_yaml(text), []
        values: dict[Any, Any] = {}
        for key, value in root.value:
            try:
                name = loader.construct_object(key, deep=True)
                constructed = loader.construct_object(value, deep=True)
            except (*_ALSO_INVALID, yaml.YAMLError) as error:
                problems.append(f"{str(key.value)[:50]}: {_reason_of_value(error)}")
                continue
            if isinstance(name, list | dict | set):
                problems.append(f"{str(key.value)[:50]}: not a name")
                continue
            if name in values:
                problems.append(f"{str(key.value)[:50]}: given twice, the last one counts")
            values[name] = constructed
    except _ALSO_INVALID as error:
        raise yaml.YAMLError(_reason(error)) from error
    return values, problems


def yaml_problem(error: Exception) -> str:
    """What is wrong with a text, without the parser's context; the place is `problem_mark` of the error."""
    problem = str(getattr(error, "problem", None) or error).replace("'<stream end>'", "the end of the text")
    return problem.replace("expected the node content, but", "a value or a closing bracket is missing; the parser")


def _refuse_depth(text: str) -> None:
    """Refuse deeply nested brackets before parsing, which would take seconds."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth > _DEPTH_LIMIT:
            raise yaml.YAMLError("it is nested too deeply")


def compose_yaml(text: str) -> Node | None:
    """Read one YAML document into nodes, which know their line numbers.

    Raises:
        yaml.YAMLError: it is not valid, uses aliases, or gives a name twice.
    """
    try:
        _refuse_depth(text)
        tree = yaml.compose(text, Loader=_PlainLoader)
        _refuse_doubles(tree)
    except _ALSO_INVALID as error:
        raise yaml.YAMLError(_reason(error)) from error
    return tree


def _refuse_doubles(node: Node | None) -> None:
    """Refuse a name given twice in one mapping: the first would be silently dropped."""
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


def _reason_of_value(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return "a number with too many digits"
    problem = getattr(error, "problem", None)
    return str(problem or "the value does not fit its type")


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a value does not fit its tag"
