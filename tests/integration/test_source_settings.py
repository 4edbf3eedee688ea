"""A source's refresh interval, tags, category and pause (SRC-10, KB-4)."""

import datetime
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.status_texts import status_text
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import read_file
from headwater.domain.corpus import Source
from headwater.domain.source_settings import SourceSettings
from headwater.errors import InvalidConfigurationError, InvalidInputError, SourcePausedError
from pipelines.sensors import partition_changes
from query_api.routes.source_payloads import SourcePayload
from tests.support import Headwater

Make = Callable[..., Headwater]
FILE = """\
knowledge_base: {slug: kb, settings: {embedding_model: builtin/hash}}
sources:
  - {slug: docs, kind: jsonl, path: /n.jsonl, refresh: 6h, tags: [staff, internal], category: guides/kitchen}
  - slug: notes
    kind: jsonl
    path: /n.jsonl
    paused: true
"""


def _keep(kb: Headwater, slug: str = "docs", **chosen: object) -> Source:
    """Keep a source in another way."""
    old = kb.source(slug)
    settings = SourceSettings.model_validate({**SourceSettings.of(old).model_dump(), **chosen})
    kb.store.sources.update(old, kind=old.kind, config=old.config, settings=settings)
    return kb.source(slug)


def _due(kb: Headwater, **later: float) -> list[str]:
    now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(**later)
    return [source.slug for source in kb.store.sources.due(now)]


def _await_release(kb: Headwater, name: str) -> None:
    """Postgres frees a lock a moment after its holder has gone."""
    deadline = time.monotonic() + 120
    while kb.query("SELECT is_locked(%s) AS held", name)[0]["held"] and time.monotonic() < deadline:
        time.sleep(0.05)


def test_a_file_says_how_sources_are_kept(headwater: Make, tmp_path: Path) -> None:
    """Applying the file twice changes nothing; a setting that it no longer has returns to its default (KB-4)."""
    kb = headwater(slug="other")
    path = tmp_path / "kb.yaml"
    path.write_text(FILE)
    assert apply(kb.store, read_file(path)).created == ["docs", "notes"]
    first = kb.store.sources.all("kb")
    assert SourceSettings.of(first[0]) == SourceSettings(
        refresh=21_600, tags=("internal", "staff"), category="guides/kitchen"
    )
    assert [source.paused_at is not None for source in first] == [False, True]
    assert apply(kb.store, read_file(path)).unchanged == ["docs", "notes"]
    assert kb.store.sources.all("kb") == first
    path.write_text(FILE.replace("refresh: 6h", "refresh: 21600").replace("[staff, internal]", "[internal, staff]"))
    assert apply(kb.store, read_file(path)).unchanged == ["docs", "notes"]
    path.write_text(FILE.replace(", refresh: 6h", "").replace("    paused: true\n", ""))
    assert apply(kb.store, read_file(path)).changed == ["docs", "notes"]
    assert [(s.refresh_seconds, s.paused_at) for s in kb.store.sources.all("kb")] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("refresh: 6h", "refresh: 6 hours", ":3: sources[0].refresh"),
        ("refresh: 6h", "refresh: 5", ":3: sources[0].refresh"),
        ("tags: [staff", "tags: [The staff", ":3: sources[0].tags[0]"),
        ("paused: true", "paused: maybe", ":7: sources[1].paused"),
    ],
)
def test_a_wrong_setting_names_its_line(tmp_path: Path, old: str, new: str, place: str) -> None:
    """As every other error of the file does."""
    path = tmp_path / "kb.yaml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InvalidConfigurationError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}{place}"), str(caught.value)


def test_a_source_is_due_when_its_interval_has_passed(headwater: Make) -> None:
    """Since its last sync ended, well or not; at once when there was none; never without an interval."""
    kb = headwater("docs", "notes", "quiet", files={"docs/a.md": "# A\n\nWords."})
    _keep(kb, "docs", refresh="1h")
    made = _keep(kb, "notes", refresh="1d")
    assert made.next_sync_at == made.created_at
    assert _due(kb) == ["docs", "notes"]
    (kb.folder / "notes").rmdir()
    assert {name: done.state for name, done in kb.sync().items()} == {
        "docs": "ready", "notes": "failed", "quiet": "ready"
    }  # fmt: skip
    assert _due(kb) == []
    assert _due(kb, minutes=59) == []
    assert _due(kb, minutes=61) == ["docs"]
    assert _due(kb, hours=25) == ["docs", "notes"]
    synced = kb.source("docs")
    assert synced.synced_at is not None
    assert synced.next_sync_at is not None
    assert synced.next_sync_at - synced.synced_at < datetime.timedelta(hours=1, seconds=5)
    paused = _keep(kb, "docs", paused=True)
    assert (paused.next_sync_at, _due(kb, hours=25)) == (None, ["notes"])
    kb.store.deletions.hide_source("kb", "notes")
    assert (kb.source("notes").next_sync_at, _due(kb, hours=25)) == (None, [])
    assert kb.source("quiet").next_sync_at is None


