"""The markup of DokuWiki as HTML.

Belongs here: headings, lists, tables, links, code, notes. Not here: paragraphs and the nesting of lists, which are
those of MediaWiki (`headwater.parsing.wikitext`); titles (`parser`). Guarantee: text that no markup explains is kept;
no page or plugin is included.
"""

import html
import re
from collections.abc import Callable

from headwater.parsing.wikitext.wikitext_lines import Lines

_APART, _END = "\ue001", "\ue002"  # around the number of what is set apart; of no other use
_PLACEHOLDER = re.compile(f"{_APART}(?P<number>\\d+){_END}")
_VERBATIM = re.compile(r"<(?P<name>code|file|html|php|nowiki)(?P<options>(?:\s[^<>\n]{0,200})?)>|%%", re.IGNORECASE)
_LINK = re.compile(r"\[\[(?P<target>[^\[\]|\n]{1,1000})(?:\|(?P<label>[^\[\]\n]{0,1000}))?\]\]")
_MEDIA = re.compile(r"\{\{[^{}|\n]{1,1000}(?:\|(?P<caption>[^{}\n]{0,1000}))?\}\}")
_NOTE = re.compile(r"[ \t]?\(\((?P<note>[^()\n]+(?:\([^()\n]*\)[^()\n]*)*)\)\)")
_MACRO = re.compile(r"~~[A-Z][^~\n]{0,200}~~")
_TAG = re.compile(r"</?(?P<name>[A-Za-z]\w{1,20})(?:\s[^<>|\n]{0,200})?(?:\|(?P<label>[^<>\n]{0,200}))?>")
_END_TAG = re.compile(r"</(?P<name>[A-Za-z]\w{1,20})>")
_MAIL = re.compile(r"<(?P<address>[\w.+-]{1,60}@[\w.-]{1,80})>")
_HEADING = re.compile(r"[ \t]*(?P<marks>={2,6})(?P<title>[^\n]*[^=\n])={2,}[ \t]*")
_ITEM = re.compile(r"(?P<indent>(?:[ ]{2}|\t)[ \t]*)(?P<mark>[*-])(?P<text>[^\n]*)")
_RULE = re.compile(r"[ \t]*-{4,}[ \t]*")
_CELL = re.compile(r"(?P<mark>[|^])(?P<text>[^|^\n]*)")
_INLINE = (
    (re.compile(r"''(?P<text>[^\n]{1,1000}?)''"), "<code>", "</code>"),
    (re.compile(r"\*\*(?P<text>[^\n]{1,1000}?)\*\*"), "<b>", "</b>"),
    (re.compile(r"(?<!:)//(?P<text>[^\n]{1,1000}?)(?<!:)//"), "<i>", "</i>"),
    (re.compile(r"(?<!\w)__(?P<text>[^\n]{1,1000}?)__(?!\w)"), "", ""),
)
_BREAK = re.compile(r"\\\\(?:[ \t]+|$)")
_INTERWIKI = re.compile(r"[\w.]{1,30}>(?P<page>[^\n]+)")
_ADDRESS = re.compile(r"(?:https?|ftp|mailto):\S", re.IGNORECASE)
_MAX_DEPTH = 20
_LETTERS = {"*": "*", "-": "#"}


def to_html(source: str) -> tuple[str, list[str]]:
    """A page as HTML, and the files of the wiki that it links to."""
    writer = _Writer()
    return writer.page(source), writer.links


