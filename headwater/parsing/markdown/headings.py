"""The words of a markdown heading, and its anchor.

Belongs here: removing markup and tags of templates from a heading. Not here: where headings are. Guarantee: a title and
a breadcrumb made from the same heading are equal; the work is linear in the heading's length.
"""

import re

UNDERLINED_HEADING = (
    r"(?<!\S\n)^(?!\d{1,9}[.)][ \t])(?P<underlined>[^\s#>|*+-][^\n]*(?<![.:!?\s]))\n(?P<line>=+|-{2,})[ \t]*$"
)
"""A heading above a line of signs, to be compiled with `re.MULTILINE`; `=` stands below one of the first level.

A line below others, an item or a sentence is none: the line of signs parts it from what follows."""
BOLD_LINE = re.compile(r"\*\*[^*\n]{2,80}\*\*:?|__[^*_\n]{2,80}__:?")
"""A line in bold alone, such as the name of an option above its text: it says what the text is about."""
_MARKUP = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]+)(?P=ticks)(?!`)"  # code keeps what it holds
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!?\[(?!\^)(?P<label>(?:[^\[\]]++|!?\[[^\[\]]*+\](?:\([^()\n]*+\))?+)*+)\]"
    r"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)|\[[^\[\]\n]*\])(?:\{[^{}\n]*\})?"
    r"|\[\^[^\[\]\n]*\]|(?<![\w\]])\[(?P<short>\w[^\[\]\n]*)\](?![\w(\[])"
    r"|(?<!\w)(?P<under>_{1,3})(?=[^\s_])(?P<emphasis>[^_\n]+)(?P=under)(?!\w)"
    r"|</?[A-Za-z][^<>\n]*>|~~|[*`]+"
)
_OWN_LINK = re.compile(r"^[›»] (?=.)")  # the sign of a link that leads to the heading itself
_BADGE = re.compile(r"\[!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
_ANCHOR = re.compile(r"(?<!\s)\s*+\{:?[ \t]*#([\w:.-]+)[^{}\n]*\}\s*$")
_CLASSES = re.compile(r"(?<!\s)\s*+\{:?[ \t]*\.[^{}\n]*\}\s*$")
_NOT_IN_A_SLUG = re.compile(r"[^\w\- ]")
_LIMIT = 300  # characters; anything longer is not a heading, and would not fit beside a text in an index
_TAG = re.compile(r"(?P<code>`[^`\n]*`)|\{\{(?P<inside>[^{}\n]{0,200})\}\}|\{%[^%\n]{0,200}%\}")
_LOOK_UP = re.compile(r"[-<%\s]*\$?\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\s*\|[^|]*)*[->%\s]*")
_VISIBLE = re.compile(r"[^\W_]")
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+[ \t]*$")


def plain_heading(content: str) -> str:
    """A heading's words, without markup, links and anchor.

    Args:
        content: the heading without its opening `#`s, or without the line below it.
    """
    content = without_tags(_CLASSES.sub("", _ANCHOR.sub("", _CLOSING.sub("", content.strip()).rstrip())))
    without_badges = _BADGE.sub("", content) if "[![" in content else content
    content = without_badges if _VISIBLE.search(without_badges) else content
    words = _MARKUP.sub(_words, content)
    if "[" in words and "](" in words:  # an image was the label of a link
        words = _MARKUP.sub(_words, words)
    return _OWN_LINK.sub("", " ".join(words.split()))[:_LIMIT]


def without_tags(words: str) -> str:
    """A title without the tags of a template that should have filled it in, such as `{{ page.title }}`.

    In a title with words of its own, only look-ups such as `{{ site.name }}` are left out: others may be its subject.
    """
    if "{{" not in words and "{%" not in words:
        return words
    plain_words = _TAG.sub(lambda tag: tag["code"] or "", words)
    if not _VISIBLE.search(plain_words):
        return ""
    looked_up = _TAG.sub(lambda tag: "" if _is_look_up(tag["inside"] or "") else tag[0], words)
    return " ".join(looked_up.split())


def _is_look_up(inside: str) -> bool:
    return "." in inside and _LOOK_UP.fullmatch(inside) is not None


def heading_anchor(content: str) -> str:
    """The anchor of a heading: its explicit id, or else GitHub's slug of it.

    Args:
        content: the heading without its opening `#`s, or without the line below it.
    """
    anchor = _ANCHOR.search(content)
    if anchor:
        return anchor[1].lower()
    return _NOT_IN_A_SLUG.sub("", plain_heading(content).lower()).replace(" ", "-")


def _words(match: re.Match[str]) -> str:
    label = match["label"] or match["short"] or match["emphasis"]
    if label:
        return _MARKUP.sub(_words, label)  # a part of the input, and so shorter each time
    return match["code"] or match["escaped"] or ""
