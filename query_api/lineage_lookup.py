"""The lineage of whatever an id names, for the command `trace` and the tool of the same name.

Belongs here: finding out what an id names. Not here: lineage itself (`routes.lineage_payloads`). Guarantee: what comes
back is what the API returns for it.
"""

from uuid import UUID

from headwater.errors import GoneError, NotFoundError
from headwater.store.store import Store
from query_api.routes.document_payloads import VersionPayload
from query_api.routes.lineage_payloads import AnswerLineage, ChunkLineage
from query_api.routes.summary_payloads import NodeLineage

Lineage = AnswerLineage | ChunkLineage | VersionPayload | NodeLineage


def lineage_of(store: Store, row_id: UUID, dagster_url: str) -> Lineage:
    """The lineage of an answer, a chunk, a document version or a summary.

    Raises:
        NotFoundError: the id names none of them. GoneError: it named one that is no longer kept.
    """
    for find in (_answer, _chunk, _version, _node):
        try:
            return find(store, row_id, dagster_url)
        except GoneError:
            raise
        except NotFoundError:
            continue
    raise unknown_id_error(row_id)


def unknown_id_error(row_id: UUID) -> NotFoundError:
    """The error for an id that names nothing with a lineage."""
    return NotFoundError(f"There is no answer, chunk, document version or summary {row_id}.")


def _answer(store: Store, row_id: UUID, url: str) -> Lineage:
    return AnswerLineage.of(store.answers.get(row_id), url)


def _chunk(store: Store, row_id: UUID, url: str) -> Lineage:
    return ChunkLineage.of(store.versions.chunk_lineage(row_id), url)


def _version(store: Store, row_id: UUID, url: str) -> Lineage:
    return VersionPayload.part(store.versions.get(row_id), url, start=None, end=None, context=0)


def _node(store: Store, row_id: UUID, url: str) -> Lineage:
    return NodeLineage.of(*store.summary_nodes.lineage(row_id), url)