def test_a_source_whose_sync_waits_or_runs_is_not_due(headwater: Make) -> None:
    """Unless its worker is gone; then it is, once the interval has passed since that was written down."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    source = _keep(kb, refresh="60s")
    assert _due(kb) == ["docs"]
    batch = uuid.uuid4().hex
    with kb.store.workers.hold_batch(batch):
        kb.store.syncs.request(kb.knowledge_base.id, [source], "command_line", batch)
        assert _due(kb, hours=1) == []
    _await_release(kb, f"batch:{batch}")
    assert _due(kb, hours=1) == ["docs"]  # the command that was to do it is gone
    with kb.store.workers.hold_source(source, None, "run-1"):
        assert _due(kb, hours=1) == []
    _await_release(kb, f"source:{source.id}")
    assert _due(kb) == ["docs"]
    kb.store.worker_failures.fail_rows("run-1", None, "It died.")
    assert _due(kb) == []  # a source whose worker dies each time is not tried without end
    assert _due(kb, minutes=2) == ["docs"]
    kb.store.syncs.request(kb.knowledge_base.id, [source], "api")
    assert _due(kb, hours=1) == []


def test_a_paused_source_is_not_synced(headwater: Make) -> None:
    """Asked for all, the others are; asked for it by name, the error says how to resume. What it had is still found."""
    kb = headwater("docs", "notes", files={"docs/a.md": "# A\n\nPump.", "notes/b.md": "# B\n\nWheel."})
    kb.sync()
    since = _keep(kb, "notes", paused=True).paused_at
    assert _keep(kb, "notes", tags=["x"]).paused_at == since
    assert list(kb.sync()) == ["docs"]
    with pytest.raises(SourcePausedError, match=r"kb/notes is paused\. To sync it again, set `paused: false`"):
        kb.store.sources.select("kb", ["docs", "notes"])
    assert kb.search("wheel")[0].source == "notes"
    _keep(kb, "docs", paused=True)
    with pytest.raises(SourcePausedError, match="kb/docs, kb/notes"):
        kb.store.sources.select("kb", [])
    _keep(kb, "notes", paused=False)
    assert list(kb.sync()) == ["notes"]


def test_tags_and_categories_of_sources_are_filters(headwater: Make) -> None:
    """A tag limits a search to its sources; a source's category is that of all its documents (RET-2)."""
    kb = headwater("docs", "notes", "rest", files={
        "docs/guides/a.md": "# A\n\nThe pump lifts water.",
        "docs/b.md": "# B\n\nThe pump stands here.",
        "notes/c.md": "# C\n\nThe pump was sold.",
        "rest/d.md": "# D\n\nThe pump is blue.",
    })  # fmt: skip
    kb.sync()
    _keep(kb, "docs", tags=["staff"])
    _keep(kb, "notes", tags=["staff", "old"], category="guides/kitchen")

    def found(**filters: Any) -> set[str]:
        return {passage.uri for passage in kb.search("pump", top_k=50, **filters)}

    assert found(tags=("staff",)) == {"guides/a.md", "b.md", "c.md"}
    assert found(tags=("old", "none")) == {"c.md"}
    assert found(tags=("none",)) == set()
    assert found(tags=("staff",), sources=("rest",)) == set()
    assert found(categories=("guides",)) == {"guides/a.md", "c.md"}
    assert found(categories=("guides/kitchen",)) == {"c.md"}
    assert found(categories=("guide",)) == set()
    assert found(categories=("guides",), tags=("old",)) == {"c.md"}
    with pytest.raises(InvalidInputError, match="nowhere"):
        kb.search("pump", sources=("nowhere",), tags=("staff",))
    index = kb.store.search_indexes.active("kb")
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    assert found(tags=("old",)) == {"c.md"}
    assert found(categories=("guides",)) == {"guides/a.md", "c.md"}


def test_status_shows_how_sources_are_kept(headwater: Make) -> None:
    """State, pause, interval, next sync, tags, and why the last sync failed."""
    kb = headwater("docs", "notes")
    (kb.folder / "docs").rmdir()
    kb.sync("docs")
    _keep(kb, "docs", refresh="6h", tags=["staff"], category="guides")
    _keep(kb, "notes", refresh="1d", paused=True)
    sources = [SourcePayload.of(source, "").model_dump(mode="json") for source in kb.store.sources.all("kb")]
    text = status_text({"knowledge_bases": [{"slug": "kb", "name": "KB", "sources": sources}]})
    assert f"docs: failed, 0 documents, last tried {sources[0]['synced_at']}, every 6h, next 2" in text
    assert "category guides, tags staff\n" in text
    assert "There is no file or folder" in text
    assert "notes: paused, 0 documents, never synced, every 1d" in text
    assert text.count("next") == 1


def test_the_sensor_learns_the_sources_without_their_documents(headwater: Make) -> None:
    """Which sources there are is asked every few seconds while a sync runs, so it must not count documents."""
    kb = headwater("docs", "notes")
    _keep(kb, "notes", paused=True)
    with psycopg.connect(kb.store.database.url) as blocker:
        blocker.execute("LOCK TABLE documents, sync_sources IN ACCESS EXCLUSIVE MODE")
        assert [(name.key, name.is_paused) for name in kb.store.sources.names()] == [
            ("kb/docs", False),
            ("kb/notes", True),
        ]
        assert [change.partition_keys for change in partition_changes(kb.instance, kb.store)] == [
            ["kb/docs", "kb/notes"],
            ["kb"],
        ]
