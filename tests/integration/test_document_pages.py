"""The page of a document reads what it shows, however long the document is (UI-3)."""

import pytest
from flask.testing import FlaskClient

import headwater as package
from headwater.domain.versions import StoredVersion, VersionChunks
from query_api.app import create_app
from tests.support import Headwater

TEXT = "# Löng\n\n" + "\n\n".join(f"## Hall {number}\n\n{'The pump lifts water. ' * 30}" for number in range(45))
LAST = "the very last words"

pytestmark = pytest.mark.synced(files={"long.md": f"{TEXT}\n\n{LAST}\n", "short.md": "# Short\n\nOne line.\n"})


def _version(kb: Headwater, text: str) -> StoredVersion:
    (document,) = kb.store.overviews.all_documents(kb.knowledge_base, text=text)
    return kb.store.versions.history(document.id)[0]


def _numbers(found: VersionChunks) -> list[int]:
    return [number for group in found.groups for number in range(group.first, group.last + 1)]


def test_chunks_are_grouped_and_those_around_the_chosen_one_are_single(shared: Headwater) -> None:
    """Every chunk is in one group, in order; the chosen one is found with its neighbours; another document's is not."""
    versions, version = shared.store.versions, _version(shared, "long")
    single = versions.chunks_of(version.id, most=1_000, groups=7)
    count = single.count
    assert count >= 45
    assert _numbers(single) == list(range(1, count + 1))
    assert all(group.first == group.last for group in single.groups)
    assert (single.around, single.chosen) == ((), None)
    ids = [group.id for group in single.groups]
    for number in (1, 2, count // 2, count):
        found = versions.chunks_of(version.id, ids[number - 1], most=count - 1, groups=7)
        assert _numbers(found) == list(range(1, count + 1))
        assert len(found.groups) <= 7
        (group,) = (each for each in found.groups if each.is_chosen)
        assert [each.id for each in found.around] == ids[group.first - 1 : group.last]
        assert [each.first for each in found.around if each.is_chosen] == [number]
        assert group.character_count == sum(each.character_count for each in found.around)
        assert found.chosen is not None
        before, after = found.chosen.before, found.chosen.after
        assert (before, after) == (*([None, *ids][number - 1 : number]), *([*ids, None][number : number + 1]))
        part = versions.text_part(version.id, found.chosen.start, found.chosen.end - found.chosen.start)
        assert part.text == versions.chunk(ids[number - 1]).text
    at_the_limit = versions.chunks_of(version.id, ids[3], most=count, groups=7)
    assert len(at_the_limit.groups) == count
    assert at_the_limit.around == ()
    assert at_the_limit.chosen is not None
    other = versions.chunks_of(_version(shared, "short").id, ids[0], most=1_000, groups=7)
    assert (len(other.groups), other.chosen, other.around) == (1, None, ())


def test_the_page_holds_a_part_of_a_long_text(shared: Headwater) -> None:
    """No more of the text is read or sent than is shown; its end comes with the last chunk."""
    client: FlaskClient = create_app(shared.settings).test_client()
    version = _version(shared, "long")
    url = f"/kb/{shared.slug}/documents/{version.document_id}"
    page = client.get(url)
    assert page.status_code == 200
    assert len(page.text) < 30_000 < len(TEXT)
    assert LAST not in page.text
    assert f"Headwater {package.__version__}." in page.text  # the footer's own version, not the document's
    count = shared.store.versions.text_part(version.id, 0, 1).character_count
    assert count >= len(TEXT)
    assert f"<dd>{count:,}</dd>" in page.text
    last = shared.store.versions.chunks_of(version.id, most=1_000, groups=7).groups[-1]
    assert LAST in client.get(f"{url}?chunk={last.id}").text
