"""A document of another vocabulary in the elements of DocBook.

Belongs here: what the name of an element depends on besides itself: its place, its attributes, its neighbours. Not
here: the names (`element_names`), writing (`headwater.parsing.docbook.docbook_html`). Guarantee: text is moved at most
into the title of its section, and lost only where an element is left out; the work is linear.
"""

from collections.abc import Callable

from headwater.parsing.xml import Element, local_name
from headwater.parsing.xml_documents.element_names import (
    CODE_BLOCKS,
    FACTS,
    LEFT_OUT_NAMES,
    NAMES,
    NOTES,
    NUMBERED,
    PROSE,
    SECTIONS,
    TITLES,
)
from headwater.parsing.xml_documents.tree_changes import (
    LEFT_OUT,
    copy_address,
    find_name,
    has_text_beside,
    read_line,
    remove,
    wrap_meaning,
    wrap_sentences,
)

_SYNTAX = {"xmlelement": ("<", ">"), "xmlatt": ("@", ""), "textentity": ("&", ";")}
_WITHOUT_TEXT = frozenset({"section", "figure", "example"})
_NUMBERED_BLOCKS = frozenset({"fig", "table-wrap", "boxed-text", "figure"})
_BLOCK_PARENTS = SECTIONS | {"example", "listing", "note", "item", "li", "fig", "figure", "boxed-text", "dd", "usage"}
_TITLE_PATHS = (
    ("front", "article-meta", "title-group", "article-title"), ("front-stub", "title-group", "article-title"),
    ("front", "title"), ("properties", "title"), ("info", "title"), ("meta", "title"), ("metadata", "title"),
    ("teiheader", "filedesc", "titlestmt", "title"), ("header", "title"), ("titles", "title"),
)  # fmt: skip


def translate(root: Element) -> Element:
    """Rename the elements of a document to those of DocBook, in place.

    Returns:
        The root, which is a section with the title of the document.
    """
    translation = _Translation(root)
    for element in translation.elements:
        translation.rename(element)
    for element in translation.elements:
        if element.tag in _WITHOUT_TEXT:
            wrap_sentences(element)
    root.tag = "section"
    return root


