"""Addresses of videos: one spelling for each, and recognising YouTube's.

Belongs here: what an address looks like. Not here: asking a site. Guarantee: pure; the same video of YouTube has one
address, however it is linked.
"""

import re
from urllib.parse import parse_qs, quote, urldefrag, urlsplit

from headwater.sources.guesses import Address, Guess

_HOSTS = {"youtube.com", "youtu.be", "youtube-nocookie.com"}
_ID = re.compile(r"[\w-]{11}", re.ASCII)
_CHANNEL = re.compile(r"/(?:@|(?:channel|c|user)/)([^/]{1,100})(?:/|\Z)")


def video_address(url: str) -> str:
    """The address by which a video is known: without fragment, and in one form for YouTube."""
    video_id = youtube_id(url)
    if video_id:
        return f"https://www.youtube.com/watch?v={video_id}"
    is_route = urlsplit(url).fragment.startswith(("/", "!"))  # the page of a site that is one page
    return url if is_route else urldefrag(url)[0]


def part_address(page: str, name: str) -> str:
    """The address of one of several videos of a page; a time can be added to it."""
    return f"{urldefrag(page)[0]}#video={quote(name, safe='')}"


def youtube_id(url: str) -> str:
    """The id of a video of YouTube; empty for anything else."""
    try:
        url_parts = urlsplit(url)
        host = _host(url_parts.hostname or "")
    except ValueError:
        return ""
    if host not in _HOSTS:
        return ""
    if host == "youtu.be":
        video_id = url_parts.path.strip("/").partition("/")[0]
    elif url_parts.path.rstrip("/") == "/watch":
        video_id = parse_qs(url_parts.query).get("v", [""])[0]
    else:
        kind, _, path = url_parts.path.strip("/").partition("/")
        video_id = path.partition("/")[0] if kind in ("shorts", "live", "embed", "v") else ""
    return video_id if _ID.fullmatch(video_id) else ""


def guess_video(address: Address) -> Guess | None:
    """A video, a playlist or a channel of YouTube."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or _host(url.hostname or "") not in _HOSTS:
        return None
    video_id, config = youtube_id(address.text), {"url": address.text}
    if video_id:
        config = {"url": video_address(address.text)}
        return Guess(config=config, words="a video of YouTube", score=0.95, slug=f"video-{video_id}")
    listed = parse_qs(url.query).get("list", [""])[0]
    if listed:
        return Guess(config=config, words="a playlist of YouTube", score=0.95, slug=f"playlist-{listed}")
    if channel := _CHANNEL.match(url.path):
        return Guess(config=config, words="the videos of a channel of YouTube", score=0.95, slug=channel[1])
    return None


def _host(host: str) -> str:
    return host.lower().removeprefix("www.").removeprefix("m.").removeprefix("music.")
