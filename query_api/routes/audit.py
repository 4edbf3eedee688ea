"""`/api/v1/audit` (API-6).

Belongs here: reading who changed what. Not here: noting it (`headwater.administration.audit_trail`).
"""

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.domain.access import Scope
from query_api.app_context import store
from query_api.guards.route_facts import allow
from query_api.request_shapes import Reply
from query_api.routes.key_payloads import AuditPage, AuditQuery

routes = APIBlueprint("audit", __name__, url_prefix="/api/v1/audit", abp_tags=[Tag(name="Audit")])


@routes.get("", responses={"200": AuditPage})
@allow(Scope.ADMIN, about="server")
def list_audit(query: AuditQuery) -> Reply:
    """List changes, newest first: who, what, when."""
    entries = store().audit.all(action=query.action, target=query.target, before=query.after, limit=query.limit + 1)
    return AuditPage.of(entries, query.limit).model_dump(mode="json")
