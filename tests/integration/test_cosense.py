"""Syncs of a Cosense project (SRC-7): what is touched, and how many requests it takes."""

from collections.abc import Callable

import pytest

from headwater.answering.answer_assembly import fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.domain.source_settings import SourceSettings
from headwater.sources.cosense import api
from tests.cosense_server import cosense_server
from tests.support import Headwater

Make = Callable[..., Headwater]


def test_exactly_what_changed_is_touched(headwater_of_loopback: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """120 pages; then three are edited, one is deleted, and one is linked to that nobody wrote (SRC-7)."""
    monkeypatch.setattr(api, "_MAX_PAGES", 100)
    kb = headwater_of_loopback()
    with cosense_server() as site:
        for number in range(120):
            site.put(f"Page {number}", f"The wheel number {number} turns.", f"[Page {number + 1}]")
        config = {"project": site.project, "delay": 0}
        kb.store.sources.create(kb.slug, slug="wiki", kind="cosense", config=config, settings=SourceSettings())
        done = kb.sync("wiki")["wiki"]
        assert (done.state, done.added, done.errors, done.skipped) == ("ready", 120, [], [])
        asked = site.asked()
        assert [path for path, _ in asked if "?" in path] == [
            "?skip=0&limit=100&sort=created",
            "?skip=90&limit=100&sort=created",
        ]
        assert len(asked) == 122
        for number in (5, 60, 119):
            site.put(f"Page {number}", "The lamp was mended.", "[Never written]", updated=1_700_000_100)
        del site.pages["Page 7"]
        done = kb.sync("wiki")["wiki"]
        assert (done.added, done.changed, done.removed, done.unchanged) == (0, 3, 1, 116)
        assert (done.state, done.errors) == ("ready", [])
        assert sorted(path for path, _ in site.asked() if "?" not in path) == ["/Page_119", "/Page_5", "/Page_60"]
        before = kb.content()
        done = kb.sync("wiki")["wiki"]
        assert (done.unchanged, done.rows_written, len(site.asked())) == (119, 0, 2)
        assert kb.content() == before
        found = kb.search("lamp mended", top_k=3)
        assert {passage.uri for passage in found} == {f"{site.project}/Page_{number}" for number in (5, 60, 119)}


def test_a_project_is_asked_broadly_in_its_language(headwater_of_loopback: Make) -> None:
    """An overview, a list, a number and a comparison, without an English word or a line of hashtags (SUM-4)."""
    kb = headwater_of_loopback(summary_model="builtin/extractive")
    with cosense_server() as site:
        for thing in ("輪", "軸", "歯車", "屋根"):
            site.put(f"水車の{thing}", "#部品 #水車", f"水車の{thing}は毎年[点検]する。", f"{thing}は木でできている。")
        site.put("風車", "風車は風で回り、粉を挽く。", "#動力")
        site.put("目録", "[* 木のもの]", " 樫の板", "[* 鉄のもの]", " 釘")
        site.put("水車と風車の違い", "水車は川で回り、風車は風で回るのが違いである。", "#比較")
        config = {"project": site.project, "delay": 0}
        kb.store.sources.create(kb.slug, slug="wiki", kind="cosense", config=config, settings=SourceSettings())
        kb.sync("wiki")
    overview = _ask(kb, "このプロジェクトは何についてですか")
    assert overview.startswith("文書 7 件（例） [1]:")
    assert "- **水車の輪**: 水車の輪は毎年点検する。 [" in overview
    assert "- **目録**: 節： 木のもの; 鉄のもの." in overview
    assert "#" not in overview
    parts = _ask(kb, "どんな水車についてのページがありますか")
    assert parts.startswith("**文書 5 件**:\n\n- 水車と風車の違い [1]")
    assert _ask(kb, "水車についてのページはいくつありますか").startswith("**文書 5 件**")
    assert "川で回り、風車は風で回るのが違いである。" in _ask(kb, "水車と風車の違いは何ですか")


def _ask(kb: Headwater, question: str) -> str:
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=question)
    answerer = choose_answerer(kb.store, kb.settings, kb.knowledge_base.settings)
    return fold(AnswerMaker(kb.store, kb.settings, request, answerer).events()).text


@pytest.fixture
def headwater_of_loopback(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Make:
    """Makes knowledge bases whose sources may read loopback."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    made: Make = request.getfixturevalue("headwater")
    return made
