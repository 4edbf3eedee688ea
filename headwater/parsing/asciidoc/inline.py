"""The inline markup of AsciiDoc as markdown.

Belongs here: code, emphasis, attributes, what is passed through, within a paragraph. Not here: macros (`macros`),
blocks (`blocks`). Guarantee: pure and linear; what is passed through is no markup; an attribute is replaced once.
"""

import html
import re
from collections.abc import Mapping

from headwater.parsing.asciidoc.macros import FOOTNOTE, MACRO, footnote_words, macro_words, write_macro
from headwater.parsing.markdown.html_tags import ELEMENTS

_CODE = r"(?P<ticks>`{1,2}+)(?P<code>[^`\n]+(?:\n[^`\n]+)?)(?P=ticks)"
_CURLY = r"(?P<quote>[\"'])`(?P<quoted>[^`\n]+(?:\n[^`\n]+)?)`(?P=quote)"
_TOKEN = re.compile(rf"(?P<escape>\\)?(?:{_CURLY}|{_CODE}|{MACRO})")
_CODE_MACRO = re.compile(rf"(?P<escape>\\)?(?:{MACRO})")
_QUOTES = {'"': "“”", "'": "‘’"}
_ATTRIBUTE = re.compile(r"(?P<escape>\\)?\{(?P<name>[\w-]{1,60})\}")
_BUILT_IN = {
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "apos": "'", "quot": '"', "lsquo": "‘",
    "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "plus": "+", "brvbar": "|", "vbar": "|", "amp": "&",
    "lt": "<", "gt": ">", "startsb": "[", "endsb": "]", "caret": "^", "asterisk": "*", "tilde": "~",
    "backslash": "\\", "backtick": "`", "two-colons": "::", "two-semicolons": ";;", "cpp": "C++",
}  # fmt: skip
_STRONG = re.compile(r"(?<![\w*\\])\*(?![\s*])(?P<one>[^*\n]+?)(?<!\s)\*(?![\w*])|\*\*(?P<two>[^*\n]+)\*\*")
_STRONG_CODE = re.compile(  # `[*], b[*]` is none
    r"(?<![\w*\\])\*(?=[\w<{$\x03-])(?P<one>[^*\n]+)(?<![\s,;(\[{])\*(?![\w*])|\*\*(?=[\w<{$\x03-])(?P<two>[^*\n]+)\*\*"
)
_EMPHASIS = re.compile(
    r"(?<![\w_\\])_(?![\s_])(?P<one>[^_\n]+(?:(?<=\w)_(?=\w)[^_\n]+)*+)(?<!\s)_(?![\w_])"
    r"|(?<!_)__(?P<two>[^_\n]+(?:_[^_\n]+)*+)__(?!_)"
)
# In a word of code, underscores are mostly its own, as in `__init__`.
_PLACEHOLDER = re.compile(r"(?<![\w_])_(?P<one><[^<>_`\n]+>)_(?![\w_])|(?<!_)__(?P<two><[^<>`\n]+>)__(?!_)")
_ROLE_IN_CODE = re.compile(r"\[\.[\w.-]{1,100}\](?:_(?P<words>[^_`\n]+)_(?!\w)|(?=[_*`#]))")
_MONO = re.compile(r"(?<![\w+\\])\+(?![\s+])(?P<one>[^+\n]+?)(?<!\s)\+(?![\w+])")
_PASSED = re.compile(
    r"(?<![`\w])`\+(?![\s+`])(?P<code>[^`\n]{1,2000})(?<!\s)\+`"
    r"|(?<!`)\+\+\+(?P<raw>.*?)\+\+\+|(?<=`)\+\+\+(?P<coded>[^`\n]*?)\+\+\+(?=`)|\${2}(?P<dollars>[^$`\n]*)\${2}"
    r"|(?<![\w+])\+\+(?![\s+])(?P<plus>[^+`\n]+(?:\+[^+`\n]+)*+)(?<!\s)\+\+(?!\+)"
    r"|(?<!\w)pass:(?P<subs>[a-z,-]{0,60})\[(?P<text>(?:\\\]|[^\]]){0,2000})\]"
)
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,20})(?:\s[^<>]{0,500})?/?>")
_ROLE = re.compile(
    r"\[(?:[.#][\w.#%-]+\](?=[#*_`+^~\x03])|[\w-]+\](?=[#*_`+^~]))"
    r"|(?<![\w#])(?P<marks>#{1,2})(?![\s#])(?P<marked>[^#\n]+?)(?<!\s)(?P=marks)(?!\w)"
)
_RAISED = re.compile(r"(?<!\\)\^(\S{1,60}?)\^|(?<!\\)~(\S{1,60}?)~(?!~)")
_QUOTED = re.compile(r"(?<!`)``([^`'\n]+(?:\n[^`'\n]+)?)''")  # as AsciiDoc wrote quotation marks before Asciidoctor
_ESCAPE = re.compile(r"\\(?=[*_`#{<\[+^~])")
_BREAK = re.compile(r"(?:[ \t]++|\{(?:empty|blank|sp|nbsp)\})\+$", re.MULTILINE)
_DASHES = re.compile(r"(?<=\w)--(?=\w)|(?<=\S) -- (?=\S)|^-- (?=\S)", re.MULTILINE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_SIGN = re.compile(r"[*_`#+^~\[{<(\\$&]|://|--")
_STORED = re.compile(r"\x03(\d+)\x04")
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b]")


