"""The elements of DocBook as HTML, which the HTML parser knows how to make markdown of.

Belongs here: sections, blocks, lists, tables, and what stands in a line. Not here: entities (`docbook_entities`),
synopses (`synopses`), the file (`parser`). Guarantee: text that no element explains is kept; indexes, remarks and what
is said of the file itself are left out.
"""

import re
from collections.abc import Callable, Iterator
from html import escape

from headwater.parsing.docbook.synopses import SYNOPSES, write_synopsis
from headwater.parsing.xml import Element, local_name

_MAX_DEPTH = 80
_MAX_QUESTION_CHARS = 300
_WORD = re.compile(r"[A-Za-z][\w.:-]*", re.ASCII)
_ENTITY_NAME = re.compile(r"\w+(?:[.:-]\w+)+")
_SECTIONS = frozenset({
    "appendix", "article", "bibliography", "book", "chapter", "colophon", "dedication", "glossary", "glossdiv",
    "part", "partintro", "preface", "qandadiv", "qandaset", "refentry", "reference", "refsect1", "refsect2",
    "refsect3", "refsection", "refsynopsisdiv", "sect1", "sect2", "sect3", "sect4", "sect5", "section", "set",
    "simplesect", "topic",
})  # fmt: skip
_NOTES = frozenset({"caution", "danger", "important", "note", "tip", "warning"})
_CODE_BLOCKS = frozenset({"literallayout", "programlisting", "screen", "synopsis"})
_CODE = frozenset({
    "classname", "code", "command", "computeroutput", "constant", "envar", "exceptionname", "filename", "function",
    "initializer", "interfacename", "keycap", "keycode", "keysym", "literal", "markup", "methodname", "ooclass",
    "option", "package", "parameter", "property", "returnvalue", "symbol", "systemitem", "tag", "type", "userinput",
    "varname",
})  # fmt: skip
_LEFT_OUT = frozenset({
    "alt", "anchor", "area", "areaset", "areaspec", "beginpage", "bookinfo", "articleinfo", "chapterinfo",
    "footnoteref", "imageobject", "indexterm", "info", "index", "refentryinfo", "refmeta", "remark",
    "reviewhistory", "revhistory", "sect1info", "sect2info", "sectioninfo", "setindex", "titleabbrev", "toc",
    "include", "appendixinfo", "partinfo", "prefaceinfo", "referenceinfo", "refsect1info", "blockinfo",
    "objectinfo", "comment",
})  # fmt: skip
_NAMES = {
    "itemizedlist": "ul", "calloutlist": "ul", "simplelist": "ul", "orderedlist": "ol", "procedure": "ol",
    "substeps": "ol", "stepalternatives": "ul", "listitem": "li", "step": "li", "callout": "li", "member": "li",
    "variablelist": "dl", "glosslist": "dl", "term": "dt", "glossdef": "dd",
    "blockquote": "blockquote", "epigraph": "blockquote", "para": "p", "simpara": "p", "row": "tr",
    "tgroup": "", "tbody": "", "tfoot": "", "table": "table", "informaltable": "table", "tr": "tr",
    "td": "td", "th": "th", "strong": "strong", "br": "br", "emphasis": "em", "replaceable": "em", "firstterm": "em",
    "citetitle": "em", "superscript": "sup", "subscript": "sub",
}  # fmt: skip
_JOINED = {"keycombo": "+", "menuchoice": " > "}
_PARAGRAPHS = frozenset({"para", "simpara"})
ROOTS = _SECTIONS | {
    "variablelist",
    "varlistentry",
    "itemizedlist",
    "orderedlist",
    "para",
    "table",
    "informaltable",
    "example",
}
"""What the root of a file may be; elements of other vocabularies may only mention DocBook."""
BLOCKS = (
    _SECTIONS | _NOTES | _CODE_BLOCKS | SYNOPSES | _PARAGRAPHS | _NAMES.keys()
    - {"emphasis", "replaceable", "firstterm", "citetitle", "superscript", "subscript", "strong", "br"}
)  # fmt: skip


