"""Finding out what an id names, and reading it as the API shows it.

Belongs here: the work of `show`. Not here: its arguments and texts (`showing`). Guarantee: what comes back is what the
API returns for it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from cli.environment import environment
from cli.processes.up_file import dagster_url
from headwater.errors import GoneError, NotFoundError
from headwater.store.store import Store
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.document_payloads import ChunkPayload, DocumentPayload, VersionList, VersionPayload
from query_api.routes.summary_payloads import NodePayload

if TYPE_CHECKING:
    from pydantic import BaseModel

_AROUND = 200  # characters shown on each side of a span, as over HTTP


def read_again(
    row_id: UUID, *, versions: bool = False, start: int | None = None, end: int | None = None
) -> tuple[dict[str, Any], str]:
    """Read an answer, a chunk, a document, a version or a summary; returns it, and which of them it is.

    Raises:
        NotFoundError: the id names none of them. GoneError: it named one that is no longer kept.
    """
    with environment() as env:
        url = dagster_url(env.settings)
        found: dict[str, Callable[[], BaseModel]] = {
            "answer": lambda: (
                AnswerPayload.stored(env.store.answers.get(row_id))
                .with_originals(env.store.originals)
                .with_related(env.store, env.settings)
            ),
            "document": lambda: DocumentPayload.of(env.store.versions.document(row_id), url),
            "chunk": lambda: ChunkPayload.of(env.store.versions.chunk(row_id), url),
            "summary": lambda: NodePayload.of(env.store.summary_nodes.get(row_id), url),
            "version": lambda: _version(env.store, row_id, url, start, end),
        }
        if versions:
            found = {"versions": lambda: VersionList.of(env.store.versions.history(row_id), url)}
        for kind, read in found.items():
            try:
                return read().model_dump(mode="json"), kind
            except GoneError:
                raise
            except NotFoundError:
                continue
    what = "document" if versions else "answer, chunk, document, document version or summary"
    raise NotFoundError(f"There is no {what} {row_id}.")


def _version(store: Store, row_id: UUID, url: str, start: int | None, end: int | None) -> VersionPayload:
    return VersionPayload.part(store.versions.get(row_id), url, start=start, end=end, context=_AROUND)