def inline(text: str, attributes: Mapping[str, str]) -> str:
    """The text of a paragraph as markdown.

    Args:
        text: the paragraph, without `CONTROLS`.
        attributes: the values that the document gives to names.
    """
    text = _BREAK.sub("", text)
    if not _SIGN.search(text):
        return text
    return _Paragraph(attributes).read(_QUOTED.sub(r"“\1”", text))


def replace_attributes(text: str, attributes: Mapping[str, str]) -> str:
    """A text with the values of its attributes; unknown ones stay."""

    def value(match: re.Match[str]) -> str:
        if match["escape"]:
            return match[0][1:]
        return attributes.get(match["name"].lower(), _BUILT_IN.get(match["name"].lower(), match[0]))

    return _ATTRIBUTE.sub(value, text) if "{" in text else text


def read_code(code: str, attributes: Mapping[str, str], substitutions: frozenset[str]) -> str:
    """The code of a block in which markup is read.

    Args:
        code: the lines.
        attributes: the values that the document gives to names.
        substitutions: of `attributes`, `macros` and `quotes`, what is read.
    """
    paragraph = _Paragraph(attributes)
    code = paragraph.store_passed(code) if "macros" in substitutions else code
    code = replace_attributes(code, attributes) if "attributes" in substitutions else code
    code = _CODE_MACRO.sub(_write_in_code, code) if "macros" in substitutions else code
    if "quotes" in substitutions:
        code = _STRONG_CODE.sub(_take_words, _EMPHASIS.sub(_take_words, _drop_roles(code)))
    return paragraph.restore(code)


class _Paragraph:
    """Reads one paragraph: what must not be read again is stored, and a mark stands for it until the end."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self._attributes = attributes
        self._texts: list[str] = []

    def read(self, text: str) -> str:
        """The paragraph as markdown."""
        with_values = replace_attributes(self.store_passed(text), self._attributes)
        return self.restore(self._render(self.store_passed(with_values)))

    def restore(self, text: str) -> str:
        """A text with all that was stored."""
        return _STORED.sub(lambda match: self._texts[int(match[1])], text)

    def store_passed(self, text: str) -> str:
        """A text with marks for what is passed through; if it is to be read after all, only its brackets go."""
        return _PASSED.sub(self._pass, text)

    def _pass(self, match: re.Match[str]) -> str:
        if match["code"]:
            return self._store(f"`{match['code']}`")
        text = (match["text"] or "").replace("\\]", "]")
        if {"q", "a", "m", "n", "quotes", "attributes", "macros", "normal"} & set((match["subs"] or "").split(",")):
            return text
        raw = match["raw"] or text
        without_tags = _TAG.sub(lambda tag: "" if tag[1].lower() in ELEMENTS else tag[0], raw)
        return self._store(without_tags or match["coded"] or match["dollars"] or match["plus"] or "")

    def _store(self, text: str) -> str:
        self._texts.append(self.restore(text))
        return f"\x03{len(self._texts) - 1}\x04"

    def _render(self, text: str) -> str:
        text = _TOKEN.sub(self._write_token, text)
        text = FOOTNOTE.sub(footnote_words, text)
        text = _ROLE.sub(lambda match: match["marked"] or "", text)
        text = _EMPHASIS.sub(lambda match: f"\x02{match['one'] or match['two']}\x02", text)
        text = _STRONG.sub(lambda match: f"**{match['one'] or match['two']}**", text)
        text = _MONO.sub(lambda match: f"`{match['one']}`", text)
        text = _RAISED.sub(lambda match: match[1] or match[2], text)
        text = _DASHES.sub(lambda match: match[0].replace("--", "—"), text)
        return _ESCAPE.sub("", _decode_entities(text)).replace("\x02", "*")

    def _write_token(self, match: re.Match[str]) -> str:
        if match["quote"]:
            quotes = _QUOTES[match["quote"]]
            return f"{quotes[0]}{self._render(match['quoted'])}{quotes[1]}"
        if match["code"]:
            code = _CODE_MACRO.sub(_write_in_code, " ".join(match["code"].split("\n")))
            return self._store(f"`{_decode_entities(_PLACEHOLDER.sub(_take_words, _drop_roles(code)))}`")
        if match["escape"]:
            return self._store(match[0][1:])
        return write_macro(match, self._render, self._store)


def _write_in_code(match: re.Match[str]) -> str:
    return match[0][1:] if match["escape"] else macro_words(match)


def _drop_roles(code: str) -> str:
    """Code without roles, and without the marks of emphasis that have one."""
    return _ROLE_IN_CODE.sub(lambda match: match["words"] or "", code)


def _decode_entities(text: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]).replace("\xa0", " "), text)


def _take_words(match: re.Match[str]) -> str:
    return match["one"] or match["two"] or ""
