"""Choosing the subtitles of a video.

Belongs here: which language, which kind, which format. Not here: fetching them. Guarantee: subtitles that people made
come before automatic ones; what is chosen depends only on what the site offers and on the languages wanted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.domain.languages import language_code
from headwater.errors import DocumentError

_FORMATS = ("json3", "vtt", "srt")
_COMMENTS = ("live_chat", "rechat", "danmaku", "comments", "storyboards")
_ENGLISH = "en"
_SHOWN = 10
Offered = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """Subtitles in one language and format: at an address, or given as they are."""

    name: str
    is_automatic: bool
    url: str = ""
    given: str = field(default="", repr=False)

    @property
    def language(self) -> str:
        """The code of its language; empty if its name is none."""
        return language_code(self.name)


def choose_track(info: Mapping[str, Any], languages: Sequence[str], uri: str) -> Track:
    """Choose the subtitles of a video.

    Args:
        info: what yt-dlp says of the video.
        languages: those wanted, the best first; empty for the video's own, then English, then any.
        uri: its address, for the message.

    Raises:
        DocumentError: it has none, or none of those wanted.
    """
    by_people, automatic = _list_offered(info, "subtitles"), _list_offered(info, "automatic_captions")
    spoken = info["language"] if isinstance(info.get("language"), str) else ""
    ordered = (
        [*_match_languages(by_people, languages), *_match_languages(automatic, languages)]
        if languages
        else [
            *_match_languages(by_people, [spoken, _ENGLISH]),
            *_match_languages(automatic, [spoken]),
            *_originals(automatic),
            *([] if spoken else _match_languages(automatic, [_ENGLISH])),
            *by_people,
            *_match_languages(automatic, [_ENGLISH]),
            *automatic,
        ]
    )
    for name in ordered:
        track = _track(name, by_people, is_automatic=False) or _track(name, automatic, is_automatic=True)
        if track is not None:
            return track
    raise DocumentError(_explain_missing(uri, sorted({*by_people, *automatic}), languages))


def _explain_missing(uri: str, names: Sequence[str], languages: Sequence[str]) -> str:
    upload = "or upload a transcript as a file."
    if not names:
        return f"{uri} has no subtitles, neither made by people nor automatic. Wait until it has some, {upload}"
    have = ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
    if not languages:
        return f"{uri} has subtitles ({have}), but not as {', '.join(_FORMATS)}. Leave it out, {upload}"
    return f"{uri} has no subtitles in {', '.join(languages)}, but in {have}. Add one to `languages`, {upload}"


def _list_offered(info: Mapping[str, Any], name: str) -> Offered:
    tracks = info.get(name)
    if not isinstance(tracks, Mapping):
        return {}
    return {
        language: [track_format for track_format in formats if isinstance(track_format, Mapping)]
        for language, formats in tracks.items()
        if isinstance(language, str) and language not in _COMMENTS and isinstance(formats, list | tuple) and formats
    }


def _match_languages(offered: Offered, languages: Iterable[str]) -> Iterator[str]:
    """The names that are a language or a variety of it, in the order of the languages."""
    for language in filter(None, languages):
        lowered = language.lower()
        yield from (name for name in offered if name.lower() == lowered)
        yield from (name for name in offered if name.lower().startswith(f"{lowered}-"))
        yield from (name for name in offered if "-" not in lowered and language_code(name) == language_code(lowered))


def _originals(offered: Offered) -> Iterator[str]:
    """The names that YouTube gives to captions in the language that is spoken."""
    return (name for name in offered if name.endswith("-orig"))


def _track(name: str, offered: Offered, *, is_automatic: bool) -> Track | None:
    """The best format of a language; one that comes in pieces, as with live streams, is not read."""
    formats = [entry for entry in offered.get(name, ()) if "m3u8" not in str(entry.get("protocol", ""))]
    for ext in _FORMATS:
        for entry in formats:
            if entry.get("ext", _ending(entry)) != ext:
                continue
            data, url = entry.get("data"), entry.get("url")
            if isinstance(data, str) and data:
                return Track(name=name, is_automatic=is_automatic, given=data)
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                return Track(name=name, is_automatic=is_automatic, url=url)
    return None


def _ending(entry: Mapping[str, Any]) -> str:
    return str(entry.get("url", "")).partition("?")[0].rpartition(".")[2].lower()
