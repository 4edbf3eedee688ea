"""Passages of code that define the name that was asked for.

Belongs here: whether a question is one name, and whether a passage defines it. Not here: outlines of code
(`headwater.chunking.syntax`), the weight of this evidence (`lexical`). Guarantee: pure; a question of several words,
and passages that are not code, are not affected.
"""

import re
from collections.abc import Sequence

from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage

_NAME = re.compile(r"(?:[A-Za-z_$][\w$]*(?:\.|::|#))*([A-Za-z_$][\w$]{0,99})(?:\(\))?")
_RECEIVER = re.compile(r"^func \([^()]*\)\s*")
_KEYWORDS = (
    "class|def|enum|fn|func|fun|function|impl|interface|macro_rules!|mod|module|namespace|object|protocol|record|struct|sub"
    "|trait|type|union"
)

_RESERVED = frozenset({
    *_KEYWORDS.split("|"), "abstract", "async", "const", "default", "export", "extends", "final", "implements", "int",
    "let", "private", "protected", "public", "static", "var", "void",
})  # fmt: skip
"""Words of languages that stand in headings and define nothing."""


def defining(question: str, passages: Sequence[Passage]) -> list[float]:
    """1 for each passage that defines the only name of a question, else 0; empty if none does.

    `Pump.lift` and `lift()` ask for `lift`.
    """
    asked = _NAME.fullmatch(question.strip())
    if asked is None or asked[1] in _RESERVED:
        return []
    name = re.escape(asked[1])
    in_text = re.compile(
        rf"^[^\S\n]*(?:[\w*]+[^\S\n]+){{0,4}}(?:{_KEYWORDS})[^\S\n]+(?:\([^()\n]*\)[^\S\n]*)?{name}(?![\w$])", re.M
    )
    in_heading = re.compile(rf"(?<![\w$.]){name}(?![\w$.])")
    found = [float(_defines(passage, in_text, in_heading)) for passage in passages]
    return found if any(found) else []


def _defines(passage: Passage, in_text: re.Pattern[str], in_heading: re.Pattern[str]) -> bool:
    if passage.kind != ChunkKind.CODE:
        return False
    signature = _RECEIVER.sub("func ", passage.breadcrumb[-1]) if len(passage.breadcrumb) > 1 else ""
    return bool(in_heading.search(signature.partition("(")[0]) or in_text.search(passage.text))
