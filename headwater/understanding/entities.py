"""The entities in a question: phrases, paths, codes, identifiers, numbers and names (RET-3).

Belongs here: the form of each kind. Not here: their use. Guarantee: pure; an entity is a verbatim part of the
text, and no character belongs to two entities.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class EntityKind(StrEnum):
    """What an entity is."""

    QUOTED = "quoted"
    PATH = "path"
    ERROR_CODE = "error-code"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """Something that a question names."""

    kind: EntityKind
    text: str


_SUFFIXES = (
    "py|js|ts|tsx|go|rs|java|c|h|cpp|md|mdx|rst|txt|ya?ml|json|jsonl|toml|ini|cfg|conf|csv|pdf|docx|pptx|xlsx|html?|css|sql|"
    "sh|ipynb|env|lock|log|xml"
)
_UNITS = (
    r"%|°C|°F|(?:[kKMGT]i?[Bb]|[mµn]?s|sec(?:onds?)?|min(?:utes?)?|h(?:ours?)?|days?|weeks?|months?|years?|px|[kcm]?m|[kmµ]?g|"
    r"[kMG]?Hz|[kMG]?W|V|A|tokens?|rows?|dimensions?|characters?|USD|EUR|dollars?|euros?|pounds?)\b"
)
_CAPITALISED = r"(?!I\b)[A-Z][\w&-]*+"
# Text matched by an earlier rule is not matched again. Repeats are possessive if the text could consist of one kind.
_RULES = (
    (EntityKind.QUOTED, (
        r'"([^"\n]{1,200})"', r"“([^”\n]{1,200})”", r"«([^»\n]{1,200})»", r"「([^」\n]{1,200})」",
        r"(?<!\w)'([^'\n]{2,200})'(?!\w)",
    )),
    (EntityKind.PATH, (
        r"(?:https?://|(?<![\w/.])(?:~?/|\.{1,2}/)|\b[A-Za-z]:\\)(?:[^\s\"'`,;()<>]{0,300}[\w/*])",
        rf"(?<![\w/.-])[\w./-]{{1,200}}\.(?:{_SUFFIXES})(?!\w)",
        r"(?<![\w/.-])[\w.-]++(?:/[\w.-]++){2,20}",
    )),
    (EntityKind.ERROR_CODE, (
        r"\b[A-Z]{1,6}[-_]?\d{3,6}\b", r"\b0x[0-9A-Fa-f]{2,16}\b", r"\bE[A-Z]{4,20}\b",
        r"\b(?i:HTTP|status|error|code|exit)(?i: code)? \d{1,5}\b", r"\b[A-Z]\w{0,60}(?:Error|Exception|Warning)\b",
    )),
    (EntityKind.IDENTIFIER, (
        r"(?<![\w-])--?[A-Za-z][\w-]*+", r"\$\{?[A-Za-z_]\w*+\}?", r"\b\w++(?:::\w++){1,20}",
        r"\b[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+){1,20}(?:\(\))?", r"\b\w++\(\)",
        r"(?<!\w)_*+[^\W_]++(?:_++[^\W_]++){1,20}\b",
        r"\b[a-z]++(?:[A-Z][a-z0-9]*+){1,20}\b", r"\b[A-Z][a-z0-9]++(?:[A-Z][a-z0-9]*+){1,20}\b",
    )),
    (EntityKind.NAME, (rf"\b{_CAPITALISED}(?: (?:(?:of|the|de|van|von|and|for) )?{_CAPITALISED}| \d++(?![.,]?\w))*+",)),
    (EntityKind.NUMBER, (rf"(?<![\w.])[$€£]?[-+]?\d++(?:[.,]\d++)*+(?:\s?(?:{_UNITS}))?(?!\w)",)),
)  # fmt: skip
_ENTITY_RULES = tuple((kind, re.compile("|".join(rules))) for kind, rules in _RULES)
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n]\s{0,9})[\s\"'“‘(*_`-]{0,9}\Z")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9&-]+")
_SENTENCE_BEGINNING = 24  # characters before a word that show whether a sentence begins with it


def entities(text: str) -> tuple[Entity, ...]:
    """Find what a text names, each once, in order."""
    spans: list[tuple[int, int, Entity]] = []
    for kind, rule in _ENTITY_RULES:
        for match in rule.finditer(text):
            start, end = match.span()
            name = next((group for group in match.groups() if group), match[0]).strip()
            if kind is EntityKind.NAME:
                name = _name(text, start, name)
            if name and all(end <= span[0] or start >= span[1] for span in spans):
                spans.append((start, end, Entity(kind=kind, text=name)))
    return tuple(dict.fromkeys(entity for _, _, entity in sorted(spans, key=lambda item: item[0])))


def _name(text: str, start: int, name: str) -> str:
    """The name without a word that is capitalised only because it begins the sentence; acronyms stay."""
    first, _, following = name.partition(" ")
    if _ACRONYM.fullmatch(first) or not _SENTENCE_START.search(text[max(0, start - _SENTENCE_BEGINNING) : start]):
        return name
    return following if following[:1].isupper() else ""
