"""A source's own schedule: a cron line with its time zone (SRC-10, OPS-2)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import read_file
from headwater.administration.sync_requests import request_due_syncs
from headwater.domain.corpus import Source
from headwater.domain.source_settings import SourceSettings, next_tick
from headwater.errors import InvalidConfigurationError
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
FILE = """\
knowledge_base: {slug: kb, settings: {embedding_model: builtin/hash}}
sources:
  - {slug: docs, kind: jsonl, path: /n.jsonl, schedule: "15 5 * * 1-5", time_zone: Europe/Rome}
"""
pytestmark = pytest.mark.synced(files={"a.md": "# A\n\nWords."})
RULE = {"schedule": "15 5 * * 1-5", "time_zone": "Europe/Rome"}
URL = "/api/v1/knowledge-bases/kb/sources/docs"


def _schedule(kb: Headwater, **chosen: object) -> Source:
    old = kb.source()
    settings = SourceSettings.model_validate({**SourceSettings.of(old).model_dump(), **chosen})
    kb.store.sources.update(old, kind=old.kind, config=old.config, settings=settings)
    return kb.source()


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """The API and its pages."""
    return create_app(kb.settings).test_client()


@pytest.mark.parametrize(
    ("after", "tick"),
    [
        ("2026-11-26T04:14:59Z", "2026-11-26T04:15:00Z"),  # a Thursday; Rome is an hour ahead of UTC
        ("2026-11-27T04:15:00Z", "2026-11-30T04:15:00Z"),  # over a weekend
        ("2026-07-01T00:00:00Z", "2026-07-01T03:15:00Z"),  # in summer, two hours ahead
    ],
)
def test_a_line_is_read_in_its_time_zone(after: str, tick: str) -> None:
    """So five o'clock is five o'clock in summer too."""
    found = next_tick(RULE["schedule"], RULE["time_zone"], datetime.fromisoformat(after))
    assert found == datetime.fromisoformat(tick)
    assert next_tick(None, "UTC", datetime.now(UTC)) is None


def test_a_source_is_due_when_its_schedule_comes_to_pass(headwater: Make) -> None:
    """Once for each time, also if it is checked again; never before it, and never while it is paused."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    source = _schedule(kb, **RULE)
    tick = source.next_sync_at
    assert tick is not None
    assert tick == next_tick(RULE["schedule"], RULE["time_zone"], datetime.now(UTC))
    assert request_due_syncs(kb.store, tick - timedelta(seconds=1)) == 0
    assert request_due_syncs(kb.store, tick) == 1
    assert kb.source().next_sync_at == next_tick(RULE["schedule"], RULE["time_zone"], tick)
    assert request_due_syncs(kb.store, tick) == 0
    kb.sync()
    assert request_due_syncs(kb.store, tick + timedelta(seconds=1)) == 0
    later = tick + timedelta(days=30)  # nobody looked for a month: one sync makes up for all that was missed
    assert request_due_syncs(kb.store, later) == 1
    kb.sync()
    assert request_due_syncs(kb.store, later) == 0
    paused = _schedule(kb, paused=True)
    assert paused.next_sync_at is None
    assert request_due_syncs(kb.store, later + timedelta(days=30)) == 0
    assert _schedule(kb, paused=False).next_sync_at == tick  # of the clock, not of what was missed
    assert _schedule(kb, schedule=None).next_sync_at is None


