"""The names that code defines, as words of their own for keyword search (RET-1).

Belongs here: which names a piece of code defines, whether a question is one name, the word of the index for both. Not
here: outlines of code (`headwater.chunking.syntax`), how much a definition counts (`headwater.retrieval.reranking`).
Guarantee: pure; the word contains a space, so no word of a text is equal to it; the work is linear in the code.
"""

import re
from collections.abc import Sequence

_NAME = re.compile(r"(?:[A-Za-z_$][\w$]*(?:\.|::|#))*([A-Za-z_$][\w$]{0,99})(?:\(\))?")
_RECEIVER = re.compile(r"^func \([^()]*\)\s*")
_KEYWORDS = (
    "class|def|enum|fn|func|fun|function|impl|interface|macro_rules!|mod|module|namespace|object|protocol|record|struct|sub"
    "|trait|type|union"
)
_MARK = "def "
_RESERVED = frozenset({
    *_KEYWORDS.split("|"), "abstract", "async", "const", "default", "export", "extends", "final", "implements", "int",
    "let", "private", "protected", "public", "static", "var", "void",
})  # fmt: skip
"""Words of languages that stand in headings and define nothing."""
_IN_TEXT = re.compile(
    rf"^[^\S\n]*(?:[\w*]+[^\S\n]+){{0,4}}?(?:{_KEYWORDS})[^\S\n]+(?:\([^()\n]*\)[^\S\n]*)?"
    rf"(?!(?:{'|'.join(map(re.escape, sorted(_RESERVED)))})(?![\w$]))([A-Za-z_$][\w$]*)",
    re.M,
)
_ASSIGNED = re.compile(r"([A-Za-z_$][\w$]*)\s*=")
_AFTER_KEYWORD = re.compile(rf"(?<![\w$])(?:{_KEYWORDS})\s+([A-Za-z_$][\w$]*)")
_BEFORE_ARGUMENTS = re.compile(r"([A-Za-z_$][\w$]*)\s*\Z")


def find_asked_name(question: str) -> str | None:
    """The name that is all of a question; None if there is more. `Pump.lift` and `lift()` ask for `lift`."""
    match = _NAME.fullmatch(question.strip())
    return None if match is None or match[1] in _RESERVED else match[1]


def find_defined_names(code: str, breadcrumb: Sequence[str]) -> set[str]:
    """The names that a piece of code defines.

    Args:
        code: its text.
        breadcrumb: the file, and the signatures of the definitions around it or of the only one in it.
    """
    signature = _RECEIVER.sub("func ", breadcrumb[-1]) if len(breadcrumb) > 1 else ""
    head = signature.partition("(")[0]
    match = _AFTER_KEYWORD.search(head) or _ASSIGNED.search(head) or _BEFORE_ARGUMENTS.search(head)
    return {*_IN_TEXT.findall(code), *([match[1]] if match else ())} - _RESERVED


def definition_word(name: str) -> str:
    """The word by which the definitions of a name are found."""
    return f"{_MARK}{name}"


def is_definition_word(word: str) -> bool:
    """Whether a word of the index finds definitions."""
    return word.startswith(_MARK)
