"""What a sync prints where nothing can be drawn."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from cli.progress import ProgressLines


def _part(stage: str | None, documents_done: int = 0, state: str = "syncing") -> Any:
    """A source that is being synced, without texts to embed."""
    return SimpleNamespace(
        source="docs",
        state=state,
        stage=stage,
        done_count=0,
        total_count=0,
        documents_done=documents_done,
        documents_total=1200,
        embedded_count=0,
        to_embed_count=0,
        current_uri="a\x1b.md",
        started_at=datetime.now(UTC),
        stage_started_at=None,
    )


def test_a_long_sync_prints_each_stage_and_every_half_minute() -> None:
    """A short one prints nothing, and stages that follow at once are left out."""
    lines = ProgressLines(started=100.0)

    def next_lines(now: float, *parts: Any) -> list[str]:
        return list(lines.next_of(parts, now))

    assert next_lines(109.9, _part("documents")) == []
    assert next_lines(110.0, _part("documents", 7)) == ["docs: reading, 7 of 1,200 read, now a .md"]
    assert next_lines(139.9, _part("documents", 8)) == []
    assert next_lines(140.0, _part("documents", 9)) == ["docs: reading, 9 of 1,200 read, now a .md"]
    assert next_lines(149.9, _part("chunks", 9)) == []
    assert len(next_lines(150.0, _part("chunks", 9))) == 1
    assert next_lines(200.0, _part(None, state="ready")) == []
