"""`/kb/<slug>/sources/<source>`: one source, its documents, and the buttons that change it (UI-2).

Belongs here: the page, its rows and its forms. Not here: syncing and deleting (`headwater.administration`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from headwater.administration.deletion import delete_source, would_delete
from headwater.administration.sources import SourceEdit, change_source
from headwater.administration.sync_requests import cancel_sync, request_sync
from headwater.administration.uploads import delete_upload, sync_after_upload
from headwater.domain.access import Scope
from headwater.domain.corpus import Source
from headwater.errors import HeadwaterError, InvalidInputError, NotFoundError
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_, translate
from query_api.pages.forms import check_values, field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.schema_forms import LABELS, TIMES
from query_api.pages.source_events import card_of
from query_api.pages.source_views import SourceView, source_view
from query_api.request_shapes import SourceChange
from query_api.response_urls import partition_url, run_url

routes = Blueprint("source_page", __name__)

_MAX_ROWS = 50  # rows on a page
_MAX_LISTED = 1_000  # files that a source lists itself, beside those that are uploaded
_MAX_CHANGED = 200  # documents of one sync
_SYNCS = 10
_SYNC_BADGES = {"cancelled": "paused"}
"""The look of a state of a sync that has no look of its own."""
_STAGES = ("documents", "chunks", "embeddings", "summary_tree", "questions", "links")
"""The assets of a source that the page leads to."""
_LABELS = {"waiting": N_("Queued"), "syncing": N_("Parsing"), "ready": N_("Ready"), "failed": N_("Failed")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A file or document of a source with its state.

    `size` is that of an uploaded file in bytes; `url` is the page of a document, empty if there is none.
    """

    name: str
    title: str
    state: str
    label: str
    error: str | None
    size: int | None
    is_upload: bool
    url: str = ""


@routes.get("/kb/<kb>/sources/<source>")
@allow(Scope.READ)
def show_source(kb: str, source: str) -> Response:
    """Show a source with its documents."""
    return _source(kb, source)


@routes.get("/kb/<kb>/sources/<source>/rows")
@allow(Scope.READ)
def get_rows(kb: str, source: str) -> Response:
    """The rows alone, for a page that is open."""
    return render("rows.html", **_rows(source_view(store(), kb, source)))


@routes.get("/kb/<kb>/sources/<source>/card")
@allow(Scope.READ)
def get_card(kb: str, source: str) -> dict[str, Any]:
    """The card alone, for a page whose reader has just changed the source."""
    return card_of(source_view(store(), kb, source))


@routes.get("/kb/<kb>/sources/<source>/syncs/<sync>")
@allow(Scope.READ)
def show_sync(kb: str, source: str, sync: str) -> Response:
    """Show what one sync of a source changed."""
    owner = store().sources.get(kb, source)
    if not re.fullmatch(r"[0-9]{1,18}", sync):
        raise NotFoundError(f"{owner.key} has no sync {sync[:40]!r}.")
    source_sync = store().sync_history.one_of_source(owner, int(sync))
    return render(
        "source_sync.html",
        kb=store().knowledge_bases.get(kb),
        source=owner,
        url=f"{kb_url(kb, 'sources')}/{source}",
        sync=source_sync,
        states=_SYNC_BADGES,
        run=run_url(settings().dagster_url, source_sync.run_id) if source_sync.run_id else None,
        documents=store().sync_history.documents(owner, source_sync, limit=_MAX_CHANGED),
        most=_MAX_CHANGED,
    )


@routes.post("/kb/<kb>/sources/<source>")
@allow(Scope.ADMIN, body="form")
def act(kb: str, source: str) -> Response:
    """Sync, pause, change when it is synced, cancel or delete, as the button says."""
    return _act(kb, source, _ACTIONS.get(field("do")))


def _act(kb: str, source: str, action: "Action | None") -> Response:
    try:
        if action is None:
            raise InvalidInputError("The form does not say what to do. Press a button on the page.")
        return go_to(action(kb, source) or f"{kb_url(kb, 'sources')}/{source}")
    except HeadwaterError as error:
        return _source(kb, source, error)


@routes.post("/kb/<kb>/sources/<source>/sync")
@allow(Scope.WRITE, body="form")
def work(kb: str, source: str) -> Response:
    """Sync, cancel, or delete a file: what the scope `write` allows."""
    return _act(kb, source, _WORK.get(field("do")))


@routes.get("/kb/<kb>/sources/<source>/delete")
@allow(Scope.ADMIN)
def confirm_deletion(kb: str, source: str) -> Response:
    """Ask before a source is deleted."""
    doomed = would_delete(store(), kb, source)
    view = source_view(store(), kb, source)
    return render("delete_source.html", kb=store().knowledge_bases.get(kb), view=view, documents=doomed.documents)


