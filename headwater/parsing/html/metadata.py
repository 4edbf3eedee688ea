"""What a web page says about itself in its head: title, language, date, author, site, canonical address, robots.

Belongs here: reading the head. Not here: the content (`content`). Guarantee: a date is one that the page states,
never one that was found in its text.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from headwater.parsing.html.inline import heading_words, plain_words
from headwater.parsing.markdown.headings import without_tags

_MAKEINFO_TITLE = re.compile(  # the manual's name behind the page's
    r"(?P<title>.{1,300}) \([^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,3}\)"
)
_LIMIT = 500  # characters of a value
_REFRESH = re.compile(r"^\s*([0-9]{1,4})\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'\s]+)", re.IGNORECASE)
_SOON = 10  # seconds
_INDEX = re.compile(r"(?<=/)index\.\w+$")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}")
_UPDATED = ("article:modified_time", "og:updated_time", "dcterms.modified", "last-modified", "datemodified", "revised")
_BAR = re.compile(r"(?:^|[\s_-])(?:menu|nav|navbar|topbar)(?:$|[\s_-])", re.IGNORECASE)
_SEPARATORS = re.compile(r"\s+[|–—·»:•-]\s+|\s*[|»]\s*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?")
_MODIFIED = re.compile(rf'"dateModified"\s*:\s*"({_DATE.pattern})"')
_JSON_LIMIT = 100_000  # characters of JSON-LD
_FIELDS = {"author": "author", "sitename": "site", "description": "description", "date": "date"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """What a page says about itself; empty where it says nothing."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    refresh: str = ""
    """The address that it leads to at once."""
    robots: frozenset[str] = frozenset()
    values: dict[str, str] = field(default_factory=dict)


def read_head(tree: Any, uri: str) -> Head:
    """Read the head of a page.

    Args:
        tree: the page.
        uri: its address or path, from which relative addresses start.
    """
    start = read_base(tree, uri)
    fields = _by_library(tree)
    metas = _metas(tree)
    updated = next((match[0] for name in _UPDATED if (match := _DATE.match(metas.get(name, "")))), "")
    updated = updated or _find_modified_date(tree)
    values = {field: text for name, field in _FIELDS.items() if (text := _plain(fields.get(name)))}
    values |= {"updated": updated} if updated else {}
    canonical = next(
        (link for link in tree.iter("link") if "canonical" in (link.get("rel") or "").lower().split()), None
    )
    return Head(
        title=without_tags(_title(tree, metas, values.get("site", ""), uri, start)),
        language=_language(tree, metas),
        canonical="" if canonical is None else _address(start, canonical.get("href")),
        base=start,
        refresh=read_refresh(tree, start),
        robots=frozenset(re.split(r"[\s,]+", metas.get("robots", "").lower())) - {""},
        values=values,
    )


def read_base(tree: Any, uri: str) -> str:
    """The address or path from which the relative addresses of a page start."""
    base = tree.find(".//base[@href]")
    return uri if base is None else _address(uri, base.get("href")) or uri


def _by_library(tree: Any) -> dict[str, Any]:
    """What trafilatura reads from the head alone: from the body it takes dates and names that mean something else."""
    import trafilatura

    head = tree.find(".//head")
    if head is None:
        return {}
    root = tree.makeelement("html")
    root.append(deepcopy(head))
    root[0].tag = "head"
    body = root.makeelement("body")
    root.append(body)
    for script in tree.iterfind(".//body//script"):
        if script.get("type") == "application/ld+json" and len(script.text or "") < _JSON_LIMIT:
            body.append(deepcopy(script))
    options = {"extensive_search": False, "original_date": True, "max_date": "2100-01-01"}
    try:
        metadata = trafilatura.extract_metadata(root, extensive=False, date_config=options)
    except Exception:  # noqa: BLE001 - metadata that it fails on are no reason to lose the page
        return {}
    return dict(metadata.as_dict()) if metadata is not None else {}


def _find_modified_date(tree: Any) -> str:
    """The date of the last change in a page's JSON-LD; empty without it."""
    for script in tree.iter("script"):
        if script.get("type") == "application/ld+json":
            match = _MODIFIED.search((script.text or "")[:_JSON_LIMIT])
            if match:
                return str(match[1])
    return ""


def _metas(tree: Any) -> dict[str, str]:
    """The `meta` elements, by lower-case name; the first of a name counts, but rules for robots add up."""
    metas: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = (
            meta.get("name") or meta.get("property") or meta.get("itemprop") or meta.get("http-equiv") or ""
        ).lower()
        content = (meta.get("content") or "").strip()[:_LIMIT]
        if name and content:
            metas[name] = (
                f"{metas[name]}, {content}" if name == "robots" and name in metas else metas.get(name, content)
            )
    return metas


