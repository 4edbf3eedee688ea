"""The words of components in MDX, such as `<Card title="Pumps" href="/pumps">`.

Belongs here: what a reader sees of a component's attributes. Not here: finding tags (`markup`), tags of HTML
(`html_tags`). Guarantee: the text between the tags is left alone; words that a component separates stay separate.
"""

import re
from html import unescape

from headwater.parsing.markdown.html_tags import link_target
from headwater.parsing.markdown.javascript import Tag
from headwater.parsing.markdown.tag_words import find_kind, name_kind

_LABELS = ("label", "title", "summary", "header")
_SAID = ("description", "caption")
_NOTES = frozenset({"admonition", "alert", "aside", "callout", "notice"})  # whose `type` is their kind
_UNSAID = frozenset([
    "id", "class", "classname", "style", "type", "size", "color", "variant", "icon", "src", "href", "to", "width",
    "height", "align",
])  # fmt: skip
_SHORT_VALUE = re.compile(r"[^/\\<>|`*_\[\]\n]{1,30}")  # no address, and no mark of markdown
_NO_TARGET = re.compile(r"[()<>\[\]]|\A\Z")


class Components:
    """The components of one text, from the front to the back."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, str]] = []  # names of open components that end with a link, and those links

    def words(self, tag: Tag, indent: str) -> str:
        """The text for a component's tag in a line of its own: its labels, its links, and whole sentences.

        Args:
            tag: the tag.
            indent: the spaces before it, which stand before each of these lines, so that they stay in a list.
        """
        if tag.is_closing:
            return f"\n\n{indent}{self._calls.pop()[1]}\n\n" if self._calls and self._calls[-1][0] == tag.name else ""
        names = _LABELS if tag.is_empty or tag.name.startswith("Icon") else (*_LABELS, "name")
        labels = list(filter(None, (_words_of(tag, name) for name in names)))
        target = "" if _NO_TARGET.search(href := link_target(tag)) else href
        if target and "title" in tag.attributes and labels and not set("[]") & set(labels[0]):
            labels[0] = f"[{labels[0]}]({target})"
        labels = labels or list(filter(None, [_kind_of(tag)]))
        texts = list(filter(None, (_words_of(tag, name) for name in _SAID)))
        call = _words_of(tag, "cta")
        if target and call and tag.is_empty:
            texts.append(f"[{call}]({target})")
        elif target and call:
            self._calls.append((tag.name, f"[{call}]({target})"))
        lines = [f"\n{indent}**{label}**\n\n" for label in labels] + [f"{indent}{line}\n\n" for line in texts]
        return "".join(lines) if labels else "".join(lines).removeprefix(indent)


def _words_of(tag: Tag, name: str) -> str:
    return " ".join(unescape(tag.attributes.get(name, "")).split())


def _kind_of(tag: Tag) -> str:
    """The kind of a note such as `<Warning>` or `<Callout type="warning">`."""
    if tag.is_empty:
        return ""
    is_note = tag.name.lower() in _NOTES
    return find_kind("", tag.attributes.get("type", "")) if is_note else name_kind(tag.name)


def inline_words(tag: Tag) -> str:
    """The text of a component within a sentence: its short values, as of `<Key mod="ctrl" k="z" />`.

    Names with a hyphen, such as `aria-hidden`, are for programs.
    """
    if not tag.is_empty or tag.name.startswith("Icon"):
        return ""
    for_readers = (name for name in tag.attributes if name.lower() not in _UNSAID and "-" not in name)
    values = (unescape(tag.attributes[name]).strip() for name in for_readers)
    return " ".join(value for value in values if _SHORT_VALUE.fullmatch(value))
