"""What pages show at a glance: the state of knowledge bases, running syncs, and the documents of a source."""

import pytest

from headwater.administration.knowledge_bases import create_named
from headwater.administration.sources import SourceEdit, change_source
from headwater.administration.sync_requests import cancel_sync, request_sync
from headwater.errors import AlreadyExistsError, InvalidInputError
from headwater.store.store import Store
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"a.md": "# Alpha\n\nOne.\n", "b.md": "# Beta\n\nTwo.\n"})


def _state(kb: Headwater) -> str:
    (found,) = kb.store.overviews.knowledge_bases(named=kb.slug)
    return found.state


def test_a_knowledge_base_has_the_state_that_matters_most(kb: Headwater) -> None:
    """Ready; syncing while work waits; failed if a source failed; paused if all are."""
    (found,) = kb.store.overviews.knowledge_bases()
    assert (found.state, found.source_count, found.document_count) == ("ready", 1, 2)
    requested = request_sync(kb.store, kb.slug, [], "api").id
    assert _state(kb) == "syncing"
    (part,) = kb.store.overviews.open_parts(kb.slug).values()
    assert (part.sync_id, part.state) == (requested, "pending")
    cancel_sync(kb.store, requested)
    assert kb.store.overviews.open_parts(kb.slug) == {}
    change_source(kb.store, kb.slug, "docs", SourceEdit(settings={"paused": True}))
    assert _state(kb) == "paused"
    kb.store.knowledge_bases.create(slug="new", name="New", description="", settings=kb.knowledge_base.settings)
    assert [one.state for one in kb.store.overviews.knowledge_bases(named="NEW")] == ["empty"]
    assert [one.slug for one in kb.store.overviews.knowledge_bases(after="kb")] == ["new"]
    assert [one.slug for one in kb.store.overviews.knowledge_bases(limit=1)] == ["kb"]


def test_work_whose_process_is_dead_waits_for_another(kb: Headwater) -> None:
    """A page does not say that a source is being synced by a process that is gone."""
    request_sync(kb.store, kb.slug, [], "command_line", "gone")
    kb.query("UPDATE sync_sources SET state = 'syncing' WHERE finished_at IS NULL RETURNING id")
    (part,) = kb.store.overviews.open_parts(kb.slug).values()
    assert part.state == "pending"


def test_documents_of_a_source_stand_with_those_that_could_not_be_read(kb: Headwater) -> None:
    """By URI; one that failed has its error; one that is not published yet waits."""
    kb.write("c.md", b"\xff\xfe\x00\xd8 broken")
    kb.sync()
    found = kb.store.overviews.documents(kb.source())
    assert [(one.uri, one.title, one.state) for one in found[:2]] == [
        ("a.md", "Alpha", "ready"),
        ("b.md", "Beta", "ready"),
    ]
    failed = [one for one in found if one.state == "failed"]
    assert [one.uri for one in failed] == ["c.md"]
    assert failed[0].error
    assert kb.store.overviews.documents(kb.source(), only_failed=True) == failed
    kb.query("DELETE FROM published_documents WHERE document_id::text = %s RETURNING document_id", found[1].id)
    assert [one.state for one in kb.store.overviews.documents(kb.source(), after="a.md", limit=1)] == ["waiting"]


def test_a_knowledge_base_is_created_by_its_name_alone(store: Store) -> None:
    """Its slug is made of the name, with a number if it is taken; a name without Latin letters needs one."""
    assert create_named(store, "  Größe & Gewicht ").slug == "grosse-gewicht"
    assert create_named(store, "Größe, Gewicht").slug == "grosse-gewicht-2"
    with pytest.raises(InvalidInputError, match="no Latin letters"):
        create_named(store, "手引き")
    made = create_named(store, "手引き", slug="tebiki")
    assert (made.slug, made.name) == ("tebiki", "手引き")
    with pytest.raises(AlreadyExistsError):
        create_named(store, "他", slug="tebiki")
    with pytest.raises(InvalidInputError, match="is no slug"):
        create_named(store, "他", slug="Te Biki")
    for name in ("", "   ", "x" * 201, "a\0b"):
        with pytest.raises(InvalidInputError, match="needs a name"):
            create_named(store, name)
