"""What front matter says to readers, as text.

Belongs here: the sentences among its values, lists and mappings with sentences, and a file that is front matter alone.
Not here: reading it (`front_matter`), metadata. Guarantee: pure; what the text below says already is not said twice; no
markup of a value reaches beyond it.
"""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from headwater.parsing.markdown.markup import without_markup
from headwater.parsing.markdown.writer import plain_markdown

_SENTENCE_WORDS = 6  # words from which on a value is a sentence, and no name, address or date
_LISTED_WORDS = 3  # words between commas, on average: fewer are a list of keywords
_SUMMARIES = frozenset({"description", "summary"})  # what site generators show without a label
_COMPARED_CHARS = 60  # of a value that may stand in the text, too
_MAX_DEPTH = 5  # of lists within lists; what is deeper is one line
_FOR_PROGRAMS = frozenset([
    "aliases", "categories", "draft", "head", "headless", "keywords", "killercoda", "meta", "og", "redirect_from",
    "seo", "tags",
])  # fmt: skip
"""Values of these names that are no text are for the site, search and browsers, even with an entry like a sentence."""
_TITLE = re.compile(r"(?:(?:full|head|link|menu|meta|nav|page|short|sidebar|seo)[_-]?)?title")
_LAYOUT = re.compile(r"(?:\w+[_-])?class(?:es|name)?|height|icon|image|width")  # how a template shows a mapping
_BORDER = re.compile(r"\n[ \t]*(?:\n[ \t\n]*|(?=[-*+][ \t]|\d{1,3}[.)][ \t]))")
_BLANK_LINES = re.compile(r"\n{3,}")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]")
_MARK = re.compile(r"\A(?:[-*+]|\d{1,3}[.)]|#{1,6})[ \t]+")
_WORD = re.compile(r"\w")
_OPENING = re.compile(r"(?P<closed>`[^`]++`|\\.)|<(?=[A-Za-z/!?])|\{(?=/\*|%)|\{(?!\{?[^{}]*+\})")
_ADDRESS = re.compile(r"\w+://|[/#]")
_WORD_BORDER = re.compile(r"[\s_-]+|(?<=[a-z])(?=[A-Z])")  # also of `obsoleteMessage`


def front_matter_text(values: Mapping[str, Any], body: str) -> str:
    """The text that front matter adds to a body.

    Sentences are paragraphs, and lists and mappings that have sentences are lists: some sites write what a page says
    there, and lay it out by templates. Of a file without a body, all values are a list.
    """
    page_words = {_plain(words) for name in ("title", *_SUMMARIES) if isinstance(words := values.get(name), str)}
    visible = {
        name: _without_layout(value, page_words)
        for name, value in values.items()
        if not _is_for_programs(name.lower(), value)
    }
    telling = {name: value for name, value in visible.items() if _has_sentence(value)}
    if not telling:
        return ""
    if not _WORD.search(body):
        return "".join(_write_entry(name, value) for name, value in visible.items())
    body_words = _plain(body)
    return "".join(f"{text}\n\n" for name, value in telling.items() if (text := _write(name, value, body_words)))


def _is_for_programs(name: str, value: Any) -> bool:
    """Whether readers of the page do not see a value, or see it above the text anyway."""
    return _TITLE.fullmatch(name) is not None or (name in _FOR_PROGRAMS and not isinstance(value, str))


def _without_layout(value: Any, page_words: Set[str]) -> Any:
    """A value without what only says how a mapping in it looks, or repeats the title or the summary of the page."""
    if isinstance(value, list):
        return [_without_layout(item, frozenset()) for item in value]  # the page may be one of several
    if not isinstance(value, Mapping):
        return value
    layout = {name for name, item in value.items() if _LAYOUT.fullmatch(name.lower()) and not _has_sentence(item)}
    layout |= {name for name in value if layout and name.lower() == "level"}  # of a heading
    layout |= {name for name, item in value.items() if isinstance(item, str) and _plain(item) in page_words}
    return {name: _without_layout(item, page_words) for name, item in value.items() if name not in layout}