def _source(kb: str, slug: str, error: HeadwaterError | None = None) -> Response:
    view = source_view(store(), kb, slug)
    are_times_wrong = error is not None and field("do") == "times"
    return render(
        "source.html",
        status=error.http_status if error else 200,
        kb=store().knowledge_bases.get(kb),
        error=str(error) if error else "",
        times=_times(view, is_entered=are_times_wrong),
        are_times_wrong=are_times_wrong,
        syncs=store().sync_history.of_source(view.source, limit=_SYNCS),
        sync_states=_SYNC_BADGES,
        stages={stage: partition_url(settings().dagster_url, stage, view.source.key) for stage in _STAGES},
        **_rows(view),
    )


def _times(view: SourceView, *, is_entered: bool) -> list[dict[str, str]]:
    """The inputs for when it is synced: as they were entered if that was refused, else as they are."""
    zone = view.source.time_zone if view.source.schedule else ""
    values = {"refresh": view.refresh, "schedule": view.source.schedule or "", "time_zone": zone}
    if is_entered:
        values = {name: field(name) for name in values}
    return [
        {"name": time_field.name, "label": time_field.label, "hint": time_field.hint, "value": values[time_field.name]}
        for time_field in TIMES
    ]


def _rows(view: SourceView) -> dict[str, Any]:
    last_name = request.args.get("after", "")[:2_000]
    only_failed = request.args.get("only") == "failed"
    if view.takes_files and not only_failed:
        rows = _uploads(view.source, last_name)
    else:
        rows = _documents(view.source, last_name, only_failed=only_failed)
    page, is_last = rows[:_MAX_ROWS], len(rows) <= _MAX_ROWS
    if view.takes_files and not only_failed and is_last and view.source.config.get("files"):
        page += _documents(view.source, "", limit=_MAX_LISTED, with_uploads=False)
    following = "" if is_last else page[-1].name
    return {"view": view, "rows": page, "after": last_name, "following": following, "only_failed": only_failed}


def _uploads(source: Source, after: str) -> list[Row]:
    """The uploaded files."""
    uploads = store().uploads.all(source, after=after, limit=_MAX_ROWS + 1)
    return [
        Row(name=upload.name, title="", state=upload.state.value, label=translate(_LABELS[upload.state]),
            error=upload.error, size=upload.size, is_upload=True,
            url=_document_url(source, upload.document_id))
        for upload in uploads
    ]  # fmt: skip


def _documents(
    source: Source, after: str, *, limit: int = _MAX_ROWS + 1, with_uploads: bool = True, only_failed: bool = False
) -> list[Row]:
    documents = store().overviews.documents(
        source, after=after, limit=limit, with_uploads=with_uploads, only_failed=only_failed
    )
    return [
        Row(name=document.uri, title=document.title, state=document.state, label=translate(_LABELS[document.state]),
            error=document.error, size=None, is_upload=False,
            url=_document_url(source, document.id))
        for document in documents
    ]  # fmt: skip


def _document_url(source: Source, document_id: str | None) -> str:
    return f"{kb_url(source.knowledge_base, 'documents')}/{document_id}" if document_id else ""


def _sync(kb: str, slug: str, *, is_full: bool = False, confirms_deletions: bool = False) -> None:
    request_sync(store(), kb, [slug], "api", is_full=is_full, confirms_deletions=confirms_deletions)


def _set_paused(kb: str, slug: str, *, paused: bool) -> None:
    change_source(store(), kb, slug, SourceEdit(settings={"paused": paused}))


def _set_times(kb: str, slug: str) -> None:
    times = {time_field.name: field(time_field.name) or None for time_field in TIMES}
    change = check_values(SourceChange, times, LABELS)
    change_source(store(), kb, slug, change.edit())


def _cancel(kb: str, slug: str) -> None:
    open_part = source_view(store(), kb, slug).part
    if open_part is not None:
        cancel_sync(store(), open_part.sync_id)


def _delete(kb: str, slug: str) -> str:
    return f"{kb_url(kb, 'sources')}?receipt={delete_source(settings(), store(), kb, slug).id}"


def _delete_file(kb: str, slug: str) -> None:
    delete_upload(settings(), store(), kb, slug, field("name"))
    sync_after_upload(store(), kb, slug)


Action = Callable[[str, str], str | None]
_WORK: Mapping[str, Action] = {
    "sync": _sync,
    "reindex": lambda kb, slug: _sync(kb, slug, is_full=True),
    "confirm-deletions": lambda kb, slug: _sync(kb, slug, confirms_deletions=True),
    "cancel": _cancel,
    "delete-file": _delete_file,
}
"""The values of the buttons' field `do` that need the scope `write`; a function returns the address to go on at, or
None to stay."""
_ACTIONS: Mapping[str, Action] = {
    **_WORK,
    "pause": lambda kb, slug: _set_paused(kb, slug, paused=True),
    "resume": lambda kb, slug: _set_paused(kb, slug, paused=False),
    "times": _set_times,
    "delete": _delete,
}
"""All of them, for administrators."""
