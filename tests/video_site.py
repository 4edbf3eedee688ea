"""A site of videos on loopback, with an extractor of yt-dlp's for it.

Belongs here: pages with players, lists of videos, their subtitles, and what yt-dlp makes of them. Not here: what is
expected of a source. Guarantee: the extractor asks the site through yt-dlp's own requests, as those of real sites do.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import ExtractorError

from headwater.fetching import ytdlp_client
from headwater.fetching.ytdlp import Library
from tests.web_server import WebServer

ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:02.990 align:start position:0%
\x20
open<00:00:00.500><c> the</c><00:00:01.000><c> valve</c>

00:00:02.990 --> 00:00:03.000 align:start position:0%
open the valve
\x20

00:00:03.000 --> 00:00:05.990 align:start position:0%
open the valve
and<00:00:03.500><c> close</c><00:00:04.000><c> it</c>

00:00:05.990 --> 00:00:06.000 align:start position:0%
and close it
\x20

00:00:26.000 --> 00:00:27.990 align:start position:0%
and close it
again<00:00:26.500><c> slowly</c>
"""


def vtt(*lines: tuple[int, str]) -> str:
    """WebVTT of lines, each with its second; it lasts two seconds."""
    cues = [f"{_clock(second)} --> {_clock(second + 2)}\n{text}" for second, text in lines]
    return "WEBVTT\n\n" + "\n\n".join(cues) + "\n"


def json3(*lines: tuple[int, str]) -> str:
    """The same as YouTube's json3."""
    events = [{"tStartMs": second * 1000, "dDurationMs": 2000, "segs": [{"utf8": text}]} for second, text in lines]
    return json.dumps({"wireMagic": "pb3", "events": [{"tStartMs": 0, "dDurationMs": 9, "id": 1}, *events]})


def player(title: str, *tracks: str, videos: int = 1) -> str:
    """A page with HTML5 players, each with these tracks, such as `a.vtt en`."""
    listed = "".join(
        f'<track kind="captions" src="{src}" srclang="{language}" label="{language}">'
        for src, _, language in (track.partition(" ") for track in tracks)
    )
    body = "".join(f'<video><source src="{number}.mp4" type="video/mp4">{listed}</video>' for number in range(videos))
    return f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"


class ShelfListIE(InfoExtractor):  # type: ignore[misc]
    """A list of videos at `/shelf/NAME`; the site has it as JSON. An entry with `list` is a list itself."""

    _VALID_URL = r"(?P<site>https?://[^/]+)/shelf/(?P<id>\w+)$"
    _RETURN_TYPE = "any"

    def _real_extract(self, url: str) -> Any:
        site, name = self._match_valid_url(url).group("site", "id")
        found = self._download_json(f"{site}/{name}.list.json", name)
        entries = (
            self.url_result(f"{site}/shelf/{one['list']}")
            if "list" in one
            else self.url_result(f"{site}/video/{one['id']}", "Shelf", one["id"], one.get("title"), duration=60)
            for one in found["entries"]
        )
        return self.playlist_result(entries, name, found.get("title"), playlist_count=len(found["entries"]))


class ShelfIE(InfoExtractor):  # type: ignore[misc]
    """A video at `/video/NAME`; what the site says of it is what yt-dlp gets."""

    _VALID_URL = r"(?P<site>https?://[^/]+)/video/(?P<id>\w+)"
    _RETURN_TYPE = "video"

    def _real_extract(self, url: str) -> Any:
        site, name = self._match_valid_url(url).group("site", "id")
        found = self._download_json(f"{site}/{name}.info.json", name)
        if "error" in found:
            raise ExtractorError(found["error"], expected=True)
        for formats in (*found.get("subtitles", {}).values(), *found.get("automatic_captions", {}).values()):
            for one in formats:
                one["url"] = f"{site}/{one['url']}"
        return {"id": name, "formats": [], **found}


class Shelf:
    """Lists and videos of a web server."""

    def __init__(self, web: WebServer) -> None:
        self.web = web
        self.url = web.url

    def put_list(self, name: str, entries: Sequence[Any]) -> None:
        """Set a list: ids, ids with titles, or entries."""
        listed = [one if isinstance(one, dict) else {"id": one, "title": f"Video {one}"} for one in entries]
        self.web.put(f"/{name}.list.json", json.dumps({"title": name, "entries": listed}))

    def put_video(self, name: str, *lines: tuple[int, str], **info: Any) -> None:
        """Set a video with English subtitles, if it has lines."""
        if lines:
            info = {"subtitles": {"en": [{"url": f"{name}.vtt", "ext": "vtt"}]}, **info}
            self.web.put(f"/{name}.vtt", vtt(*lines), media_type="text/vtt")
        self.web.put(f"/{name}.info.json", json.dumps({"title": f"Video {name}", **info}))


class ShelfLibrary(Library):
    """yt-dlp that knows the site, before all others."""

    def add_default_info_extractors(self) -> None:
        """Add the site's."""
        self.add_info_extractor(ShelfListIE())
        self.add_info_extractor(ShelfIE())
        super().add_default_info_extractors()


class HangingShelf(ShelfLibrary):
    """It never comes to an end with the video `b`."""

    def look_up(self, url: str, extractor: str | None = None) -> dict[str, Any]:
        """Look, or search for ever."""
        if url.endswith("/b"):
            re.match("(a+)+$", "a" * 60 + "b")
        return super().look_up(url, extractor)


def install(patch: pytest.MonkeyPatch, library: str = "ShelfLibrary") -> None:
    """Let yt-dlp know the site."""
    patch.setattr(ytdlp_client, "LIBRARY", f"tests.video_site:{library}")


def _clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000"
