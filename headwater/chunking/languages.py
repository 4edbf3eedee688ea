"""Programming languages by file name, and the definitions in their syntax trees.

Belongs here: extensions, media types, grammars and node types. Not here: walking a tree (`syntax`). Guarantee: a
grammar is loaded when its first document is split, not before; each media type of code in `media_types` is here.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, get_args

from headwater.domain.media_types import CodeMediaType

if TYPE_CHECKING:
    from tree_sitter import Language

PLAIN_CODE: CodeMediaType = "text/x-code"
"""Code of a language without a grammar here."""

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
    """The location of a language's grammar, and the files it is for."""

    package: str
    extensions: tuple[str, ...]
    function: str = "language"


GRAMMARS: dict[CodeMediaType, Grammar] = {
    "text/x-python": Grammar(package="tree_sitter_python", extensions=(".py", ".pyi", ".pyw")),
    "text/javascript": Grammar(package="tree_sitter_javascript", extensions=(".js", ".mjs", ".cjs", ".jsx")),
    "text/x-typescript": Grammar(
        package="tree_sitter_typescript", function="language_typescript", extensions=(".ts", ".mts", ".cts")
    ),
    "text/x-tsx": Grammar(package="tree_sitter_typescript", function="language_tsx", extensions=(".tsx",)),
    "text/x-go": Grammar(package="tree_sitter_go", extensions=(".go",)),
    "text/x-rust": Grammar(package="tree_sitter_rust", extensions=(".rs",)),
    "text/x-java": Grammar(package="tree_sitter_java", extensions=(".java",)),
    "text/x-c": Grammar(package="tree_sitter_c", extensions=(".c",)),
    # A header may be C or C++; the C++ grammar reads nearly all of C.
    "text/x-c++": Grammar(
        package="tree_sitter_cpp",
        extensions=(".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
    ),
}

_PLAIN_EXTENSIONS = (
    ".bash", ".bat", ".clj", ".cljs", ".cmake", ".cs", ".css", ".dart", ".elm", ".erl", ".ex", ".exs", ".f90", ".fs",
    ".gradle", ".graphql", ".groovy", ".hcl", ".hs", ".ini", ".jl", ".json", ".kt", ".kts", ".less", ".lua", ".m",
    ".mk", ".ml", ".mli", ".nix", ".php", ".pl", ".pm", ".proto", ".ps1", ".r", ".rb", ".sass", ".scala", ".scss",
    ".sh", ".sql", ".svelte", ".swift", ".tf", ".toml", ".vim", ".vue", ".xml", ".yaml", ".yml", ".zig", ".zsh",
)  # fmt: skip
_PLAIN_NAMES = (
    "cmakelists.txt",
    "dockerfile",
    "gemfile",
    "go.mod",
    "jenkinsfile",
    "makefile",
    "rakefile",
    "vagrantfile",
)

_BY_EXTENSION: dict[str, CodeMediaType] = {
    **dict.fromkeys(_PLAIN_EXTENSIONS, PLAIN_CODE),
    **{extension: media_type for media_type, grammar in GRAMMARS.items() for extension in grammar.extensions},
}


def code_media_type(name: str) -> CodeMediaType | None:
    """The media type of a code file, by its name or path; None if it is not code."""
    path = PurePosixPath(name)
    if path.name.lower() in _PLAIN_NAMES:
        return PLAIN_CODE
    return _BY_EXTENSION.get(path.suffix.lower())


def code_type(media_type: str) -> CodeMediaType | None:
    """The media type, if it is a type of code."""
    return next((known for known in get_args(CodeMediaType) if known == media_type), None)


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
