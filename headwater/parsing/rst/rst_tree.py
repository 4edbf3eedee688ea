"""What other places of a document decide: labels, entries of an index, blocks for other formats than pages.

Belongs here: the tree of docutils as a whole. Not here: reading (`parser`), directives and roles (`sphinx`), markdown
(`rst_markdown`). Guarantee: the work is linear in the tree.
"""

from collections.abc import Iterator

from docutils import nodes

_MAX_TITLE_CHARS = 200  # each reference repeats it
_BETWEEN = (nodes.Inline, nodes.Invisible, nodes.system_message, nodes.section, nodes.definition_list,
            nodes.definition_list_item)  # fmt: skip


def drop_entries(document: nodes.document) -> None:
    """Empty the directives that only make a target and an entry of an index: the text below says what they say.

    A directive is one if its argument stands in the heading, the term or the paragraph below it. So are unknown ones
    of the same name, if they stand before a heading too, and those that stand above each other there.
    """
    groups = list(_read_groups(document))
    index_names: set[str] = set()
    for text, group in groups:
        names = {node["entry_name"] for node in group}
        if not isinstance(text, nodes.paragraph) and len(names) == 1:
            index_names |= names if len(group) > 1 or _is_in(group[0], text) else set()
    for text, group in groups:
        for node in group:
            is_index = not isinstance(text, nodes.paragraph) and node["entry_name"] in index_names
            if _is_in(node, text) or (is_index and not node["is_object"]):
                node.clear()
                if isinstance(text, nodes.title):
                    text.parent["names"] += node["names"]  # of the label above it


def drop_other_formats(document: nodes.document) -> None:
    """Empty the blocks for printed pages and the like, if the document has some for web pages, too."""
    if document.get("has_pages"):
        for node in document.findall(nodes.container):
            if node.get("is_for_others"):
                node.clear()


def read_labels(document: nodes.document) -> dict[str, str]:
    """The titles of sections, figures and tables by the labels that stand above them."""
    labels: dict[str, str] = {}
    for node in document.findall(nodes.Element):
        title = next((child for child in node.children if isinstance(child, (nodes.title, nodes.caption))), None)
        words = " ".join(title.astext().split()) if node["names"] and title is not None else ""
        if words and len(words) <= _MAX_TITLE_CHARS:
            labels |= dict.fromkeys(node["names"], words)
    return labels


def _read_groups(document: nodes.document) -> Iterator[tuple[nodes.Element, list[nodes.Element]]]:
    """The headings, terms and paragraphs directly below directives which may be entries, and those directives."""
    group: list[nodes.Element] = []
    for node in document.findall(nodes.Element):
        if "entry" in node:
            group.append(node)
        elif isinstance(node, (nodes.title, nodes.term, nodes.paragraph)):
            if group:
                yield node, group
            group = []
        elif not isinstance(node, _BETWEEN):
            group = []


def _is_in(node: nodes.Element, text: nodes.Element) -> bool:
    """Whether a text holds the argument of a directive; of an object only a heading or a term does, never a number."""
    if isinstance(text, nodes.paragraph) and (node["is_object"] or node["entry"].isdecimal()):
        return False
    return node["entry"].casefold() in text.astext().casefold()
