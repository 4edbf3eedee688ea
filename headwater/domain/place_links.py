"""What a place adds to the address of its original, so that a link opens there.

Belongs here: how addresses name a page, a second, lines, a cell or a part. Not here: places (`places`). Guarantee:
pure; nothing is added that the host of an address does not understand.
"""

import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urldefrag, urlsplit, urlunsplit

from headwater.domain.places import PlaceKind, PlaceRange

_GIT_PATH = re.compile(r"[0-9a-f]{12,40}:")
_PLAYERS = ("youtube.com", "youtu.be")
_PLAYED_FROM = ("t", "start")  # if there are several, a player uses the first
_EXCEL_PATH = re.compile(r"/_layouts/15/doc2?\.aspx$", re.IGNORECASE)


class _LineForm(NamedTuple):
    """How the pages of a repository's host name lines; without `query`, some show markdown without lines."""

    path: re.Pattern[str]
    begin: str
    until: str
    query: str


_LINE_FORMS = (
    _LineForm(re.compile("/-/blob/"), "L", "-", "plain=1"),  # GitLab
    _LineForm(re.compile("/blob/"), "L", "-L", "plain=1"),  # GitHub, and others that follow it
    _LineForm(re.compile("/src/(?:commit|branch|tag)/"), "L", "-L", "display=source"),  # Gitea and Forgejo
    _LineForm(re.compile("^/[^/]+/[^/]+/src/[0-9a-f]{40}/"), "lines-", ":", ""),  # Bitbucket
    _LineForm(re.compile("/tree/[^/]+/item/"), "L", "-", ""),  # sourcehut
)


def link_to(uri: str, place: PlaceRange | None) -> str | None:
    """The address that opens a document at a place; None if it has none.

    A page, a time or lines are added if this kind of address supports them: `#page=12`, `&t=75s` (`#t=75` elsewhere
    than on YouTube, `#video=…&t=75` for one of several videos of a page), `#L10-L42` on a repository's web pages,
    `&activeCell='Prices'!B14` in Excel for the web, a part's own ending. A file at a commit that has no web page is
    named as git does, with its line: `1a2b3c4d5e6f:src/app.py:10`.
    """
    uri = place.address if place is not None and place.address else uri
    try:
        address = urlsplit(uri)
    except ValueError:
        return None
    if address.scheme not in ("http", "https") or not address.netloc:
        return f"{uri}:{place.first}" if place is not None and _GIT_PATH.match(place.address) else None
    if place is None:
        return uri
    make_link = _OPENED.get(place.kind)
    return uri if make_link is None else make_link(uri, address, place)


def _at_page(uri: str, address: SplitResult, place: PlaceRange) -> str:
    """The page of a file; what only shows a file or a message, such as a webmail, has no such places."""
    is_file = not place.address or address.path.lower().endswith(".pdf")
    if not is_file or (address.fragment and not address.fragment.startswith("page=")):
        return uri
    return f"{urldefrag(uri)[0]}#page={place.first}"


def _at_second(uri: str, address: SplitResult, place: PlaceRange) -> str:
    if address.fragment:
        return f"{uri}&t={place.first}" if address.fragment.startswith("video=") else uri
    if (address.hostname or "").removeprefix("www.").removeprefix("m.") in _PLAYERS:
        parameters = [
            parameter for parameter in address.query.split("&") if parameter.partition("=")[0] not in _PLAYED_FROM
        ]
        query = "&".join(filter(None, (*parameters, f"t={place.first}s")))
        return urlunsplit(address._replace(query=query))
    return f"{uri}#t={place.first}"


def _at_lines(uri: str, address: SplitResult, place: PlaceRange) -> str:
    form = (
        None
        if address.fragment
        else next((candidate for candidate in _LINE_FORMS if candidate.path.search(address.path)), None)
    )
    if form is None:
        return uri
    several = "" if place.first == place.last else f"{form.until}{place.last}"
    fragment = f"{form.begin}{place.first}{several}"
    return urlunsplit(address._replace(query=address.query or form.query, fragment=fragment))


def _at_part(_: str, address: SplitResult, place: PlaceRange) -> str:
    part_url = urlsplit(str(place.first))
    if part_url.path.startswith("/"):
        return urlunsplit(address._replace(path=part_url.path, query=part_url.query, fragment=part_url.fragment))
    query = "&".join(filter(None, (address.query, part_url.query)))
    return urlunsplit(address._replace(query=query, fragment=part_url.fragment or address.fragment))


def _at_cell(uri: str, address: SplitResult, place: PlaceRange) -> str:
    """The first cell, in Excel for the web as SharePoint and OneDrive open it."""
    if place.cells is None or not _EXCEL_PATH.search(address.path):
        return uri
    name = place.cells.sheet.replace("'", "''")  # always in quotes here
    cell = f"'{name}'!{place.cells.corners[0].rpartition('!')[2]}"
    query = [parameter for parameter in address.query.split("&") if not parameter.lower().startswith("activecell=")]
    return urlunsplit(address._replace(query="&".join([*query, f"activeCell={quote(cell, safe='!')}"])))


_OPENED = {
    PlaceKind.PAGE: _at_page, PlaceKind.SECOND: _at_second, PlaceKind.LINE: _at_lines, PlaceKind.PART: _at_part,
    PlaceKind.CELL: _at_cell,
}  # fmt: skip
