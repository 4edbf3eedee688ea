"""The grammars of programming languages, and the definitions in their syntax trees.

Belongs here: grammars and node types. Not here: walking a tree (`syntax`), names of files (`domain`). Guarantee: a
grammar is loaded when its first document is split, not before; each media type of code in `media_types` is here.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from headwater.domain.media_types import CodeMediaType

if TYPE_CHECKING:
    from tree_sitter import Language

_FUNCTIONS = frozenset({
    "function_definition", "function_declaration", "function_item", "generator_function_declaration",
    "method_definition", "method_declaration", "constructor_declaration", "compact_constructor_declaration",
    "macro_definition",
})  # fmt: skip
_TYPES = frozenset({
    "class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration",
    "record_declaration", "annotation_type_declaration", "type_alias_declaration", "internal_module", "module",
    "impl_item", "trait_item", "struct_item", "enum_item", "union_item", "mod_item",
    "type_declaration", "type_definition", "struct_specifier", "enum_specifier", "union_specifier",
    "class_specifier", "namespace_definition", "concept_definition",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Grammar:
    """The location of a language's grammar."""

    package: str
    function: str = "language"


GRAMMARS: dict[CodeMediaType, Grammar] = {
    "text/x-python": Grammar(package="tree_sitter_python"),
    "text/javascript": Grammar(package="tree_sitter_javascript"),
    "text/x-typescript": Grammar(package="tree_sitter_typescript", function="language_typescript"),
    "text/x-tsx": Grammar(package="tree_sitter_typescript", function="language_tsx"),
    "text/x-go": Grammar(package="tree_sitter_go"),
    "text/x-rust": Grammar(package="tree_sitter_rust"),
    "text/x-java": Grammar(package="tree_sitter_java"),
    "text/x-c": Grammar(package="tree_sitter_c"),
    "text/x-c++": Grammar(package="tree_sitter_cpp"),
}


def code_type(media_type: str) -> CodeMediaType | None:
    """The media type, if it is a type of code."""
    return next((candidate for candidate in get_args(CodeMediaType) if candidate == media_type), None)


def is_definition(node_type: str) -> bool:
    """Whether a node type defines something with a name: a function, a class, a module."""
    return node_type in _FUNCTIONS or node_type in _TYPES


def is_function(node_type: str) -> bool:
    """Whether a node type defines a function or a method."""
    return node_type in _FUNCTIONS


@cache
def load_language(package: str, function: str) -> "Language":
    """Load a grammar."""
    from tree_sitter import Language

    return Language(getattr(import_module(package), function)())