def test_interval_and_schedule_go_together(headwater: Make) -> None:
    """Whichever comes first makes it due."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    kb.sync()
    by_schedule = _schedule(kb, schedule="0 0 1 1 *").next_sync_at
    both = _schedule(kb, refresh="1h")
    assert both.synced_at is not None
    assert both.next_sync_at == both.synced_at + timedelta(hours=1)
    assert by_schedule is not None
    assert by_schedule > both.next_sync_at
    assert [source.slug for source in kb.store.sources.due(both.next_sync_at)] == ["docs"]


def test_a_late_schedule_is_a_finding(headwater: Make) -> None:
    """The check `freshness` names the source whose time came to pass an hour ago."""
    kb = headwater(files={"a.md": "# A\n\nWords."})
    kb.sync()
    _schedule(kb, **RULE)
    assert kb.store.index_health.overdue_sources(kb.knowledge_base).count == 0
    kb.query("UPDATE sources SET scheduled_at = now() - interval '61 minutes' RETURNING 1")
    assert kb.store.index_health.overdue_sources(kb.knowledge_base).examples == ("docs",)


def test_a_file_has_the_line(headwater: Make, tmp_path: Path) -> None:
    """Applying it twice changes nothing; without the line, the source has no schedule any more (KB-4)."""
    kb = headwater(slug="other")
    path = tmp_path / "kb.yaml"
    path.write_text(FILE)
    apply(kb.store, read_file(path))
    [source] = kb.store.sources.all("kb")
    assert (source.schedule, source.time_zone) == (RULE["schedule"], RULE["time_zone"])
    assert apply(kb.store, read_file(path)).unchanged == ["docs"]
    path.write_text(FILE.replace(', schedule: "15 5 * * 1-5", time_zone: Europe/Rome', ""))
    assert apply(kb.store, read_file(path)).changed == ["docs"]
    assert kb.store.sources.all("kb")[0].next_sync_at is None


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ("15 5 * * 1-5", "at five", "schedule", "a cron line of five fields"),
        ("15 5 * * 1-5", "61 5 * * *", "schedule", "a cron line of five fields"),
        ("15 5 * * 1-5", "0 15 5 * * 1-5", "schedule", "a cron line of five fields"),
        ("15 5 * * 1-5", "0 0 30 2 *", "schedule", "Bad day-of-month"),
        ("Europe/Rome", "Europe/Atlantis", "time_zone", "the name of a time zone"),
        ("Europe/Rome", "../etc/passwd", "time_zone", "the name of a time zone"),
        ("Europe/Rome", "Europe", "time_zone", "the name of a time zone"),
    ],
)
def test_a_wrong_line_is_refused(tmp_path: Path, old: str, new: str, place: str, reason: str) -> None:
    """With its place in the file, and what is right."""
    path = tmp_path / "kb.yaml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InvalidConfigurationError, match=reason) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:3: sources[0].{place}"), str(caught.value)


def test_the_api_shows_and_changes_it(kb: Headwater, client: FlaskClient) -> None:
    """`next_sync_at` is the time; a null clears the line, and a wrong one is named (API-2)."""
    shown = client.patch(URL, json=RULE).get_json()
    assert (shown["schedule"], shown["time_zone"]) == (RULE["schedule"], RULE["time_zone"])
    assert datetime.fromisoformat(shown["next_sync_at"]) == kb.source().next_sync_at
    wrong = client.patch(URL, json={"schedule": "at five"})
    assert wrong.status_code == 422
    assert "a cron line of five fields" in wrong.get_data(as_text=True)
    cleared = client.patch(URL, json={"schedule": None}).get_json()
    assert (cleared["schedule"], cleared["next_sync_at"]) == (None, None)


def test_the_page_shows_and_changes_it(kb: Headwater, client: FlaskClient) -> None:
    """A wrong line stays in the input, with the reason (UI-2)."""
    page = "/kb/kb/sources/docs"
    done = client.post(page, data={"do": "times", "refresh": "", **RULE}, headers={"Origin": "http://localhost"})
    assert done.status_code == 303
    tick = kb.source().next_sync_at
    assert tick is not None
    text = client.get(page).get_data(as_text=True)
    assert "Monday to Friday at 05:15 (Europe/Rome)" in text
    assert f"{tick.astimezone(UTC):%H:%M} UTC" in text
    wrong = client.post(page, data={"do": "times", "schedule": "at <five>"}, headers={"Origin": "http://localhost"})
    assert wrong.status_code == 422
    text = wrong.get_data(as_text=True)
    assert "Sync at: must be a cron line of five fields" in text
    assert 'value="at &lt;five&gt;"' in text
    assert kb.source().schedule == RULE["schedule"]
    client.post(page, data={"do": "times", "refresh": "6h"}, headers={"Origin": "http://localhost"})
    assert (kb.source().refresh_seconds, kb.source().schedule, kb.source().time_zone) == (21_600, None, "UTC")
