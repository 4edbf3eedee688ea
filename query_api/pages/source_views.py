"""A source as its card shows it.

Belongs here: the words and numbers of a source's state. Not here: HTML (`templates/source_parts.html`), reading rows.
Guarantee: a source has one state at a time, the one that a reader can act on.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from headwater.administration.uploads import KIND
from headwater.domain.corpus import Source
from headwater.domain.overviews import OpenPart
from headwater.domain.source_settings import format_interval
from headwater.domain.sync_progress import SyncProgress, measure_progress
from headwater.store.store import Store
from query_api.app_context import settings
from query_api.pages.catalogue import N_, count_words, group_digits, translate
from query_api.pages.navigation import kb_url
from query_api.response_urls import partition_url
from query_api.routes.sync_payloads import explain_waiting

_WEB = ("http://", "https://")
_ORIGINS = ("url", "git", "repository", "project", "path")
_LABELS = {
    "deleting": N_("Deleting"),
    "pending": N_("Queued"),
    "queued": N_("Queued"),
    "syncing": N_("Syncing"),
    "paused": N_("Paused"),
    "failed": N_("Failed"),
    "new": N_("Not synced yet"),
    "ready": N_("Ready"),
}
_STAGES = {
    "documents": N_("Reading documents"),
    "chunks": N_("Splitting documents"),
    "links": N_("Linking documents"),
    "embeddings": N_("Embedding and publishing"),
    "summary_tree": N_("Summarizing"),
    "questions": N_("Writing questions"),
}
_FIRST_STAGE = next(iter(_STAGES))
_DAYS = {"*": N_("daily at %(time)s"), "1-5": N_("Monday to Friday at %(time)s")}
"""The weekdays of a cron line for which there are words."""
_MINUTE = 60  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceView:
    """A source, and its part of a sync that waits or runs."""

    source: Source
    part: OpenPart | None
    dagster_url: str

    @property
    def state(self) -> str:
        """One of the keys of `_LABELS`."""
        if self.source.state == "deleting":
            return "deleting"
        if self.part is not None:
            return self.part.state
        if self.source.paused_at is not None:
            return "paused"
        return "new" if self.source.state in ("pending", "syncing") else self.source.state.value

    @property
    def label(self) -> str:
        """The state for people."""
        return translate(_LABELS[self.state])

    @property
    def is_active(self) -> bool:
        """Whether a sync of it waits or runs."""
        return self.part is not None and self.state != "deleting"

    @property
    def takes_files(self) -> bool:
        """Whether people can upload files to it."""
        return self.source.kind == KIND and self.state != "deleting"

    @property
    def kind(self) -> str:
        """Its kind for people."""
        return self.source.kind.replace("_", " ")

    @property
    def origin(self) -> str:
        """Where its documents come from; empty if they are uploaded."""
        config = self.source.config
        files = config.get("files") or [{}]
        return str(next((config[name] for name in _ORIGINS if config.get(name)), "") or files[0].get("url") or "")

    @property
    def origin_url(self) -> str:
        """The same if it is a web address, else empty."""
        return self.origin if self.origin.startswith(_WEB) else ""

    @property
    def refresh(self) -> str:
        """Its interval, such as `6h`; empty without one."""
        return format_interval(self.source.refresh_seconds) if self.source.refresh_seconds else ""

    @property
    def schedule(self) -> str:
        """When it is synced by its cron line, with the time zone; empty without one."""
        return f"{schedule_words(self.source.schedule)} ({self.source.time_zone})" if self.source.schedule else ""

    @property
    def share(self) -> float | None:
        """How much of the running stage is done, from 0 to 1; None while it is not known."""
        return self._measure.share if self._measure else None

    @property
    def progress(self) -> str:
        """What the running sync does, or why it waits; empty otherwise."""
        if self.part is None:
            return ""
        if self.state == "pending":
            requested_at, batch, runs_first = self.part.requested_at, self.part.batch, self.part.runs_first
            began = self.part.started_at is not None
            return explain_waiting(requested_at, batch=batch, runs_first=runs_first, began=began) or ""
        if self._measure is None:
            return ""
        return progress_words(self.part, self._measure)

    @property
    def _measure(self) -> SyncProgress | None:
        is_running = self.part is not None and self.state == "syncing"
        return measure_progress(self.part, datetime.now(UTC)) if self.part and is_running else None

    @property
    def unreadable(self) -> str:
        """How many documents the last sync could not read, in words; empty if there were none."""
        count = self.source.unreadable_count
        if not count or self.is_active:
            return ""
        return translate(N_("%(documents)s could not be read."), documents=count_words(count, "document"))

    @property
    def skipped(self) -> list[str]:
        """What the last sync left out, one sentence per reason."""
        return [line.message for line in self.source.skipped if line.reason != "unreadable"]

    @property
    def synced_at(self) -> datetime | None:
        """When its last sync ended."""
        return self.source.synced_at

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"{kb_url(self.source.knowledge_base, 'sources')}/{self.source.slug}"


def progress_words(part: OpenPart, measured: SyncProgress) -> str:
    """What a running sync does, what it has done, and what is left."""
    stage = part.stage or _FIRST_STAGE
    read = {"done": group_digits(part.documents_done), "total": group_digits(part.documents_total or 0)}
    words = [translate(N_("%(done)s of %(total)s read") if part.documents_total else N_("%(done)s read")) % read]
    if part.failed_count:
        words.append(translate(N_("%(count)s failed"), count=group_digits(part.failed_count)))
    if measured.texts_left:
        texts = {"done": group_digits(part.embedded_count), "total": group_digits(part.to_embed_count)}
        words.append(translate(N_("%(done)s of %(total)s texts embedded")) % texts)
    elif part.embedded_count:
        words.append(translate(N_("%(texts)s embedded"), texts=count_words(part.embedded_count, "text")))
    if part.current_uri and stage == _FIRST_STAGE:
        words.append(translate(N_("now %(document)s"), document=part.current_uri))
    if measured.seconds_left is not None:
        words.append(time_left(measured.seconds_left))
    if stage not in _STAGES:
        return f"{stage}: {', '.join(words)}"
    if part.total_count and stage not in (_FIRST_STAGE, "embeddings"):
        words.insert(0, f"{group_digits(part.done_count)} / {group_digits(part.total_count)}")
    step_number, count = list(_STAGES).index(stage) + 1, len(_STAGES)
    step = translate(
        N_("Step %(number)s of %(count)s: %(stage)s"), number=step_number, count=count, stage=translate(_STAGES[stage])
    )
    return f"{step}: {', '.join(words)}"


def time_left(seconds: float) -> str:
    """A time that is left, such as `about 3 min left`."""
    if seconds < _MINUTE:
        return translate(N_("less than a minute left"))
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    if hours:
        return translate(N_("about %(hours)s h %(minutes)s min left"), hours=hours, minutes=minutes)
    return translate(N_("about %(minutes)s min left"), minutes=minutes)


def schedule_words(line: str) -> str:
    """A cron line for people, such as `daily at 03:00`; one that is not as simple stands as it is."""
    minute, hour, day, month, weekday = line.split()
    words = _DAYS.get(weekday)
    if words is None or not (minute.isdecimal() and hour.isdecimal() and day == month == "*"):
        return translate(N_("at %(schedule)s"), schedule=line)
    return translate(words, time=f"{hour:0>2}:{minute:0>2}")


def source_views(store: Store, knowledge_base: str) -> list[SourceView]:
    """The sources of a knowledge base with their running syncs, in two queries.

    Raises:
        NotFoundError: there is no such knowledge base.
    """
    open_parts = store.overviews.open_parts(knowledge_base)
    stored_sources = store.sources.all(knowledge_base, with_deleting=True)
    return [_view(source, open_parts.get(source.id)) for source in stored_sources]


def source_view(store: Store, knowledge_base: str, slug: str) -> SourceView:
    """One source with its running sync.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    source = store.sources.get(knowledge_base, slug)
    return _view(source, store.overviews.open_parts(knowledge_base).get(source.id))


def _view(source: Source, part: OpenPart | None) -> SourceView:
    url = partition_url(settings().dagster_url, "documents", source.key)
    return SourceView(source=source, part=part, dagster_url=url)
