"""The part of a web page that holds its content.

Belongs here: which element of a page has its content. Not here: what surrounds it (`page_frame`), markdown (`blocks`).
Guarantee: the element that a page declares counts, if it has enough of its text; the work is linear.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from headwater.parsing.html.element_text import CONTAINERS, HEADINGS, count_unlinked, is_leaf, link_share, read_own_text
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.page_frame import (
    is_boilerplate,
    is_never_content,
    is_outside,
    remove_elements,
    survey_page,
)

_MANY = 10_000  # elements above which a page is read whole: trafilatura's time grows with their square
_MAX_AVERAGE_DEPTH = 40  # the same of the elements around one: it reads each link once for every element around it
_MIN_MAIN_SHARE = 0.5  # of the text of the largest `main` that the first one needs to be the content
_MAX_UNLINKED_CHARS = 100  # of a list of languages: what it is called, and the marks between links
_UNLINKED_BY_LINK = 20  # a sentence before a single link is not what it is called
_KEPT_MARKED = 0.85  # share of the found text that the content must hold
_MIN_ARTICLE_SHARE = 0.8  # share of a page's text outside links that makes `article` its content
_MIN_HEADED_SHARE = 0.2  # the same of an article that has the page's heading
_TOP_HEADINGS = ("h1", "h2", "h3")
_LINKED_SHARE = 0.6  # of an element's characters above which it leads elsewhere
_SECTION_CHARS = 80  # of text that trafilatura finds in an element without a heading
_BARE_CHARS = 100  # of an element that holds nothing but a heading
_HEADED_CHARS = 60  # outside links, of an element with a heading behind most of the text
_WORD = re.compile(r"\w+")


def content_root(tree: Any, *, is_fragment: bool = False) -> Any:
    """The element with a page's content; everything in it that is not content has been removed.

    Without `main` or `article`, trafilatura finds the text, and the content is the smallest element that holds it. Of a
    fragment, which has no page around it, it is the whole body.
    """
    body = tree.find(".//body")
    body = tree if body is None else body
    _remove_language_lists(body)
    total = max(len(plain_words(body)), 1)
    remove_elements(body, total, is_never_content)
    root = body if is_fragment else _find_declared(body)
    if root is None:
        shingles = _find_shingles(tree)
        remove_elements(body, total, partial(is_outside, survey=survey_page(body)))
        root = _find_holder(body, shingles)
    remove_elements(root, max(len(plain_words(root)), 1), is_boilerplate)
    return root


def _remove_language_lists(body: Any) -> None:
    """Remove the lists that lead to a page in other languages."""
    links = [link for link in body.iter("a") if link.get("hreflang") and "alternate" in (link.get("rel") or "").split()]
    lists = {item.getparent() if (item := link.getparent()).tag == "li" else item for link in links}
    for element in lists:
        linked = [len(plain_words(link)) for link in element.iter("a")]
        allowed = min(_MAX_UNLINKED_CHARS, _UNLINKED_BY_LINK * len(linked))
        is_short = len(plain_words(element)) <= sum(linked) + allowed
        is_list = (
            element.tag in ("p", "ul", "ol", "div") and next(element.iterdescendants("p", *HEADINGS), None) is None
        )
        if is_list and is_short:
            element.drop_tree()


def _find_declared(body: Any) -> Any:
    """The element that a page itself calls its content; None if there is none.

    Articles without its heading that leave out much of it are parts of its content, such as the functions below a
    description.
    """
    mains = [candidate for candidate in body.iter() if candidate.tag == "main" or candidate.get("role") == "main"]
    if mains:
        sizes = {main: count_unlinked(main) for main in mains}
        least_chars = _MIN_MAIN_SHARE * max(sizes.values())
        return next((main for main in mains if sizes[main] >= least_chars and plain_words(main)), None)
    articles = [article for article in body.iter("article") if next(article.iterancestors("article"), None) is None]
    if not articles:
        return None
    is_headed = any(next(article.iter("h1"), None) is not None for article in articles)
    least = _MIN_HEADED_SHARE if is_headed else _MIN_ARTICLE_SHARE
    if sum(map(count_unlinked, articles)) < least * count_unlinked(body):
        return None
    return articles[0] if len(articles) == 1 else _common(articles, body)


def _common(elements: list[Any], body: Any) -> Any:
    """The smallest element that holds all of the given ones."""
    ancestors = [set(element.iterancestors()) for element in elements]
    shared = set.intersection(*ancestors)
    return next((ancestor for ancestor in elements[0].iterancestors() if ancestor in shared), body)


def _find_shingles(tree: Any) -> frozenset[tuple[str, ...]]:
    """The shingles of the text that trafilatura finds in a page, over its whole length and of each line."""
    from copy import deepcopy

    import trafilatura

    if _is_large(tree):
        return frozenset()
    copy = deepcopy(tree)
    body = copy.find(".//body")
    if body is not None:
        body.tag = "main"  # without an element of this name it loses every heading
        body.addprevious(body.makeelement("body"))
        body.getprevious().append(body)
    try:
        text = trafilatura.extract(copy, favor_recall=True, include_comments=True, include_tables=True)
    except Exception:  # noqa: BLE001 - a page that it fails on is read without its advice
        return frozenset()
    text = text or ""
    lines = (shingle for line in text.split("\n") for shingle in _make_shingles(_WORD.findall(line)))
    return frozenset(_make_shingles(_WORD.findall(text))).union(lines)


def _is_large(tree: Any) -> bool:
    """Whether a page has too many elements for trafilatura, or too many that nest too deeply."""
    depths: dict[Any, int] = {}
    for element in tree.iter():
        depths[element] = depths.get(element.getparent(), 0) + 1
    return len(depths) > _MANY or sum(depths.values()) > _MAX_AVERAGE_DEPTH * max(len(depths), _MANY // 10)


def _make_shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Each three words that follow each other, so that a line that is broken elsewhere is still the same text."""
    return list(zip(words, words[1:], words[2:], strict=False)) if len(words) > 2 else [tuple(words)][: len(words)]


