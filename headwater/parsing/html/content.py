"""The part of a web page that holds its content.

Belongs here: what is left out of a page (menus, banners, buttons), the element with the content. Not here: markdown
(`blocks`), text that repeats on the pages of a site (`headwater.sources`). Guarantee: an element with a
large share of the page's text is never left out; the work is linear.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.parsing.html.inline import plain_words

_DROPPED = ("script", "style", "template", "svg", "button", "select", "textarea", "nav", "dialog", "iframe", "object",
            "embed", "canvas", "video", "audio", "datalist", "map", "link", "meta", "input")  # fmt: skip
_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
                    "menubar", "toolbar", "tablist"})  # fmt: skip
_ANYWHERE = re.compile(
    r"(?:^|[\s_-])(?:bread-?crumbs?|pagination|pager|prev-?next|next-?prev|skip-?(?:link|nav|to)|toc|table-of-contents|"
    r"cookies?(?=[_-]|$|\s)|consent|gdpr|share|sharing|sharedaddy|addtoany|social|newsletter|tabbed-labels|tab-?list|edit-?(?:page|link|this|section)|"
    r"mw-editsection|related-?(?:posts?|articles?|pages)|read-next|on-this-page|version-badge|"
    r"out-of-band|clipboard|copy-?(?:btn|button)|srclink|test-arrow|hideme|catlinks|printfooter|contentSub|tooltip|dropdown-menu|sr-only|visually-hidden|screen-reader-text|print-hide|noprint|only-?print|print-?only|"
    r"comment-?(?:respond|form|reply-title)|akismet\w*|subscribe|most-(?:read|popular|viewed))(?=$|[\s_-])"
    r"|breadcrumbs|screenReaderText|editsection",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"(?:^|[\s_-])(?:nav|nav-?(?:bar|header|footer)|navigation|menu|site-?(?:header|footer)|page-?footer|footer|masthead|topbar|"
    r"toolbar|ads?|advert(?:isement)?|promo|sphinxsidebar|widget-?area|hot-?questions)(?=$|[\s_-])"
    r"|(?:^|\s)(?:header|banner|top)(?=$|\s)",
    re.IGNORECASE,
)
_SIDEBAR = re.compile(r"(?:^|[\s_-])side-?bar(?=$|[\s_-])", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNFOLDS = re.compile(r"tab|panel|collaps|accordion|answer|content|expand|details|toggle", re.IGNORECASE)
_LEAVES = frozenset(
    {"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "td", "th", "dt", "dd", "blockquote", "span"}
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CONTAINERS = frozenset({"div", "section", "article", "main", "center", "form", "td", "table", "tbody", "tr", "body"})
_PARTS = (*(_LEAVES - {"span"}), *_CONTAINERS, "ul", "ol", "dl", "figure")
_NAMED = frozenset({"div", "ul", "ol", "table", "form"})
_NAMES_LIMIT = 500
_MANY = 10_000  # elements above which a page is read whole: trafilatura's time grows with their square
_MAX_OMITTED_SHARE = 0.3  # share of a page's text above which an element is not left out
_MIN_SECOND_SHARE = 0.5  # of the text of the largest `main` that another one needs to be content, too
_MIN_PARAGRAPH_CHARS = 80
_MAX_UNLINKED_CHARS = 100  # of a list of languages: what it is called, and the marks between links
_UNLINKED_BY_LINK = 20  # a sentence before a single link is not what it is called
_LITTLE = 200  # characters of a page in which shares mean nothing
_LARGE_LIMIT = 50  # elements too large to be left out, after which no others are looked at
_KEPT_MARKED = 0.85  # share of the found text that the content must hold
_MIN_ARTICLE_SHARE = 0.8  # share of a page's text outside links that makes `article` its content
_MIN_HEADED_SHARE = 0.2  # the same of an article that has the page's heading
_NAVIGATION = re.compile(
    r"(?:^|[\s_-])(?:nav(?:igation)?(?:[_-]?(?:table|header|footer|bar|links?))?|related)(?=$|[\s_-])", re.IGNORECASE
)
_LANGUAGE = re.compile(r"(?:^|\s)language-")
_TURNS = re.compile(r"(?:^|\s)(?:prev|previous|next)(?:[_-]page)?(?=$|\s)", re.IGNORECASE)  # of pages
_HAS = re.compile(r"(?:^|\s)(?:has|no|with|without)-\S+", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LINKED = 0.6  # share of linked characters above which an aside is a list of other pages


def content_root(tree: Any) -> Any:
    """The element with a page's content; everything in it that is not content has been removed.

    Without `main` or `article`, trafilatura finds the text, and the content is the smallest element that holds it.
    """
    body = tree.find(".//body")
    body = tree if body is None else body
    _remove_language_lists(body)
    total = max(len(plain_words(body)), 1)
    _remove(body, total, _is_never_content)
    root = _find_declared(body)
    if root is None:
        shingles = _shingles_of_text(tree)
        _remove(body, total, partial(_is_outside, holders=_holders_of_paragraphs(body)))
        root = _find_holder(body, shingles)
    _remove(root, max(len(plain_words(root)), 1), _is_boilerplate)
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
            element.tag in ("p", "ul", "ol", "div") and next(element.iterdescendants("p", *_HEADINGS), None) is None
        )
        if is_list and is_short:
            element.drop_tree()


def _find_declared(body: Any) -> Any:
    """The element that a page itself calls its content; None if there is none.

    Articles without its heading that leave out much of it are parts of its content, such as the functions below a
    description.
    """
    mains = [candidate for candidate in body.iter() if candidate.tag == "main" or candidate.get("role") == "main"]
    outermost = [main for main in mains if not set(mains).intersection(main.iterancestors())]
    largest = max(map(_count_unlinked, outermost), default=0)
    if mains:
        large = [
            main for main in outermost if _count_unlinked(main) >= _MIN_SECOND_SHARE * largest and plain_words(main)
        ]
        return _common(large, body) if len(large) > 1 else next(iter(large), None)
    articles = [article for article in body.iter("article") if next(article.iterancestors("article"), None) is None]
    if not articles:
        return None
    is_headed = any(next(article.iter("h1"), None) is not None for article in articles)
    least = _MIN_HEADED_SHARE if is_headed else _MIN_ARTICLE_SHARE
    if sum(map(_count_unlinked, articles)) < least * _count_unlinked(body):
        return None
    return articles[0] if len(articles) == 1 else _common(articles, body)


def _common(elements: list[Any], body: Any) -> Any:
    """The smallest element that holds all of the given ones."""
    ancestors = [set(element.iterancestors()) for element in elements]
    shared = set.intersection(*ancestors)
    return next((ancestor for ancestor in elements[0].iterancestors() if ancestor in shared), body)


def _shingles_of_text(tree: Any) -> frozenset[tuple[str, ...]]:
    """The shingles of the text that trafilatura finds in a page, over its whole length and of each line."""
    from copy import deepcopy

    import trafilatura

    if sum(1 for _ in tree.iter()) > _MANY:
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
    lines = (shingle for line in text.split("\n") for shingle in _shingles(line))
    return frozenset(_shingles(text)).union(lines)


def _shingles(text: str) -> list[tuple[str, ...]]:
    """Each three words that follow each other, so that a line that is broken elsewhere is still the same text."""
    words = _WORD.findall(text)
    return list(zip(words, words[1:], words[2:], strict=False)) if len(words) > 2 else [tuple(words)][: len(words)]


def _find_holder(body: Any, shingles: frozenset[tuple[str, ...]]) -> Any:
    """The smallest element that holds nearly all of the text with the given shingles."""
    marked: dict[Any, int] = {}
    inside: set[Any] = set()  # elements in those that were read
    total = 0
    for element in body.iter() if shingles else ():
        if element.getparent() in inside:
            inside.add(element)
            continue
        is_leaf = _is_leaf(element)
        inside.update([element] if is_leaf else [])
        text = "".join(element.itertext()) if is_leaf else _own_text(element)
        chars = sum(len(shingle[0]) for shingle in _shingles(text) if shingle in shingles)
        total += chars
        for node in (element, *element.iterancestors()) if chars else ():
            marked[node] = marked.get(node, 0) + chars
    root = body
    while total:
        holder = next((child for child in root if marked.get(child, 0) >= _KEPT_MARKED * total), None)
        if holder is None or holder.tag not in _CONTAINERS:
            return root
        if next(root.iter("h1"), None) is not None and next(holder.iter("h1"), None) is None:
            return root
        root = holder
    return root


def _own_text(element: Any) -> str:
    """The text that stands in an element and in none of its parts."""
    return " ".join((element.text or "", *(child.tail or "" for child in element)))


def _is_leaf(element: Any) -> bool:
    """Whether an element holds text that stands alone: a paragraph by its name, or a part without parts."""
    return element.tag in _LEAVES or (element.tag == "div" and next(element.iterchildren(*_PARTS), None) is None)


def _remove(root: Any, total: int, is_left_out: Callable[[Any], bool]) -> None:
    """Remove elements with all that is in them."""
    large = 0
    headings = _count_headings(root)
    for element in list(root.iter()):
        if element is root or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        if not is_left_out(element) or large > _LARGE_LIMIT:
            continue
        inside = _count_headings(element)
        if element.tag in _DROPPED or (_is_small(element, total) and not _is_needed(element, inside, headings)):
            headings -= inside
            element.drop_tree()
        else:
            large += 1


def _is_small(element: Any, total: int) -> bool:
    return total < _LITTLE or len(plain_words(element)) <= _MAX_OMITTED_SHARE * total


def _is_needed(element: Any, inside: Counter[str], headings: Counter[str]) -> bool:
    """Whether an element holds the content, or a heading of the page that does not stand elsewhere, too."""
    return next(element.iter("main"), None) is not None or any(
        headings[heading] == count for heading, count in inside.items()
    )


def _count_headings(element: Any) -> Counter[str]:
    return Counter(plain_words(heading).rstrip("¶#§🔗⚓ ") for heading in element.iter("h1"))


def _is_never_content(element: Any) -> bool:
    name = str(element.tag)
    if name in _DROPPED:
        return not (name == "script" and (element.get("type") or "").startswith("math/tex"))
    if name in ("body", "html", "main"):
        return False
    if element.get("aria-hidden") == "true" and name != "pre":
        return True
    if element.get("hidden") is not None or _NOT_SHOWN.search(element.get("style") or ""):
        unfolds = " ".join((element.get("class") or "", element.get("id") or "", element.get("role") or ""))
        return not _UNFOLDS.search(unfolds) and name != "math" and element.find(".//math") is None
    return (element.get("role") or "") in _ROLES


def _is_outside(element: Any, holders: frozenset[Any]) -> bool:
    if element.tag in ("footer", "aside", "header"):
        is_quoted = element.find(".//blockquote") is not None or _heads_section(element)
        return not is_quoted and next(element.iterancestors("article", "blockquote"), None) is None
    is_part = element.tag not in ("body", "html", "pre", "code", "table")
    names = _names(element) if is_part else ""
    return bool(_OUTSIDE.search(names) or (_SIDEBAR.search(names) and element.getparent() not in holders))


def _holders_of_paragraphs(body: Any) -> frozenset[Any]:
    """The elements whose own children are paragraphs: in the text of a book they also hold boxes called sidebars."""
    paragraphs = (element for element in body.iter("p", "div") if _is_leaf(element))
    return frozenset(leaf.getparent() for leaf in paragraphs if len(plain_words(leaf)) >= _MIN_PARAGRAPH_CHARS)


def _heads_section(element: Any) -> bool:
    """Whether an element is the heading of a section, and not the head of the page with its menu."""
    is_in_section = element.tag == "header" and next(element.iterancestors("section"), None) is not None
    has_heading = is_in_section and next(element.iter(*_HEADINGS), None) is not None
    return has_heading and link_share(element) < _LINKED


def _is_boilerplate(element: Any) -> bool:
    name = str(element.tag)
    if name == "table":
        return _leads_elsewhere(element) or _turns_pages(element)
    if name in ("pre", "code", "tbody", "tr", "td", "th", "article", "main", "body", "html"):
        return False
    if name == "footer":
        return str(element.getparent().tag) != "blockquote"
    return _is_extra(element, name) or bool(_ANYWHERE.search(_names(element))) or _leads_elsewhere(element)


def _is_extra(element: Any, name: str) -> bool:
    """Whether an element of a line, or an aside, is no part of the text."""
    classes = element.get("class") or ""
    if name == "sup":
        return "reference" in classes.split()
    if name == "a":
        return bool(_TURNS.search(f"{element.get('rel') or ''} {classes}"))
    if name == "span":
        is_label = "lang" in classes.split() and _LANGUAGE.search(element.getparent().get("class") or "") is not None
        return is_label or "rightside" in classes.split()  # of VitePress' code, and beside rustdoc's signatures
    return name == "aside" and link_share(element) >= _LINKED


def _leads_elsewhere(element: Any) -> bool:
    """Whether an element whose class says so leads to other pages."""
    return bool(_NAVIGATION.search(element.get("class") or "")) and link_share(element) >= _LINKED


def _turns_pages(table: Any) -> bool:
    """Whether a table holds links in brackets alone, as those of texi2html that turn pages."""
    cells = [words for cell in table.iter("td", "th") if (words := plain_words(cell))]
    is_bracketed = len(cells) > 2 and all(words.startswith("[") and words.endswith("]") for words in cells)
    return is_bracketed and table.find(".//a[@href]") is not None


def _names(element: Any) -> str:
    """The names by which an element may be known as no content; the id of a section is made from its heading.

    A class such as `has-toc` names what is in an element or beside it.
    """
    classes, element_id = element.get("class") or "", element.get("id") or ""
    is_section = "section" in classes.split() or element.tag not in _NAMED
    if element_id and (is_section or next(element.iter(*_HEADINGS), None) is not None):
        element_id = ""
    return _HAS.sub(" ", f"{classes} {element_id}"[:_NAMES_LIMIT])


def link_share(element: Any) -> float:
    """The share of an element's characters that stand in links."""
    return _count_linked(element) / max(len(plain_words(element)), 1)


def _count_linked(element: Any) -> int:
    return sum(len(plain_words(link)) for link in element.iter("a"))


def _count_unlinked(element: Any) -> int:
    return len(plain_words(element)) - _count_linked(element)
