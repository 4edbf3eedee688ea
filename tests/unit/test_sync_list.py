"""The lines of `headwater syncs` (SRC-10)."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cli.commands.syncs import syncs_text
from cli.progress import _count_words, _mark_up
from headwater.domain.sync_progress import SyncProgress

_SYNC: dict[str, Any] = {
    "id": 2, "requested_at": "2026-11-27T15:52:11+00:00", "requested_by": "command_line", "full": False,
    "state": "syncing", "started_at": "2026-11-27T15:52:11+00:00", "finished_at": None, "sources": ["docs"],
    "total": 1, "failed": 0, "added": 0, "changed": 0, "removed": 0, "documents_done": 0,
    "documents_total": None, "texts_left": 0,
    "stage": None, "seconds_left": None, "embedded": 0, "tokens": 0, "cost_usd": 0, "error": None,
    "documents_failed": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        ({}, "-0, 0 read, 0 texts embedded"),
        ({"stage": "documents", "documents_total": 6, "documents_done": 2}, "-0, 2 of 6 read, documents, 0 texts"),
        ({"stage": "embeddings", "texts_left": 9, "seconds_left": 240.0, "documents_done": 6, "documents_total": 6},
         "6 of 6 read, 9 texts left to embed, embeddings: about 4 min left, 0 texts"),
    ],
)  # fmt: skip
def test_a_running_sync_says_how_far_it_is(progress: dict[str, Any], words: str) -> None:
    """From its first second, in which no stage has begun."""
    text = syncs_text({"syncs": [_SYNC | progress], "next": None}, "handbook")
    assert words in text
    assert "None" not in text


def test_the_progress_of_a_terminal_names_the_document_that_is_read() -> None:
    """OCR takes minutes; the name is a text, never a sign for the terminal."""
    part = SimpleNamespace(stage="documents", documents_total=1, documents_done=0, current_uri="[red]scan.pdf\x1b[2J")
    words = _mark_up(_count_words(cast("Any", part), SyncProgress(share=0.0, texts_left=0, seconds_left=None)))
    assert words.startswith("0 of 1 read, now \\[red]scan.pdf")
    assert "\x1b" not in words
