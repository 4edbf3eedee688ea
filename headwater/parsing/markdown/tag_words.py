"""The words that stand for a tag of a site's generator: titles, captions, the kinds of notes.

Belongs here: what is alike in all generators. Not here: their tags (`shortcodes`, `hexo_tags`, `template_tags`).
Guarantee: pure; looking at what surrounds a tag costs no more than its line, or a hundred characters.
"""

import re
from typing import NamedTuple

from headwater.parsing.markdown.writer import bold, plain_markdown

MAX_PAIR_CHARS = 20_000  # between a tag and its end
_SAID = re.compile(
    r"\b(?P<name>caption|title|text|label|alt|heading|quote|content)[ \t]*=[ \t]*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)')"
)
_ENDS_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_MAX_INDENT_CHARS = 100
_TAGS = re.compile(r"\{\{[<%][^{}\n]*\}\}|\{%[^{}\n]*%\}")
_KINDS = frozenset([
    "attention", "caution", "danger", "error", "hint", "important", "info", "note", "success", "tip", "warning",
])  # fmt: skip
_KIND = re.compile(
    r"(?:^|(?:^|\s)(?:type|kind|style|level|variant)[ \t]*=[ \t]*)"
    r"(?P<quote>[\"']?)(?P<kind>[A-Za-z]+)(?P=quote)(?![\w=\"'-])"
)
_NO_NOTES = ("badge", "button")  # of which a kind is the colour


class TemplateTag(NamedTuple):
    """The words that stand for a tag, and where it ends; `code` is what a pair of tags shows as it is."""

    words: str
    end: int
    code: str = ""
    language: str = ""


def words_for_readers(values: str) -> str:
    """What the arguments of a tag say to readers, each of them once."""
    values_said = (value["double"] or value["single"] for value in _SAID.finditer(values))
    texts = dict.fromkeys(" ".join(words.split()) for words in values_said)
    return plain_markdown(" – ".join(texts))


def name_kind(word: str) -> str:
    """The name of a kind of notes as readers see it, such as `Warning` for `warn`; empty if it is none."""
    kind = "warning" if word.lower() == "warn" else word.lower()
    return kind.capitalize() if kind in _KINDS else ""


def find_kind(name: str, values: str) -> str:
    """The kind of the note that a tag begins, from its first value or an attribute, or from its name."""
    if name in _NO_NOTES:
        return ""
    kinds = (name_kind(value["kind"]) for value in _KIND.finditer(values))
    return next(filter(None, kinds), "") or name_kind(name)


def begins_line(text: str, start: int) -> bool:
    """Whether only spaces and other tags precede an offset in its line."""
    _, newline, indent = text[max(0, start - _MAX_INDENT_CHARS) : start].rpartition("\n")
    return (bool(newline) or start < _MAX_INDENT_CHARS) and not _TAGS.sub("", indent).strip(" \t")


def ends_line(text: str, end: int) -> bool:
    """Whether nothing follows an offset in its line."""
    return _ENDS_LINE.match(text, end) is not None


def is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else stands in the line of a tag. Only the last tag of a line has its beginning looked at."""
    return ends_line(text, end) and not text[text.rfind("\n", 0, start) + 1 : start].strip()


def title_line(words: str, text: str, start: int, end: int) -> str:
    """Words in bold, in a line that no other line adjoins.

    Args:
        words: the title of what a tag begins; empty if it has none.
        text: markdown.
        start: where the tag begins in it.
        end: where the tag ends.
    """
    if not words:
        return ""
    lines, newline, opening = text[max(0, start - _MAX_INDENT_CHARS) : start].rpartition("\n")
    adjoins = opening.strip() or lines.rpartition("\n")[2].strip(" \t>")
    is_first = not _TAGS.sub("", opening).strip()
    gap = f"\n{opening[: len(opening) - len(opening.lstrip())]}" if newline and is_first and adjoins else ""
    return f"{gap}{bold(words)}\n" if ends_line(text, end) else f"{gap}{bold(words)}\n\n"
