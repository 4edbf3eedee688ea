"""Marks for a site's generator in markdown and HTML: Hugo's shortcodes, Jekyll's Liquid, ERB, mdBook's, attributes.

Belongs here: where such a mark ends, and the words that a reader would see of it. Not here: finding its beginning
(`markup`), titles (`headings`). Guarantee: pure; the work is linear; tags that none of these generators has stay,
because a text that has them outside code is mostly about them.
"""

import re
from typing import NamedTuple

from headwater.parsing.markdown.fences import has_mark
from headwater.parsing.markdown.writer import plain_markdown

_SHORTCODE = re.compile(
    r"\{\{[<%][ \t]*(?P<close>/)?[ \t]*(?P<name>[\w./-]{1,60})?"
    r"(?P<values>(?:\"[^\"\n]{0,500}\"|`[^`\n]{0,500}`|[^{}\"`\n]){0,200}?)/?[>%]\}\}"
)
_VARIABLE = re.compile(r"\{\{\{[ \t]*\.?(?P<name>[\w.-]{1,60})[ \t]*\}\}\}")
_DIRECTIVE = re.compile(r"\{\{#(?:include|rustdoc_include|playground|playpen|template|title)[ \t][^{}\n]{0,500}\}\}")
_ATTRIBUTE = r"(?:(?:[.#][\w-]{1,100}){1,10}|[\w-]{1,100}=(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s{}\"']{1,200}))"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE}){{0,10}}[ \t]*\}}")
_LINK_CLOSED = re.compile(r"\]\((?:[^()\n]|\([^()\n]*\))*\)\Z")
_MAX_LINK_CHARS = 500
_MAX_TAG_CHARS = 2_000  # characters of a tag of ERB
_SAID = re.compile(
    r"\b(?:caption|title|text|label|alt|heading|quote|content)[ \t]*=[ \t]*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)')"
)
_TARGET = re.compile(r"\"([^\"\n]+)\"|([^\s\"]+)")
_CODE_ENDS = {name: re.compile(rf"\{{\{{[<%][ \t]*/[ \t]*{name}[ \t]*[>%]\}}\}}") for name in ("highlight", "code")}
_MAX_PAIR_CHARS = 20_000  # between a tag and its end
_ENDS_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_LIQUID_PAIRS = ("comment", "highlight", "raw")
_LIQUID_WITH_VALUES = (
    "assign", "capture", "case", "data", "elsif", "for", "highlight", "if", "ifversion", "include", "link", "post_url",
    "unless", "when",
)  # fmt: skip
_TITLE = re.compile(r"[\"']([^\"'\n]*[ !?][^\"'\n]*)[\"']")  # of an alert, and not its kind, which is a single word
_QUOTES = "\"'"
_LIQUID_WITH_WORDS = ("code", "embed", "include", "include_cached", "include_relative", "step", "tab")
# The tags of Jekyll, and those of GitHub's and GitBook's documentation.
_LIQUID = re.compile(
    r"\{%-?[ \t]*(?P<name>comment|highlight|raw|data|link|post_url|include(?:_relative|_cached)?|assign|capture|if"
    r"|unless|elsif|else|for|case|when|ifversion|note|tip|warning|danger|indented_data_reference"
    r"|alert|code|columns?|content-ref|details|embed|hint|stepper|step|tabs?"
    r"|end(?:comment|highlight|raw|capture|if|unless|for|case|note|tip|warning|danger"
    r"|alert|code|columns?|content-ref|details|embed|hint|stepper|step|tabs?))(?![\w-])"
    r"(?P<values>(?:[^%{\n]|\n(?![ \t]*\n)|\{(?!%)|%(?!\})){0,1000}?)\s*-?%\}"
)
_LIQUID_VARIABLE = re.compile(
    r"\{\{-?[ \t]*(?:(?:site|page|include|layout|jekyll)\.[\w.-]{1,100}"
    r"(?:[ \t]*\|[ \t]*[a-z_]{1,40}(?::[^|{}\n]{0,200})?){0,5}"
    r"|(?P<quote>[\"'])(?P<path>[^\"'\n]{0,200})(?P=quote)(?:[ \t]*\|[ \t]*(?:relative_url|absolute_url|escape)){0,3})"
    r"[ \t]*-?\}\}"
)


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
    if attributes := _ATTRIBUTES.match(text, start):
        return TemplateTag("", attributes.end()) if _has_attributes(text, start) else None
    if directive := _DIRECTIVE.match(text, start):
        return TemplateTag("", directive.end())
    if variable := _VARIABLE.match(text, start):
        return TemplateTag(variable["name"], variable.end())
    return _liquid_tag(text, start) or _shortcode_tag(text, start)


