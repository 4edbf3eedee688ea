"""What stands in a line of Org, as markdown.

Belongs here: links, emphasis, code, notes, dates. Not here: blocks (`org_markdown`). Guarantee: linear in the text;
code between `=` or `~` stays as it is.
"""

import re

_LINK = re.compile(r"\[\[(?P<target>[^\[\]\n]{1,2000})\](?:\[(?P<label>[^\[\]]{1,2000})\])?\]")
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)  # Org shows it instead of its address
_NOTE = re.compile(r"\[fn:[^\]\s:]{0,60}(?::(?P<text>[^\[\]]{1,2000}))?\]")
_DATE = re.compile(
    r"[<\[](?P<date>\d{4}-\d\d-\d\d)(?: [^\d<>\[\]]{1,15})?(?P<time> \d\d?:\d\d(?:-\d\d?:\d\d)?)?"
    r"(?: [^<>\[\]]{1,20})?[>\]]"
)
_TARGET = re.compile(r"<<<?[^<>\n]{1,200}>?>>")
# Of org-ref and org-cite: citations in brackets are for programs, of a reference the name is read.
_CITED = re.compile(
    r"[ \t]?\[cite[\w/-]{0,30}:[^\[\]]{1,500}\]"
    r"|(?<![\w/:])(?:(?:auto|eq|c|C|page|name)?ref|cite[pt]?):(?P<name>[\w:.,-]{0,300}\w)"
)
_EMPHASIS = re.compile(
    r"(?:(?<=[\s\-({'\"])|^)(?P<mark>[*/_=~+])(?P<text>[^\s](?:(?:(?!(?P=mark))[^\n]|\n(?!\s)|(?<=\S)(?P=mark)(?=\w)){0,300}(?<=\S))??)(?P=mark)"
    r"(?=[\s\-.,;:!?'\")}\[\\]|$)",
    re.MULTILINE,
)
_SIGNS = {"*": "**", "/": "*", "_": "", "+": "~~"}


class OrgInline:
    """Reads lines, and collects the files that they link to."""

    def __init__(self) -> None:
        self.links: list[str] = []

    def markdown(self, text: str) -> str:
        """A text of one or more lines."""
        pieces: list[str] = []
        position = 0
        for link in _LINK.finditer(text):
            pieces += [_emphasise(text[position : link.start()]), self._link(link)]
            position = link.end()
        return "".join([*pieces, _emphasise(text[position:])])

    def plain(self, text: str) -> str:
        """A text without markup of its own, such as a title."""
        return " ".join(
            _EMPHASIS.sub(r"\g<text>", _LINK.sub(lambda link: link["label"] or link["target"], text)).split()
        )

    def _link(self, link: re.Match[str]) -> str:
        target, label = link["target"].strip(), link["label"]
        if target.startswith(("http://", "https://", "mailto:")):
            return f"[{_emphasise(label)}]({target})" if label else target
        path = target.removeprefix("file:").partition("::")[0]
        if target.startswith(("file:", "./", "../")):
            self.links.append(path)
        if not label and _IMAGE.search(path):
            return ""
        return _emphasise(label) if label else path.lstrip("*#")


def _emphasise(text: str) -> str:
    text = _TARGET.sub("", _DATE.sub(r"\g<date>\g<time>", _NOTE.sub(_note, text)))
    pieces: list[str] = []
    position = 0
    for match in _EMPHASIS.finditer(text):
        pieces += [_name_references(text[position : match.start()]), _replace_sign(match)]
        position = match.end()
    return "".join([*pieces, _name_references(text[position:])])


def _name_references(text: str) -> str:
    return _CITED.sub(lambda match: match["name"] or "", text) if ":" in text else text


def _note(note: re.Match[str]) -> str:
    return f" ({note['text'].strip()})" if note["text"] else ""


def _replace_sign(match: re.Match[str]) -> str:
    mark, text = match["mark"], match["text"]
    if mark in "=~":
        return f"`{text}`" if "`" not in text else f"`` {text} ``"
    return f"{_SIGNS[mark]}{text}{_SIGNS[mark]}"