class _Writer:
    """Writes lines as HTML, and collects the notes and links among them."""

    def __init__(self) -> None:
        self.links: list[str] = []
        self._notes: list[str] = []
        self._apart: list[str] = []
        self._pair_names: frozenset[str] = frozenset()

    def page(self, source: str) -> str:
        """The whole page."""
        plain = source.translate({ord(mark): None for mark in (_APART, _END)}).replace("\r\n", "\n")
        text = _MACRO.sub("", self._set_code_apart(plain))
        self._pair_names = frozenset(match["name"].lower() for match in _END_TAG.finditer(text))
        text = _MEDIA.sub(lambda media: self._keep(self._inline(media["caption"] or "")), text)
        text = _NOTE.sub(self._take_note, _LINK.sub(self._link, text))
        body = self._blocks(text.split("\n"))
        notes = "".join(f"<li>{note}</li>" for note in self._notes)
        return self._put_back(f"{body}<ol>{notes}</ol>" if notes else body)

    def _keep(self, page: str) -> str:
        self._apart.append(page)
        return f"{_APART}{len(self._apart) - 1}{_END}"

    def _put_back(self, page: str) -> str:
        """HTML with what was set apart in place of its marks; a label may have marks of its own."""
        while _PLACEHOLDER.search(page):
            page = _PLACEHOLDER.sub(lambda mark: self._apart[int(mark["number"])], page)
        return page

    def _set_code_apart(self, source: str) -> str:
        texts: list[str] = []
        position = 0
        endless: set[str] = set()  # what begins and never ends is looked for once
        for begin in _VERBATIM.finditer(source):
            name = (begin["name"] or "").lower()
            if begin.start() < position or name in endless:
                continue
            end = re.compile(f"</{name}>" if name else "%%", re.IGNORECASE).search(source, begin.end())
            if end is None:
                endless.add(name)
                continue
            code = html.escape(source[begin.end() : end.start()], quote=False)
            if name in ("", "nowiki"):
                mark = self._keep(code)
            elif "\n" in code:
                language = _language(begin["options"])
                code_lines = code.strip("\n")
                block = self._keep(f"<pre><code{language}>{code_lines}</code></pre>")
                mark = f"\n{block}\n"
            else:
                mark = self._keep(f"<code>{code}</code>")
            texts += [source[position : begin.start()], mark]
            position = end.end()
        return "".join([*texts, source[position:]])

    def _link(self, link: re.Match[str]) -> str:
        target = link["target"].strip()
        label = (link["label"] or "").strip()
        if _ADDRESS.match(target):
            label_html = self._inline(label) or html.escape(target, quote=False)
            return self._keep(f'<a href="{html.escape(target)}">{label_html}</a>')
        if interwiki := _INTERWIKI.fullmatch(target):
            return self._keep(self._inline(label) or html.escape(interwiki["page"], quote=False))
        page, _, section = target.partition("#")
        if page:
            self.links.append(_file(page))
        name = (page.strip(":").rpartition(":")[2] or section).replace("_", " ").strip()
        return self._keep(self._inline(label) or html.escape(name, quote=False))

    def _take_note(self, note: re.Match[str]) -> str:
        """Keep a note for the end of the page; nothing marks its place, which is no part of the sentence."""
        self._notes.append(self._inline(note["note"]))
        return ""

    def _inline(self, text: str) -> str:
        """What stands within a line."""
        text = _MAIL.sub(r"\g<address>", _TAG.sub(self._write_tag, text.strip()))
        text = html.escape(text, quote=False)
        for pattern, begin, end in _INLINE:
            text = pattern.sub(_wrap_in(begin, end), text)
        return _BREAK.sub("<br>", text)

    def _write_tag(self, tag: re.Match[str]) -> str:
        """A plugin's box or note is its label; what has no end is text."""
        if tag["name"].lower() not in self._pair_names:
            return tag[0]
        return tag["label"] or ""

    def _blocks(self, source_lines: list[str]) -> str:
        lines = Lines()
        marks = ""
        rows: list[str] = []
        for line in [*source_lines, ""]:
            if line[:1] in ("|", "^"):
                rows.append(self._row(line))
                continue
            if rows:
                lines.add_block(f"<table>{''.join(rows)}</table>")
                rows = []
            lines.add_text("\n")
            heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
            marks = _marks(item, marks) if item else ""
            if heading:
                level = 7 - len(heading["marks"])
                lines.add_block(f"<h{level}>{self._inline(heading['title'].strip('= '))}</h{level}>")
            elif item:
                for mark in marks:
                    lines.add_mark(mark)
                lines.add_inline(self._inline(item["text"]))
            elif _RULE.fullmatch(line):
                lines.add_block("<hr>")
            elif line.startswith("  ") and line.strip():
                lines.add_text(" " + html.escape(line[2:], quote=False))
            elif _is_block(line, self._apart):
                lines.add_block(line)
            else:
                lines.add_inline(self._inline(line).strip())
        return lines.html()

    def _row(self, line: str) -> str:
        """A row of a table; a cell that is followed by one without a character reaches over it."""
        cells: list[tuple[str, str, int]] = []
        for cell in _CELL.finditer(line.rstrip()):
            if not cell["text"] and cells and cell.end() < len(line.rstrip()):
                name, text, span = cells[-1]
                cells[-1] = (name, text, span + 1)
            elif cell["text"]:
                text = "" if cell["text"].strip() == ":::" else self._inline(cell["text"])
                cells.append(("th" if cell["mark"] == "^" else "td", text, 1))
        cell_texts = (f'<{name} colspan="{span}">{text}</{name}>' for name, text, span in cells)
        return f"<tr>{''.join(cell_texts)}</tr>"


def _is_block(line: str, apart: list[str]) -> bool:
    mark = _PLACEHOLDER.fullmatch(line.strip())
    return mark is not None and apart[int(mark["number"])].startswith("<pre>")


def _marks(item: re.Match[str], before: str) -> str:
    """The marks of an item and of those that it lies in, as MediaWiki writes them."""
    depth = min(len(item["indent"].expandtabs(2)) // 2, _MAX_DEPTH)
    letter = _LETTERS[item["mark"]]
    return before[: depth - 1].ljust(depth - 1, letter) + letter


def _wrap_in(begin: str, end: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{begin}{match['text']}{end}"


def _language(options: str) -> str:
    name = options.strip().partition(" ")[0]
    return f' class="language-{html.escape(name)}"' if name and name != "-" else ""


def _file(page: str) -> str:
    """The file of a page: names are in lower case, and namespaces are folders."""
    name = page.strip().lower().replace(" ", "_")
    return f"/{name.strip(':').replace(':', '/')}.txt" if ":" in name else f"{name}.txt"
