"""`/health/live` and `/health/ready`.

Belongs here: whether this process runs, whether it can answer, and the shape of that. Not here: metrics.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel

from headwater.domain.access import Scope
from headwater.domain.plurals import pluralize
from headwater.errors import HeadwaterError
from query_api.app_context import models, store
from query_api.guards.route_facts import allow
from query_api.request_shapes import Reply


class ReadyPayload(BaseModel):
    """Whether the API can answer, and the state of each dependency.

    `status` is ok, degraded (a model cannot be used) or unavailable. A model is named by its setting and its name; its
    state is ok, or degraded with the reason.
    """

    status: str
    dependencies: dict[str, str]


_DEGRADED = "degraded: "

routes = APIBlueprint("health", __name__, url_prefix="/health", abp_tags=[Tag(name="Health")])


@routes.get("/live", responses={"200": ReadyPayload})
@allow(Scope.OPEN)
def live() -> Reply:
    """Say that the process runs."""
    return ReadyPayload(status="ok", dependencies={}).model_dump()


@routes.get("/ready", responses={"200": ReadyPayload, "503": ReadyPayload})
@allow(Scope.OPEN)
def ready() -> Reply:
    """Say whether questions can be answered, and the state of everything that takes part.

    Without a model the API is degraded, not unavailable: keyword search, stored answers and quoted ones still work.
    """
    try:
        waiting = store().syncs.count_waiting()
    except HeadwaterError as error:
        return ReadyPayload(status="unavailable", dependencies={"database": str(error)}).model_dump(), 503
    dependencies = {"database": "ok", "run_queue": f"{pluralize(waiting, 'sync')} waiting for a worker", **_models()}
    is_degraded = any(state.startswith(_DEGRADED) for state in dependencies.values())
    return ReadyPayload(status="degraded" if is_degraded else "ok", dependencies=dependencies).model_dump()


def _models() -> dict[str, str]:
    """The state of each model in use; settings that cannot be read must not stop the API that can change them."""
    try:
        states = models().current(store())
    except HeadwaterError as error:
        return {"models": f"{_DEGRADED}{error}"}
    return {
        f"{state.setting} {state.model}": f"{_DEGRADED}{state.problem}" if state.problem else "ok" for state in states
    }
