"""What surrounds the content of a web page: menus, banners, forms, links to other pages, copies for printing.

Belongs here: telling such elements by their names, roles and links, and removing them. Not here: which element has the
content (`content`), text that repeats on the pages of a site (`headwater.sources`). Guarantee: an element with a large
share of the page's text is never removed; the work is linear.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from headwater.parsing.html.element_text import HEADINGS, count_headings, is_leaf, link_share
from headwater.parsing.html.inline import plain_words

_DROPPED = ("script", "style", "template", "svg", "button", "select", "textarea", "nav", "dialog", "iframe", "object",
            "embed", "canvas", "video", "audio", "datalist", "map", "link", "meta", "input")  # fmt: skip
_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
                    "menubar", "toolbar", "tablist"})  # fmt: skip
_ANYWHERE = re.compile(
    r"(?:^|[\s_-])(?:bread-?crumbs?|pagination|pager|prev-?next|next-?prev|skip-?(?:link|nav|to)|toc(?!-backref)|table-of-contents|contents(?:\slocal)?\stopic|"
    r"cookies?(?=[_-]|$|\s)|consent|gdpr|share|sharing|sharedaddy|addtoany|social|newsletter|tabbed-labels|tab-?list|edit-?(?:page|link|this|section)|"
    r"mw-editsection|related-?(?:posts?|articles?|pages)|read-next|on-this-page|version-badge|"
    r"out-of-band|clipboard|copy-?(?:btn|button)|srclink|test-arrow|hideme|catlinks|printfooter|contentSub|tooltip|sr-only|visually-hidden|screen-reader-text|print-hide|noprint|onlyprint|"
    r"comment-?(?:respond|form|reply-title)|akismet\w*|most-(?:read|popular|viewed))(?=$|[\s_-])"
    r"|breadcrumbs|screenReaderText|editsection",
    re.IGNORECASE,
)
_HEAD_OF_PAGE = re.compile(r"(?:^|\s)(?:header|banner|top)(?=$|\s)", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"(?:^|[\s_-])(?:nav|nav-?(?:bar|header|footer)|navigation|menu|site-?(?:header|footer)|page-?footer|footer|masthead|topbar|"
    r"toolbar|ads?|advert(?:isement)?|promo|sphinxsidebar|widget-?area|hot-?questions)(?=$|[\s_-])"
    rf"|{_HEAD_OF_PAGE.pattern}",
    re.IGNORECASE,
)
_HEADS = frozenset({"header", "top"})
_FEW_HEADS = 2  # elements of such a class that a page may have: more of them are parts of its content
_MAX_HEADS_AROUND = 8  # elements of such classes in which one is looked at: of deeper ones, those around them decide
_SIDEBAR = re.compile(r"(?:^|[\s_-])side-?bar(?=$|[\s_-])", re.IGNORECASE)
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNFOLDS = re.compile(r"tab|panel|collaps|accordion|answer|content|expand|details|toggle", re.IGNORECASE)
_NAMED = frozenset({"div", "ul", "ol", "table", "form"})
_NAMES_LIMIT = 500
_MAX_OMITTED_SHARE = 0.3  # share of a page's text above which an element is not left out
_MIN_PARAGRAPH_CHARS = 80
_LITTLE = 200  # characters of a page in which shares mean nothing
_LARGE_LIMIT = 50  # elements too large to be left out, after which no others are looked at
_NAVIGATION = re.compile(
    r"(?:^|\s)(?:nav|navigation|nav[_-]?(?:table|header|footer|bar|links?)|dropdown-menu|(?:[\w-]+-)?related(?:-wrap)?)(?=\s|$)",
    re.IGNORECASE,
)
_TABS = re.compile(r"(?:^|[\s-])(?:tabs?|pills)(?=\s|$)", re.IGNORECASE)
_ARROWS = frozenset("<>«»‹›←→")
_LABELED_WITHIN = 3  # elements behind a label among which its code is
_LANGUAGE = re.compile(r"(?:^|\s)language-")
_TURNS = re.compile(r"(?:^|\s)(?:prev|previous|next)(?:[_-]page)?(?=$|\s)", re.IGNORECASE)  # of pages
_BESIDE_LINKS = frozenset({"a", "br", "hr", "div", "p", "ul", "ol", "table", "section", "article", *HEADINGS})
_WORD = re.compile(r"\w")
_HAS = re.compile(r"(?:^|\s)(?:has|no|with|without)-\S+", re.IGNORECASE)
_TO_TOP = re.compile(
    r"(?:(?:back|return|go|jump) )?(?:to (?:the )?)?top(?: of (?:the )?page)?|[↑▲⬆^]{1,3}", re.IGNORECASE
)
_LINKED = 0.6  # share of linked characters above which an aside is a list of other pages


def remove_elements(root: Any, total: int, is_left_out: Callable[[Any], bool]) -> None:
    """Remove elements with all that is in them.

    Args:
        root: the element in which they are; it is changed.
        total: the characters of the text of which an element must have a small share.
        is_left_out: whether an element may go.
    """
    large = 0
    headings = count_headings(root)
    removed: set[Any] = set()
    for element in list(root.iter()):
        if element.getparent() in removed:
            removed.add(element)
            continue
        if element is root or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        if large > _LARGE_LIMIT or not is_left_out(element):
            continue
        own_headings = count_headings(element)
        if element.tag in _DROPPED or (_is_small(element, total) and not _is_needed(element, own_headings, headings)):
            for heading, count in own_headings.items():
                headings[heading] -= count
            removed.add(element)
            element.drop_tree()
        else:
            large += 1


def _is_small(element: Any, total: int) -> bool:
    return total < _LITTLE or len(plain_words(element)) <= _MAX_OMITTED_SHARE * total


def _is_needed(element: Any, own_headings: Counter[str], headings: Counter[str]) -> bool:
    """Whether an element holds the content, or a heading of the page that does not stand elsewhere, too."""
    return next(element.iter("main"), None) is not None or any(
        headings[heading] == count for heading, count in own_headings.items()
    )


def is_never_content(element: Any) -> bool:
    """Whether an element is no content wherever it stands: by its name or role, or because it is not shown."""
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


@dataclass(frozen=True, slots=True)
class PageSurvey:
    """What tells the frame of a page from its content.

    `holders` are the elements whose own children are paragraphs: in the text of a book they also hold boxes called
    sidebars. `section_heads` have a class such as `top` that so many have that it cannot be that of the page's head.
    """

    holders: frozenset[Any]
    section_heads: frozenset[Any]


def survey_page(body: Any) -> PageSurvey:
    """Read a page once for `is_outside`."""
    paragraphs = (element for element in body.iter("p", "div") if is_leaf(element))
    holders = frozenset(leaf.getparent() for leaf in paragraphs if len(plain_words(leaf)) >= _MIN_PARAGRAPH_CHARS)
    classes = (element.get("class") or "" for element in body.iter("div", "section", "header"))
    counts = Counter(names for names in classes if not _HEADS.isdisjoint(names.split()))
    part_classes = frozenset(names for names, count in counts.items() if count > _FEW_HEADS)
    return PageSurvey(holders, frozenset(_find_parts(body, part_classes) if part_classes else ()))


def _find_parts(body: Any, part_classes: frozenset[str]) -> Iterator[Any]:
    """The elements of some classes that have parts and do not lead elsewhere."""
    depths: dict[Any, int] = {}  # how many elements of the classes are around what is in an element
    for element in body.iter():
        depth = depths.get(element.getparent(), 0)
        is_named = element.get("class") in part_classes
        depths[element] = depth + is_named
        if is_named and (depth > _MAX_HEADS_AROUND or (not is_leaf(element) and link_share(element) < _LINKED)):
            yield element


def is_outside(element: Any, survey: PageSurvey) -> bool:
    """Whether an element of a page that does not say what its content is stands beside it.

    Args:
        element: the element.
        survey: that of its page.
    """
    if element.tag in ("footer", "aside", "header"):
        is_quoted = element.find(".//blockquote") is not None or _heads_section(element)
        if element.tag == "aside" and _is_note(element, survey.holders):
            return False
        return not is_quoted and next(element.iterancestors("article", "blockquote"), None) is None
    if element.tag in ("body", "html", "pre", "code", "table"):
        return False
    if element in survey.section_heads:
        return False
    names = _names(element)
    return bool(_OUTSIDE.search(names) or (_SIDEBAR.search(names) and element.getparent() not in survey.holders))


def _is_note(aside: Any, holders: frozenset[Any]) -> bool:
    """Whether an aside stands between paragraphs, or in an item of a list, and is no list of other pages."""
    parent = aside.getparent()
    return (parent in holders or parent.tag in ("dd", "li", "td")) and link_share(aside) < _LINKED


def _heads_section(element: Any) -> bool:
    """Whether an element is the heading of a section, and not the head of the page with its menu."""
    is_in_section = element.tag == "header" and next(element.iterancestors("section"), None) is not None
    has_heading = is_in_section and next(element.iter(*HEADINGS), None) is not None
    return has_heading and link_share(element) < _LINKED


def is_boilerplate(element: Any) -> bool:
    """Whether an element is no part of the content in which it stands."""
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
    if name == "a" and (element.get("href") or "").startswith("#") and _TO_TOP.fullmatch(plain_words(element)):
        return _is_beside_text(element)
    if name == "a":
        return bool(_TURNS.search(f"{element.get('rel') or ''} {classes}")) and _stands_alone(element)
    if name == "span" and "lang" in classes.split():  # the label of code, as VitePress makes it
        is_beside_code = any(sibling.tag == "pre" for sibling in islice(element.itersiblings(), _LABELED_WITHIN))
        return is_beside_code and _LANGUAGE.search(element.getparent().get("class") or "") is not None
    if name == "span" and "rightside" in classes.split():  # beside the signatures of rustdoc
        return any((child.get("class") or "") in ("since", "src", "srclink") for child in element)
    return name == "aside" and link_share(element) >= _LINKED


def _is_beside_text(link: Any) -> bool:
    """Whether a link to the top of a page stands alone, or behind the words of a heading."""
    parent = link.getparent()
    if parent.tag in HEADINGS:
        return not (link.tail or "").strip() and plain_words(parent) != plain_words(link)
    return parent.tag not in ("li", "dt", "td") and _stands_alone(link)


def _stands_alone(link: Any) -> bool:
    """Whether a link is no part of a sentence: what stands right before and behind it are links, blocks or marks."""
    previous, following = link.getprevious(), link.getnext()
    text = (link.getparent().text if previous is None else previous.tail) or ""
    is_alone = not _WORD.search(text) and not _WORD.search(link.tail or "")
    return is_alone and all(node is None or node.tag in _BESIDE_LINKS for node in (previous, following))


def _leads_elsewhere(element: Any) -> bool:
    """Whether an element whose class says so leads to other pages; of nested ones, the outermost decides."""
    classes, parent = element.get("class") or "", element.getparent()
    if not _NAVIGATION.search(classes) or _TABS.search(classes) or _NAVIGATION.search(parent.get("class") or ""):
        return False
    return link_share(element) >= _LINKED


def _turns_pages(table: Any) -> bool:
    """Whether a table holds links in brackets alone, with arrows, as those of texi2html that turn pages."""
    if table.find(".//table") is not None or table.find(".//a[@href]") is None:
        return False
    cells = [words for cell in table.iter("td", "th") if (words := plain_words(cell))]
    is_bracketed = len(cells) > 2 and all(words.startswith("[") and words.endswith("]") for words in cells)
    return is_bracketed and any(not _ARROWS.isdisjoint(words) for words in cells)


def _names(element: Any) -> str:
    """The names by which an element may be known as no content; the id of a section is made from its heading.

    A class such as `has-toc` names what is in an element or beside it.
    """
    classes, element_id = element.get("class") or "", element.get("id") or ""
    is_section = "section" in classes.split() or element.tag not in _NAMED
    if element_id and (is_section or next(element.iter(*HEADINGS), None) is not None):
        element_id = ""
    return _HAS.sub(" ", f"{classes} {element_id}"[:_NAMES_LIMIT])
