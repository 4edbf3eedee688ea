"""`/kb/<slug>/settings`: everything that an administrator sets of a knowledge base (KB-1, KB-2).

Belongs here: the page and its form. Not here: the inputs (`settings_fields`), changing, trying models, what a change
costs (`headwater.administration`). Guarantee: nothing is saved before the page has shown what it changes and costs; a
form that is wrong keeps what was entered.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, request
from pydantic import ValidationError

from headwater.administration.change_cost import ChangeCost, cost_of_change
from headwater.administration.deletion import delete_knowledge_base, would_delete
from headwater.administration.housekeeping import HISTORY_RETENTION_DAYS
from headwater.administration.knowledge_base_yaml import knowledge_base_yaml
from headwater.administration.knowledge_bases import MODEL_CHECKS, change_knowledge_base, check_settings
from headwater.administration.model_trial import ModelTrial, try_model
from headwater.administration.sync_requests import request_sync
from headwater.domain.access import Scope
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import HeadwaterError, InvalidInputError
from headwater.prompts.prompt import default_prompt
from headwater.store.search.search_indexes import INDEX_RETENTION_DAYS
from query_api.app_context import settings, store
from query_api.guards.route_facts import ANSWER, allow
from query_api.pages.forms import check_values, field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.settings_fields import PROMPT_NAMES, SUGGESTED, label_of, read_settings, sections, texts_of
from query_api.request_shapes import KnowledgeBaseChange

routes = Blueprint("settings_page", __name__)
_TRY = "try:"
_TRIED = tuple(name for name in MODEL_CHECKS if name != "answer_fallbacks")
"""The settings whose model can be tried."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entered:
    """What the form holds: valid values, ready to be saved."""

    change: KnowledgeBaseChange
    settings: KnowledgeBaseSettings


@routes.get("/kb/<kb>/settings")
@allow(Scope.ADMIN)
def show_settings(kb: str) -> Response:
    """Show the settings."""
    return _page(store().knowledge_bases.get(kb))


@routes.post("/kb/<kb>/settings")
@allow(Scope.ADMIN, cost=ANSWER, body="form")  # it may call a model
def change(kb: str) -> Response:
    """Try a model, show what a change costs, save it, sync, or delete, as the button says."""
    owner, action = store().knowledge_bases.get(kb), field("do")
    try:
        if action.startswith(_TRY):
            return _page(owner, trial=_try_model(owner, action.removeprefix(_TRY)))
        if action == "delete":
            delete_knowledge_base(settings(), store(), kb)
            return go_to("/")
        if action == "sync":
            request_sync(store(), kb, [], "api")
            return go_to(kb_url(kb, "sources"))
        entered = _read_entries()
        cost = cost_of_change(store(), owner, entered.settings)
        return _save(owner, entered, cost) if action == "save" else _page(owner, cost=cost)
    except HeadwaterError as error:
        return _page(owner, error=error)


@routes.get("/kb/<kb>/settings/delete")
@allow(Scope.ADMIN)
def confirm_deletion(kb: str) -> Response:
    """Ask before a knowledge base is deleted."""
    owner = store().knowledge_bases.get(kb)
    return render("delete_knowledge_base.html", kb=owner, doomed=would_delete(store(), kb))


def _read_entries() -> _Entered:
    try:
        checked = check_settings(KnowledgeBaseSettings.model_validate(read_settings(request.form)))
    except ValidationError as error:
        first = error.errors()[0]["loc"]
        name = label_of(str(first[0])) if first else "Settings"
        raise InvalidInputError(f"{name}: {wrong_fields(error)[0].message}") from error
    values = {name: field(name) for name in ("slug", "name", "description")}
    return _Entered(change=check_values(KnowledgeBaseChange, values), settings=checked)


def _save(owner: KnowledgeBase, entered: _Entered, cost: ChangeCost) -> Response:
    knowledge_base = change_knowledge_base(
        store(),
        owner.slug,
        new_slug=entered.change.slug,
        name=entered.change.name or owner.slug,
        description=entered.change.description,
        settings=entered.settings.model_dump(),
    )
    return go_to(f"{kb_url(knowledge_base.slug, 'settings')}?saved={'sync' if cost.needs_sync else 'now'}")


def _try_model(owner: KnowledgeBase, name: str) -> tuple[str, ModelTrial]:
    if name not in _TRIED:
        raise InvalidInputError(f"{name[:40]!r} is no setting that names a model.")
    model = field(name)
    if not model:
        return name, ModelTrial(model="", is_usable=True, words="No model is set, so there is nothing to try.")
    return name, try_model(store(), settings(), owner, name, model)


def _page(
    owner: KnowledgeBase,
    *,
    error: HeadwaterError | None = None,
    cost: ChangeCost | None = None,
    trial: tuple[str, ModelTrial] | None = None,
) -> Response:
    texts = texts_of(owner.settings) | {name: getattr(owner, name) for name in ("slug", "name", "description")}
    is_given = "answer_model" in request.form  # buttons beside the form send none of it
    names = [name for name in ("slug", "name", "description") if is_given and field(name) != texts[name]]
    return render(
        "settings.html",
        status=error.http_status if error else 200,
        kb=owner,
        given=_read_texts(texts) if is_given else texts,
        sections=sections(),
        tried=_TRIED,
        suggested=SUGGESTED,
        prompts={name: default_prompt(name) for name in PROMPT_NAMES},
        prompt_names=PROMPT_NAMES,
        label_of=label_of,
        cost=cost,
        renamed=names,
        trial=trial,
        saved=request.args.get("saved", ""),
        error=str(error) if error else "",
        yaml=knowledge_base_yaml(store(), owner, owner.settings),
        retention_days={
            "version": settings().version_retention_days,
            "index": INDEX_RETENTION_DAYS,
            "history": HISTORY_RETENTION_DAYS,
            "audit": settings().audit_retention_days,
        },
    )


def _read_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of the inputs as they were entered; a box that is not ticked is sent as nothing."""
    return {name: request.form.get(name, "") for name in texts}
