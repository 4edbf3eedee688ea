"""What tests begin with: a synced knowledge base of their own, or one that nobody can write to."""

from collections.abc import Callable

import psycopg
import pytest

from headwater.errors import DatabaseUnavailableError
from tests.support import Headwater

pytestmark = pytest.mark.synced("docs", "more", files={"a.md": "# A\n\nThe pump lifts water."})


def test_a_shared_knowledge_base_cannot_be_written_to(shared: Headwater) -> None:
    """Reading works; other tests would see what a test wrote, so Postgres refuses to write."""
    assert [passage.uri for passage in shared.search("pump")] == ["a.md"]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        shared.query("DELETE FROM documents RETURNING 1")
    with pytest.raises(DatabaseUnavailableError, match="takes no changes"):
        shared.store.knowledge_bases.update("kb", name="other")


@pytest.mark.parametrize("attempt", [1, 2])
def test_what_a_test_does_to_its_own_stays_with_it(synced: Headwater, attempt: int) -> None:
    """Each begins with the same rows and files, and a sync of them has nothing to do."""
    assert [source["state"] for source in synced.query("SELECT state FROM sources")] == ["ready", "ready"]
    before = synced.content()
    assert synced.sync()["docs"].rows_written == 0
    assert synced.content() == before
    synced.write("a.md", "# A\n\nThe wheel turns.")
    synced.write("b.md", "# B\n\nMore.")
    assert (synced.sync()["docs"].changed, len(synced.search("pump wheel more"))) == (1, 2)


def test_others_begin_with_nothing(headwater: Callable[..., Headwater]) -> None:
    """The marker is for those who ask for `synced` or `shared`."""
    assert headwater(slug="kb").knowledge_base.slug == "kb"
