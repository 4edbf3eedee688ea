"""Links in responses.

Belongs here: the addresses of runs and partitions in the Dagster UI, and of citations in the API. Not here: their
contents. Guarantee: any slug and any id makes a valid address.
"""

from urllib.parse import quote
from uuid import UUID


def run_url(dagster_url: str, run_id: str) -> str:
    """The address of a run in the Dagster UI."""
    return f"{dagster_url}/runs/{quote(run_id, safe='')}"


def version_url(version_id: UUID, start: int, end: int) -> str:
    """The address of a span of a document version in the API; offsets are in characters."""
    return f"/api/v1/document-versions/{version_id}?start={start}&end={end}"


def partition_url(dagster_url: str, asset: str, key: str) -> str:
    """The address of a partition of an asset in the Dagster UI, which shows its materializations and their runs.

    Args:
        dagster_url: the UI's address.
        asset: the asset's key.
        key: the partition's key, such as `<knowledge base>/<source>`.
    """
    return f"{dagster_url}/assets/{asset}?view=partitions&partition={quote(key, safe='')}"
