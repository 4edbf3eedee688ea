"""`/health/live` and `/health/ready`.

Belongs here: whether this process runs, and whether it can answer. Not here: metrics.
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.listing import counted
from headwater.errors import HeadwaterError
from query_api.context import store
from query_api.requests import Reply
from query_api.routes.health_payloads import ReadyPayload

routes = APIBlueprint("health", __name__, url_prefix="/health", abp_tags=[Tag(name="Health")])


@routes.get("/live", responses={"200": ReadyPayload})
def live() -> Reply:
    """Say that the process runs."""
    return ReadyPayload(status="ok", dependencies={}).model_dump()


@routes.get("/ready", responses={"200": ReadyPayload, "503": ReadyPayload})
def ready() -> Reply:
    """Say whether questions can be answered; no model is needed, because without one answers are quoted."""
    try:
        waiting = store().syncs.waiting_count()
    except HeadwaterError as error:
        return ReadyPayload(status="unavailable", dependencies={"database": str(error)}).model_dump(), 503
    return ReadyPayload(
        status="ok",
        dependencies={"database": "ok", "run_queue": f"{counted(waiting, 'sync')} waiting for a worker"},
    ).model_dump()
