"""Shortcodes of Hugo, such as `{{< figure src="a.png" >}}`, and what a reader sees of them.

Belongs here: where a shortcode ends, the title of what a pair encloses, pairs that enclose nothing for readers, what a
single one says. Not here: the text between a pair, which is read on (`markup`), code (`code_shortcodes`), tags of other
generators. Guarantee: pure; a pair is looked for within a limited stretch.
"""

import re
from collections.abc import Iterator

from headwater.parsing.markdown.code_shortcodes import PairSpans, has_code, read_code, read_tab_of_code
from headwater.parsing.markdown.edits import Edits, new_step, substitute
from headwater.parsing.markdown.tag_words import (
    MAX_PAIR_CHARS,
    TemplateTag,
    begins_line,
    ends_line,
    find_kind,
    is_alone,
    title_line,
    words_for_readers,
)
from headwater.parsing.markdown.writer import plain_markdown

_SHORTCODE = re.compile(
    r"\{\{[<%]\s{0,20}(?P<close>/)?[ \t]*(?P<name>[\w./-]{1,60})?"
    r"(?P<values>(?:\"[^\"\n]{0,500}\"|`[^`\n]{0,500}`|[^{}\"`\n]|\n(?![ \t]*\n)){0,400}?)"
    r"(?P<empty>/)?[>%]\}\}"
)
_ESCAPED = re.compile(r"\{\{(?P<open>[<%])/\*(?P<inside>(?:[^{}\n]|\n(?![ \t]*\n)){1,1000}?)\*/(?P<close>[>%])\}\}")
_INCLUDED = re.compile(
    r"\{\{[<%][ \t]*(?:include|readfile)[ \t]+(?:file[ \t]*=[ \t]*)?[\"'`]?"
    r"(?P<path>[^\s\"'`{}<>]{1,500}\.md)(?=[\"'`\s])"
)
_TARGET = re.compile(r"\"([^\"\n]+)\"|([^\s\"]+)")
_LABEL = re.compile(
    r"(?:^|\s)(?P<name>title|question|label|summary|header|heading|name)[ \t]*=[ \t]*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)')"
)
_UNNAMED = re.compile(r"(?:^|\s)\"(?P<words>[A-Z][^\"/\n]*+|[^\"/\n ]++ [^\"/\n]*+)\"")
_VERSION = re.compile(r"[\"']?(?P<number>v?\d{1,6}(?:\.\d{1,6}){1,3})[\"']?")
_VALUE = re.compile(r"(?<!\S)(?P<name>\w+)[ \t]*=[ \t]*[\"']?(?P<value>[^\s\"']+)")
_POSITIONAL = re.compile(r"[\"']?(?P<words>[^\s=\"'][^=\"'\n]*?)[\"']?")
_HEADING_MARK = re.compile(r"\s*#{1,6}[ \t]+")
_MAX_MARK_CHARS = 20
_TABS = ("tab", "tab-item")  # whose only value is a title
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


def show_escaped(text: str, edits: Edits) -> str:
    """Shortcodes that a page about Hugo shows, such as `{{</* toc */>}}`, as readers see them, in code, too.

    Args:
        text: markdown, of which all other shortcodes have been read.
        edits: records what is replaced.
    """
    if "/*" not in text:
        return text
    step = new_step()
    readable = substitute(
        _ESCAPED, lambda tag: f"{{{{{tag['open']}{tag['inside']}{tag['close']}}}}}", text, base=0, step=step
    )
    edits.add(step)
    return readable


def find_included(text: str) -> Iterator[str]:
    """The paths of the markdown that shortcodes show in their place."""
    return (included["path"] for included in _INCLUDED.finditer(text)) if "{{" in text else iter(())


