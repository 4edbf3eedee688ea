"""Where the API may listen, which names it answers to, and the scope that each route needs (SEC-1, API-6).

Belongs here: rules that need no database. Not here: who a caller is (`authentication`), which knowledge bases a caller
may see (`visibility`), the form of a request (`guards`). Guarantee: no page of another site can change anything, not
even through a name that an attacker points at this machine (DNS rebinding); a route without a row in `SCOPES` needs the
highest scope.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlsplit

from headwater.domain.access import Scope
from headwater.errors import InvalidInputError
from headwater.settings import Settings
from query_api.arriving import RefusedError

FOR_VISITORS = ("widget", "widget_script")
"""The blueprints of widgets, which pages of other sites use: the one exception from the rules for names and for such
pages. A request has to come from an origin that a widget lists, with a token instead of a key or a cookie."""
WIDGET_API = "/widget/v1"
"""Where visitors of widgets send their requests."""
_OF_VISITORS = ("ask", "begin", "cancel", "follow", "get_settings", "put_feedback", "search")
_OF_WIDGET_PAGES = ("change", "confirm_deletion", "create", "show_widget", "show_widgets")
READING = ("GET", "HEAD", "OPTIONS", "TRACE")
"""The methods that change nothing."""
LOCAL = {"localhost", "127.0.0.1", "::1"}
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?", re.IGNORECASE)
_LOCALLY = (
    "Use localhost in the address. Once there is an API key, other names are accepted too: `headwater keys create`."
)
_BY_ADDRESS = "Use an IP address or a name without a dot, or set HEADWATER_API_URL to the address in use."
_NO_PAGES = (
    "Only pages at the API's own address may change something. Call the API from a program instead, such as your"
    " site's server."
)


SCOPES: Mapping[str, Scope] = MappingProxyType(
    {
        "access_page.change": Scope.ADMIN,
        "access_page.show_audit": Scope.ADMIN,
        "access_page.show_keys": Scope.ADMIN,
        "answers.cancel_answer": Scope.READ,  # of what the same key asked: `running_answers`
        "answers.create_answer": Scope.READ,
        "answers.get_answer": Scope.READ,
        "answers.get_answer_events": Scope.READ,
        "answers.get_answer_lineage": Scope.READ,
        "answers.get_usage": Scope.READ,
        "answers.list_answers": Scope.READ,
        "bots_page.change": Scope.ADMIN,
        "bots_page.show_bots": Scope.ADMIN,
        "chat_page.ask_first": Scope.READ,
        "chat_page.ask_next": Scope.READ,
        "chat_page.show_candidates": Scope.READ,
        "chat_page.show_conversation": Scope.READ,
        "chat_page.show_new": Scope.READ,
        "chat_page.show_shared": Scope.OPEN,  # who has the link may read the conversation
        "chat_page.show_turn": Scope.READ,
        "audit.list_audit": Scope.ADMIN,
        "bots.change_event": Scope.BOT,  # events hold the questions of people
        "bots.claim_event": Scope.BOT,
        "bots.create_test_message": Scope.ADMIN,
        "bots.delete_channel": Scope.ADMIN,
        "bots.get_event": Scope.BOT,
        "bots.list_channels": Scope.BOT,
        "bots.put_one_channel": Scope.ADMIN,
        "bots.take_events": Scope.BOT,
        "contents_page.show_contents": Scope.READ,
        "contents_page.show_summary": Scope.READ,
        "conversations.change_conversation": Scope.READ,  # it belongs to whoever asks in it
        "conversations.create_conversation": Scope.READ,
        "conversations.delete_one_conversation": Scope.READ,
        "conversations.export_conversation": Scope.READ,
        "conversations.get_conversation": Scope.READ,
        "conversations.list_conversations": Scope.READ,
        "conversations.share": Scope.WRITE,  # who has the link needs no key
        "conversations.unshare": Scope.WRITE,
        "deletions.get_deletion": Scope.ADMIN,
        "deletions.list_deletions": Scope.ADMIN,
        "documentation_page.show_documentation": Scope.READ,
        "documents_page.show_document": Scope.READ,
        "documents_page.show_documents": Scope.READ,
        "documents.get_chunk": Scope.READ,
        "documents.get_chunk_lineage": Scope.READ,
        "documents.get_document": Scope.READ,
        "documents.get_version": Scope.READ,
        "documents.list_versions": Scope.READ,
        "evaluations.add_golden_question": Scope.WRITE,
        "evaluations.create_comparison": Scope.WRITE,
        "evaluations.create_evaluation": Scope.WRITE,
        "evaluations.create_golden_questions": Scope.WRITE,
        "evaluations.create_promotion": Scope.WRITE,
        "evaluations.create_tuning": Scope.ADMIN,  # it may change settings
        "evaluations.delete_golden_question": Scope.WRITE,
        "evaluations.get_golden_questions": Scope.READ,
        "evaluations.list_evaluations": Scope.READ,
        "evaluations.put_golden_questions": Scope.WRITE,
        "exports.export_source": Scope.READ,
        "feedback.delete_feedback": Scope.READ,  # whoever reads an answer may judge it
        "feedback.export_feedback": Scope.WRITE,  # of every reader
        "feedback.get_feedback_statistics": Scope.WRITE,
        "feedback.list_feedback": Scope.WRITE,
        "feedback.put_feedback": Scope.READ,
        "health.live": Scope.OPEN,
        "health.ready": Scope.OPEN,
        "home_page.create": Scope.ADMIN,
        "home_page.open_knowledge_base": Scope.READ,
        "home_page.show_home": Scope.READ,
        "keys.create_key": Scope.ADMIN,
        "keys.get_key": Scope.ADMIN,
        "keys.list_keys": Scope.ADMIN,
        "keys.revoke_key": Scope.ADMIN,
        "keys.rotate_key": Scope.ADMIN,
        "knowledge_bases.change_knowledge_base": Scope.ADMIN,
        "knowledge_bases.create_knowledge_base": Scope.ADMIN,
        "knowledge_bases.delete_knowledge_base": Scope.ADMIN,
        "knowledge_bases.get_knowledge_base": Scope.READ,
        "knowledge_bases.list_knowledge_bases": Scope.READ,
        "knowledge_bases.search_knowledge_base": Scope.READ,
        "links.draw_links": Scope.READ,
        "links.draw_symbol": Scope.READ,
        "links.get_links": Scope.READ,
        "links.get_symbol": Scope.READ,
        "links.list_dead_links": Scope.READ,
        "login_page.log_in": Scope.OPEN,
        "login_page.log_out": Scope.OPEN,
        "login_page.show_login": Scope.OPEN,
        "lineage_page.show_lineage": Scope.READ,
        "mcp.handle_message": Scope.READ,  # every tool only reads
        "metrics.get_metrics": Scope.ADMIN,  # also with a token of its own
        "openai.create_chat_completion": Scope.READ,
        "openai.create_context": Scope.READ,
        "openai.get_model": Scope.READ,
        "openai.list_models": Scope.READ,
        "passage_page.show_passage": Scope.READ,
        "openapi.doc_url": Scope.OPEN,
        "openapi.openapi": Scope.OPEN,
        "openapi.static": Scope.OPEN,
        "originals.get_original": Scope.READ,
        "questions.list_questions": Scope.READ,
        "search_indexes.list_search_indexes": Scope.READ,
        "search_indexes.roll_back_search_index": Scope.ADMIN,
        "search_indexes.switch_search_index": Scope.ADMIN,
        "sources.change_source": Scope.ADMIN,
        "sources.create_source": Scope.ADMIN,
        "sources.delete_source": Scope.ADMIN,
        "sources.get_source": Scope.READ,
        "sources.list_sources": Scope.READ,
        "new_source_page.create_source": Scope.ADMIN,
        "new_source_page.show_form": Scope.ADMIN,
        "source_page.act": Scope.ADMIN,
        "source_page.confirm_deletion": Scope.ADMIN,
        "source_page.get_card": Scope.READ,
        "source_page.get_rows": Scope.READ,
        "source_page.show_source": Scope.READ,
        "sources_page.add_source": Scope.ADMIN,
        "sources_page.get_events": Scope.READ,
        "sources_page.guess": Scope.ADMIN,  # it tells which local folders exist
        "sources_page.show_sources": Scope.READ,
        "static_files.get_file": Scope.OPEN,
        "static_files.get_icon": Scope.OPEN,
        "summary_trees.get_knowledge_base_tree": Scope.READ,
        "summary_trees.get_summary_estimate": Scope.READ,
        "summary_trees.draw_tree": Scope.READ,
        "summary_trees.get_node": Scope.READ,
        "summary_trees.get_node_lineage": Scope.READ,
        "status_page.show_status": Scope.READ,
        "summary_trees.get_tree": Scope.READ,
        "swagger.oauth2-redirect": Scope.OPEN,
        "swagger.static": Scope.OPEN,
        "swagger.swagger": Scope.OPEN,
        "syncs.cancel_sync": Scope.WRITE,
        "syncs.create_sync": Scope.WRITE,
        "syncs.get_sync": Scope.READ,
        "syncs.get_sync_events": Scope.READ,
        "syncs.list_syncs": Scope.READ,
        "uploads.delete_file": Scope.WRITE,
        "uploads.get_file": Scope.READ,
        "uploads.list_files": Scope.READ,
        "uploads.put_file": Scope.WRITE,
        **dict.fromkeys((f"widget.{act}" for act in _OF_VISITORS), Scope.OPEN),
        **dict.fromkeys((f"widget_script.get_{what}" for what in ("file", "script")), Scope.OPEN),
        **dict.fromkeys((f"widget_page.{act}" for act in _OF_WIDGET_PAGES), Scope.ADMIN),
        **dict.fromkeys((f"widgets.{act}_widget" for act in ("change", "create", "delete", "get")), Scope.ADMIN),
        "widgets.list_widgets": Scope.ADMIN,
    }
)
"""The scope of every endpoint; a test fails for a route without a row."""


def scope_of(endpoint: str) -> Scope:
    """The scope that a caller of an endpoint needs."""
    return SCOPES.get(endpoint, Scope.ADMIN)


def check_host(host: str, has_admin_key: Callable[[], bool]) -> None:
    """Refuse to listen on an address that strangers can reach while nobody could administer the API but with no key.

    Args:
        host: where to listen.
        has_admin_key: says whether a key that may administer everything can be used; asked only off loopback.

    Raises:
        InvalidInputError: the host is not loopback, and there is no such key.
    """
    if not is_loopback(host) and not has_admin_key():
        raise InvalidInputError(
            f"--host {host} is reachable from other machines, and there is no admin key yet. Create one with `headwater"
            " keys create NAME --scope admin`, or set HEADWATER_ADMIN_KEY; or use 127.0.0.1."
        )


@dataclass(frozen=True, kw_only=True)
class Names:
    """The host names that the API accepts.

    Without keys these are this machine's own. With keys, addresses and names without a dot, which no attacker can point
    at this machine, and the public name, which a proxy in front may have replaced.
    """

    public: str
    """The public name and port."""

    @classmethod
    def of(cls, settings: Settings) -> "Names":
        """The names for an app's settings."""
        return cls(public=urlsplit(settings.api_url).netloc.lower())

    def refuse_name(
        self, environ: Mapping[str, str], are_keys_needed: Callable[[], bool], *, is_for_visitors: bool = False
    ) -> RefusedError | None:
        """The refusal of a request for another name; None if it may pass.

        Args:
            environ: WSGI's.
            are_keys_needed: says whether a key protects this server.
            is_for_visitors: the route belongs to `FOR_VISITORS`, so it may have any name.
        """
        given = environ.get("HTTP_HOST")
        if given is None and environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
            return RefusedError(400, "MALFORMED_REQUEST", "The request has no Host header.")
        name = host_name(environ.get("SERVER_NAME", "") if given is None else given)
        target = environ.get("RAW_URI", "/").split("?")[0]
        if name is None or (not target.startswith("/") and "://" in target and _netloc(target) != given):
            return RefusedError(403, "HOST_NOT_ALLOWED", "The request's Host and its target do not name this server.")
        if name in LOCAL or is_for_visitors:
            return None
        if not are_keys_needed():
            return RefusedError(403, "HOST_NOT_ALLOWED", f"The host {name} is not allowed. {_LOCALLY}")
        if name != host_name(self.public) and not cannot_be_rebound(name):
            return RefusedError(403, "HOST_NOT_ALLOWED", f"The host {name} is not allowed. {_BY_ADDRESS}")
        return None

    def refuse_page(self, environ: Mapping[str, str], *, by_cookie: bool = False) -> RefusedError | None:
        """The refusal of a change that a page of another site requests; None if it may pass.

        Browsers say so in either header; programs send neither. With a cookie one of them must say that it is our own
        page, because a browser adds the cookie whoever asks.
        """
        if environ["REQUEST_METHOD"] in READING:
            return None
        site = environ.get("HTTP_SEC_FETCH_SITE")
        origin = environ.get("HTTP_ORIGIN")
        hosts = {environ.get("HTTP_HOST", "").lower(), self.public} - {""}
        is_ours = origin is None or any(is_page_of(origin, host) for host in hosts)
        known = ("same-origin",) if by_cookie else ("same-origin", "none")
        is_same = site.strip().lower() in known if site is not None else origin is not None or not by_cookie
        if not is_same or not is_ours:
            sender = "another site" if is_ours or origin == "null" else str(origin)[:200]
            return RefusedError(403, "ORIGIN_NOT_ALLOWED", f"A page of {sender} sent this request. {_NO_PAGES}")
        return None


def host_name(header: str) -> str | None:
    """The name in a Host header, in lower case and without port and brackets; None if it is malformed."""
    found = _HOST.fullmatch(header)
    return (found.group(1) or found.group(2)).lower() if found else None


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # malformed, so it is no server's name
        return ""


def cannot_be_rebound(name: str) -> bool:
    """Whether an attacker cannot point this name at this machine: it is an address, or a name without a dot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name
    return True


def is_page_of(origin: str, host: str) -> bool:
    """Whether a page's origin is a host; the scheme is not compared, because a proxy may have ended TLS."""
    try:
        parts = urlsplit(origin.strip().lower())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host and not parts.path


def is_loopback(host: str) -> bool:
    """Whether an address, or localhost, can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback
    except ValueError:
        return False