def _title(tree: Any, metas: dict[str, str], site: str, uri: str, base: str) -> str:
    """The page's own title: without the name of the site, which stands on every page."""
    headings = list(dict.fromkeys(words for node in own_headings(tree, uri, base) if (words := _heading(node))))
    site = _site_of_headings(tree) or site
    element = tree.find(".//head/title")
    title_text = "" if element is None else plain_words(element)
    for heading in headings:
        if title_text.startswith(heading) or (len(headings) == 1 and heading != site):
            return heading[:_LIMIT]
    page_title = metas.get("og:title", "") or title_text
    if (match := _MAKEINFO_TITLE.fullmatch(page_title)) and metas.get("generator", "").startswith(
        ("makeinfo", "texi2any")
    ):
        page_title = match["title"]
    if site and page_title.casefold().endswith(site.casefold()) and len(page_title) > len(site):
        return re.sub(r"[\s|–—·»:•-]+$", "", page_title[: -len(site)])[:_LIMIT]
    if not headings:
        return page_title[:_LIMIT]
    first = _SEPARATORS.split(page_title)[0]
    return (first or headings[0])[:_LIMIT]


def own_headings(tree: Any, uri: str, base: str) -> Iterator[Any]:
    """The first headings of a page, without the name of its site.

    That is a heading that links to the site's beginning, or one that the page's title names after its own.
    """
    page_path = urlsplit(uri).path
    site = _site_of_headings(tree)
    for heading in tree.iter("h1"):
        if site and _heading(heading) == site:
            continue
        link = heading.find(".//a[@href]")
        target = "" if link is None else _address(base, link.get("href"))
        folder = _INDEX.sub("", urlsplit(target).path) or "/"
        is_above = folder == "/" or (folder.endswith("/") and page_path.startswith(folder))
        is_beginning = is_above and _INDEX.sub("", page_path) != folder
        if link is None or not target or not is_beginning or plain_words(link) != plain_words(heading):
            yield heading


def demote_site_heading(tree: Any) -> None:
    """Make the name of the site, where it is a heading, a line like others, so that it can go with the page's frame."""
    site = _site_of_headings(tree)
    for heading in tree.iter("h1") if site else ():
        if _heading(heading) == site and next(heading.iterancestors("main", "article"), None) is None:
            heading.tag = "div"


def _site_of_headings(tree: Any) -> str:
    """A heading that is the name of the site, by the element `title`; empty if there is none.

    It ends the title, in whatever case, and stands in a bar or above a heading that the title names, too.
    """
    element = tree.find(".//head/title")
    names = _SEPARATORS.split("" if element is None else plain_words(element))
    folded_names = frozenset(name.casefold() for name in names)
    nodes: dict[str, Any] = {}
    for node in tree.iter("h1", "h2"):
        words = _heading(node)
        if words.casefold() in folded_names:
            nodes.setdefault(words, node)
    first = next(iter(nodes), "")
    if len(names) < 2 or first.casefold() != names[-1].casefold() or nodes[first].tag != "h1":
        return ""
    is_in_bar = any(
        node.tag == "nav" or _BAR.search(f"{node.get('id') or ''} {node.get('class') or ''}")
        for node in nodes[first].iterancestors()
    )
    is_in_head = next(nodes[first].iterancestors("header"), None) is not None
    headed = nodes if is_in_head else [name for name, node in nodes.items() if node.tag == "h1"]
    return first if is_in_bar or len(headed) > 1 else ""


def _heading(element: Any) -> str:
    for line_break in element.iter("br"):
        line_break.tail = f" {line_break.tail or ''}"
    return heading_words(element)


def _language(tree: Any, metas: dict[str, str]) -> str:
    lang = tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang") or tree.get("xml:lang")
    for value in (lang, metas.get("content-language"), metas.get("og:locale"), metas.get("language")):
        if value and _LANGUAGE.fullmatch(value.strip()):
            return str(value.strip().replace("_", "-"))
    return ""


def read_refresh(tree: Any, base: str, *, seconds: int = _SOON) -> str:
    """The address that a page leads to within some seconds; empty if it does not."""
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.match(meta.get("content") or "")
            if match and int(match[1]) <= seconds:
                return _address(base, match[2])
    return ""


def _address(base: str, href: str | None) -> str:
    """An http address, or a path if the base is one; empty for anything else."""
    try:
        url = urljoin(base, (href or "").strip())
        scheme = urlsplit(url).scheme
    except ValueError:
        return ""
    return url if scheme in ("http", "https") or (not scheme and "://" not in base) else ""


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else ""
    return " ".join(text.split())[:_LIMIT]