class DocBookHtml:
    """Writes one file."""

    def __init__(self, root: Element) -> None:
        self._root = root
        self._titles = _find_titles(root)
        self._depth = self._level = 0
        self._writers: dict[str, Callable[[Element], str]] = {
            **dict.fromkeys(_SECTIONS, self._section), **dict.fromkeys(_NOTES, self._note),
            **dict.fromkeys(_CODE_BLOCKS, self._code_block), **dict.fromkeys(SYNOPSES, self._synopsis),
            **dict.fromkeys(_CODE, self._code), **dict.fromkeys(_JOINED, self._join),
            **dict.fromkeys(_PARAGRAPHS, self._paragraph),
            "example": self._blocks, "figure": self._blocks, "informalexample": self._blocks,
            "refnamediv": self._names, "listitem": self._item, "varlistentry": self._definition, "thead": self._head,
            "entry": self._cell, "td": self._cell, "th": self._cell,
            "bridgehead": self._caption, "title": self._caption, "ulink": self._link, "link": self._link,
            "xref": self._reference,
            "citerefentry": self._manual_page, "quote": lambda element: f"“{self._content(element)}”",
            "footnote": lambda element: f" ({_one_line(element)})", "glossterm": self._term,
            "question": self._question,
        }  # fmt: skip

    def html(self) -> str:
        """The whole file."""
        return self._write(self._root)

    def _write(self, element: Element) -> str:
        """One element without its tail."""
        name = local_name(element)
        if name in _LEFT_OUT:
            return ""
        if self._depth > _MAX_DEPTH:
            return escape(_one_line(element))
        self._depth += 1
        html = self._writers.get(name, self._wrap)(element)
        self._depth -= 1
        return html

    def _content(self, element: Element) -> str:
        texts = [escape(element.text or "")]
        for child in element:
            texts += [self._write(child), escape(child.tail or "")]
        return "".join(texts)

    def _wrap(self, element: Element) -> str:
        """An element that HTML has too; any other one is its content."""
        tag = _NAMES.get(local_name(element), "")
        if tag == "em" and element.get("role") in ("bold", "strong"):
            tag = "strong"
        return f"<{tag}>{self._content(element)}</{tag}>" if tag else self._content(element)

    def _section(self, element: Element) -> str:
        title = section_title(element)
        self._level += 1
        level = min(self._level, 6)
        heading = f"<h{level}>{escape(title)}</h{level}>" if title else ""
        self._level -= 0 if title else 1
        body = self._blocks(element)
        abstracts = [self._content(abstract) for abstract in _info_parts(element, "abstract")]
        self._level -= 1 if title else 0
        return f"<section>{heading}{''.join(abstracts)}{body}</section>"

    def _question(self, element: Element) -> str:
        """A question as the heading of its answers; a long one is text."""
        words = " ".join(_one_line(child) for child in element if local_name(child) != "label")
        if len(words) > _MAX_QUESTION_CHARS:
            return self._content(element)
        level = min(self._level + 1, 6)
        return f"<h{level}>{escape(words)}</h{level}>"

    def _names(self, element: Element) -> str:
        names = ", ".join(_one_line(child) for child in element if local_name(child) in ("refname", "refdescriptor"))
        purpose = " ".join(_one_line(child) for child in element if local_name(child) == "refpurpose")
        return f"<p><code>{escape(names)}</code> – {escape(purpose)}</p>" if purpose else f"<p>{escape(names)}</p>"

    def _note(self, element: Element) -> str:
        own_title = next((child for child in element if local_name(child) == "title"), None)
        title = local_name(element).capitalize() if own_title is None else _one_line(own_title)
        texts = [escape(element.text or "")]
        for child in element:
            texts += ["" if child is own_title else self._write(child), escape(child.tail or "")]
        return f"<p><strong>{escape(title)}</strong></p>{''.join(texts)}"

    def _paragraph(self, element: Element) -> str:
        """A paragraph; lists and code in it stand behind its words."""
        texts, is_open = ["<p>", escape(element.text or "")], True
        for child in element:
            if local_name(child) in BLOCKS:
                texts += ["</p>" if is_open else "", self._write(child)]
                is_open = False
            else:
                texts += ["" if is_open else "<p>", self._write(child)]
                is_open = True
            if (child.tail or "").strip() or is_open:
                texts += ["" if is_open else "<p>", escape(child.tail or "")]
                is_open = True
        return "".join([*texts, "</p>" if is_open else ""])

    def _definition(self, element: Element) -> str:
        """A term with its other forms, such as `-h`, `--help`, and what it means."""
        terms = [self._content(child).strip() for child in element if local_name(child) == "term"]
        meaning = "".join(self._write_item(child) for child in element if local_name(child) == "listitem")
        return f"<dt>{', '.join(terms)}</dt><dd>{meaning}</dd>"

    def _write_item(self, element: Element) -> str:
        """What an item holds; a single paragraph is a line of the list."""
        return self._content(element[0]) if _is_line(element) else self._content(element)

    def _item(self, element: Element) -> str:
        return f"<li>{self._write_item(element)}</li>"

    def _blocks(self, element: Element) -> str:
        """What text does not belong between."""
        is_section = local_name(element) in _SECTIONS
        texts = [_stray_text(element.text)]
        for child in element:
            is_title = is_section and local_name(child) == "title"
            texts += ["" if is_title else self._write(child), _stray_text(child.tail)]
        return "".join(texts)

    def _code_block(self, element: Element) -> str:
        language = element.get("language") or element.get("role") or ""
        name = f' class="language-{escape(language)}"' if language.isalnum() else ""
        code = "".join(element.itertext()).strip("\n")
        return f"<pre><code{name}>{escape(code)}</code></pre>"

    def _synopsis(self, element: Element) -> str:
        return f"<pre><code>{escape(write_synopsis(element))}</code></pre>"

    def _code(self, element: Element) -> str:
        return f"<code>{escape(_one_line(element))}</code>"

    def _join(self, element: Element) -> str:
        texts = [_one_line(child) for child in element if local_name(child) != "shortcut"]
        return escape(_JOINED[local_name(element)].join(filter(None, texts)))

    def _head(self, element: Element) -> str:
        return self._content(element).replace("<td", "<th").replace("</td>", "</th>")

    def _term(self, element: Element) -> str:
        """A term that a glossary defines; elsewhere it is a word."""
        parent = element.getparent()
        is_entry = parent is not None and local_name(parent) == "glossentry"
        return f"<dt>{self._content(element)}</dt>" if is_entry else self._content(element)

    def _cell(self, element: Element) -> str:
        spans = ""
        for name in ("rowspan", "colspan"):
            spans += f' {name}="{element.get(name)}"' if (element.get(name) or "").isdecimal() else ""
        more_rows = element.get("morerows") or ""
        if more_rows.isdecimal() and len(more_rows) < 4:
            spans += f' rowspan="{int(more_rows) + 1}"'
        if element.get("namest") and element.get("nameend"):
            group = next(element.iterancestors("{*}tgroup"), None)
            columns = [] if group is None else [column.get("colname") for column in group.iterchildren("{*}colspec")]
            if element.get("namest") in columns and element.get("nameend") in columns:
                width = columns.index(element.get("nameend")) - columns.index(element.get("namest")) + 1
                spans += f' colspan="{max(width, 1)}"'
        tag = "th" if local_name(element) == "th" else "td"
        return f"<{tag}{spans}>{self._content(element)}</{tag}>"

    def _caption(self, element: Element) -> str:
        """The title of a figure, an example or a list; that of a section is its heading."""
        words, parent = _one_line(element), element.getparent()
        is_table = parent is not None and local_name(parent) in ("table", "informaltable")
        if not words:
            return ""
        return f"<caption>{escape(words)}</caption>" if is_table else f"<p><strong>{escape(words)}</strong></p>"

    def _link(self, element: Element) -> str:
        address = element.get("url") or element.get("{http://www.w3.org/1999/xlink}href") or ""
        words = self._content(element).strip()
        if not address.startswith(("http://", "https://", "mailto:")):
            return words or escape(self._titles.get(element.get("linkend") or "", ""))
        return f'<a href="{escape(address)}">{words or escape(address)}</a>'

    def _reference(self, element: Element) -> str:
        target = element.get("linkend") or ""
        return escape(self._titles.get(target, target.replace("-", " ").replace("_", " ")))

    def _manual_page(self, element: Element) -> str:
        return f"<code>{escape(_page_name(element))}</code>"


