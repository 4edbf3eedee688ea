"""The building of a large search index, as people follow it.

Belongs here: its progress, and that in words. Not here: building (`headwater.store.search.index_partitions`), reading
the progress (`headwater.store.search.index_builds`). Guarantee: nothing here does input or output.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

BuildStep = Literal["copying", "indexing", "indexing_vectors"]
_TEXTS = {
    "copying": "copying entries",
    "indexing": "indexing documents and words",
    "indexing_vectors": "indexing vectors",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexBuild:
    """A search index that gets its partition with HNSW now.

    `share` of the step is done (0 to 1), None if Postgres does not say; almost all of the time goes into the vectors.
    """

    search_index_id: int
    started_at: datetime
    step: BuildStep
    share: float | None

    @property
    def text(self) -> str:
        """What is being done, for a line of progress."""
        share_text = "" if self.share is None else f", {self.share:.0%} done"
        return f"search index {self.search_index_id}: {_TEXTS[self.step]}{share_text}"
