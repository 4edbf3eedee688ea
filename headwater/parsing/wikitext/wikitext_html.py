"""MediaWiki's markup as HTML.

Belongs here: what stands in a line: links, tags, templates, tables. Not here: what the beginnings of lines mean
(`wikitext_lines`), parsing (mwparserfromhell does that). Guarantee: no template is fetched and no file read; text that
no element explains is kept; scripts and styles are not.
"""

import html
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

import mwparserfromhell
from mwparserfromhell.nodes import (
    Argument,
    ExternalLink,
    Heading,
    HTMLEntity,
    Node,
    Tag,
    Template,
    Text,
    Wikilink,
)
from mwparserfromhell.wikicode import Wikicode

from headwater.errors import DocumentError
from headwater.parsing.wikitext.wikitext_lines import Lines

_SWITCH = re.compile(r"__[A-Z]{2,30}__")
_FUNCTION = re.compile(r"#|[A-Z]{3,20}:")
_FILE = re.compile(r":?(?:file|image|media)[ _]*:", re.IGNORECASE)
_CATEGORY = re.compile(r"category[ _]*:", re.IGNORECASE)
_OTHER_LANGUAGE = re.compile(r"[a-z]{2,3}:\S")
_FILE_OPTION = re.compile(
    r"thumb(?:nail)?|frame(?:d|less)?|border|left|right|cent(?:er|re)|none|upright(?:=.*)?|x?\d+(?:x\d+)?px"
    r"|(?:alt|link|page|lang|class|start|end)=.*",
    re.IGNORECASE,
)
_BLOCK_TAGS = frozenset(
    {"blockquote", "center", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "table", "ul"}
)
_INLINE_TAGS = frozenset(
    {"b", "br", "code", "del", "em", "i", "ins", "kbd", "s", "strong", "sub", "sup", "tt", "u", "var"}
)
_PART_TAGS = frozenset({"dd", "dt", "li", "td", "th", "tr", "caption", "tbody", "thead"})
_CODE_TAGS = frozenset({"source", "syntaxhighlight"})
_DROPPED_TAGS = frozenset({"script", "style", "references", "gallery", "templatestyles", "hiero", "score", "timeline"})
_FILE_NAME = re.compile(r"\.\w{2,10}$")
_VERBATIM = re.compile(
    r"<!--|<(?P<name>pre|nowiki|source|syntaxhighlight|math)(?P<options>(?:\s[^<>]{0,300})?)(?<!/)>", re.IGNORECASE
)
_LANGUAGE = re.compile(r"""lang\s*=\s*["']?(?P<language>[\w+#.-]{1,30})""", re.IGNORECASE)
_BLOCK, _INLINE, _END = "\ue000", "\ue001", "\ue002"  # around the number of what is set apart; of no other use
_PLACEHOLDER = re.compile(f"[{_BLOCK}{_INLINE}](?P<number>\\d+){_END}")
_BLOCK_PLACEHOLDER = re.compile(f"({_BLOCK}\\d+{_END})")
_LINK_WITH_BAR = re.compile(r"\[\[(?P<address>https?://[^\s|\[\]]+)[| ](?P<label>[^\[\]\n]*)\]\]")
_LONE_TAG = re.compile(
    r"</?(?:[bisu]|br|center|code|div|em|pre|references|small|source|span|strong|su[bp]|tt)(?:\s[^<>]*)?>"
)
_SPAN = re.compile(r"\d{1,3}")
_MAX_DEPTH = 60


def to_html(source: str) -> tuple[str, list[str]]:
    """A page as HTML, and the files of the wiki that it links to.

    Raises:
        DocumentError: it is nested too deeply.
    """
    writer = _Writer()
    text = writer.set_apart(source)
    try:
        body = writer.blocks(mwparserfromhell.parse(text, skip_style_tags=True).nodes)
    except RecursionError as error:
        raise DocumentError("The file is nested too deeply. Move its innermost parts out.") from error
    notes = "".join(f"<li>{note}</li>" for note in writer.notes)
    return writer.put_back(f"{body}<ol>{notes}</ol>" if notes else body), writer.links