def section_title(element: Element) -> str:
    """The title of a section, without markup: its own, that of a manual page, or words that stand in its place."""
    titles = [child for child in element if local_name(child) == "title"] or _info_parts(element, "title")
    if local_name(element) == "refentry":
        pages = [child for child in element if local_name(child) == "refmeta"]
        names = [child for child in element.iter() if local_name(child) == "refname"]
        return _page_name(pages[0]) if pages else _one_line(names[0]) if names else "".join(map(_one_line, titles[:1]))
    if titles:
        return _one_line(titles[0])
    if local_name(element) == "refsynopsisdiv":
        return "Synopsis"
    # PHP's manual names sections by entities of other files, such as `&reftitle.parameters;`.
    words = (element.text or "").split()
    is_name = bool(words) and not _stray_text(element.text)
    return words[0].rpartition(".")[2].replace("_", " ").capitalize() if is_name else ""


def _info_parts(element: Element, name: str) -> list[Element]:
    infos = [child for child in element if local_name(child).endswith("info")]
    return [child for info in infos for child in info if local_name(child) == name]


def _page_name(element: Element) -> str:
    """The name of a manual page, such as `ssh(1)`."""
    texts = {local_name(child): _one_line(child) for child in element}
    section = texts.get("manvolnum", "")
    return texts.get("refentrytitle", "") + (f"({section})" if section else "")


