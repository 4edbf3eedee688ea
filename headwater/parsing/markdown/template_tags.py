"""Marks in markdown for a site's generator: Hugo's shortcodes, ERB, directives of mdBook, attributes of links.

Belongs here: where such a mark ends, and the words that a reader would see of it. Not here: finding its beginning
(`markup`), titles (`headings`), Liquid, which is mostly the subject of the text that has it. Guarantee: pure; the work
is linear.
"""

import re
from typing import NamedTuple

_SHORTCODE = re.compile(
    r"\{\{[<%][ \t]*(?P<close>/)?[ \t]*(?P<name>[\w./-]{1,60})?"
    r"(?P<values>(?:\"[^\"\n]{0,500}\"|`[^`\n]{0,500}`|[^{}\"`\n]){0,200}?)/?[>%]\}\}"
)
_VARIABLE = re.compile(r"\{\{\{[ \t]*\.?(?P<name>[\w.-]{1,60})[ \t]*\}\}\}")
_DIRECTIVE = re.compile(r"\{\{#(?:include|rustdoc_include|playground|playpen|template|title)[ \t][^{}\n]{0,500}\}\}")
_ATTRIBUTE = r"(?:[.#][\w-]{1,100}|[\w-]{1,100}=(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s{}\"']{1,200}))"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE}){{0,10}}[ \t]*\}}")
_LINK_CLOSED = re.compile(r"\]\((?:[^()\n]|\([^()\n]*\))*\)\Z")
_MAX_LINK_CHARS = 500
_MAX_TAG_CHARS = 2_000  # characters of a tag of ERB
_SAID = re.compile(r"\b(?:caption|title|text|label|alt)[ \t]*=[ \t]*\"([^\"\n]+)\"")
_TARGET = re.compile(r"\"([^\"\n]+)\"|([^\s\"]+)")
_CODE_NAMES = ("highlight", "code")


class TemplateTag(NamedTuple):
    """The words that stand for a tag, and where it ends; `code` is what a pair of tags shows as it is."""

    words: str
    end: int
    code: str = ""


def template_tag(text: str, start: int) -> TemplateTag | None:
    """Read the tag that begins at an offset; None if none does.

    Args:
        text: markdown.
        start: the offset of `<` or `{`.
    """
    if text.startswith("<%", start):
        end = text.find("%>", start + 2, start + _MAX_TAG_CHARS)
        return TemplateTag("", end + 2) if end >= 0 else None
    if text[max(0, start - 1) : start] == ")" and (attributes := _ATTRIBUTES.match(text, start)):
        is_of_link = _LINK_CLOSED.search(text, max(0, start - _MAX_LINK_CHARS), start) is not None
        return TemplateTag("", attributes.end()) if is_of_link else None
    if directive := _DIRECTIVE.match(text, start):
        return TemplateTag("", directive.end())
    if variable := _VARIABLE.match(text, start):
        return TemplateTag(variable["name"], variable.end())
    shortcode = _SHORTCODE.match(text, start)
    if shortcode is None:
        return None
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    if shortcode["close"]:
        return TemplateTag("", end)
    if name in ("relref", "ref"):
        target = _TARGET.search(values)
        return TemplateTag((target[1] or target[2]).replace(" ", "%20") if target else "", end)
    if name in _CODE_NAMES and (
        closing := re.compile(rf"\{{\{{[<%][ \t]*/[ \t]*{name}[ \t]*[>%]\}}\}}").search(text, end)
    ):
        return TemplateTag("", closing.end(), text[end : closing.start()])
    if texts := _SAID.findall(values):
        return TemplateTag(" – ".join(texts), end)
    is_word = name.isalpha() and not values and not _is_alone(text, start, end)  # a badge, such as `required`
    return TemplateTag(name if is_word else "", end)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else stands in the line of a tag."""
    line_end = text.find("\n", end)
    line_start = text[text.rfind("\n", 0, start) + 1 : start]
    return not line_start.strip() and not text[end : line_end if line_end >= 0 else len(text)].strip()