class _Translation:
    """The elements of a document, with the names that they have in the file."""

    def __init__(self, root: Element) -> None:
        self.elements = list(root.iter())
        self._names = {element: find_name(element) for element in self.elements}
        self._children: dict[Element, dict[str, list[Element]]] = {element: {} for element in self.elements}
        for element in self.elements[1:]:
            self._children[element.getparent()].setdefault(self._names[element], []).append(element)
        self._find_by_place: dict[str, Callable[[Element], str]] = {
            **dict.fromkeys(FACTS, self._find_fact), **dict.fromkeys(CODE_BLOCKS, _find_code_block),
            "list": _find_list, "item": self._find_entry, "attribute": self._find_entry, "note": _find_note,
            "t": self._find_paragraph, "link": _find_link, "xref": _find_link, "a": _find_link,
            "ref": self._find_reference,
            "code": self._find_code, "example": self._find_example, "source": self._find_source,
            "name": self._find_label, "head": self._find_label, "label": self._find_label, "app": self._find_label,
            "caption": self._find_label, "term": self._find_term, "directive": self._find_directive,
            "module": self._find_directive, "stentry": self._find_cell,
        }  # fmt: skip
        for element in self.elements:
            if element.get("keyref") and not element.text and not len(element):
                element.text = str(element.get("keyref")).rpartition("/")[2]  # its words are in another file
        self._move_title(root)

    def rename(self, element: Element) -> None:
        """Give an element DocBook's name for it, and what else it takes."""
        name = self._names[element]
        if (anchor := element.get("anchor")) and not element.get("id"):
            element.set("id", anchor)
        if name in _SYNTAX and element.text:
            start, end = _SYNTAX[name]
            element.text = f"{start}{element.text.strip()}{end}"
        new_name = self._find_name(element)
        if new_name == "section":
            self._find_title(element)
        elif new_name in ("link", "xref"):
            copy_address(element)
            new_name = "link" if element.get("url") else new_name
        element.tag = new_name

    def _find_name(self, element: Element) -> str:
        name, child_names = self._names[element], self._children[element].keys()
        is_step = name == "info" and self._parent_name(element) in ("step", "substep")
        is_contents = name in SECTIONS and "toc" in child_names
        if is_step:
            return "para"
        if name in LEFT_OUT_NAMES or is_contents:
            return LEFT_OUT
        if name in self._find_by_place:
            return self._find_by_place[name](element)
        if name in SECTIONS or child_names & {"heading", "header"}:
            return "section"
        if name in ("num", "enum") and not element.tail:
            element.tail = " "
        if name not in ("td", "th") and child_names & {"num", "enum"}:
            return "para"
        if name in ("content", "chapeau", "text") and self._siblings(element).keys() & {"num", "enum"}:
            return "phrase"  # it goes on in the line of its number
        return NAMES.get(name, name) or "phrase"

    def _parent_name(self, element: Element) -> str:
        return self._names.get(element.getparent(), "")

    def _siblings(self, element: Element) -> dict[str, list[Element]]:
        return self._children.get(element.getparent(), {})

    def _find_paragraph(self, element: Element) -> str:
        """A paragraph; in lists of RFCs, an item, which may have a term."""
        if self._parent_name(element) != "list":
            return "para"
        if element.get("hangText"):
            term = element.makeelement("strong")
            term.text, term.tail, element.text = element.get("hangText"), f" {element.text or ''}", None
            element.insert(0, term)
        return "listitem"

    def _find_reference(self, element: Element) -> str:
        return "listitem" if self._parent_name(element) == "ref-list" else _find_link(element)

    def _find_label(self, element: Element) -> str:
        """A word that is a title in some places, and elsewhere a name in a sentence."""
        name, parent = self._names[element], self._parent_name(element)
        titled = {
            "name": SECTIONS, "label": _NUMBERED_BLOCKS, "caption": {"table"}, "app": {"app-group", "back"},
        }  # fmt: skip
        if name == "label" and parent not in _NUMBERED_BLOCKS and parent != "disp-formula":
            return LEFT_OUT
        if name == "head" or parent in titled[name]:
            return "section" if name == "app" else "title"
        return "phrase"

    def _find_term(self, element: Element) -> str:
        return "term" if self._parent_name(element) == "def-item" else "firstterm"

    def _find_cell(self, element: Element) -> str:
        return "th" if self._parent_name(element) == "sthead" else "td"

    def _find_directive(self, element: Element) -> str:
        """A section that describes a directive, or the name of one."""
        is_section = "syntax" in self._children[element] or element.getparent() is None
        return "section" if is_section else "literal"

    def _find_fact(self, element: Element) -> str:
        """What is said of a directive, with the word for it; the contexts of one stand together."""
        name = self._names[element]
        if not self._parent_name(element).endswith(("directive", "synopsis")):
            return NAMES.get(name, "phrase")
        same = self._siblings(element)[name]
        if same[0] is not element:
            return LEFT_OUT
        elements = list(element) if name == "contextlist" else same
        words = ", ".join(filter(None, map(read_line, elements)))
        if not words:
            return LEFT_OUT
        for child in list(element):
            element.remove(child)
        element.text = f"{FACTS[name]}: {words}"
        return "para"

    def _find_entry(self, element: Element) -> str:
        """An item of a list; of terms, its title is the term and the rest what it means."""
        parent = self._parent_name(element)
        if self._names[element] == "attribute" and element.get("name"):
            term = element.makeelement("term")
            term.text = element.get("name")
            wrap_meaning(element, [], term)
            return "varlistentry"
        if parent == "terms":
            titles = self._children[element].get("title", [])
            for title in titles:
                self._names[title] = "dt"
            wrap_meaning(element, titles)
            return "varlistentry"
        return "listitem" if parent in ("list", "steps", "tree", "item") else "para"

    def _find_example(self, element: Element) -> str:
        """An example without paragraphs is code."""
        is_text = self._children[element].keys() & (PROSE | {"ul", "ol", "dl", "table", "code", "list", "simpletable"})
        return "example" if is_text else _find_code_block(element)

    def _find_code(self, element: Element) -> str:
        """Code that stands for itself, among paragraphs, or a word of a sentence."""
        parent = self._parent_name(element)
        is_among = bool(self._siblings(element).keys() & {"p", "para", "desc", "title"})
        is_block = parent in SECTIONS | {"listing", "example"} or (is_among and parent in _BLOCK_PARENTS)
        is_block = is_block and not has_text_beside(element)
        return _find_code_block(element) if is_block else "literal"

    def _find_source(self, element: Element) -> str:
        is_block = self._parent_name(element) in _BLOCK_PARENTS | {"p", "td"}
        return _find_code_block(element) if is_block else "phrase"

    def _find_title(self, element: Element) -> None:
        """Make the title of a section of what names it: its number and heading, its name, or an attribute."""
        titles = [child for child in element if self._is_title(child)]
        words = " ".join(filter(None, map(read_line, titles)))
        words = words or element.get("name") or element.get("title") or element.get("spectitle") or ""
        for child in titles:
            remove(child)
        if words:
            title = element.makeelement("title")
            title.text, title.tail, element.text = words, element.text, None
            element.insert(0, title)

    def _is_title(self, child: Element) -> bool:
        levels = self._children.get(child, {}).keys() & {"num", "enum", "heading"}
        return self._names.get(child, local_name(child)) in TITLES and not levels

    def _move_title(self, root: Element) -> None:
        """Put the title of a document first, if the document has it among what is said of itself."""
        if any(not len(title) for title in self._children[root].get("title", [])):
            return
        for path in _TITLE_PATHS:
            level = [root]
            for name in path:
                level = [child for element in level for child in self._children[element].get(name, [])]
            title = next((element for element in level if read_line(element)), None)
            if title is not None:
                words = root.makeelement("title")
                words.text = read_line(title)
                remove(title)
                root.insert(0, words)
                return


def _find_list(element: Element) -> str:
    kind = (element.get("type") or element.get("list-type") or element.get("style") or "").partition(" ")[0]
    return "orderedlist" if kind.lower() in NUMBERED else "itemizedlist"


def _find_link(element: Element) -> str:
    return "link" if read_line(element) else "xref"


def _find_note(element: Element) -> str:
    kind = str(element.get("type") or element.get("style") or "").partition(" ")[0].lower()
    return kind if kind in NOTES else "note"


def _find_code_block(element: Element) -> str:
    """A block of code, with its language and without line breaks that are elements."""
    stated = element.get("outputclass") or element.get("mime") or element.get("code-type") or element.get("type") or ""
    words = stated.replace("text/x-", "language-").split()
    names = [word.removeprefix("language-") for word in words if word.startswith("language-") or len(words) == 1]
    if names and not element.get("language"):
        element.set("language", names[0])
    for line_break in element.iter("{*}br"):
        line_break.tail = "\n" + (line_break.tail or "").lstrip()
    return "programlisting"
