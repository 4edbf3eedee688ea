"""Edits keep borders; a full sync cuts again what has drifted too far from a fresh cut (CHK-5, DOC-1)."""

import uuid
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from cli.main import main
from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.syncing import drift
from tests.support import Headwater

Make = Callable[..., Headwater]


def _page(paragraphs: list[str]) -> str:
    return "# Pumps\n\n" + "\n\n".join(paragraphs) + "\n"


PARAGRAPHS = [f"Pump {n} lifts {n * 7} litres of water an hour from well {n * 3} to tank {n}." for n in range(40)]


def _edit(kb: Headwater) -> None:
    """Let the page grow and shrink paragraph by paragraph, so that old borders lie oddly."""
    paragraphs = list(PARAGRAPHS)
    for step in range(0, 40, 4):
        paragraphs[step] = "" if step % 8 else f"{paragraphs[step]} {paragraphs[step]} Checked in year {step}."
        kb.write("a.md", _page([text for text in paragraphs if text]))
        kb.sync()


pytestmark = pytest.mark.synced(files={"a.md": _page(PARAGRAPHS)}, then=_edit, chunk_max=400, chunk_min=150)


def _fresh(kb: Headwater) -> set[str]:
    text = (kb.folder / "docs" / "a.md").read_text()
    settings = chunk_settings(kb.knowledge_base.settings)
    return {chunk.text for chunk in chunk_text(text, title="Pumps", media_type="text/markdown", settings=settings)}


def _full(kb: Headwater) -> None:
    done = CliRunner().invoke(main, ["sync", "kb", "--full"])
    assert done.exit_code == 0, done.output


def test_a_full_sync_cuts_again_what_has_drifted(kb: Headwater) -> None:
    """Afterwards the chunks are those of a clean sync; text that was there before is not embedded again."""
    share = kb.source().drift_share
    before = kb.chunk_ids()
    different = set(before.values()) - _fresh(kb)
    assert share == pytest.approx(len(different) / len(before), abs=0.001)
    assert share is not None
    assert share > 0.1
    assert f"{share:.0%} of its chunks differ" in CliRunner().invoke(main, ["status"]).output
    _full(kb)
    after = kb.chunk_ids()
    assert set(after.values()) == _fresh(kb)
    assert kb.source().drift_share == 0
    kept = {chunk_id for chunk_id, text in before.items() if text in after.values()}
    assert kept
    assert kept <= set(after)
    for chunk_id in before:  # what an answer cited still opens
        assert kb.store.versions.chunk(uuid.UUID(chunk_id)).text == before[chunk_id]


def test_a_second_full_sync_writes_nothing(kb: Headwater) -> None:
    """Cutting again is done once."""
    kb.sync(is_full=True)
    content = kb.content()
    kb.sync(is_full=True)
    assert kb.content() == content


def test_drift_under_the_limit_is_left_alone(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limit at 1 nothing is cut again, and the share stays to be seen."""
    monkeypatch.setattr(drift, "_LIMIT", 1.0)
    before = kb.chunk_ids()
    kb.sync(is_full=True)
    assert kb.chunk_ids() == before
    assert kb.source().drift_share


def test_what_an_older_release_cut_is_counted_by_a_full_sync(kb: Headwater) -> None:
    """Its drift is unknown until then, not nought."""
    kb.query("UPDATE chunk_sets SET drift_count = NULL RETURNING 1")
    kb.query("UPDATE sources SET drift_share = NULL RETURNING 1")
    assert kb.source().drift_share is None
    kb.sync(is_full=True)
    assert set(kb.chunk_ids().values()) == _fresh(kb)
    assert kb.source().drift_share == 0
