"""The inline markup of AsciiDoc as markdown.

Belongs here: emphasis, links, references, attributes within a paragraph. Not here: blocks (`blocks`). Guarantee: pure
and linear; code between backticks is untouched but for attributes; an attribute is replaced once.
"""

import re
from collections.abc import Callable, Mapping

_CODE = re.compile(r"(?P<ticks>`{1,2}+)(?P<code>[^`\n]+(?:\n[^`\n]+)?)(?P=ticks)")
_QUOTES = {'"': "“”", "'": "‘’"}
_ATTRIBUTE = re.compile(r"(?P<escape>\\)?\{(?P<name>[\w-]{1,60})\}")
_BUILT_IN = {
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "apos": "'", "quot": '"', "lsquo": "‘",
    "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "plus": "+", "brvbar": "|", "vbar": "|", "amp": "&",
    "lt": "<", "gt": ">", "startsb": "[", "endsb": "]", "caret": "^", "asterisk": "*", "tilde": "~",
    "backslash": "\\", "backtick": "`", "two-colons": "::", "two-semicolons": ";;", "cpp": "C++",
}  # fmt: skip
_LABEL = r"\[(?P<{0}>(?:\\\]|[^\]\n]|\n(?!\n)){{0,2000}})\]"
_MACRO = re.compile(
    r"(?P<anchor>\[\[[^\[\]\n]*\]\]|\[#[^\[\]\n]*\](?!#))"
    r"|<<(?=\S)(?P<reference>[^<>\n,]+(?:\n[^<>\n,]+)?)(?:,(?P<named>[^<>\n]*(?:\n[^<>\n]+)?))?>>"
    r"|(?:(?<!\w)|(?=footnote))(?P<name>link|xref|linkgit|mailto|footnote|footnoteref|kbd|btn|menu|image|icon|stem|"
    r"latexmath|asciimath|pass|anchor|indexterm2?|manpage|command|option)(?::|(?=:\[)):?(?P<target>[^\s\[\]]{0,2000})"
    + _LABEL.format("label")
    + r"|(?<![\w/])(?P<url>(?:https?|ftp|irc)://[^\s\[\]<>\"]{1,2000})" + _LABEL.format("words")
    + r"|\(\(\((?P<hidden>[^()\n]*)\)\)\)|\(\((?P<indexed>[^()\n]*)\)\)"
)  # fmt: skip
_STRONG = re.compile(r"(?<![\w*\\])\*(?![\s*])(?P<one>[^*\n]+?)(?<!\s)\*(?![\w*])|\*\*(?P<two>[^*\n]+)\*\*")
_EMPHASIS = re.compile(r"(?<![\w_\\])_(?![\s_])(?P<one>[^_\n]+?)(?<!\s)_(?![\w_])|(?<!_)__(?P<two>[^_\n]+)__(?!_)")
_MONO = re.compile(r"(?<![\w+\\])\+(?![\s+])(?P<one>[^+\n]+?)(?<!\s)\+(?![\w+])")
_PASSED = re.compile(r"\+\+\+(.*?)\+\+\+|\${2}([^$\n]*)\${2}")
_ROLE = re.compile(
    r"\[(?:[.#][\w.#-]+|[\w-]+)\](?=[#*_`+^~])"
    r"|(?<![\w#])(?P<marks>#{1,2})(?![\s#])(?P<marked>[^#\n]+?)(?<!\s)(?P=marks)(?!\w)"
)
_RAISED = re.compile(r"(?<!\\)\^(\S{1,60}?)\^|(?<!\\)~(\S{1,60}?)~(?!~)")
_QUOTED = re.compile(r"(?<!`)``([^`'\n]+(?:\n[^`'\n]+)?)''")  # as AsciiDoc wrote quotation marks before Asciidoctor
_ESCAPE = re.compile(r"\\(?=[*_`#{<\[+^~])")
_BREAK = re.compile(r"[ \t]+\+$", re.MULTILINE)
_DASHES = re.compile(r"(?<=\w)--(?=\w)|(?<=\S) -- (?=\S)|^-- (?=\S)", re.MULTILINE)
_SIGN = re.compile(r"[*_`#+^~\[{<(\\$]|://|--")


