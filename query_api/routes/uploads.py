"""`/api/v1/knowledge-bases/{kb}/sources/{source}/files`.

Belongs here: uploading, listing and deleting files of a source. Not here: originals of documents (`originals`), reading
uploads, which a sync does.
"""

from collections.abc import Iterator
from urllib.parse import quote

from flask import request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from werkzeug.exceptions import ClientDisconnected

from headwater.administration import uploads
from headwater.domain.access import Scope
from headwater.errors import InvalidInputError
from headwater.files.file_store import BLOCK
from query_api.app_context import settings, store
from query_api.guards.route_facts import UPLOAD, allow
from query_api.problems import Problem
from query_api.request_shapes import Reply, SourcePath, UploadPath, UploadQuery, UploadsQuery
from query_api.routes.upload_payloads import DeletedUploadPayload, StoredUploadPayload, UploadPage, UploadPayload

routes = APIBlueprint(
    "uploads",
    __name__,
    url_prefix="/api/v1/knowledge-bases/<kb>/sources/<source>/files",
    abp_tags=[Tag(name="Uploads")],
    abp_responses={"404": Problem, "409": Problem},
)


@routes.put("/<path:name>", responses={"200": StoredUploadPayload, "201": StoredUploadPayload, "507": Problem})
@allow(Scope.WRITE, cost=UPLOAD, body="file")
def put_file(path: UploadPath, query: UploadQuery) -> Reply:
    """Upload a file, or replace it; the body is the file itself. The next sync reads it."""
    hint = request.headers.get("Content-Type", "")
    stored = uploads.upload(settings(), store(), path.kb, path.source, path.name, _blocks(), media_type=hint)
    sync = uploads.sync_after_upload(store(), path.kb, path.source) if query.sync else None
    fields = {**UploadPayload.of(stored.upload).model_dump(), "changed": stored.is_changed, "sync": sync}
    payload = StoredUploadPayload.model_validate(fields).model_dump(mode="json")
    return (payload, 201, {"Location": quote(request.path)}) if stored.is_new else payload


@routes.get("", responses={"200": UploadPage})
@allow(Scope.READ)
def list_files(path: SourcePath, query: UploadsQuery) -> Reply:
    """List the uploaded files of a source by name, and what became of them."""
    source = uploads.source_of_files(store(), path.kb, path.source)
    stored_uploads = store().uploads.all(source, after=query.after, limit=query.limit + 1)
    return UploadPage.of(stored_uploads, query.limit).model_dump(mode="json")


@routes.get("/<path:name>", responses={"200": UploadPayload})
@allow(Scope.READ)
def get_file(path: UploadPath) -> Reply:
    """Read what became of an uploaded file."""
    source, name = uploads.upload_target(store(), path.kb, path.source, path.name)
    return UploadPayload.of(store().uploads.get(source, name)).model_dump(mode="json")


@routes.delete("/<path:name>", responses={"200": DeletedUploadPayload})
@allow(Scope.WRITE)
def delete_file(path: UploadPath, query: UploadQuery) -> Reply:
    """Delete an uploaded file; the next sync removes its document."""
    name = uploads.delete_upload(settings(), store(), path.kb, path.source, path.name)
    sync = uploads.sync_after_upload(store(), path.kb, path.source) if query.sync else None
    return DeletedUploadPayload(name=name, sync=sync).model_dump(mode="json")


def _blocks() -> Iterator[bytes]:
    """The body of the request."""
    try:
        while block := request.stream.read(BLOCK):
            yield block
    except ClientDisconnected:
        raise InvalidInputError("The upload ended early, so nothing was stored. Upload the file again.") from None
