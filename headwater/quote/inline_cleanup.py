"""Inline markdown of a source, cleaned so that it can stand in an answer.

Belongs here: links, images, tags, anchors, footnotes and markers within a paragraph. Not here: blocks
(`quote_markdown`). Guarantee: the words stay; nothing active is left: no image, no HTML, no link but to an `http`
address; nothing outside code looks like a marker; code between backticks is untouched. A small image in a line of
words is one of its words: what stands in its place for people who do not see it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_MARKUP = re.compile(r"[*`\[\]|\\]|<(?=[^\s<>])(?![^<>]*>)")
_TAG_IN_NAME = re.compile(r"((?<![^\s<])[^\s<]*+<[^\s<>][^<>]*+>\S*)")  # such as `LANGUAGE=<lang>` and `Map<K, V>`
_EMPHASIS = re.compile(r"(?<!\\)(?<![^\W_])_|_(?![^\W_])")  # within a word, such as `my_file.py`, it is none
_INLINE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<image>!\[(?!\[[^\[\]\n]*\]\](?!\())(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*+)\]"
    r"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])?)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!?\[\[(?P<page>[^\[\]|\s][^\[\]|\n]*+)(?:\|(?P<called>[^\[\]\n]+))?\]\](?!\(<?(?=[^()\s]*[./#:])[!-'*-~]+>?(?:\s+\"[^\"\n]*\")?\))"
    r"|\[(?!\^)(?P<label>(?:[^\[\]`]|`[^`\n]*`|!?\[[^\[\]]*\](?:\([^()\n]*\))?)*+)\]"
    r"(?:\(\s*<?(?P<url>[^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s[^()\n]*)?\)|\[[^\[\]\n]*\])"
    r"|(?P<footnote>(?<![^\n])\[\^[^\[\]\s]{1,100}\]:[ \t]*|\[\^[^\[\]\s]{1,100}\])"
    r"|(?P<anchor>[ \t]{0,3}\{[ \t]?[:#.][\w:.#= \"-]*\})|<(?P<address>https?://[^<>\s]+)>"
    r"|</?(?P<tag>[A-Za-z][\w.-]*)(?:\s[^<>\n]*)?/?>|(?P<comment><!--(?:(?!<!--|-->).){0,2000}-->)|\[(?P<marker>\d+)\]",
    re.DOTALL,
)
_TAGS = frozenset([
    "a", "abbr", "article", "aside", "audio", "b", "blockquote", "body", "br", "button", "center", "cite", "code",
    "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "embed", "figcaption", "figure",
    "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe", "img", "input",
    "ins", "kbd", "li", "link", "main", "mark", "meta", "nav", "object", "ol", "p", "picture", "pre", "q", "s",
    "samp", "script", "section", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup",
    "svg", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var", "video", "wbr",
])  # fmt: skip
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
# What closes an admonition, the rule of a block of AsciiDoc, a line that is only a tag of a template.
_LEFTOVER = re.compile(r"^[ \t]*(?:::+|-{4,}|={4,}|\{%[^%\n]*%\}|\{\{[<%][^{}\n]*[>%]\}\})[ \t]*$", re.MULTILINE)
_ADMONITION = re.compile(
    r"^[ \t>]*(?:\[!(?P<alert>\w+)\][+-]?[ \t]*(?P<called>[^\n]*)$"
    r"|\[(?P<block>NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*$"
    r"|(?:!!!|\?\?\?\+?|:::+|\.\.)[ \t]*(?P<name>[A-Za-z]+)(?:::)?[ \t]*"
    r"(?:[\[\"](?P<title>[^\]\"\n]*)[\]\"])?[ \t]*$)",
    re.MULTILINE,
)
# A fence that opens no code, since its text is plain, would make everything behind it code.
_OPEN_FENCE = re.compile(r"^[ \t]*(?:`{3,}+(?=[^`\n]*$)|~{3,})[\w+#-]{0,20}(?=\s|$)", re.MULTILINE)
_LITERAL_NEXT = re.compile(r"(?<=[^\s:])::(?=\s*$)")  # reStructuredText's sign that code follows
_KEPT_ESCAPES = frozenset("*_`[]<>\\|~&{}")  # without the backslash they would be markup
_AT_LINE_START = re.compile(r"\\[-+#=>:.)]|\d{1,9}\\[.)]")
_ESCAPE = re.compile(r"(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`))|\\([!-/:;=?@\\^_`{-~])")
# Zero-width spaces, soft hyphens, marks of byte order and direction, and tags; joiners only where they join nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_STRONG = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)")
_MARKS = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![\w*\\])\*(?=[^\s*])(?P<inside>[^*\n]{1,300})(?<=[^\s\\])\*(?![\w*])"
)
# A link as `clean_inline` leaves it.
_LINK = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`))"
    r"|(?<!\\)\[(?P<label>(?:[^\[\]`\\]|\\.|`[^`]*`){1,500})\]\(https?://(?:[^\s()]|\([^\s()]*\))*\)"
)
_WIDE_SPACES = re.compile(r"(`+[^`]*`+)|(?<=\S)[ \t]{2,}(?=\S)")  # of text that was set to both margins
_PAGE_HEADING = re.compile(r"(?<=\S)#\^?(?=\S)")  # of a link to a heading of a page of a wiki
_SPACES = re.compile(r"(?<![ \t\n])[ \t]*+\n[ \t\n]*+")
_PERMANENT = re.compile("[¶#§🔗↩\ufe0e\ufe0f]*")  # what stands for a link to its own place
_WORD_BEFORE, _WORD_BEHIND = re.compile(r"[\w>]"), re.compile(r"[\w<]")
_FILE_NAME = re.compile(r"\.[A-Za-z]{3,4}\]?$")
_MAX_ALT = 30  # characters: a longer text describes a picture, and is no word of the line
_PASSES = 5  # what removing markup puts together may be markup again


def clean_inline(text: str) -> str:
    """Clean the inline markdown of a paragraph; its lines become one."""
    text = _LITERAL_NEXT.sub(":", _OPEN_FENCE.sub("", without_invisible(text))).replace("\\\n", "\n")
    start = _AT_LINE_START.match(text.lstrip())
    list_mark = start[0] if start else ""  # without the backslash it would begin a list or a heading
    text = text.lstrip()[len(list_mark) :] if list_mark else text
    for _ in range(_PASSES):
        previous, text = text, _INLINE.sub(_clean, text)
        if text == previous:
            break
    text = _WIDE_SPACES.sub(lambda match: match[1] or " ", _SPACES.sub(" ", text))
    return list_mark + (text.rstrip() if list_mark else text.strip())


def without_invisible(text: str) -> str:
    """A text without characters that nobody sees; those that join letters of other scripts or signs stay."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def without_escapes(text: str) -> str:
    """Clean inline markdown as plain text: without the backslashes before signs."""
    return _ESCAPE.sub(lambda match: match["code"] or match[3], text) if "\\" in text else text


