"""What every row of content says of where it is from (LIN-1)."""

from collections.abc import Callable

from headwater import __version__
from tests.support import Headwater

Make = Callable[..., Headwater]
_MADE = ("document_versions", "chunk_sets", "chunks", "link_sets", "embeddings")


def _lineages(kb: Headwater, table: str) -> set[tuple[str, str]]:
    return {(row["run_id"], row["code_version"]) for row in kb.query(f"SELECT run_id, code_version FROM {table}")}


def test_every_row_names_the_run_and_the_code_that_made_it(headwater: Make) -> None:
    """Versions, chunks, vectors and publications: of the first run, and what was edited of the second."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."})
    first, _ = kb.sync_run()
    for table in _MADE:
        assert _lineages(kb, table) == {(first.run_id, __version__)}, table
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    second, _ = kb.sync_run()
    both = {(first.run_id, __version__), (second.run_id, __version__)}
    for table in _MADE:
        assert _lineages(kb, table) == both, table
    published = kb.query("SELECT d.uri, p.run_id FROM published_documents p JOIN documents d ON d.id = p.document_id")
    assert {row["uri"]: row["run_id"] for row in published} == {"a.md": second.run_id, "b.md": first.run_id}
