"""`/api/v1/knowledge-bases/{kb}/sources/{source}/export`: a source's documents as JSONL.

Belongs here: serving the file. Not here: its form (`headwater.sources.jsonl_documents`). Guarantee: the response is
complete or an error; a large one is not held in memory.
"""

import tempfile
from datetime import UTC, datetime

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.administration.source_export import export_lines
from headwater.domain.access import Scope
from headwater.private_files import private_folder
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.problems import Problem
from query_api.request_shapes import SourcePath
from query_api.server.file_body import body

routes = APIBlueprint(
    "exports",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>/sources",
    abp_tags=[Tag(name="Sources")],
    abp_responses={"404": Problem},
)
_TYPE = "application/jsonl"
_DESCRIBED = {"description": "A document per line", "content": {_TYPE: {"schema": {"type": "string"}}}}


@routes.get("/<source>/export", responses={"200": _DESCRIBED})
@allow(Scope.READ)
def export_source(path: SourcePath) -> Response:
    """Read all documents of a source as JSONL, as a source of kind `jsonl` reads them."""
    source = store().sources.get(path.kb, path.source)
    file = tempfile.TemporaryFile(dir=private_folder(settings().home / "uploads"))  # noqa: SIM115 - `body` closes it
    try:
        for line in export_lines(store(), source):
            file.write(line)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    file.seek(0)
    response = Response(body(file, size), mimetype=_TYPE)
    response.content_length = size
    name = f"{path.kb}-{source.slug}-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
