"""An outline of code: the starts of its statements, and the names of its definitions.

Belongs here: reading a syntax tree. Not here: which grammar (`grammars`), which borders become chunks (`code_chunker`).
Guarantee: any text has an outline, broken code too; nothing recurses. If a grammar takes too long, which happens only
with text that is not code, the outline uses blank lines after some seconds.

Only parts of a tree that span several lines are walked, because no border falls within a line.
"""

import re
import time
from array import array
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from headwater.chunking.grammars import GRAMMARS, Grammar, is_definition, is_function, load_language
from headwater.chunking.mentions import Mention, read_mentions
from headwater.domain.media_types import CodeMediaType

if TYPE_CHECKING:
    from tree_sitter import Node

_SIGNATURE_LIMIT = 200  # characters
_NESTING_LIMIT = 200  # levels of a tree; anything deeper is split by line
_PATH_LIMIT = 8  # nested definitions
# CPU time for a text; longer texts get more. Code takes a tenth of it or less (0.02 seconds for 150,000 characters
# of Python); some texts that are not code take quadratic time (`<template =>` 6,000 times: 50 seconds).
_SECONDS = 2.0
_SECONDS_PER_CHARACTER = 5e-6
# The parser cannot be stopped while it recovers at the end of a statement that never ended.
_STATEMENTS = re.compile(r"[;{}]|\n[^\S\n]*\n")
_OPERATOR = re.compile(r"[<>=?!&|+*/:-]+")
_MAX_OPERATORS = 1_000
_DENSE_LENGTH = 100_000  # characters
_TREE_BYTES = 48_000_000
_WORD = re.compile(r"\w+")
_SIGNS = "()[]{}<>,.;:=+-*/%&|^!~?@#\"'`\\$"
_READ = 65_536  # bytes that the parser gets at a time
_NOT_ASCII = re.compile(r"[^\x01-\x7f]")
_INDENT = re.compile(r"[^\S\n]*")
_BLOCK = re.compile(r"(?:^|\n)[^\S\n]*\n(?:[^\S\n]*\n)*+(?=[^\S\n]*\S)")
_DOCSTRING = re.compile(r"[rRuU]?[\"']")
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_LEADING = _COMMENTS | {"decorator", "attribute_item", "attribute_declaration", "access_specifier"}
_WRAPPERS = frozenset({
    "decorated_definition", "export_statement", "ambient_declaration", "template_declaration", "expression_statement",
})  # fmt: skip
_VARIABLES = frozenset({
    "lexical_declaration", "variable_declaration", "public_field_definition", "field_definition",
})  # fmt: skip
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_HEADS = frozenset({
    "function_declarator", "pointer_declarator", "reference_declarator", "parameter_list", "parameters",
    "formal_parameters",
})  # fmt: skip
_BLOCKS = frozenset({"block", "compound_statement", "statement_block"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or module at `text[start:end]`; `start` is the start of a line and includes its comments.

    `parent` is the number of the enclosing definition, -1 for none; `level` is its depth, from 1.
    """

    start: int
    end: int
    signature: str
    is_function: bool
    parent: int
    level: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Borders in order, each with its depth in the tree (0 is the outermost), and definitions by start.

    `mentions` are the names that it defines, imports, binds and calls, if they were wanted.
    """

    offsets: tuple[int, ...]
    depths: tuple[int, ...]
    definitions: tuple[Definition, ...]
    mentions: tuple[Mention, ...] = ()

    def innermost(self, offset: int) -> int:
        """The number of the innermost definition that contains an offset, -1 for none."""
        index = bisect_right(self.definitions, offset, key=lambda definition: definition.start) - 1
        while index >= 0 and self.definitions[index].end <= offset:
            index = self.definitions[index].parent
        return index

    def path(self, number: int) -> list[str]:
        """The signatures from the outermost definition down to one."""
        signatures: list[str] = []
        while number >= 0:
            signatures.insert(0, self.definitions[number].signature)
            number = self.definitions[number].parent
        return signatures


def outline(text: str, media_type: CodeMediaType, *, with_mentions: bool = False) -> Outline:
    """Outline code of a media type, and read its mentions from the same tree if they are wanted."""
    grammar = GRAMMARS.get(media_type)
    root = _parse(text, grammar) if grammar else None
    if root is None:
        return _blank_lines(text)
    code_outline = _Walk(text, root).outline()
    return replace(code_outline, mentions=read_mentions(text, root, media_type)) if with_mentions else code_outline


def mentions_of(text: str, media_type: CodeMediaType) -> tuple[Mention, ...]:
    """The mentions in code of a media type; none if its language has no grammar, or the grammar takes too long."""
    grammar = GRAMMARS.get(media_type)
    root = _parse(text, grammar) if grammar else None
    return read_mentions(text, root, media_type) if root else ()


def _parse(text: str, grammar: Grammar) -> "Node | None":
    """The root of a text's tree, in which one byte is one character; None if the grammar takes too long."""
    from tree_sitter import Parser

    source = _NOT_ASCII.sub(_stand_in, text)
    if _is_too_dense(source) or _has_too_many_operators(source):
        return None
    data = source.encode("ascii")
    last = time.thread_time() + _SECONDS + _SECONDS_PER_CHARACTER * len(data)

    def is_late(offset: int, has_error: bool) -> bool:  # noqa: ARG001 - tree-sitter calls it so
        return time.thread_time() > last

    parser = Parser(load_language(grammar.package, grammar.function))
    try:
        tree = parser.parse(lambda offset, _: data[offset : offset + _READ], progress_callback=is_late)
    except ValueError:  # the parser was stopped
        return None
    return tree.root_node


def _is_too_dense(source: str) -> bool:
    """Whether a tree would take too much memory: code takes 30 bytes for each of its bytes, symbols 250."""
    if len(source) < _DENSE_LENGTH:
        return False
    words = sum(1 for _ in _WORD.finditer(source))
    signs = sum(map(source.count, _SIGNS))
    statements = source.count("\n") + source.count(";") - source.count(";\n")
    return 60 * words + 250 * signs + 800 * statements > _TREE_BYTES + 32 * len(source)


def _has_too_many_operators(source: str) -> bool:
    position = 0
    for end in chain((match.start() for match in _STATEMENTS.finditer(source)), (len(source),)):
        if end - position > _MAX_OPERATORS:
            count = sum(1 for _ in _OPERATOR.finditer(source, position, end))
            if count > _MAX_OPERATORS:
                return True
        position = end
    return False


def _stand_in(match: re.Match[str]) -> str:
    """Characters outside ASCII occur in names, strings and comments; a letter can replace them all."""
    return " " if match[0].isspace() or match[0] in "\x00\ufeff" else "x"


def _blank_lines(text: str) -> Outline:
    """Blocks between blank lines; an indented block belongs to the one above."""
    starts = [match.end() for match in _BLOCK.finditer(text)]
    depths = tuple(0 if text[start : start + 1].strip() else 1 for start in starts)
    return Outline(tuple(starts), depths, ())


class _Walk:
    """A walk over a tree that collects borders and definitions."""

    def __init__(self, text: str, root: "Node") -> None:
        self._text = text
        self._lines = array("i", [0])
        self._lines.extend(match.end() for match in re.finditer("\n", text))
        self._visible = array("i", (_visible_from(text, start) for start in self._lines))
        self._borders: dict[int, int] = {}
        self._found: dict[int, tuple[int, str, bool]] = {}  # by start: end, signature, whether it is a function
        # A node with its depth and the number of its ancestors.
        self._todo: list[tuple[Node, int, int]] = [(root, 0, 0)]

    def outline(self) -> Outline:
        """Walk the tree, and sort what was found."""
        while self._todo:
            node, depth, nesting = self._todo.pop()
            children, has_border = self._children(node, depth)
            if nesting < _NESTING_LIMIT:
                self._todo += [(child, depth + has_border, nesting + 1) for child in children]
        borders = sorted(self._borders.items())
        return Outline(
            tuple(offset for offset, _ in borders), tuple(depth for _, depth in borders), _nest_definitions(self._found)
        )

    def _children(self, node: "Node", depth: int) -> "tuple[list[Node], bool]":
        """Record the borders between a node's children; return children that span lines, and whether there was one."""
        children, has_border, start = [], False, 0
        is_head = node.parent is not None and (node.type in _WRAPPERS or _find_definition(node) is not None)
        leading: Node | None = None  # the previous child, if it introduces the next one
        for child in node.children:
            row, offset = child.start_point.row, child.start_byte
            if child.end_point.row > row and child.type not in _HEADS:
                children.append(child)
            if offset != self._visible[row] or not child.is_named:
                leading = None
                continue
            is_bound = (leading is not None and row - _last_row(leading) <= 1) or self._is_docstring(node, child)
            if not is_bound:
                start = self._lines[row]
            if not (is_bound or is_head or (child.type in _BLOCKS and self._text[offset : offset + 1] == "{")):
                self._borders.setdefault(start, depth)
                has_border = True
            self._define(start, node, child)
            leading = child if child.type in _LEADING else None
        return children, has_border

    def _define(self, start: int, node: "Node", child: "Node") -> None:
        # A node that begins where its parent does is part of its name: the `struct a` of `struct a f() {}`.
        is_part = node.parent is not None and node.start_byte == child.start_byte and node.type not in _BLOCKS
        is_wrapped = node.type in _WRAPPERS  # then it was found together with its wrapper
        definition = None if is_part or is_wrapped else _find_definition(child)
        if definition is not None and start not in self._found:
            end = max(child.end_byte, start + 1)
            self._found[start] = (end, self._signature(definition), _is_function(definition))

    def _is_docstring(self, node: "Node", child: "Node") -> bool:
        """Whether a statement is the docstring of a Python definition."""
        is_first = node.type == "block" and node.start_byte == child.start_byte
        return (
            is_first and child.type == "expression_statement" and bool(_DOCSTRING.match(self._text, child.start_byte))
        )

    def _signature(self, node: "Node") -> str:
        """The text of a definition up to its body, on one line."""
        body = node.child_by_field_name("body") or _body_of_value(node)
        end = next((child.start_byte for child in node.children if child.type in _COMMENTS), node.end_byte)
        end = min(end, body.start_byte) if body else end
        text = self._text[node.start_byte : min(end, node.start_byte + 5 * _SIGNATURE_LIMIT)]
        text = text if body else text.split("\n", 1)[0]
        return " ".join(text.split())[:_SIGNATURE_LIMIT].rstrip(" {:;")


def _visible_from(text: str, start: int) -> int:
    indent = _INDENT.match(text, start)
    return indent.end() if indent else start


def _last_row(node: "Node") -> int:
    row, column = node.end_point
    return row if column else row - 1  # some comments include the end of their line


def _find_definition(node: "Node") -> "Node | None":
    """The definition that a node is or wraps."""
    if node.type in _WRAPPERS:
        candidates = node.named_children[-1:] if node.type != "export_statement" else node.named_children
        for child in candidates:
            if child.type not in _WRAPPERS and (definition := _find_definition(child)) is not None:
                return definition
        return None
    if node.type.endswith("_specifier"):
        return node if node.child_by_field_name("body") else None  # otherwise it only names a type
    if is_definition(node.type) or _value(node) is not None:
        return node
    return None


def _is_function(node: "Node") -> bool:
    return is_function(node.type) or _value(node) is not None


def _value(node: "Node") -> "Node | None":
    """The function that a variable, a field or an assignment gets."""
    if node.type in _VARIABLES:
        holder = node if node.type.endswith("field_definition") else next(iter(node.named_children), None)
        value = holder.child_by_field_name("value") if holder else None
    elif node.type == "assignment_expression":
        value = node.child_by_field_name("right")
    else:
        return None
    return value if value and value.type in _FUNCTION_VALUES else None


def _body_of_value(node: "Node") -> "Node | None":
    value = _value(node)
    return value.child_by_field_name("body") if value else None


def _nest_definitions(definitions_at: dict[int, tuple[int, str, bool]]) -> tuple[Definition, ...]:
    definitions: list[Definition] = []
    around: list[int] = []
    for start, (end, signature, is_a_function) in sorted(definitions_at.items()):
        while around and definitions[around[-1]].end <= start:
            around.pop()
        if len(around) < _PATH_LIMIT:
            parent = around[-1] if around else -1
            around.append(len(definitions))
            definitions.append(Definition(start, end, signature, is_a_function, parent, len(around)))
    return tuple(definitions)
