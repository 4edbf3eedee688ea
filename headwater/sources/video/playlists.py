"""The videos that an address leads to: one, or those of lists and of lists of lists.

Belongs here: following references, and what a list says of each video. Not here: reading a video (`document`).
Guarantee: a list is asked for page by page, until there are enough videos; each video is listed once; lists within
lists end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from headwater.errors import DocumentError, SourceError
from headwater.identity import content_hash
from headwater.sources.video.video_urls import part_address, video_address

if TYPE_CHECKING:
    from headwater.fetching.ytdlp_client import ApartLibrary

_MAX_STEPS = 5  # references that lead to a video, and lists within lists
_REFERENCES = ("url", "url_transparent")
_LISTED = ("title", "duration", "timestamp", "upload_date", "modified_timestamp", "live_status", "availability")
_OUTER = ("_type", "url", "ie_key", "id", "extractor", "extractor_key")


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A video, or what may be one.

    `url` and `extractor` are what to ask for; `info` is what its page says, None if nobody has asked yet. `outer` is
    what the list adds to its page. `digest` identifies what the list says of it; empty if it says nothing.
    """

    uri: str
    url: str = ""
    extractor: str | None = None
    info: Mapping[str, Any] | None = field(default=None, repr=False)
    outer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    digest: str = ""
    depth: int = 0


class Playlists:
    """The videos of one source; `count` says how many there are in all, None if the site does not say."""

    def __init__(self, library: "ApartLibrary", most: int) -> None:
        self.is_list = False
        self.count: int | None = None
        self._library = library
        self._most = most

    def videos(self, url: str) -> Iterator[Listed]:
        """What an address leads to.

        Raises:
            SourceError: the address cannot be read, or a list of it.
        """
        info = self._library.look_up(url)
        for _ in range(_MAX_STEPS):
            if info.get("_type") not in _REFERENCES:
                yield from self.within(Listed(uri=video_address(url), url=url), info)
                return
            info = self._follow(info)
        raise SourceError(f"{url} leads from page to page, and to no video. Use the address of its last page.")

    def within(self, asked: Listed, found: Mapping[str, Any]) -> Iterator[Listed]:
        """What was found at an address: the video itself, or the videos of a list.

        Raises:
            SourceError: the list cannot be read.
        """
        if found.get("_type", "video") == "video":
            yield replace(asked, info={**found, **asked.outer})
            return
        if asked.depth >= _MAX_STEPS:
            raise DocumentError(f"{asked.url} is a list within too many lists. Use its own address as a source.")
        if asked.depth == 0:
            self.is_list = True
            self.count = found["playlist_count"] if isinstance(found.get("playlist_count"), int) else None
        for index, entry in enumerate(self._library.entries(found, self._most + 1)):
            yield from self._entry(asked, entry, index)

    def resolved(self, listed: Listed) -> Iterator[Listed]:
        """Ask for what was only listed.

        Raises:
            SourceError: it cannot be read.
        """
        info: Mapping[str, Any] = self._library.look_up(listed.url, listed.extractor)
        for _ in range(_MAX_STEPS):
            if info.get("_type") not in _REFERENCES:
                yield from self.within(listed, info)
                return
            info = self._follow(info)
        raise DocumentError(f"{listed.url} leads from page to page, and to no video. Leave it out.")

    def _entry(self, page: Listed, entry: Mapping[str, Any], number: int) -> Iterator[Listed]:
        kind = entry.get("_type", "video")
        target = entry.get("url") if kind in _REFERENCES else entry.get("webpage_url")
        depth = page.depth + 1
        if kind in _REFERENCES:
            if not isinstance(target, str) or not target:
                return
            extractor = entry["ie_key"] if isinstance(entry.get("ie_key"), str) else None
            outer = _outer(entry) if kind == "url_transparent" else {}
            uri = video_address(self._library.page_address(target))
            listed = Listed(uri=uri, url=target, extractor=extractor, outer=outer, digest=_digest(entry), depth=depth)
            yield from self.resolved(listed) if self._library.is_list(target, extractor) else [listed]
        elif kind == "video":
            target_uri = video_address(target) if isinstance(target, str) and target != page.url else ""
            first = page.uri if number == 0 else part_address(page.uri, str(entry.get("id") or number + 1))
            yield Listed(uri=target_uri if target_uri and target_uri != page.uri else first, info=entry, depth=depth)
        else:
            yield from self.within(replace(page, depth=depth), entry)

    def _follow(self, reference: Mapping[str, Any]) -> dict[str, Any]:
        """What a reference leads to."""
        extractor = reference["ie_key"] if isinstance(reference.get("ie_key"), str) else None
        page = self._library.look_up(str(reference.get("url", "")), extractor)
        if reference.get("_type") != "url_transparent":
            return page
        kind = "url_transparent" if page.get("_type") == "url" else page.get("_type", "video")
        return {**page, **_outer(reference), "_type": kind}


def _outer(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value is not None and name not in _OUTER}


def _digest(entry: Mapping[str, Any]) -> str:
    values = {name: entry[name] for name in _LISTED if isinstance(entry.get(name), str | int | float)}
    return content_hash(values).hex() if set(values) - {"availability", "live_status"} else ""
