"""Links in responses.

Belongs here: the addresses of runs and partitions in the Dagster UI, and where a passage can be read. Not here: their
contents. Guarantee: any slug and any id makes a valid address.
"""

from typing import Protocol
from urllib.parse import quote
from uuid import UUID

_WEB = ("http://", "https://")
UNSAFE = {ord(character): f"%{ord(character):02X}" for character in " ()<>[]\"'`\\|"}


class Span(Protocol):
    """A span of a document version, and the address that opens the document there, if it has one."""

    @property
    def document_version_id(self) -> UUID:
        """The version."""

    @property
    def start(self) -> int:
        """The first character."""

    @property
    def end(self) -> int:
        """The character after the last."""

    @property
    def link(self) -> str | None:
        """The address, if there is one."""


def run_url(dagster_url: str, run_id: str) -> str:
    """The address of a run in the Dagster UI."""
    return f"{dagster_url}/runs/{quote(run_id, safe='')}"


def find_run_url(outside_url: str | None, run_id: str) -> str | None:
    """The address of what a run of another Dagster made, whose assets have keys of their own; None for Headwater's."""
    return None if outside_url is None else run_url(outside_url, run_id)


def version_url(version_id: UUID, start: int, end: int) -> str:
    """The address of a span of a document version in the API; offsets are in characters."""
    return f"/api/v1/document-versions/{version_id}?start={start}&end={end}"


def asset_url(dagster_url: str, asset: str) -> str:
    """The address of an asset in the Dagster UI."""
    return f"{dagster_url}/assets/{asset}"


def partition_url(dagster_url: str, asset: str, key: str) -> str:
    """The address of a partition of an asset in the Dagster UI, which shows its materializations and their runs.

    Args:
        dagster_url: the UI's address.
        asset: the asset's key.
        key: the partition's key, such as `<knowledge base>/<source>`.
    """
    return f"{asset_url(dagster_url, asset)}?view=partitions&partition={quote(key, safe='')}"


def address_of(span: Span, root: str, original: str | None = None) -> str:
    """Where a span can be read: at its document's own address, else its original or its text in this API.

    Args:
        span: the span.
        root: the address of this API, without a slash at its end.
        original: the path of the original in this API, if there is one.
    """
    return readable_at(span.document_version_id, span.start, span.end, span.link, root, original)


def readable_at(
    version_id: UUID, start: int, end: int, link: str | None, root: str, original: str | None = None
) -> str:
    """The same as `address_of`, for what is no object."""
    if link and link.startswith(_WEB):
        return link.translate(UNSAFE)
    return f"{root}{original or version_url(version_id, start, end)}".translate(UNSAFE)
