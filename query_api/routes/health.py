"""`/health/live` and `/health/ready`.

Belongs here: whether this process runs, and whether it can answer. Not here: metrics.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.errors import HeadwaterError
from query_api.context import models, store
from query_api.requests import Reply
from query_api.routes.health_payloads import ReadyPayload

routes = APIBlueprint("health", __name__, url_prefix="/health", abp_tags=[Tag(name="Health")])


@routes.get("/live", responses={"200": ReadyPayload})
def live() -> Reply:
    """Say that the process runs."""
    return ReadyPayload(status="ok", dependencies={}).model_dump()


@routes.get("/ready", responses={"200": ReadyPayload, "503": ReadyPayload})
def ready() -> Reply:
    """Say whether questions can be answered, and the state of everything that takes part.

    Without a model the API is degraded, not unavailable: keyword search, stored answers and quoted ones still work.
    """
    try:
        waiting = store().syncs.waiting_count()
        states = models().current(store())
    except HeadwaterError as error:
        return ReadyPayload(status="unavailable", dependencies={"database": str(error)}).model_dump(), 503
    dependencies = {"database": "ok", "run_queue": f"{waiting} syncs wait for a worker"}
    for state in states:
        found = "ok" if state.problem is None else f"degraded: {state.problem}"
        dependencies[f"{state.setting} {state.model}"] = found
    is_degraded = any(state.problem for state in states)
    return ReadyPayload(status="degraded" if is_degraded else "ok", dependencies=dependencies).model_dump()
