"""Code of AsciiDoc as fenced code.

Belongs here: a block's language, and the markup that its options say is read in it. Not here: where it ends
(`blocks`). Guarantee: pure; code stays as it is unless its options say otherwise.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence

from headwater.parsing.asciidoc.inline import read_code
from headwater.parsing.markdown.writer import fence_code

_ESCAPED_DIRECTIVE = re.compile(r"^\\(?=(?:include|ifdef|ifndef|ifeval|endif)::)", re.MULTILINE)
_DIRECTIVE = re.compile(
    r"^(?:include|ifdef|ifndef|ifeval|endif)::[^\s\[]{0,500}\[[^\n]*\][ \t]*(?:\n|\Z)", re.MULTILINE
)
_SUBSTITUTIONS = re.compile(r"\bsubs=(?:\"(?P<quoted>[^\"\n]{0,200})\"|(?P<bare>[\w+-]{1,30}))")
_READ = frozenset({"attributes", "macros", "quotes"})
_SHORT_NAMES = {"a": "attributes", "m": "macros", "q": "quotes"}


def fence(code: str, options: str, attributes: Mapping[str, str], language: str = "") -> str:
    """Code as it is shown, without what it includes from other files; nothing if that was all.

    A directive that is not to be followed stands behind a backslash in the source.

    Args:
        code: the lines.
        options: the text between the brackets above it.
        attributes: the values that the document gives to names.
        language: the language, if another mark than the options states it.
    """
    code = _ESCAPED_DIRECTIVE.sub("", _DIRECTIVE.sub("", code)).rstrip("\n")
    if not code.strip():
        return ""
    if substitutions := _find_substitutions(options):
        code = read_code(code, attributes, substitutions)
    return fence_code(code, language or _language(options))


def dedent(lines: Sequence[str]) -> str:
    """Lines without the indentation that all of them have."""
    return textwrap.dedent("\n".join(lines))


def _find_substitutions(options: str) -> frozenset[str]:
    stated = _SUBSTITUTIONS.search(options)
    if not stated:
        return frozenset()
    names = [name.strip() for name in (stated["quoted"] or stated["bare"] or "").split(",")]
    if "normal" in names or "+normal" in names:
        return _READ - {name[1:] for name in names if name.startswith("-")}
    return _READ & {_SHORT_NAMES.get(name.strip("+"), name.strip("+")) for name in names}


def _language(options: str) -> str:
    values = [value.strip() for value in options.split(",")]
    language = next((value.partition("=")[2].strip('"') for value in values if value.startswith("language=")), "")
    return language or (values[1] if len(values) > 1 and "=" not in values[1] and "%" not in values[1] else "")
