"""The pages of one knowledge base, as its tabs.

Belongs here: their names and addresses. Not here: the pages. Guarantee: the order here is the order on the page.
"""

from dataclasses import dataclass
from urllib.parse import quote

from query_api.pages.catalogue import N_, translate

_TABS = (
    ("chat", N_("Ask")),
    ("search", N_("Search")),
    ("sources", N_("Sources")),
    ("documents", N_("Documents")),
    ("contents", N_("Contents")),
    ("status", N_("Status")),
)  # fmt: skip
"""The last part of a page's address, and its name: `/kb/<slug>/<part>`."""
_FOR_ADMINS = (("widgets", N_("Widgets")), ("settings", N_("Settings")))
"""The tabs that only administrators see."""
_BELOW = {"sources": ("new-source",), "contents": ("summaries",)}
"""Pages that belong to a tab though their addresses do not begin with its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tab:
    """A link to a page of a knowledge base."""

    name: str
    url: str
    is_here: bool


def kb_url(slug: str, part: str = "") -> str:
    """The address of a page of a knowledge base."""
    return f"/kb/{quote(slug, safe='')}" + (f"/{part}" if part else "")


def login_url(then: str = "/") -> str:
    """The address of the login page; `then` is the page to open afterwards, one of ours."""
    then = then.rstrip("?")
    return f"/login?next={quote(then, safe='/')}" if then != "/" else "/login"


def own_path(text: str) -> str:
    """A path to go to after a form; the home page if it is none of ours, so that no form leads to another site."""
    is_own = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isascii() and text.isprintable()
    return text if is_own else "/"


def tabs(slug: str, here: str, *, is_admin: bool = False) -> list[Tab]:
    """The tabs of a knowledge base.

    Args:
        slug: the knowledge base.
        here: the path of the page that shows them; pages below a tab belong to it.
        is_admin: the reader may administer it.
    """
    shown_tabs = (*_TABS, *(_FOR_ADMINS if is_admin else ()))
    return [
        Tab(name=translate(name), url=kb_url(slug, path), is_here=_is_below(slug, path, here))
        for path, name in shown_tabs
    ]


def _is_below(slug: str, part: str, here: str) -> bool:
    urls = [kb_url(slug, path) for path in (part, *_BELOW.get(part, ()))]
    return any(here == url or here.startswith(f"{url}/") for url in urls)
