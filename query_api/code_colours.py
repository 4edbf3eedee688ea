"""Code with its words coloured.

Belongs here: which languages, and the classes of words. Not here: rendering markdown (`markdown_stream`), the colours
(`static/css/chat.css`). Guarantee: the text stays as it is, escaped, within elements of fixed classes; code that is
long, has long lines, or is of another language has no colours, so that no lexer takes long.
"""

import re
from functools import cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, String, _TokenType

_MAX_CHARS = 3_000
_TOO_LONG_PATTERN = re.compile(r"[^\n]{401}|[\t ]{101}|(?:[\t ]*\n){21}")
"""What makes some lexers slow: long lines, and many spaces or empty lines."""
_LANGUAGES = {
    "bash": "bash", "c": "c", "c++": "cpp", "conf": "ini", "console": "console", "cpp": "cpp", "css": "css",
    "diff": "diff", "docker": "docker", "dockerfile": "docker", "go": "go", "h": "cpp", "hpp": "cpp", "html": "html",
    "ini": "ini", "java": "java", "javascript": "javascript", "js": "javascript", "json": "json", "jsx": "javascript",
    "kotlin": "kotlin", "kt": "kotlin", "mjs": "javascript", "patch": "diff", "php": "php", "py": "python",
    "pyi": "python", "python": "python", "python3": "python", "rb": "ruby", "rs": "rust", "ruby": "ruby",
    "rust": "rust", "sh": "bash", "shell": "bash", "sql": "sql", "toml": "toml", "ts": "typescript",
    "tsx": "typescript", "typescript": "typescript", "xml": "xml", "yaml": "yaml", "yml": "yaml", "zsh": "bash",
}  # fmt: skip
"""Names of languages in fences, and endings of files, each with its lexer."""
_CLASSES: dict[_TokenType, str] = {
    Comment: "code-comment",
    Generic.Deleted: "code-deleted",
    Generic.Inserted: "code-string",
    Generic.Prompt: "code-comment",
    Keyword: "code-keyword",
    Literal: "code-string",
    Name.Attribute: "code-name",
    Name.Class: "code-name",
    Name.Decorator: "code-name",
    Name.Function: "code-name",
    Name.Tag: "code-keyword",
    Number: "code-number",
    String: "code-string",
}
CODE_CLASSES = frozenset(_CLASSES.values())
"""The classes that coloured code may have."""


def colour_code(code: str, language: str) -> str:
    """Code as HTML, with elements around its keywords, strings and the like.

    Args:
        code: the text.
        language: as a fence or the ending of a file names it.
    """
    name = _LANGUAGES.get(language.strip().split(" ")[0].lower().removeprefix("."))
    if name is None or len(code) > _MAX_CHARS or _TOO_LONG_PATTERN.search(code):
        return escape(code, quote=False)
    pieces = [(kind, text) for _, kind, text in _lexer(name).get_tokens_unprocessed(code)]
    if "".join(text for _, text in pieces) != code:
        return escape(code, quote=False)
    return "".join(_colour(text, _find_class(kind)) for kind, text in pieces)


def _colour(text: str, name: str) -> str:
    words = escape(text, quote=False)
    return f'<span class="{name}">{words}</span>' if name and text.strip() else words


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name)


@cache
def _find_class(kind: _TokenType) -> str:
    """The class of a token, or of the nearest of its kinds; empty without one."""
    kinds = [name for name in kind.split() if name in _CLASSES]  # from the most general kind to the token's own
    return _CLASSES[kinds[-1]] if kinds else ""
