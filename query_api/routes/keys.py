"""`/api/v1/keys` (API-6).

Belongs here: making, listing, rotating and revoking keys. Not here: how keys are checked
(`query_api.guards.authentication`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration import keys
from headwater.domain.access import Scope
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import Reply
from query_api.routes.key_payloads import CreatedKeyPayload, KeyList, KeyPath, KeyPayload, NewKey, Rotation

routes = APIBlueprint(
    "keys",
    __name__,
    url_prefix="/api/v1/keys",
    abp_tags=[Tag(name="Keys")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.post("", responses={"201": CreatedKeyPayload})
@allow(Scope.ADMIN, about="server", keeps_response=False)  # the response holds a secret
def create_key(body: NewKey) -> Reply:
    """Make a key; its text is in this response, and never again."""
    created = keys.create_key(
        store(), body.name, Scope(body.scope), knowledge_bases=body.knowledge_bases, expires_at=body.expires_at
    )
    location = {"Location": f"/api/v1/keys/{created.key.id}", "Cache-Control": "no-store"}
    return CreatedKeyPayload.shown(created).model_dump(mode="json"), 201, location


@routes.get("", responses={"200": KeyList})
@allow(Scope.ADMIN, about="server")
def list_keys() -> Reply:
    """List all keys, newest first, without their secrets."""
    return KeyList.of(store().keys.all()).model_dump(mode="json")


@routes.get("/<id>", responses={"200": KeyPayload})
@allow(Scope.ADMIN, about="server")
def get_key(path: KeyPath) -> Reply:
    """Read a key, without its secret."""
    return KeyPayload.of(store().keys.get(path.id)).model_dump(mode="json")


@routes.post("/<id>/rotate", responses={"200": CreatedKeyPayload})
@allow(Scope.ADMIN, about="server", keeps_response=False)  # the response holds a secret
def rotate_key(path: KeyPath, body: Rotation) -> Reply:
    """Give a key another secret; the old one stays valid for `grace_hours`."""
    rotated = keys.rotate_key(store(), path.id, body.grace)
    return CreatedKeyPayload.shown(rotated).model_dump(mode="json"), 200, {"Cache-Control": "no-store"}


@routes.delete("/<id>", responses={"200": KeyPayload})
@allow(Scope.ADMIN, about="server")
def revoke_key(path: KeyPath) -> Reply:
    """Revoke a key at once, and end the sessions that it opened."""
    return KeyPayload.of(keys.revoke_key(store(), path.id)).model_dump(mode="json")
