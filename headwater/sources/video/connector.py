"""`video`: a video, a playlist or a channel (SRC-2).

Belongs here: the order in which videos are read, and when the list of them is complete. Not here: lists (`playlists`),
single videos (`document`). Guarantee: a video that fails keeps its last version, and the others are read; one that the
list no longer has disappears; if the list fails, nothing changes.
"""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.sources.connector import Connector, FetchedDocument, UnchangedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.video.config import VideoConfig
from headwater.sources.video.document import PARSER_VERSION, read_video
from headwater.sources.video.playlists import Listed, Playlists
from headwater.sources.video.state import read_state
from headwater.sources.video.video_urls import guess_video, video_address

if TYPE_CHECKING:
    from headwater.fetching.ytdlp_client import ApartLibrary

Item = FetchedDocument | UnchangedDocument | DocumentProblem
_MAX_REFUSALS = 3
"""Failed requests in a row after which the site is left alone."""


class Video(Connector):
    """Reads the transcripts of videos; `skipped` counts those beyond the limit."""

    kind = "video"
    parser_version = PARSER_VERSION
    Config = VideoConfig
    config: VideoConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """A video, a playlist or a channel of YouTube."""
        return guess_video(address)

    def fetch(self) -> Iterator[Item]:
        """Yield a document per video, in the order of the list.

        Raises:
            SourceError: the list cannot be read, or there is no video.
        """
        from headwater.fetching.ytdlp_client import ApartLibrary

        url, name = self.config.url, self.config.credential
        if name is not None:
            self.context.credential(name, urlsplit(url).netloc)
        with self.context.http(credential=name, delay=self.config.delay) as client:
            library = ApartLibrary(self.context.gate, client)
            try:
                yield from self._videos(library, url)
            finally:
                library.close()

    def _videos(self, library: "ApartLibrary", url: str) -> Iterator[Item]:
        listing = Playlists(library, self.config.videos)
        try:
            first = list(listing.videos(url))
        except FetchError:
            raise
        except DocumentError as error:
            if not library.is_video(url):
                raise SourceError(str(error)) from error
            yield DocumentProblem(uri=video_address(url), code=error.code, message=str(error))
            return
        yield from self._read(library, listing, first)

    def _read(self, library: "ApartLibrary", listing: Playlists, first: list[Listed]) -> Iterator[Item]:
        """Read videos until there are as many as the limit; a list among them is replaced by its own."""
        waiting, seen = deque(first), set[str]()
        count = refusals = 0
        while waiting and count < self.config.videos and refusals < _MAX_REFUSALS:
            listed = waiting.popleft()
            if listed.uri in seen:
                continue
            item = self._make_item(library, listing, listed)
            if isinstance(item, list):
                waiting.extendleft(reversed(item))
                continue
            seen.add(listed.uri)
            count += 1
            is_refusal = isinstance(item, DocumentProblem) and item.code == FetchError.code
            refusals = refusals + 1 if is_refusal else 0
            self.total = min(count + len(waiting), self.config.videos)
            yield item
        uris_left = [entry.uri for entry in waiting if entry.uri not in seen]
        if refusals == _MAX_REFUSALS and uris_left:
            yield DocumentProblem(uri="", code=FetchError.code, message=_limit_note(self.config.url, len(uris_left)))
        elif uris_left:
            left_count = max(len(uris_left), (listing.count or 0) - count)
            self.skipped.add("videos", uris_left[:1], kind=f"{self.config.videos:,}", count=left_count)

    def _make_item(self, library: "ApartLibrary", listing: Playlists, listed: Listed) -> Item | list[Listed]:
        """What comes of a video; the videos of a list, if it is one."""
        known_state = self.context.known.get(listed.uri)
        state = None if known_state is None else read_state(known_state.validator)
        if state is not None and listed.digest and state.listed == listed.digest:
            return UnchangedDocument(uri=listed.uri)
        try:
            if listed.info is not None:
                return read_video(library, listed, self.config.languages, state)
            resolved_videos = list(listing.resolved(listed))
            is_itself = (
                len(resolved_videos) == 1
                and resolved_videos[0].uri == listed.uri
                and resolved_videos[0].info is not None
            )
            return (
                read_video(library, resolved_videos[0], self.config.languages, state) if is_itself else resolved_videos
            )
        except SourceError as error:
            is_list = listed.info is None and not listed.digest and not library.is_video(listed.url, listed.extractor)
            # What fails and may be a list leaves unknown which videos there are.
            return DocumentProblem(uri="" if is_list else listed.uri, code=error.code, message=str(error))


def _limit_note(url: str, left: int) -> str:
    return (
        f"{_MAX_REFUSALS} videos of {url} in a row could not be fetched, so the other {left:,} were not asked for. No"
        " video counts as removed. Sync again later, or raise `delay`."
    )