def _has_attributes(text: str, start: int) -> bool:
    """Whether what ends at an offset is a link, or emphasis or code that kramdown's attributes follow."""
    sign = text[max(0, start - 1) : start]
    if sign == ")":
        return _LINK_CLOSED.search(text, max(0, start - _MAX_LINK_CHARS), start) is not None
    return sign in ("*", "_", "`", "]") and text.startswith("{:", start)


def _shortcode_tag(text: str, start: int) -> TemplateTag | None:
    """Read a shortcode of Hugo."""
    shortcode = _SHORTCODE.match(text, start)
    if shortcode is None:
        return None
    name, values, end = shortcode["name"] or "", shortcode["values"].strip(), shortcode.end()
    if shortcode["close"]:
        return TemplateTag("", end)
    if name in ("relref", "ref"):
        target = _TARGET.search(values)
        return TemplateTag((target[1] or target[2]).replace(" ", "%20") if target else "", end)
    end_tag = _CODE_ENDS.get(name)
    if end_tag and (closing := end_tag.search(text, end, end + _MAX_PAIR_CHARS)):
        return TemplateTag("", closing.end(), text[end : closing.start()])
    if words := _words_for_readers(values):
        return TemplateTag(words, end)
    is_word = name.isalpha() and not values and not _is_alone(text, start, end)  # a badge, such as `required`
    return TemplateTag(name if is_word else "", end)


def _liquid_tag(text: str, start: int) -> TemplateTag | None:
    """Read a tag or a variable of Liquid: what only the site knows is left out."""
    if variable := _LIQUID_VARIABLE.match(text, start):
        return TemplateTag(variable["path"] or "", variable.end())
    tag = _LIQUID.match(text, start)
    if tag is None:
        return None
    name, values, end = tag["name"], tag["values"].strip(), tag.end()
    if not values and name in _LIQUID_WITH_VALUES:  # it is spoken of
        return None
    if name in _LIQUID_PAIRS:
        return _liquid_pair(text, name, end)
    if name in ("alert", "details"):
        title = _TITLE.match(values) if name == "alert" else None
        words = title[1] if title else values.strip(_QUOTES) * (name == "details")
        return TemplateTag(f"**{words}**\n" if words else "", end)
    if name in ("link", "post_url"):
        return TemplateTag(values.replace(" ", "%20"), end)
    if _is_alone(text, start, end) or not name.startswith(("data", "els")):
        words = _words_for_readers(values) if name in _LIQUID_WITH_WORDS else ""
        return TemplateTag(f"**{words}**\n" if words and not name.startswith("include") else words, end)
    # Such as `{% data variables.product.prodname_actions %}` of GitHub.
    words = values.rpartition(".")[2].removeprefix("prodname_").replace("_", " ")
    return TemplateTag(words if name == "data" else " / ", end)


def _words_for_readers(values: str) -> str:
    """What the arguments of a tag say to readers."""
    values_said = (value["double"] or value["single"] for value in _SAID.finditer(values))
    return plain_markdown(" – ".join(" ".join(words.split()) for words in values_said))


def without_variables(address: str) -> str:
    """An address without the variables of the site, such as `{{ site.baseurl }}`."""
    return _LIQUID_VARIABLE.sub(lambda variable: variable["path"] or "", address) if "{{" in address else address


def _liquid_pair(text: str, name: str, begin: int) -> TemplateTag:
    """What stands between a tag of Liquid and its end: nothing of a comment, code, or text as it is."""
    closing = re.compile(rf"\{{%-?[ \t]*end{name}[ \t]*-?%\}}").search(text, begin, begin + _MAX_PAIR_CHARS)
    content = "" if closing is None else text[begin : closing.start()]
    is_in_code = has_mark(content) or content.count("`") % 2 == 1  # an end in code is none, and code stays as it is
    if closing is None or is_in_code:
        return TemplateTag("", begin)
    return TemplateTag(content * (name == "raw"), closing.end(), content * (name == "highlight"))


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else stands in the line of a tag. Only the last tag of a line has its beginning looked at."""
    return _ENDS_LINE.match(text, end) is not None and not text[text.rfind("\n", 0, start) + 1 : start].strip()