def inline(text: str, attributes: Mapping[str, str]) -> str:
    """The text of a paragraph as markdown.

    Args:
        text: the paragraph.
        attributes: the values that the document gives to names.
    """
    text = _BREAK.sub("", text)
    if not _SIGN.search(text):
        return text
    text = _QUOTED.sub(r"“\1”", text)
    texts, position = [], 0
    for code in _CODE.finditer(text):
        around = text[max(code.start() - 1, 0) : code.start()], text[code.end() : code.end() + 1]
        quotes = _QUOTES.get(around[0]) if around[0] == around[1] else None
        texts.append(_prose(text[position : code.start() - bool(quotes)], attributes))
        inside = replace_attributes(" ".join(code["code"].split("\n")), attributes)
        is_passed = len(inside) > 2 and inside[0] == inside[-1] == "+"
        inside = inside[1:-1] if is_passed else inside
        texts.append(f"{quotes[0]}{_prose(inside, attributes)}{quotes[1]}" if quotes else f"`{inside}`")
        position = code.end() + bool(quotes)
    return "".join([*texts, _prose(text[position:], attributes)])


def replace_attributes(text: str, attributes: Mapping[str, str]) -> str:
    """A text with the values of its attributes; unknown ones stay."""

    def value(match: re.Match[str]) -> str:
        if match["escape"]:
            return match[0][1:]
        return attributes.get(match["name"].lower(), _BUILT_IN.get(match["name"].lower(), match[0]))

    return _ATTRIBUTE.sub(value, text) if "{" in text else text


def _prose(text: str, attributes: Mapping[str, str]) -> str:
    text = _PASSED.sub(lambda match: match[1] or match[2] or "", text)
    text = replace_attributes(text, attributes)
    text = _MACRO.sub(_macro, text)
    text = _ROLE.sub(lambda match: match["marked"] or "", text)
    text = _EMPHASIS.sub(lambda match: f"\x02{match['one'] or match['two']}\x02", text)
    text = _STRONG.sub(lambda match: f"**{match['one'] or match['two']}**", text)
    text = _MONO.sub(lambda match: f"`{match['one']}`", text)
    text = _RAISED.sub(lambda match: match[1] or match[2], text)
    text = _DASHES.sub(lambda match: match[0].replace("--", "—"), text)
    return _ESCAPE.sub("", text).replace("\x02", "*")


def _macro(match: re.Match[str]) -> str:
    if match["anchor"] or match["hidden"]:
        return ""
    if match["indexed"]:
        return match["indexed"]
    if match["reference"]:
        title = match["named"] or match["reference"].rpartition("#")[2].replace("_", " ").replace("-", " ")
        return " ".join(title.split())
    if match["url"]:
        return _link(match["url"], " ".join(match["words"].split()))
    target, label = match["target"], " ".join(match["label"].replace("\\]", "]").split())
    write = _MACROS.get(match["name"])
    return write(target, label) if write else _first(label) or target


def _page(target: str, section: str) -> str:
    return f"{target}({section})" if section else target


def _link(target: str, label: str) -> str:
    words = _first(label)
    return f"[{words}]({target})" if words else target


def _first(label: str) -> str:
    """The words of a label, without its options."""
    if label.startswith('"'):
        return label[1:].partition('"')[0]
    return re.split(r",\s*(?:[\w-]+=|$)", label, maxsplit=1)[0].removesuffix("^").strip()


def _file_of(target: str) -> str:
    return (target.rpartition("#")[2] or target).replace("_", " ")


_MACROS: Mapping[str, Callable[[str, str], str]] = {
    "linkgit": _page,
    "manpage": _page,
    "link": _link,
    **dict.fromkeys(("stem", "latexmath", "asciimath"), lambda _, label: f"${label}$"),
    **dict.fromkeys(("image", "icon"), lambda _, label: label.partition(",")[0].strip('" ')),
    **dict.fromkeys(("footnote", "footnoteref"), lambda _, label: f" ({label})" if label else ""),
    **dict.fromkeys(("kbd", "command", "option"), lambda target, label: f"`{label or target}`"),
    **dict.fromkeys(("anchor", "indexterm"), lambda *_: ""),
    "menu": lambda target, label: " > ".join(filter(None, (target, label))),
    "xref": lambda target, label: _first(label) or _file_of(target),
}