def _has_sentence(value: Any) -> bool:
    return any(map(_is_sentence, _values(value)))


def _values(value: Any) -> Iterator[str]:
    """The words of a value, and of all values in it."""
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _values(item)
    elif words := _flat(value):
        yield words


def _is_sentence(value: str) -> bool:
    if _ADDRESS.match(value):
        return False
    words = len(value.split())
    return words >= _SENTENCE_WORDS and words >= _LISTED_WORDS * value.count(",")


def _write(name: str, value: Any, body_words: str) -> str:
    """A value above a body; empty if the body says it, too."""
    if all(_plain(words)[:_COMPARED_CHARS] in body_words for words in _values(value)):
        return ""
    label = "" if name.lower() in _SUMMARIES else f"{_label(name)}:"
    if not isinstance(value, str):
        return f"{plain_markdown(label or _label(name))}\n\n{''.join(_write_items(value, ''))}".rstrip()
    paragraphs = _split_paragraphs(value)
    if len(paragraphs) == 1:
        return plain_markdown(f"{label} {_enclose(value)}".lstrip())
    lines = (_item(words) if is_item else f"\n{plain_markdown(_enclose(words))}\n\n" for is_item, words in paragraphs)
    return _BLANK_LINES.sub("\n\n", f"{plain_markdown(label)}\n\n{''.join(lines)}").strip()


def _write_entry(name: str, value: Any, indent: str = "") -> str:
    """An item of a list: the name and the value, or below the name the items of the value; empty without a value."""
    if isinstance(value, str) and len(paragraphs := _split_paragraphs(value)) > 1:
        value = [words for _, words in paragraphs]
    if isinstance(value, Mapping | list) and _has_sentence(value) and len(indent) < 2 * _MAX_DEPTH:
        return f"{indent}- **{_label(name)}**:\n{''.join(_write_items(value, indent + '  '))}"
    words = _flat(value)
    return f"{indent}- **{_label(name)}**: {_enclose(words)}\n" if words else ""


def _write_items(value: Mapping[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """The items of a mapping or a list. The first value of a mapping in a list leads the others, as their name."""
    if isinstance(value, Mapping):
        yield from (_write_entry(name, item, indent) for name, item in value.items())
        return
    for item in value:
        entries = [(name, entry) for name, entry in item.items() if _flat(entry)] if isinstance(item, Mapping) else []
        if entries and isinstance(entries[0][1], str):
            yield _item(entries[0][1], indent)
            yield from (_write_entry(name, entry, f"{indent}  ") for name, entry in entries[1:])
        elif words := _flat(item):
            yield _item(words, indent)


def _item(words: str, indent: str = "") -> str:
    return f"{indent}- {plain_markdown(_enclose(words))}\n"


def _split_paragraphs(value: str) -> list[tuple[bool, str]]:
    """The paragraphs and items of a value, without the marks of items and headings; whether each is an item."""
    paragraphs = (paragraph.strip() for paragraph in _BORDER.split(value.strip()) if _WORD.search(paragraph))
    return [(bool(_ITEM.match(paragraph)), _MARK.sub("", paragraph)) for paragraph in paragraphs]


def _enclose(words: str) -> str:
    """Words without tags and comments; what opens one and does not close it would take text of the body with it."""
    return _escape(" ".join(without_markup(" ".join(words.split()), is_mdx=False).split()))


def _escape(words: str) -> str:
    return _OPENING.sub(lambda match: match["closed"] or f"\\{match[0]}", words)


def _label(name: str) -> str:
    return _escape(_WORD_BORDER.sub(" ", name).strip().capitalize())


def _flat(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(name)}: {words}" for name, item in value.items() if (words := _flat(item)))
    if isinstance(value, list):
        mark = "; " if any(isinstance(item, Mapping) for item in value) else ", "
        return mark.join(filter(None, map(_flat, value)))
    return "" if value is None else " ".join(str(value).split())


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\\", "").split())
