"""Marks for a site's generator in markdown and HTML: Jekyll's Liquid, ERB, mdBook's, attributes, and those of others.

Belongs here: where such a mark ends, and the words that a reader would see of it. Not here: finding its beginning
(`markup`), titles (`headings`), marks that Hugo or Hexo alone have (`shortcodes`, `hexo_tags`). Guarantee: pure; the
work is linear; tags that no generator has stay, because a text that has them outside code is mostly about them.
"""

import re

from headwater.parsing.markdown.docc import read_doc_link
from headwater.parsing.markdown.fences import has_mark
from headwater.parsing.markdown.hexo_tags import read_hexo_tag
from headwater.parsing.markdown.shortcodes import read_shortcode
from headwater.parsing.markdown.tag_words import (
    MAX_PAIR_CHARS,
    TemplateTag,
    begins_line,
    find_kind,
    is_alone,
    title_line,
    words_for_readers,
)

_VARIABLE = re.compile(r"\{\{\{[ \t]*\.?(?P<name>[\w.-]{1,60})[ \t]*\}\}\}")
_DIRECTIVE = re.compile(r"\{\{#(?:include|rustdoc_include|playground|playpen|template|title)[ \t][^{}\n]{0,500}\}\}")
_ATTRIBUTE = r"(?:(?:[.#][\w-]{1,100}){1,10}|[\w-]{1,100}=(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s{}\"']{1,200}))"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE}){{0,10}}[ \t]*\}}")
# For a program that makes the page; those of PHP and of XML are shown.
_INSTRUCTION = re.compile(r"<\?(?!php\b|xml\b|=)[a-z][^<>\n]{0,500}\?>")
_LINK_CLOSED = re.compile(r"\]\((?:[^()\n]|\([^()\n]*\))*\)\Z")
_MAX_LINK_CHARS = 500
_MAX_TAG_CHARS = 2_000  # characters of a tag of ERB
_LIQUID_PAIRS = ("comment", "highlight", "raw")
_LIQUID_WITH_VALUES = (
    "assign", "capture", "case", "data", "elsif", "for", "highlight", "if", "ifversion", "include", "link", "post_url",
    "unless", "when",
)  # fmt: skip
_LIQUID_NOTES = ("alert", "danger", "details", "hint", "note", "tip", "warning")
_TITLE = re.compile(r"[\"']([^\"'\n]*[ !?][^\"'\n]*)[\"']")  # of an alert, and not its kind, which is a single word
_QUOTES = "\"'"
_LANGUAGE = re.compile(r"[A-Za-z][\w+#-]{0,30}")
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


def template_tag(text: str, start: int) -> TemplateTag | None:
    """Read the tag that begins at an offset; None if none does.

    Args:
        text: markdown.
        start: the offset of `<` or `{`.
    """
    if text.startswith("<%", start):
        end = text.find("%>", start + 2, start + _MAX_TAG_CHARS)
        return TemplateTag("", end + 2) if end >= 0 else None
    if instruction := _INSTRUCTION.match(text, start):
        return TemplateTag("", instruction.end()) if begins_line(text, start) else None
    if text.startswith("<doc:", start):
        return read_doc_link(text, start)
    if attributes := _ATTRIBUTES.match(text, start):
        return TemplateTag("", attributes.end()) if _has_attributes(text, start) else None
    if directive := _DIRECTIVE.match(text, start):
        return TemplateTag("", directive.end())
    if variable := _VARIABLE.match(text, start):
        return TemplateTag(variable["name"], variable.end())
    return read_hexo_tag(text, start) or _liquid_tag(text, start) or read_shortcode(text, start)


def _has_attributes(text: str, start: int) -> bool:
    """Whether what ends at an offset is a link, or emphasis or code that kramdown's attributes follow."""
    sign = text[max(0, start - 1) : start]
    if sign == ")":
        return _LINK_CLOSED.search(text, max(0, start - _MAX_LINK_CHARS), start) is not None
    return sign in ("*", "_", "`", "]") and text.startswith("{:", start)


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
        return _liquid_pair(text, name, values, end)
    if name in _LIQUID_NOTES:
        return TemplateTag(title_line(_title_of(name, values), text, start, end), end)
    if name in ("link", "post_url"):
        return TemplateTag(values.replace(" ", "%20"), end)
    if is_alone(text, start, end) or not name.startswith(("data", "els")):
        words = words_for_readers(values) if name in _LIQUID_WITH_WORDS else ""
        return TemplateTag(f"**{words}**\n" if words and not name.startswith("include") else words, end)
    # Such as `{% data variables.product.prodname_actions %}` of GitHub.
    words = values.rpartition(".")[2].removeprefix("prodname_").replace("_", " ")
    return TemplateTag(words if name == "data" else " / ", end)


def without_variables(address: str) -> str:
    """An address without the variables of the site, such as `{{ site.baseurl }}`."""
    return _LIQUID_VARIABLE.sub(lambda variable: variable["path"] or "", address) if "{{" in address else address


def _liquid_pair(text: str, name: str, values: str, begin: int) -> TemplateTag:
    """What stands between a tag of Liquid and its end: nothing of a comment, code, or text as it is."""
    closing = re.compile(rf"\{{%-?[ \t]*end{name}[ \t]*-?%\}}").search(text, begin, begin + MAX_PAIR_CHARS)
    content = "" if closing is None else text[begin : closing.start()]
    is_in_code = has_mark(content) or content.count("`") % 2 == 1  # an end in code is none, and code stays as it is
    if closing is None or is_in_code:
        return TemplateTag("", begin)
    language = _LANGUAGE.match(values) if name == "highlight" else None
    code = content * (name == "highlight")
    return TemplateTag(content * (name == "raw"), closing.end(), code, language[0] if language else "")


def _title_of(name: str, values: str) -> str:
    """The title of a note or a box, or else the kind of the note; empty without both."""
    if name == "details":
        return values.strip(_QUOTES)
    if title := _TITLE.match(values):
        return title[1]
    kind, _, words = values.partition(" ")  # as in `note warn For the night`
    is_kind = name == "note" and kind.isalpha() and "=" not in words
    return (words.strip().strip(_QUOTES) if is_kind else "") or find_kind(name, values)