def without_admonition_marks(text: str) -> str:
    """A text without the marks of quotations and admonitions; the name of an admonition stays, as words."""
    return _QUOTED.sub("", _ADMONITION.sub(_name_admonition, _LEFTOVER.sub("", text)))


def without_marks(text: str) -> str:
    """Clean inline markdown without the marks of bold text and emphasis, outside code."""
    return _MARKS.sub(lambda match: match["code"] or match["inside"] or "", _STRONG.sub("", text))


def without_addresses(text: str) -> str:
    """Clean inline markdown with the words of its links alone, outside code."""
    return _LINK.sub(lambda match: match["code"] or match["label"], text) if "](" in text else text


def is_admonition_mark(text: str) -> bool:
    """Whether a text only opens an admonition; what stands behind its mark is a title, or all that it says."""
    match = _ADMONITION.fullmatch(text.strip())
    return match is not None and not match["called"]


def plain_path(headings: Iterable[str]) -> str:
    """A path of headings as one line of text without markup, which nothing can take for a marker or a link."""
    return " › ".join(plain_headings(headings))


def plain_headings(headings: Iterable[str]) -> list[str]:
    """Headings as they stand in such a path, each once, without empty ones."""
    return list(dict.fromkeys(filter(None, map(_plain_heading, headings))))


