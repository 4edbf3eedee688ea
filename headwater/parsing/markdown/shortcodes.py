"""Shortcodes of Hugo, such as `{{< figure src="a.png" >}}`, and what a reader sees of them.

Belongs here: where a shortcode ends, the title of what a pair encloses, pairs that enclose code or nothing for readers.
Not here: the text between a pair, which is read on (`markup`), tags of other generators. Guarantee: pure; a pair is
looked for within a limited stretch.
"""

import re

from headwater.parsing.markdown.tag_words import (
    MAX_PAIR_CHARS,
    TemplateTag,
    begins_line,
    find_kind,
    is_alone,
    title_line,
    words_for_readers,
)
from headwater.parsing.markdown.writer import plain_markdown

_SHORTCODE = re.compile(
    r"\{\{[<%][ \t]*(?P<close>/)?[ \t]*(?P<name>[\w./-]{1,60})?"
    r"(?P<values>(?:\"[^\"\n]{0,500}\"|`[^`\n]{0,500}`|[^{}\"`\n]){0,200}?)/?[>%]\}\}"
)
_TARGET = re.compile(r"\"([^\"\n]+)\"|([^\s\"]+)")
_LABEL = re.compile(
    r"(?:^|\s)(?P<name>title|question|label|summary|header|heading|name)[ \t]*=[ \t]*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)')"
)
_UNNAMED = re.compile(r"(?:^|\s)\"(?P<words>[A-Z][^\"/\n]*+|[^\"/\n ]++ [^\"/\n]*+)\"")
_CODE = ("code", "highlight", "mermaid")
_LANGUAGE = re.compile(
    r"(?:^|\b(?:lang|language)[ \t]*=[ \t]*)(?P<quote>[\"']?)(?P<name>[A-Za-z][\w+#-]{0,30})(?P=quote)(?=[\s,]|$)"
)
_WITHOUT_TITLE = ("badge", "button", "tabs")  # their names are no titles
_OMITTED = ("comment", "ignore")


def read_shortcode(text: str, start: int) -> TemplateTag | None:
    """Read the shortcode that begins at an offset; None if none does.

    Args:
        text: markdown.
        start: the offset of its first brace.
    """
    shortcode = _SHORTCODE.match(text, start)
    if shortcode is None:
        return None
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    if shortcode["close"]:
        return TemplateTag("", end)
    if name in ("relref", "ref"):
        target = _TARGET.search(values)
        return TemplateTag((target[1] or target[2]).replace(" ", "%20") if target else "", end)
    return _read_pair(text, shortcode) or _read_single(text, shortcode)


def _read_single(text: str, shortcode: re.Match[str]) -> TemplateTag:
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    if words := words_for_readers(values):
        return TemplateTag(words, end)
    is_word = name.isalpha() and not values and not is_alone(text, shortcode.start(), end)  # a badge, as `required`
    return TemplateTag(name if is_word else "", end)


def _read_pair(text: str, shortcode: re.Match[str]) -> TemplateTag | None:
    """What stands for the first of two shortcodes, or for both; None if nothing is said of such a pair."""
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    closing = _find_end(text, name, end)
    if closing is None:
        return None
    kind = name.rpartition("/")[2]
    if kind in _OMITTED:
        return TemplateTag("", closing.end())
    if kind in _CODE:
        language = _LANGUAGE.search(values) if values else None
        language_name = language["name"] if language else kind * (kind == "mermaid")
        return TemplateTag("", closing.end(), text[end : closing.start()], language_name)
    if not begins_line(text, shortcode.start()):
        return None
    words = _title_of(kind, values)
    return TemplateTag(title_line(words, text, shortcode.start(), end), end) if words else None


def _find_end(text: str, name: str, begin: int) -> re.Match[str] | None:
    """The shortcode that closes one; most have none, and a plain search is fast."""
    end = begin + MAX_PAIR_CHARS
    if not name or (text.find(f"/{name}", begin, end) < 0 and text.find(f"/ {name}", begin, end) < 0):
        return None
    pattern = re.compile(rf"\{{\{{[<%][ \t]*/[ \t]?{re.escape(name)}[ \t]*[>%]\}}\}}")
    return pattern.search(text, begin, end)


def _title_of(name: str, values: str) -> str:
    """The title of what a pair encloses, or else the kind of the note that it is; empty without both."""
    labels = {label["name"]: label["double"] or label["single"] for label in _LABEL.finditer(values)}
    if "_" in labels.get("name", "") or name in _WITHOUT_TITLE:  # it is for programs, or says the same
        labels.pop("name", None)
    unnamed = _UNNAMED.search(values)
    words = next(iter(labels.values()), "") or (unnamed["words"] if unnamed else "") or find_kind(name, values)
    return plain_markdown(" ".join(words.split()))
