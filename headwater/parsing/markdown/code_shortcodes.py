"""Code between two shortcodes of Hugo, such as `{{< highlight go >}}`, with its language and the name of its file.

Belongs here: which pairs enclose code. Not here: where a shortcode and its pair end (`shortcodes`), pairs of other
generators (`hexo_tags`, `template_tags`). Guarantee: pure; a fence of markdown between two shortcodes stays as it is.
"""

import re
from typing import NamedTuple

from headwater.parsing.markdown.fences import has_mark
from headwater.parsing.markdown.tag_words import MAX_PAIR_CHARS, TemplateTag, is_alone, title_line
from headwater.parsing.markdown.writer import plain_markdown

_NAMES = frozenset(
    ["clipboard", "code", "code-block", "code-toggle", "codeblock", "highlight", "hl", "mermaid", "prism"]
)
_IF_IN_LANGUAGE = frozenset(["text"])  # of themes where other texts are in such a pair, too
_LANGUAGE = re.compile(
    r"(?:^|\b(?:lang|language|codelang|syntax)[ \t]*=[ \t]*)(?P<quote>[\"']?)(?P<name>[A-Za-z][\w+#-]{0,30})(?P=quote)"
    r"(?=[\s,]|$)"
)
_LANGUAGES = frozenset([
    "bash", "console", "go", "html", "ini", "java", "javascript", "js", "json", "plain", "proto", "python", "sh",
    "shell", "sql", "text", "toml", "xml", "yaml",
])  # fmt: skip
_NO_LANGUAGES = ("plain", "text")
_FILE = re.compile(
    r"(?:^|\s)(?P<kind>title|caption|file|filename)[ \t]*=[ \t]*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<bare>[^\s\"']+))"
)
_SEPARATOR = re.compile(r"[^:=\n]*(?P<sign>[:=])")
# Of Docsy, in which a tab is code unless it says that it is text.
_PANE = re.compile(r"\{\{[<%][ \t]*(?P<end>/[ \t]*)?tabpane\b(?P<values>[^<>\n]{0,500})")
_IS_TEXT = re.compile(r"\btext[ \t]*=[ \t]*\"?true")
_MAX_OPENING_CHARS = 10  # in front of a pane's name
_TAB_LABEL = re.compile(
    r"(?:^|\b(?:header|name|title)[ \t]*=[ \t]*)(?:\"(?P<quoted>[^\"]+)\"|(?P<bare>[^\s\"=]++)(?!=))"
)


class PairSpans(NamedTuple):
    """Where the first shortcode of a pair begins and ends, and where the second does."""

    start: int
    begin: int
    end: int
    closing_end: int


def has_code(kind: str, values: str, content: str) -> bool:
    """Whether a pair of shortcodes encloses code, and not a fence of markdown.

    Args:
        kind: the shortcode's name without its folder.
        values: what follows it.
        content: the text between the pair.
    """
    if kind == "highlight":
        return True
    is_fence = content.lstrip().startswith(("```", "~~~"))
    return not is_fence and (kind in _NAMES or (kind in _IF_IN_LANGUAGE and _find_language(values) in _LANGUAGES))


def read_code(text: str, kind: str, values: str, spans: PairSpans) -> TemplateTag:
    """The code between a pair of shortcodes, below its title or the name of its file; within a sentence, inline code.

    Args:
        text: markdown.
        kind: the shortcode's name without its folder.
        values: what follows it.
        spans: those of the pair.
    """
    start, begin, end, closing_end = spans
    content = text[begin:end]
    code = content.strip()
    if "\n" not in code and "`" not in code and not is_alone(text, start, closing_end):
        return TemplateTag(f"`{code}`" if code else "", closing_end)
    language = _find_language(values)
    if kind == "code-toggle":
        language = _guess_language(code)
    elif kind == "mermaid":
        language = kind
    words = _find_label(values, language if kind == "code-toggle" else "")
    title = title_line(plain_markdown(words), text, start, closing_end)
    return TemplateTag(title, closing_end, content, "" if language in _NO_LANGUAGES else language)


def read_tab_of_code(text: str, values: str, spans: PairSpans) -> TemplateTag | None:
    """The code in a tab, below its title; None if the tab is markdown.

    Args:
        text: markdown.
        values: what follows the tab's name.
        spans: those of the pair.
    """
    start, begin, end, closing_end = spans
    has_language = "codelang" in values  # in Kubernetes' tabs, of which others are markdown
    pane_values = "" if has_language else _find_pane(text, start)
    if pane_values is None or has_mark(text[begin:end]) or _IS_TEXT.search(f"{pane_values} {values}"):
        return None
    label = _TAB_LABEL.search(values)
    words = (label["quoted"] or label["bare"]) if label else ""
    title = title_line(plain_markdown(words), text, start, closing_end)
    return TemplateTag(title, closing_end, text[begin:end], _find_language(values if "lang" in values else pane_values))


def _find_pane(text: str, start: int) -> str | None:
    """The values of the pane of tabs that is open at an offset; None if none is."""
    name = text.rfind("tabpane", max(0, start - MAX_PAIR_CHARS), start)
    pane = _PANE.search(text, max(0, name - _MAX_OPENING_CHARS), start) if name >= 0 else None
    return None if pane is None or pane["end"] else pane["values"].strip(" %")


def _find_language(values: str) -> str:
    language = _LANGUAGE.search(values) if values else None
    return language["name"] if language else ""


def _find_label(values: str, ending: str) -> str:
    """The title of code, or the name of its file; `ending` is that of a configuration's name without one."""
    labels = {label["kind"]: label["double"] or label["single"] or label["bare"] for label in _FILE.finditer(values)}
    words = next((labels[kind] for kind in ("title", "caption", "file", "filename") if kind in labels), "")
    return f"{words}.{ending}" if words and ending and "." not in words else words


def _guess_language(code: str) -> str:
    """The language of a configuration or of front matter, which is written in one of three."""
    if code.startswith("{"):
        return "json"
    lines = (line.strip() for line in code.split("\n"))
    line = next((line for line in lines if line and not line.startswith("#")), "")
    separator = _SEPARATOR.match(line)
    is_toml = line.startswith(("[", "+++")) or (separator is not None and separator["sign"] == "=")
    return "toml" if is_toml else "yaml"
