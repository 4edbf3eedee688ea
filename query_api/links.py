"""Addresses that responses lead to.

Belongs here: where a run and a partition are in the Dagster UI, and a citation in the API. Not here: what is found
there. Guarantee: any slug and any id makes a valid address.
"""

from urllib.parse import quote
from uuid import UUID


def run_url(dagster_url: str, run_id: str) -> str:
    """Where people see a run in the Dagster UI."""
    return f"{dagster_url}/runs/{quote(run_id, safe='')}"


def version_url(version_id: UUID, start: int, end: int) -> str:
    """Where the API opens a document version at a span, which is in characters."""
    return f"/api/v1/document-versions/{version_id}?start={start}&end={end}"


def partition_url(dagster_url: str, asset: str, key: str) -> str:
    """Where people see a partition of an asset in the Dagster UI: what it was made of, when, and by which run.

    Args:
        dagster_url: where the UI is.
        asset: the asset's key.
        key: the partition's key, such as `<knowledge base>/<source>`.
    """
    return f"{dagster_url}/assets/{asset}?view=partitions&partition={quote(key, safe='')}"
