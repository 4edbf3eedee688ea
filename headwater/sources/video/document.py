"""One video as a document: its transcript, and what its page says of it.

Belongs here: which of its facts are kept, fetching its subtitles, its document. Not here: lists (`playlists`), formats
of subtitles (`headwater.parsing.subtitles`). Guarantee: what a page says is taken only in the form that it should have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from headwater.domain.documents import ParsedDocument
from headwater.domain.languages import language_code
from headwater.errors import DocumentError, FetchError
from headwater.identity import bytes_fingerprint, content_hash
from headwater.parsing.subtitles.cues import read_subtitles
from headwater.parsing.subtitles.roll_up_captions import to_spoken_lines
from headwater.parsing.subtitles.speaker_turns import name_speakers
from headwater.parsing.subtitles.transcript import Chapter, transcript
from headwater.sources.connector import FetchedDocument, UnchangedDocument
from headwater.sources.video.playlists import Listed
from headwater.sources.video.state import VideoState
from headwater.sources.video.tracks import Track, choose_track

if TYPE_CHECKING:
    from headwater.fetching.ytdlp_client import ApartLibrary

PARSER_VERSION = "video-2"
_MAX_CHAPTERS = 1_000
_MAX_TITLE_CHARS = 500  # characters
_MAX_DESCRIPTION_CHARS = 10_000
_NOT_BROADCAST = {
    "is_live": "is live now. Sync again when it is over.",
    "is_upcoming": "has not begun yet. Sync again when it is over.",
    "post_live": "has just ended, and its site still works on it. Sync again in some hours.",
}
_PLAIN_PAGES = ("Generic", "HTML5MediaEmbed")  # whose date is that of the page, not of the video
_UNMODIFIED = 304


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a video's page says of it; `chapters` are starts in milliseconds and titles."""

    title: str = ""
    description: str = field(default="", repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    chapters: tuple[Chapter, ...] = ()
    language: str = ""

    @property
    def digest(self) -> str:
        """Identifies them."""
        chapters = [list(chapter) for chapter in self.chapters]
        return content_hash(self.title, self.description, dict(self.metadata), chapters, self.language).hex()


def read_video(
    library: "ApartLibrary", listed: Listed, languages: Sequence[str], known: VideoState | None
) -> FetchedDocument | UnchangedDocument:
    """Fetch the subtitles of a video, if they have changed.

    Args:
        library: yt-dlp.
        listed: the video, with what its page says.
        languages: those wanted.
        known: what is remembered of it; None if it may not be reported as unchanged.

    Raises:
        DocumentError: it has no subtitles, or cannot be had. FetchError: its subtitles cannot be fetched.
    """
    info = listed.info or {}
    if words := _NOT_BROADCAST.get(str(info.get("live_status") or "")):
        raise DocumentError(f"{listed.uri} {words}")
    track = choose_track(info, languages, listed.uri)
    facts = _facts(info, track)
    state = VideoState(listed=listed.digest, facts=facts.digest, track=track.url)
    is_same = known is not None and track.url != "" and replace(known, validator="") == state
    content, validator = track.given.encode(), ""
    if track.url:
        headers = info.get("http_headers")
        response = library.download(
            track.url, headers if isinstance(headers, Mapping) else {}, known.validator if known and is_same else ""
        )
        if response.status == _UNMODIFIED and is_same:
            return UnchangedDocument(uri=listed.uri)
        _require_content(response.status, response.content, listed.uri)
        content, validator = response.content, response.validator
    return FetchedDocument(
        uri=listed.uri,
        fingerprint=f"{facts.digest}:{bytes_fingerprint(content)}",
        parse=partial(_parse_transcript, listed.uri, content, facts),
        validator=replace(state, validator=validator).text(),
    )


def _require_content(status: int, content: bytes, uri: str) -> None:
    if status != 200:
        raise FetchError(f"The subtitles of {uri} answer {status}. Sync again later.")
    if not content.strip():
        raise DocumentError(f"The subtitles of {uri} arrive empty: its site refuses them for now. Sync again later.")


def _parse_transcript(uri: str, content: bytes, facts: Facts) -> ParsedDocument:
    try:
        subtitles = read_subtitles(content)
    except DocumentError as error:
        raise type(error)(f"The subtitles of {uri} cannot be read. {error}") from error
    lines = name_speakers(to_spoken_lines(subtitles.cues))
    text, places = transcript(lines, chapters=facts.chapters, description=facts.description)
    return ParsedDocument(
        uri=uri,
        title=facts.title,
        text=text,
        language=facts.language or language_code(subtitles.language),
        metadata=facts.metadata,
        places=places,
    )


def _facts(info: Mapping[str, Any], track: Track) -> Facts:
    title = _line(info.get("title"))
    if info.get("extractor") == "html5" or str(info.get("id", "")).endswith("-1"):
        title = title.removesuffix(" (1)")  # which yt-dlp adds to the first video of any page
    duration = info.get("duration")
    fields = {
        "channel": _line(info.get("channel")) or _line(info.get("uploader")),
        "published": "" if info.get("extractor_key") in _PLAIN_PAGES else _date(info),
        "duration": int(duration) if isinstance(duration, int | float) and 0 < duration < 1e7 else 0,
        "site": _line(info.get("extractor_key")) if info.get("extractor_key") not in _PLAIN_PAGES else "",
        "subtitles": "automatic" if track.is_automatic else "manual",
    }
    return Facts(
        title=title,
        description=_text(info.get("description"))[:_MAX_DESCRIPTION_CHARS],
        metadata={name: value for name, value in fields.items() if value},
        chapters=tuple(_chapters(info.get("chapters"))),
        language=track.language,
    )


def _chapters(entries: Any) -> list[Chapter]:
    chapters = []
    for chapter in entries[:_MAX_CHAPTERS] if isinstance(entries, list | tuple) else ():
        start = chapter.get("start_time") if isinstance(chapter, Mapping) else None
        title = _line(chapter.get("title")) if isinstance(chapter, Mapping) else ""
        if title and isinstance(start, int | float) and 0 <= start < 1e7:
            chapters.append(Chapter(int(start * 1000), title))
    return sorted(chapters)


def _date(info: Mapping[str, Any]) -> str:
    """The day of its publication, as ISO 8601."""
    for name in ("timestamp", "release_timestamp"):
        timestamp = info.get(name)
        if isinstance(timestamp, int | float) and 0 < timestamp < 1e11:
            return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
    for name in ("upload_date", "release_date"):
        try:
            return datetime.strptime(str(info.get(name)), "%Y%m%d").date().isoformat()  # noqa: DTZ007 - a day
        except ValueError:
            continue
    return ""


def _line(value: Any) -> str:
    return " ".join(_text(value).split())[:_MAX_TITLE_CHARS]


def _text(value: Any) -> str:
    """A text that can be stored."""
    text = value if isinstance(value, str) else ""
    return text.replace("\0", "").encode("utf-8", "replace").decode().strip()