def _count_known(text: str, shingles: frozenset[tuple[str, ...]]) -> int:
    """How many characters of a text stand in words of known shingles."""
    words = _WORD.findall(text)
    positions = {
        start + offset
        for start, shingle in enumerate(_make_shingles(words))
        if shingle in shingles
        for offset in range(len(shingle))
    }
    return sum(len(words[position]) for position in positions)


def _find_holder(body: Any, shingles: frozenset[tuple[str, ...]]) -> Any:
    """The smallest element that holds nearly all of the text with the given shingles."""
    marked: dict[Any, int] = {}
    inside: set[Any] = set()  # elements in those that were read
    total = 0
    for element in body.iter() if shingles else ():
        if element.getparent() in inside:
            inside.add(element)
            continue
        is_whole = is_leaf(element)
        inside.update([element] if is_whole else [])
        chars = _count_known("".join(element.itertext()) if is_whole else read_own_text(element), shingles)
        total += chars
        for node in (element, *element.iterancestors()) if chars else ():
            marked[node] = marked.get(node, 0) + chars
    root = body
    while total:
        holder = next((child for child in root if marked.get(child, 0) >= _KEPT_MARKED * total), None)
        if holder is None or holder.tag not in CONTAINERS:
            return root
        if _leaves_sections(holder, marked):
            return root
        root = holder
    return root


def _leaves_sections(holder: Any, marked: Mapping[Any, int]) -> bool:
    """Whether content stands beside the element that holds most of the text: the page's heading, or a section."""
    if next(holder.getparent().iter("h1"), None) is not None and next(holder.iter("h1"), None) is None:
        return True
    if any(_is_section(element, marked, 0) for element in holder.itersiblings(preceding=True)):
        return True
    return any(_is_section(element, marked, _HEADED_CHARS) for element in holder.itersiblings())


def _is_section(element: Any, marked: Mapping[Any, int], headed_chars: int) -> bool:
    """Whether an element beside the one that holds most of the text is content, too.

    Args:
        element: the element.
        marked: how many characters of the text that trafilatura finds stand in each element.
        headed_chars: how many characters outside links make an element with a heading content.
    """
    if not isinstance(element.tag, str) or link_share(element) >= _LINKED_SHARE:
        return False
    has_heading = element.tag in _TOP_HEADINGS or next(element.iter(*_TOP_HEADINGS), None) is not None
    is_bare = has_heading and len(plain_words(element)) <= _BARE_CHARS
    if has_heading and (marked.get(element, 0) or (is_bare and not headed_chars)):
        return count_unlinked(element) >= headed_chars
    return marked.get(element, 0) >= _SECTION_CHARS
