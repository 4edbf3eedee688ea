"""`/palette`: what the palette (Ctrl+K) offers for some letters.

Belongs here: pages, commands, knowledge bases, documents and conversations by name. Not here: the dialog
(`query_api/static/js/palette.js`), searching texts (`search`). Guarantee: it offers only what the caller
may see and do.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, request

from headwater.domain.access import Scope
from query_api.app_context import store
from query_api.guards.authentication import caller
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_, translate
from query_api.pages.navigation import kb_url, tabs

routes = Blueprint("palette_page", __name__)
_MAX_ENTRIES = 6  # of each kind
_MAX_QUERY_CHARS = 100  # characters
_FOR_ADMINS = ((N_("Bots"), "/bots"), (N_("API keys"), "/keys"), (N_("Audit"), "/audit"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """Something to go to; `kind` is what it is, for people."""

    name: str
    kind: str
    url: str


@routes.get("/palette")
@allow(Scope.READ, about="visible")
def show_palette() -> dict[str, Any]:
    """List what matches `query`, in the knowledge base `kb` if the page belongs to one."""
    text, slug = (request.args.get(name, "")[:_MAX_QUERY_CHARS].strip() for name in ("query", "kb"))
    entries = [
        *_pages(text, slug),
        *_commands(text, slug),
        *_knowledge_bases(text),
        *(_within(text, slug) if text and slug else ()),
    ]
    return {"entries": [asdict(entry) for entry in entries]}


def _pages(text: str, slug: str) -> Iterator[Entry]:
    who = caller()
    is_admin = who is not None and who.scope is Scope.ADMIN and who.visible is None
    listed = [(tab.name, tab.url) for tab in tabs(slug, "", is_admin=is_admin)] if slug else []
    other_pages = [(N_("Knowledge bases"), "/"), (N_("Account"), "/account"), *(_FOR_ADMINS if is_admin else ())]
    listed += [(translate(name), url) for name, url in other_pages]
    for name, url in listed:
        if text.casefold() in name.casefold():
            yield Entry(name=name, kind=translate(N_("page")), url=url)


def _commands(text: str, slug: str) -> Iterator[Entry]:
    """What people begin from anywhere, on the page where it is done."""
    who = caller()
    is_changer = who is not None and who.scope is Scope.ADMIN
    is_admin = is_changer and who is not None and who.visible is None
    commands = [(N_("New conversation"), kb_url(slug, "chat"))] if slug else []
    commands += [(N_("Add a source"), kb_url(slug, "new-source"))] if slug and is_changer else []
    commands += [(N_("New knowledge base"), "/#name"), (N_("New key"), "/keys#name")] if is_admin else []
    for name, url in commands:
        if text.casefold() in translate(name).casefold():
            yield Entry(name=translate(name), kind=translate(N_("command")), url=url)


def _knowledge_bases(text: str) -> Iterator[Entry]:
    for knowledge_base in store().overviews.knowledge_bases(after="", named=text, limit=_MAX_ENTRIES):
        yield Entry(
            name=knowledge_base.name, kind=translate(N_("knowledge base")), url=kb_url(knowledge_base.slug, "chat")
        )


def _within(text: str, slug: str) -> Iterator[Entry]:
    owner = store().knowledge_bases.get(slug)
    for conversation in store().conversations.all(owner, text=text, limit=_MAX_ENTRIES):
        yield Entry(
            name=conversation.title or translate(N_("Not asked yet")),
            kind=translate(N_("conversation")),
            url=f"{kb_url(slug, 'chat')}/{conversation.id}",
        )
    for document in store().overviews.all_documents(owner, source="", text=text, after=None, limit=_MAX_ENTRIES):
        yield Entry(
            name=document.title or document.uri,
            kind=translate(N_("document")),
            url=f"{kb_url(slug, 'documents')}/{document.id}",
        )
    yield Entry(
        name=translate(N_("Search for “%(text)s”"), text=text),
        kind=translate(N_("search")),
        url=f"{kb_url(slug, 'search')}?{urlencode({'q': text})}",
    )
    yield Entry(
        name=translate(N_("Ask “%(text)s”"), text=text),
        kind=translate(N_("question")),
        url=f"{kb_url(slug, 'chat')}?{urlencode({'q': text})}",
    )
