"""Code blocks of web pages: their text and language.

Belongs here: line numbers, buttons, the names of languages in classes. Not here: inline code (`inline`).
Guarantee: the code's own characters and line ends stay; the work is linear.
"""

import re
from typing import Any

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:highlight-source-|highlight-text-|highlight-|language-|lang-|brush:\s*|sourceCode\s+|src-|src\s+src-)"
    r"(?P<name>[\w+#.-]{1,20})"
)
_BARE = re.compile(
    r"^(?:hljs|prettyprint|sourceCode|code|programlisting|screen|highlight)\s+(?P<name>[a-z][\w+#]{0,15})$"
)
_CODE = re.compile(
    r"(?:^|[\s_-])(?:code|screen|programlisting|literal-block|literallayout|console|terminal|highlight|highlighter|language|"
    r"verbatim|example|synopsis|output|listing|prettyprint)(?=$|[\s_-])"
)
_BRUSH = re.compile(r"brush:\s*([\w+#.-]{1,20})")
_NOT_LANGUAGES = frozenset(
    {"default", "none", "text", "plain", "plaintext", "nohighlight", "guess", "notranslate", "highlight", "highlighter",
     "rouge", "code", "basic", "wrapper", "container", "source", "prettyprinted", "linenums", "hljs", "txt"}
)  # fmt: skip
_SHORT = {"source-shell": "shell", "source-python": "python", "source-js": "js", "source-ts": "ts", "python3": "python"}
_NUMBERS = re.compile(
    r"(?:^|\s)(?:lineno|linenos|linenumbers?|line-numbers?(?:-rows)?|ln|lnt|lnum|gutter|blob-num|hljs-ln-numbers|"
    r"react-syntax-highlighter-line-number|rouge-gutter)(?=\s|$)"
)
_DIGITS = re.compile(r"[\d\s]+")
_DROPPED = frozenset({"button", "script", "style", "template", "svg"})
_LINES = frozenset({"div", "p", "li", "tr"})
_LINE_END = object()
_ABOVE = 3  # ancestors that may name the language
_TICKS = re.compile(r"`{3,}")
PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})


def code_block(element: Any) -> str:
    """The fenced code of an element such as `pre`; empty if it holds none."""
    lines = [line.rstrip() for line in code_text(element).split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return fence_code("\n".join(lines), language_of(element)) if lines else ""


def is_code(element: Any) -> bool:
    """Whether a preformatted element says that it is code or output: by a language, a class or an element."""
    if element.tag == "code" or next(element.iter("code", "samp", "kbd"), None) is not None:
        return True
    parent = element.getparent()
    around = element if parent is None else parent
    return bool(_CODE.search(f"{element.get('class') or ''} {around.get('class') or ''}") or language_of(element))


def fence_code(code: str, language: str) -> str:
    """Code between fences that are longer than any in it."""
    longest = max((len(match[0]) for match in _TICKS.finditer(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def language_of(element: Any) -> str:
    """The language that an element, its code or the elements around it name; empty if none does."""
    code_element = element.find(".//code")
    around: list[Any] = [] if code_element is None else [code_element]
    around.append(element)
    while len(around) < _ABOVE + 2 and around[-1].getparent() is not None:
        around.append(around[-1].getparent())
    for candidate in around:
        for name in (
            candidate.get("data-lang"),
            candidate.get("data-language"),
            _brush(candidate),
            candidate.get("lang") if candidate is element else None,
        ):
            if name and (language := _language(name)):
                return language
        classes = " ".join((candidate.get("class") or "").split())
        for match in _LANGUAGE.finditer(classes):
            if language := _language(match["name"]):
                return language
        is_own = candidate in (element, code_element) or candidate.tag == "figure"
        bare = _BARE.match(classes) if is_own else None
        if bare and (language := _language(bare["name"])):
            return language
    return ""


def _brush(element: Any) -> str:
    match = _BRUSH.search(element.get("data-syntaxhighlighter-params") or "")
    return match[1] if match else ""


def code_table(table: Any) -> list[Any]:
    """The code of a table whose first column is line numbers: its cells with code, else none."""
    cells = list(table.iter("td"))
    if not cells or (table.find(".//pre") is None and "highlight" not in (table.get("class") or "")):
        return []
    code = [cell for cell in cells if not is_numbers(cell)]
    if len(code) == len(cells):
        return []
    return code if len(code) == 1 or table.find(".//pre") is None else [cell for cell in code if len(cell)]


def is_numbers(element: Any) -> bool:
    """Whether an element holds only the numbers of lines."""
    if _NUMBERS.search(element.get("class") or "") or element.get("data-line-number"):
        return True
    texts = element.itertext() if element.tag == "td" else iter(())
    return _DIGITS.fullmatch(next(texts, "x")) is not None and all(map(_DIGITS.fullmatch, texts))


def code_text(element: Any) -> str:
    """The text of an element, with the line ends that its tags stand for."""
    # Without recursion, because tags nest.
    texts: list[str] = []
    stack: list[Any] = [element]
    was_ended = False  # by a tag
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            texts.append(node.removeprefix("\n") if was_ended else node)
            was_ended = was_ended and not texts[-1]
        elif node is _LINE_END:
            if texts and not texts[-1].endswith("\n"):
                texts.append("\n")
                was_ended = True
        else:
            is_root = node is element
            stack += [node.tail] if node.tail and not is_root else []
            if node.tag == "br":
                stack.append("\n")
            elif isinstance(node.tag, str) and node.tag not in _DROPPED and (is_root or not _is_margin(node)):
                stack += [_LINE_END] if node.tag in _LINES and not is_root else []
                stack += reversed(list(node))
                stack += [node.text] if node.text else []
    return "".join(texts).replace("\xa0", " ")


def _is_margin(element: Any) -> bool:
    classes = element.get("class") or ""
    return bool(_NUMBERS.search(classes)) and bool(_DIGITS.fullmatch(element.text_content() or " "))


def _language(name: str) -> str:
    plain = name.strip().lower().rstrip(";")
    plain = _SHORT.get(plain, plain).removeprefix("source-")
    return "" if plain in _NOT_LANGUAGES or not re.fullmatch(r"[a-z][\w+#.-]{0,19}", plain) else plain
