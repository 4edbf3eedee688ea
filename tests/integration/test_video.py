"""Syncs of videos (SRC-2): what is touched, and where a citation leads."""

from collections.abc import Callable

import pytest

from headwater.domain.source_settings import SourceSettings
from query_api.routes.answer_payloads import AnswerPayload
from tests.support import Headwater
from tests.video_site import Shelf, install
from tests.web_server import web_server

Make = Callable[..., Headwater]


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources may read loopback; to be named before whatever reads the settings."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    install(monkeypatch)


def test_a_playlist_is_synced_and_cited_at_the_second(loopback: None, headwater: Make) -> None:
    """Twice without a change, then one video edited, one gone and one private: exactly those are touched (SRC-2)."""
    kb = headwater()
    with web_server() as web:
        shelf = Shelf(web)
        shelf.put_list("mills", ["a", "b", "c"])
        for name, what in (("a", "pump"), ("b", "wheel"), ("c", "lamp")):
            told = [(0, f"This is the {what}. It came here by ship, long before the road was built.")]
            told += [(20, "Many people have asked how old it is, and nobody has found an answer to that yet.")]
            shelf.put_video(name, *told, (40, f"Grease the {what} every seventh month."))
        kb.store.sources.create(
            kb.slug,
            slug="mills",
            kind="video",
            config={"url": f"{shelf.url}/shelf/mills", "delay": 0},
            settings=SourceSettings(),
        )
        done = kb.sync("mills")["mills"]
        assert (done.state, done.added, done.errors) == ("ready", 3, [])
        answer = kb.ask("When do I grease the wheel?")
        (citation, *_) = AnswerPayload.from_stored(kb.store.answers.get(answer.id)).citations
        assert citation.place is not None
        assert citation.place.label.startswith("00:40")  # in the middle of a paragraph
        assert citation.link == f"{shelf.url}/video/b#t=40"
        web.asked()
        before = kb.content()
        done = kb.sync("mills")["mills"]
        assert (done.unchanged, done.rows_written, web.asked()) == (3, 0, [("/mills.list.json", 200)])
        assert kb.content() == before
        shelf.put_list("mills", ["a", {"id": "b", "title": "The wheel, again"}, {"id": "d", "title": "Private"}])
        shelf.put_video("b", (0, "The wheel was sold."), title="The wheel, again")
        shelf.put_video("d", error="Private video")
        done = kb.sync("mills")["mills"]
        assert (done.added, done.changed, done.removed, done.unchanged) == (0, 1, 1, 1)
        assert [(error.uri, error.code) for error in done.errors] == [(f"{shelf.url}/video/d", "DOCUMENT_FAILED")]
        assert done.state == "ready"