def _plain_heading(heading: str) -> str:
    """A heading without markup; what looks like a tag is a part of a name, and stands as code."""
    words = " ".join(_MARKUP.sub(" ", without_invisible(heading)).split())
    segments = _TAG_IN_NAME.split(words)
    return "".join(f"`{text}`" if index % 2 else without_emphasis(text) for index, text in enumerate(segments))


def without_emphasis(name: str) -> str:
    """A name such as `__init__.py`, written so that its signs stay signs."""
    return _EMPHASIS.sub(r"\\_", name)


def bold(text: str) -> str:
    """Put clean inline markdown in bold, without bold within it; unchanged if that would break its code."""
    inside = text.strip()
    if not inside or inside.count("`") % 2:
        return text
    plain = "".join(
        segment if segment.startswith("`") else _STRONG.sub("", segment) for segment in re.split(r"(`[^`]*`)", inside)
    )
    return text.replace(inside, f"**{plain}**", 1)


def _clean(match: re.Match[str]) -> str:
    if match["code"]:
        return match[0]
    if match["escaped"]:
        return match[0] if match["escaped"] in _KEPT_ESCAPES else match["escaped"]
    if match["page"]:
        page_name = match["called"] or _PAGE_HEADING.sub(" > ", match["page"].lstrip("#^"))
        return "" if match[0].startswith("!") else clean_inline(page_name)
    if match["label"] is not None:
        return _read_link(clean_inline(match["label"]), match["url"] or "")
    if match["image"]:
        return _read_image(match)
    if match["address"]:
        return match["address"]
    if match["marker"]:
        return f"({match['marker']})"
    if tag := match["tag"]:
        if tag.lower() in ("br", "wbr", "hr"):
            return " "
        return "" if tag.lower() in _TAGS or (tag[0].isupper() and not match[0].isupper()) else f"`{match[0]}`"
    return ""


def _read_link(label: str, url: str) -> str:
    """A link with an address, or its words; nothing of the sign of a permanent link."""
    if url.startswith("#") and _PERMANENT.fullmatch(label):
        return ""
    return f"[{label}]({url})" if label and url.startswith(("http://", "https://")) else label


def _read_image(match: re.Match[str]) -> str:
    """The text in an image's place, if it stands in a line of words; nothing if that is long or the name of a file."""
    text, start, end = match.string, match.start(), match.end()
    line_end = text.find("\n", end)
    line = text[text.rfind("\n", 0, start) + 1 : len(text) if line_end < 0 else line_end]
    alt = clean_inline(match["alt"])
    if not alt or len(alt) > _MAX_ALT or _FILE_NAME.search(alt) or not _has_words(line):
        return ""
    is_joined = _WORD_BEFORE.match(text[start - 1 : start]), _WORD_BEHIND.match(text[end : end + 1])
    return f"{' ' * bool(is_joined[0])}{alt}{' ' * bool(is_joined[1])}"


@lru_cache(maxsize=8)  # a line of a thousand images is read once
def _has_words(line: str) -> bool:
    """Whether a line has words beside its images, links and tags."""
    return re.search(r"\w", _INLINE.sub("", line)) is not None


def _name_admonition(match: re.Match[str]) -> str:
    """The mark of an admonition as words."""
    name = match["title"] or match["called"] or (match["alert"] or match["block"] or match["name"]).capitalize()
    name = name.strip().rstrip(":")
    return f"**{name}** " if name.endswith((".", "!", "?", "。")) else f"**{name}:** "