class _Writer:
    """Writes nodes as HTML, and collects the notes and links among them."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.links: list[str] = []
        self._depth = 0
        self._captions: list[str] = []
        self._verbatim: list[str] = []

    def set_apart(self, source: str) -> str:
        """The source with marks in place of what is no markup: code is, and a comment is nothing, as in MediaWiki."""
        plain = source.translate({ord(mark): None for mark in (_BLOCK, _INLINE, _END)})
        texts: list[str] = []
        position = 0
        endless: set[str] = set()  # what begins and never ends is looked for once
        for begin in _VERBATIM.finditer(plain):
            name = (begin["name"] or "").lower()
            if begin.start() < position or name in endless:
                continue
            end = re.compile(f"</{name}\\s*>" if name else "-->", re.IGNORECASE).search(plain, begin.end())
            if end is None:
                endless.add(name)
                continue
            mark = self._keep_verbatim(name, begin["options"], plain[begin.end() : end.start()]) if name else ""
            texts += [plain[position : begin.start()], mark]
            position = end.end()
        return _LINK_WITH_BAR.sub(r"[\g<address> \g<label>]", "".join([*texts, plain[position:]]))

    def _keep_verbatim(self, name: str, options: str, text: str) -> str:
        code = html.escape(html.unescape(text).strip("\n"), quote=False)
        is_block = name == "pre" or (name in _CODE_TAGS and "\n" in code)
        language = _LANGUAGE.search(options) if name in _CODE_TAGS else None
        css = f' class="language-{language["language"]}"' if language else ""
        inline = code if name == "nowiki" else f"<code>{code}</code>"
        self._verbatim.append(f"<pre><code{css}>{code}</code></pre>" if is_block else inline)
        return f"{_BLOCK if is_block else _INLINE}{len(self._verbatim) - 1}{_END}"

    def put_back(self, page: str) -> str:
        """HTML with what was set apart in place of its marks."""
        return _PLACEHOLDER.sub(lambda mark: self._verbatim[int(mark["number"])], page)

    def blocks(self, nodes: Iterable[object]) -> str:
        """Nodes that may hold blocks."""
        lines = Lines()
        self._add(nodes, lines)
        return lines.html()

    def inline(self, code: Wikicode | None) -> str:
        """Nodes within a line; blocks in them become text."""
        return " ".join(re.sub(r"</?p>|\n", " ", self.blocks(code.nodes)).split()) if code is not None else ""

    def _add(self, nodes: Iterable[object], lines: Lines) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError
        for node in nodes:
            if isinstance(node, Tag):
                self._add_tag(node, lines)
            elif isinstance(node, Template):
                self._add_template(node, lines)
            elif isinstance(node, Heading):
                lines.add_block(f"<h{node.level}>{self.inline(node.title)}</h{node.level}>")
            elif isinstance(node, Text):
                self._add_text(str(node), lines)
            else:
                lines.add_inline(self._write_inline(node))
        self._depth -= 1

    def _write_inline(self, node: object) -> str:
        """What stands within a line and holds no blocks; comments are nothing."""
        if isinstance(node, Argument):
            return self.inline(node.default)
        if isinstance(node, Wikilink):
            return self._wikilink(node)
        if isinstance(node, ExternalLink):
            address, label = html.escape(str(node.url).strip()), self.inline(node.title)
            return f'<a href="{address}">{label}</a>' if label else address
        return str(node) if isinstance(node, HTMLEntity) else ""

    def _add_text(self, text: str, lines: Lines) -> None:
        for stretch in _BLOCK_PLACEHOLDER.split(text):
            if stretch.startswith(_BLOCK):
                lines.add_block(stretch)
            else:
                lines.add_text(html.escape(_LONE_TAG.sub("", _SWITCH.sub("", stretch)), quote=False))

    def _add_tag(self, node: Tag, lines: Lines) -> None:
        name = str(node.tag).strip().lower()
        if node.wiki_markup in ("*", "#", ":", ";"):
            lines.add_mark(str(node.wiki_markup))
        elif name == "hr":
            lines.add_block("<hr>")
        elif name == "table":
            lines.add_block(self._table(node))
        elif name == "ref":
            self._note(node)
        elif name == "br":
            lines.add_inline("<br>")
        elif name in _INLINE_TAGS:
            lines.add_inline(f"<{name}>{self.inline(node.contents)}</{name}>")
        elif name in _BLOCK_TAGS or name in _PART_TAGS:
            lines.add_block(f"<{name}>{self.blocks(_nodes(node))}</{name}>")
        elif name not in _DROPPED_TAGS:
            self._add(_nodes(node), lines)

    def _note(self, node: Tag) -> None:
        """Keep a note for the end of the page; nothing marks its place, which is no part of the sentence."""
        if not node.self_closing and (note := self.inline(node.contents)):
            self.notes.append(note)

    def _table(self, node: Tag) -> str:
        """A table with its rows; the first row has no mark of its own."""
        rows: list[list[str]] = [[]]
        self._add_cells(_nodes(node), rows)
        body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows if cells)
        caption = "".join(self._captions)
        self._captions.clear()
        return f"{caption}<table>{body}</table>" if body else caption

    def _add_cells(self, nodes: Sequence[object], rows: list[list[str]]) -> None:
        for node in nodes:
            name = str(node.tag).strip().lower() if isinstance(node, Tag) else ""
            if not isinstance(node, Tag) or name not in _PART_TAGS:
                continue
            if str(node).startswith("|+"):  # the library takes a caption for a cell
                self._captions.append(f"<p>{self.inline(node.contents).lstrip('+ ')}</p>")
            elif name in ("td", "th"):
                spans = "".join(
                    f' {side}="{span}"'
                    for side in ("colspan", "rowspan")
                    if _SPAN.fullmatch(span := _value(node, side))
                )
                rows[-1].append(f"<{name}{spans}>{self.blocks(_nodes(node))}</{name}>")
            elif name != "caption":
                rows.append([])
                self._add_cells(_nodes(node), rows)

    def _add_template(self, node: Template, lines: Lines) -> None:
        """What a template is given: a table of its names and values if it has lines of its own, or else its values."""
        if _FUNCTION.match(str(node.name).strip()):
            return
        values = [
            (str(parameter.name).strip(), self.inline(parameter.value), parameter.showkey) for parameter in node.params
        ]
        named_values = [(name, value) for name, value, has_name in values if has_name and value]
        if len(named_values) > 1 and lines.is_at_start and "\n" in str(node):
            cells = "".join(f"<tr><td>{html.escape(name)}</td><td>{value}</td></tr>" for name, value in named_values)
            lines.add_block(f"<table>{cells}</table>")
            return
        titles = [value for name, value in named_values if name in ("title", "text", "quote")]
        lines.add_inline(" ".join([value for _, value, has_name in values if not has_name and value] + titles))

    def _wikilink(self, node: Wikilink) -> str:
        """The text of a link within the wiki; a link to a file of the folder is collected."""
        target = str(node.title).strip()
        label = self.inline(node.text) if node.text is not None else html.escape(target.lstrip(":"), quote=False)
        if _FILE.match(target):
            options = [self.inline(option) for option in _split(node.text)]
            return next((text for text in reversed(options) if text and not _FILE_OPTION.fullmatch(text)), "")
        if _CATEGORY.match(target) or (node.text is None and _OTHER_LANGUAGE.match(target)):
            return ""
        if _FILE_NAME.search(target.partition("#")[0]):
            self.links.append(quote(target, safe="/#%._-"))
        return label


def _split(code: Wikicode | None) -> list[Wikicode]:
    """The parts of a file's options between bars."""
    if code is None:
        return []
    options: list[list[Node]] = [[]]
    for node in code.nodes:
        first, *following = map(Text, str(node).split("|")) if isinstance(node, Text) else [node]
        options[-1].append(first)
        options += [[text] for text in following]
    return [Wikicode(nodes) for nodes in options]


def _nodes(node: Tag) -> Sequence[object]:
    return node.contents.nodes if node.contents is not None else ()


def _value(node: Tag, name: str) -> str:
    return str(node.get(name).value or "").strip() if node.has(name) else ""