def _read_single(text: str, shortcode: re.Match[str]) -> TemplateTag:
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    if words := words_for_readers(values) or _read_values(name, values):
        return TemplateTag(words, end)
    stands_alone = is_alone(text, shortcode.start(), end)
    attributes = {value["name"]: value["value"] for value in _VALUE.finditer(values)}
    if stands_alone and name != "include" and "." in attributes.get("file", ""):  # the code in a file beside the pages
        return TemplateTag(f"`{attributes['file']}`", end)
    heading = _POSITIONAL.fullmatch(values) if _is_heading(text, shortcode.start(), end) else None
    if heading is not None:  # which would be empty without it
        return TemplateTag(heading["words"][:1].upper() + heading["words"][1:], end)
    is_badge = name.isalpha() and not values and not stands_alone and _find_end(text, name, end) is None
    return TemplateTag(name if is_badge else "", end)  # as `required`


def _is_heading(text: str, start: int, end: int) -> bool:
    """Whether a heading has no other words than those of a shortcode."""
    opening = text[max(0, start - _MAX_MARK_CHARS) : start].rpartition("\n")[2]
    return _HEADING_MARK.fullmatch(opening) is not None and ends_line(text, end)


def _read_values(name: str, values: str) -> str:
    """What a shortcode with values that are no labels says: a term, or since when or until when something is there."""
    if version := _VERSION.fullmatch(values):
        return f"{' '.join(name.replace('-', ' ').replace('_', ' ').split()).capitalize()} {version['number']}"
    if name not in ("glossary_tooltip", "feature-state"):  # of Kubernetes
        return ""
    attributes = {value["name"]: value["value"] for value in _VALUE.finditer(values)}
    if name == "glossary_tooltip":
        return attributes.get("term_id", "").replace("-", " ")
    version_number = next((value for key, value in attributes.items() if key.endswith("version")), "")
    state = " ".join(filter(None, [attributes.get("state", ""), f"({version_number})" * bool(version_number)]))
    return f"Feature state: {state}" if state else ""


def _read_pair(text: str, shortcode: re.Match[str]) -> TemplateTag | None:
    """What stands for the first of two shortcodes, or for both; None if nothing is said of such a pair."""
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    closing = None if shortcode["empty"] else _find_end(text, name, end)
    if closing is None:
        return None
    kind = name.rpartition("/")[2]
    if kind in _OMITTED:
        return TemplateTag("", closing.end())
    spans = PairSpans(shortcode.start(), end, closing.start(), closing.end())
    if has_code(kind, values, text[end : closing.start()]):
        return read_code(text, kind, values, spans) if _is_next(text, name, end, closing.start()) else None
    if kind == "tab" and text.startswith("{{<", shortcode.start()) and (tab := read_tab_of_code(text, values, spans)):
        return tab
    if not begins_line(text, shortcode.start()):
        return None
    words = _title_of(kind, values)
    return TemplateTag(title_line(words, text, shortcode.start(), end), end) if words else None


def _is_next(text: str, name: str, begin: int, end: int) -> bool:
    """Whether no other shortcode of this name begins before the one that closes it, whose pair it would be."""
    return re.compile(rf"\{{\{{[<%][ \t]*{re.escape(name)}[ \t>%]").search(text, begin, end) is None


def _find_end(text: str, name: str, begin: int) -> re.Match[str] | None:
    """The shortcode that closes one; most have none, and a plain search is fast."""
    end = begin + MAX_PAIR_CHARS
    if not name or (text.find(f"/{name}", begin, end) < 0 and text.find(f"/ {name}", begin, end) < 0):
        return None
    pattern = re.compile(rf"\{{\{{[<%]\s{{0,20}}/[ \t]?{re.escape(name)}[ \t]*[>%]\}}\}}")
    return pattern.search(text, begin, end)


def _title_of(name: str, values: str) -> str:
    """The title of what a pair encloses, or else the kind of the note that it is; empty without both."""
    labels = {label["name"]: label["double"] or label["single"] for label in _LABEL.finditer(values)}
    if "_" in labels.get("name", "") or name in _WITHOUT_TITLE:  # it is for programs, or says the same
        labels.pop("name", None)
    unnamed = _POSITIONAL.fullmatch(values) if name in _TABS else _UNNAMED.search(values)
    words = next(iter(labels.values()), "") or (unnamed["words"] if unnamed else "") or find_kind(name, values)
    words = words or (_read_values(name, values) if _VERSION.fullmatch(values) else "")
    return plain_markdown(" ".join(words.split()))
