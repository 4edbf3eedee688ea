"""The macros of AsciiDoc: what they look like, and the markdown that they become.

Belongs here: links, references, keys, formulas, the macros that a site adds. Not here: code, emphasis, attributes
(`inline`). Guarantee: pure and linear; a macro that is not known leaves its words.
"""

import re
from collections.abc import Callable, Mapping

_LABEL = r"\[(?P<{0}>(?:\\\]|[^\]\n]|\n(?!\n)){{0,2000}})\]"
MACRO = (
    r"(?P<anchor>\[\[[^\[\]\n]*\]\]|\[#[^\[\]\n]*\](?!#))"
    r"|<<(?=\S)(?P<reference>[^<>\n,]+(?:\n[^<>\n,]+)?)(?:,(?P<named>[^<>\n]*(?:\n[^<>\n]+)?))?>>"
    r"|(?:(?<![\w:])|(?=xref:))(?P<name>link|xref|linkgit|mailto|kbd|btn|menu|image|icon|stem|"
    r"latexmath|asciimath|anchor|indexterm2?|manpage|command|option)::?(?P<target>[^\s\[\]]{0,2000})"
    + _LABEL.format("label")
    + r"|(?<![\w/])(?P<url>(?:https?|ftp|irc)://[^\s\[\]<>\"]{0,2000})(?:" + _LABEL.format("words") + r")?"
    r"|(?<![\w:/.-])(?!footnote)[a-z][a-z0-9_-]{1,30}:(?P<aim>[A-Za-z][^\s\[\]:\"]{0,200})\[(?P<display>display=[^\]\n]{1,500})\]"
    r"|\(\(\((?P<hidden>[^()\n]*)\)\)\)|\(\((?P<indexed>[^()\n]*)\)\)"
)  # fmt: skip
FOOTNOTE = re.compile(r"footnote(?:ref)?:[^\s\[\]]{0,200}" + _LABEL.format("label"))
_URL_ENDS = ".,;:!?)'*_`+~#^"
_OPTION = re.compile(r"^(?:window|role|opts|id)=|,\s*(?:[\w-]+=|$)")
_FILE_END = re.compile(r"\.(?:adoc|asciidoc|asc|html)$")
_ESCAPE = re.compile(r"\\(?=[*_])")
_Write = Callable[[str], str]


def write_macro(match: re.Match[str], render: _Write, store: _Write) -> str:
    """A macro as markdown.

    Args:
        match: of `MACRO`.
        render: makes markdown of the words of a label.
        store: keeps a text from being read as markup.
    """
    if match["anchor"] or match["hidden"]:
        return ""
    if match["indexed"]:
        return match["indexed"]
    if match["reference"]:
        return store(render(_reference_words(match)))
    if match["url"]:
        return _write_url(match["url"], match["words"], render, store)
    if match["aim"]:
        return store(render(_first(match["display"])))
    target, label = match["target"], _unescape_label(match["label"])
    write = _MACROS.get(match["name"])
    if match["name"] == "link":
        return store(_link(target, render(_first(label))))
    return store(write(target, label) if write else render(_first(label) or _name_target(match["name"], target)))


def macro_words(match: re.Match[str]) -> str:
    """The words of a macro in code; what is more likely code stays."""
    start, end = match.span()
    is_operator = match.string[start - 1 : start].isalnum() or match.string[end : end + 1].isalnum()
    if match["reference"] and match["named"] and not is_operator:
        return _reference_words(match)
    if match["url"] and match["words"]:
        return _ESCAPE.sub("", _first(_unescape_label(match["words"])))
    if match["aim"]:
        return _first(match["display"])
    if match["name"] in ("link", "xref") and match["target"]:
        label = _first(_unescape_label(match["label"]))
        return label or _name_target(match["name"], match["target"])
    return match[0]


def footnote_words(match: re.Match[str]) -> str:
    """A footnote in parentheses, where its mark stands."""
    label = _unescape_label(match["label"])
    return f" ({label})" if label else ""


def _unescape_label(label: str) -> str:
    return " ".join(label.replace("\\]", "]").split())


def _reference_words(match: re.Match[str]) -> str:
    title = match["named"] or match["reference"].rpartition("#")[2].replace("_", " ").replace("-", " ")
    return " ".join(title.split())


def _write_url(url: str, words: str | None, render: _Write, store: _Write) -> str:
    if words is not None:
        return store(_link(url, render(_first(_unescape_label(words)))))
    bare = url.rstrip(_URL_ENDS)
    return store(bare) + url[len(bare) :]


def _page(target: str, section: str) -> str:
    return f"{target}({section})" if section else target


def _link(target: str, words: str) -> str:
    return f"[{words}]({target})" if words else target


def _first(label: str) -> str:
    """The words of a label, without its options."""
    label = label.removeprefix("display=")
    if label.startswith('"'):
        return label[1:].partition('"')[0]
    return _OPTION.split(label, maxsplit=1)[0].removesuffix("^").strip()


def _name_target(name: str, target: str) -> str:
    """What a macro without words leads to: of a reference the section or the file, in words."""
    if name != "xref":
        return target
    page, _, section = target.partition("#")
    title = section or _FILE_END.sub("", re.split(r"[/:@$]", page)[-1])
    return " ".join(title.replace("_", " ").replace("-", " ").split())


_MACROS: Mapping[str, Callable[[str, str], str]] = {
    "linkgit": _page,
    "manpage": _page,
    **dict.fromkeys(("stem", "latexmath", "asciimath"), lambda _, label: f"${label}$"),
    **dict.fromkeys(("image", "icon"), lambda _, label: label.partition(",")[0].strip('" ')),
    **dict.fromkeys(("kbd", "command", "option"), lambda target, label: f"`{_first(label) or target}`"),
    **dict.fromkeys(("anchor", "indexterm"), lambda *_: ""),
    "menu": lambda target, label: " > ".join(filter(None, (target, label))),
}