def _find_titles(root: Element) -> dict[str, str]:
    """The titles of what other places refer to, by id."""
    titles = {}
    for element in root.iter():
        name = element.get("id") or element.get("{http://www.w3.org/XML/1998/namespace}id")
        if name:
            title = next((child for child in element if local_name(child) == "title"), None)
            section = section_title(element) if local_name(element) in _SECTIONS else ""
            titles[name] = section if title is None else _one_line(title)
    return {name: title for name, title in titles.items() if title}


def _stray_text(text: str | None) -> str:
    """Text where none belongs, unless it is names of files that would be included there."""
    words = (text or "").split()
    is_name = all(map(_ENTITY_NAME.fullmatch, words)) if len(words) != 1 else _WORD.fullmatch(words[0]) is not None
    return "" if is_name else f"<p>{escape(' '.join(words))}</p>"


def _is_line(element: Element) -> bool:
    """Whether an item is one paragraph without blocks in it."""
    is_paragraph = len(element) == 1 and local_name(element[0]) in _PARAGRAPHS
    if (element.text or "").strip() or (len(element) and (element[0].tail or "").strip()):
        return False
    return is_paragraph and not any(local_name(child) in BLOCKS for child in element[0])


def _one_line(element: Element) -> str:
    """The words of an element, without what is no part of its sentence, such as an index term or a footnote."""
    return " ".join("".join(_iterate_texts(element)).split())


def _iterate_texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if local_name(child) not in _LEFT_OUT and local_name(child) != "footnote":
            yield from _iterate_texts(child)
        yield child.tail or ""
