"""Videos: which are read, which are asked for again, and what a failure costs (SRC-2, SRC-14).

Belongs here: the connector with yt-dlp's real extractors against a site on loopback. Not here: formats of subtitles
(`test_parsing_subtitles`), syncs (`tests/integration/test_video.py`), attacks (`tests/probe/test_fetching_media.py`).
"""

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.place_links import link_to
from headwater.domain.places import PlaceKind, PlaceRange
from headwater.errors import DocumentError, InvalidConfigurationError, SourceError
from headwater.fetching.http_client import HttpClient
from headwater.settings import REPOSITORY
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext
from headwater.sources.video.connector import Video
from headwater.sources.video.tracks import choose_track
from headwater.sources.video.video_urls import video_address
from tests.hostile_server import loopback_gate
from tests.video_site import ROLLING, Shelf, ShelfLibrary, install, json3, player, vtt
from tests.web_server import WebServer, web_server

SUBS = REPOSITORY.parent / "shared" / "data" / "subs" / "site"

Item = FetchedDocument | UnchangedDocument | DocumentProblem


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


@pytest.fixture
def shelf(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A list of three videos."""
    install(monkeypatch)
    made = Shelf(web)
    made.put_list("mills", ["a", "b", "c"])
    for name in "abc":
        made.put_video(name, (0, f"The mill {name} turns."), (75, "It stops."))
    return made


def source(url: str, known: Mapping[str, Any] | None = None, **config: Any) -> Video:
    """A source of videos, with what is known of them."""
    context = SourceContext(folder=Path("own"), gate=loopback_gate(), known=known or {})
    made = open_connector("video", {"url": url, "delay": 0, **config}, context)
    assert isinstance(made, Video)
    return made


def known_of(items: list[Item]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    fetched = [item for item in items if isinstance(item, FetchedDocument)]
    return {
        item.uri: type("One", (), {"fingerprint": item.fingerprint, "validator": item.validator})() for item in fetched
    }


def only(items: list[Item]) -> ParsedDocument:
    """The only document of a source."""
    (item,) = items
    assert isinstance(item, FetchedDocument), item
    return item.parse()


def told(items: list[Item]) -> list[tuple[str, str]]:
    """What became of each video, by the end of its address."""
    words = {FetchedDocument: "read", UnchangedDocument: "unchanged", DocumentProblem: "failed"}
    return [(item.uri.rpartition("/")[2], words[type(item)]) for item in items]


def opened_at(document: ParsedDocument, words: str) -> str | None:
    """Where a citation of some words leads."""
    assert document.places is not None
    at = document.text.index(words)
    return link_to(document.uri, document.places.between(at, at + len(words), text=document.text))


# Pages with a player


def test_a_page_with_a_player_is_a_transcript(web: WebServer) -> None:
    """Two requests: the page and its subtitles; a citation opens at the second."""
    web.put("/watch.html", player("The mill", "en.vtt en"))
    web.put("/en.vtt", vtt((0, "The mill turns."), (75, "It stops.")), media_type="text/vtt")
    document = only(list(source(f"{web.url}/watch.html").fetch()))
    assert (document.title, document.language, document.text) == ("The mill", "en", "The mill turns.\n\nIt stops.")
    assert opened_at(document, "It stops") == f"{web.url}/watch.html#t=75"
    assert web.asked() == [("/watch.html", 200), ("/en.vtt", 200)]


def test_a_language_can_be_chosen(web: WebServer) -> None:
    """Else English is; without any that is wanted, the message says which there are."""
    web.put("/watch.html", player("The mill", "ja.vtt ja", "en.vtt en"))
    web.put("/en.vtt", vtt((0, "The mill.")))
    web.put("/ja.vtt", vtt((0, "水車。")))
    assert only(list(source(f"{web.url}/watch.html").fetch())).text == "The mill."
    chosen = only(list(source(f"{web.url}/watch.html", languages=["fr", "ja"]).fetch()))
    assert (chosen.text, chosen.language) == ("水車。", "ja")
    (problem,) = source(f"{web.url}/watch.html", languages=["fr"]).fetch()
    assert isinstance(problem, DocumentProblem)
    assert "has no subtitles in fr, but in en, ja. Add one to `languages`" in problem.message


def test_rolling_captions_say_nothing_twice(web: WebServer) -> None:
    """Also after a silence, when the last line is shown once more."""
    web.put("/watch.html", player("The mill", "a.vtt en"))
    web.put("/a.vtt", ROLLING)
    document = only(list(source(f"{web.url}/watch.html").fetch()))
    assert document.text == "open the valve and close it again slowly"
    assert opened_at(document, "again slowly") == f"{web.url}/watch.html#t=26"


def test_a_page_without_subtitles_is_an_error_of_that_video(web: WebServer) -> None:
    """Not of the source; the message says what to do."""
    web.put("/watch.html", player("The mill"))
    (problem,) = source(f"{web.url}/watch.html").fetch()
    assert isinstance(problem, DocumentProblem)
    assert (problem.uri, problem.code) == (f"{web.url}/watch.html", "DOCUMENT_FAILED")
    assert "has no subtitles" in problem.message
    assert "upload a transcript" in problem.message


@pytest.mark.parametrize(("path", "words"), [("/no.html", "no page with a video"), ("/gone", "not there any more")])
def test_a_page_without_a_video_fails_the_source(web: WebServer, path: str, words: str) -> None:
    """Because it may be a list that is broken: then nothing changes."""
    web.put("/no.html", "<html><body>none</body></html>")
    with pytest.raises(SourceError, match=words):
        list(source(f"{web.url}{path}").fetch())


def test_several_videos_of_a_page_are_several_documents(web: WebServer) -> None:
    """The first one has the page's address; a time can be added to each."""
    web.put("/watch.html", player("The mill", "en.vtt en", videos=2))
    web.put("/en.vtt", vtt((75, "The mill turns.")))
    items = list(source(f"{web.url}/watch.html").fetch())
    documents = [item.parse() for item in items if isinstance(item, FetchedDocument)]
    assert [opened_at(document, "The mill") for document in documents] == [
        f"{web.url}/watch.html#t=75",
        f"{web.url}/watch.html#video=watch-2&t=75",
    ]


def test_an_unchanged_page_costs_one_304(web: WebServer) -> None:
    """And its page; a new title or other subtitles are read, whatever the ETag says."""
    web.put("/watch.html", player("The mill", "en.vtt en"))
    web.put("/en.vtt", vtt((0, "The mill turns.")))
    known = known_of(list(source(f"{web.url}/watch.html").fetch()))
    web.asked()
    assert told(list(source(f"{web.url}/watch.html", known).fetch())) == [("watch.html", "unchanged")]
    assert web.asked() == [("/watch.html", 200), ("/en.vtt", 304)]
    web.put("/watch.html", player("The mills", "en.vtt en"))
    assert only(list(source(f"{web.url}/watch.html", known).fetch())).title == "The mills"
    web.put("/en.vtt", vtt((0, "The mill stops.")))
    assert only(list(source(f"{web.url}/watch.html", known).fetch())).text == "The mill stops."


# Lists


def test_a_list_is_asked_before_its_videos(shelf: Shelf) -> None:
    """An unchanged video is not asked for again: the second sync is one request."""
    first = list(source(f"{shelf.url}/shelf/mills").fetch())
    assert told(first) == [("a", "read"), ("b", "read"), ("c", "read")]
    assert len(shelf.web.asked()) == 7
    second = list(source(f"{shelf.url}/shelf/mills", known_of(first)).fetch())
    assert told(second) == [("a", "unchanged"), ("b", "unchanged"), ("c", "unchanged")]
    assert shelf.web.asked() == [("/mills.list.json", 200)]


def test_exactly_the_changed_videos_are_asked_for(shelf: Shelf) -> None:
    """One with a new title, a new one, one that is gone; one that is listed twice is one."""
    known = known_of(list(source(f"{shelf.url}/shelf/mills").fetch()))
    shelf.web.asked()
    shelf.put_list("mills", ["d", "a", {"id": "b", "title": "Other"}, "a"])
    shelf.put_video("d", (0, "New."))
    items = list(source(f"{shelf.url}/shelf/mills", known).fetch())
    assert told(items) == [("d", "read"), ("a", "unchanged"), ("b", "read")]
    assert [path for path, _ in shelf.web.asked()] == [
        "/mills.list.json", "/d.info.json", "/d.vtt", "/b.info.json", "/b.vtt"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"error": "Private video. Sign in if you've been granted access"}, "It is private"),
        ({"error": "Sign in to confirm your age. This video may be inappropriate for some users."}, "age-restricted"),
        ({"error": "Video unavailable. This video has been removed by the uploader"}, "not there any more"),
        ({"error": "Join this channel to get access to members-only content"}, "Name a `credential`"),
        ({"error": "Sign in to confirm you're not a bot. Use --cookies"}, "refuses requests from this machine"),
        ({"error": "Premieres in 3 days"}, "not been broadcast yet"),
        ({"error": "The uploader has not made this video available in your country"}, "country"),
        ({"error": "Strange thing; please report this issue on  https://x.test"}, "Strange thing. Open its address"),
        ({"live_status": "is_live", "subtitles": {"en": [{"url": "a.vtt"}]}}, "is live now"),
        ({"live_status": "is_upcoming"}, "has not begun yet"),
        ({"subtitles": {"live_chat": [{"url": "a.json", "ext": "json"}]}}, "has no subtitles, neither"),
        ({"subtitles": {"en": [{"url": "a.ttml", "ext": "ttml"}]}}, "not as json3, vtt, srt"),
        ({"subtitles": {"en": [{"url": "gone.vtt", "ext": "vtt"}]}}, "answer 404"),
    ],
)
def test_a_video_that_cannot_be_had_costs_only_itself(shelf: Shelf, info: dict[str, Any], words: str) -> None:
    """Private, removed, age-restricted, live and the like: its own error, with what to do; the others are read."""
    shelf.put_video("b", **info)
    items = list(source(f"{shelf.url}/shelf/mills").fetch())
    assert told(items) == [("a", "read"), ("b", "failed"), ("c", "read")]
    problem = items[1]
    assert isinstance(problem, DocumentProblem)
    assert words in problem.message
    assert not re.search(r"--\w|report this|ERROR", problem.message)


def test_the_address_of_a_single_video_that_is_private_is_no_failed_source(shelf: Shelf) -> None:
    """Its document, if there is one, keeps its version."""
    shelf.put_video("a", error="Private video")
    assert told(list(source(f"{shelf.url}/video/a").fetch())) == [("a", "failed")]


def test_videos_beyond_the_limit_are_counted(shelf: Shelf) -> None:
    """And said, so that someone raises it."""
    limited = source(f"{shelf.url}/shelf/mills", videos=2)
    assert told(list(limited.fetch())) == [("a", "read"), ("b", "read")]
    (line,) = limited.skipped.lines()
    assert line.text.startswith("1 video was not read, because 2 videos are the limit. Raise `videos`")


def test_lists_within_a_list_are_read(shelf: Shelf) -> None:
    """As the tabs of a channel; one that leads to itself ends."""
    shelf.put_list("channel", [{"list": "mills"}, {"list": "lamps"}, "c"])
    shelf.put_list("lamps", ["d", {"list": "channel"}])
    shelf.put_video("d", (0, "The lamp."))
    items = list(source(f"{shelf.url}/shelf/channel").fetch())
    assert [item.uri.rpartition("/")[2] for item in items if isinstance(item, FetchedDocument)] == ["a", "b", "c", "d"]


def test_a_list_within_a_list_that_fails_removes_nothing(shelf: Shelf) -> None:
    """Its videos are not known, so no document counts as removed; the others are read."""
    shelf.put_list("channel", [{"list": "broken"}, "c"])
    items = list(source(f"{shelf.url}/shelf/channel").fetch())
    assert [type(item) for item in items] == [DocumentProblem, FetchedDocument]
    assert items[0].uri == ""


def test_a_site_that_refuses_is_left_alone(shelf: Shelf) -> None:
    """After three videos in a row; then no video counts as removed."""
    shelf.put_list("mills", [f"v{number}" for number in range(10)])
    for number in range(10):
        shelf.web.put(f"/v{number}.info.json", "no", status=403)
    items = list(source(f"{shelf.url}/shelf/mills").fetch())
    assert [item.uri != "" for item in items] == [True, True, True, False]
    assert len(shelf.web.asked()) == 4


# One video


def test_what_its_page_says_is_kept(shelf: Shelf) -> None:
    """Title, channel, date, duration and kind of subtitles as metadata; chapters as headings; the description first."""
    shelf.put_video(
        "a",
        (0, "Welcome."),
        (62, "Open the valve."),
        (75, "Close it."),
        title="How to # mill",
        channel="Mill TV",
        timestamp=1_700_000_000,
        duration=90.5,
        description="About mills.\n\n# no heading",
        chapters=[{"start_time": 62.2, "end_time": 90, "title": "The valve"}, {"start_time": 89, "title": "Empty"}],
    )
    document = only(list(source(f"{shelf.url}/video/a").fetch()))
    assert document.title == "How to # mill"
    assert document.metadata == {
        "channel": "Mill TV", "published": "2023-11-14", "duration": 90, "site": "Shelf", "subtitles": "manual"
    }  # fmt: skip
    assert document.text == ("About mills.\n\n\\# no heading\n\nWelcome.\n\n## The valve\n\nOpen the valve. Close it.")
    assert opened_at(document, "Close it") == f"{shelf.url}/video/a#t=75"


def test_what_a_page_says_in_another_form_is_left_out(shelf: Shelf) -> None:
    """A site may say anything."""
    odd: dict[str, Any] = {"channel": ["a"], "timestamp": 1e300, "duration": "x", "chapters": [3, {"title": 4}],
                           "description": {"a": 1}, "title": "a\0\ud800b", "upload_date": "20240230"}  # fmt: skip
    shelf.put_video("a", (0, "Welcome."), **odd)
    document = only(list(source(f"{shelf.url}/video/a").fetch()))
    assert (document.title, document.text) == ("a?b", "Welcome.")
    assert document.metadata == {"site": "Shelf", "subtitles": "manual"}


MADE = {"de": [{"ext": "vtt", "url": "http://a.test/de"}], "en-GB": [{"ext": "vtt", "url": "http://a.test/gb"}]}
SPOKEN = {"fr-orig": [{"ext": "vtt", "url": "http://a.test/fr"}], "en": [{"ext": "vtt", "url": "http://a.test/en"}]}


@pytest.mark.parametrize(
    ("made", "automatic", "spoken", "languages", "chosen"),
    [
        (MADE, SPOKEN, "de", [], ("de", False)),
        (MADE, SPOKEN, "fr", [], ("en-GB", False)),  # made by people, before automatic ones
        ({}, SPOKEN, "fr", [], ("fr-orig", True)),
        ({}, SPOKEN, "", [], ("fr-orig", True)),  # the other is a translation
        ({"ja": MADE["de"]}, SPOKEN, "", [], ("fr-orig", True)),
        ({"ja": MADE["de"]}, {}, "", [], ("ja", False)),
        (MADE, SPOKEN, "de", ["en", "fr"], ("en-GB", False)),
        (MADE, SPOKEN, "de", ["fr", "en"], ("en-GB", False)),
        (MADE, SPOKEN, "de", ["fr"], ("fr-orig", True)),
        ({"English": MADE["de"]}, {}, "", ["en"], ("English", False)),
        ({"DE-at": MADE["de"]}, {}, "", ["de"], ("DE-at", False)),
    ],
)
def test_subtitles_are_chosen_by_language_and_kind(
    made: Any, automatic: Any, spoken: str, languages: list[str], chosen: tuple[str, bool]
) -> None:
    """Those made by people first; the language of the video, then English, or those that the source names."""
    info = {"subtitles": made, "automatic_captions": automatic, "language": spoken}
    track = choose_track(info, languages, "uri")
    assert (track.name, track.is_automatic) == chosen


def test_formats_have_an_order() -> None:
    """json3 before vtt before srt; pieces of a stream are none."""
    offered = [{"ext": ext, "url": f"http://a.test/{ext}"} for ext in ("srt", "ttml", "vtt", "json3")]
    for url in ("http://a.test/json3", "http://a.test/vtt", "http://a.test/srt"):
        assert choose_track({"subtitles": {"en": offered}}, [], "uri").url == url
        offered = [one for one in offered if one["url"] != url]
    stream = [{"ext": "vtt", "url": "http://a.test/a", "protocol": "m3u8_native"}]
    with pytest.raises(DocumentError, match="not as json3"):
        choose_track({"subtitles": {"en": stream}}, [], "uri")
    given = [{"ext": "vtt", "data": "WEBVTT"}]
    assert choose_track({"subtitles": {"en": given}}, [], "uri").given == "WEBVTT"


def test_automatic_json3_is_read(shelf: Shelf) -> None:
    """With its kind in the metadata."""
    shelf.put_video("a", automatic_captions={"en-orig": [{"url": "a.json3", "ext": "json3"}]}, language="en")
    shelf.web.put("/a.json3", json3((3, "open the valve"), (5, "\n"), (64, "and close it")))
    document = only(list(source(f"{shelf.url}/video/a").fetch()))
    assert (document.text, document.metadata["subtitles"]) == ("open the valve\n\nand close it", "automatic")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://youtu.be/dQw4w9WgXcQ?si=abc&t=9",
        "https://m.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ&t=10s",
        "https://www.youtube.com/shorts/dQw4w9WgXcQ",
        "https://www.youtube.com/live/dQw4w9WgXcQ?feature=share",
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
    ],
)
def test_a_video_of_youtube_has_one_address(url: str) -> None:
    """However it is linked; a citation adds the second."""
    assert video_address(url) == "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    place = PlaceRange(kind=PlaceKind.SECOND, first=75, last=80)
    assert link_to(video_address(url), place) == "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=75s"


# What yt-dlp may do


def test_cookies_of_a_site_last_for_a_sync(shelf: Shelf) -> None:
    """A site may set one on a page and want it for the subtitles; the next sync begins without."""
    asked: list[str | None] = []
    page = shelf.web.pages["/a.info.json"]
    shelf.web.pages["/a.info.json"] = replace(page, headers={"Set-Cookie": "visit=1; Path=/"})
    shelf.web.note = lambda _, headers: asked.append(headers.get("Cookie"))
    for _ in range(2):
        list(source(f"{shelf.url}/video/a").fetch())
    assert asked == [None, "visit=1", None, "visit=1"]


def test_a_credential_goes_to_its_host(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, with every request to that host; nothing of it is in a message (SRC-14)."""
    asked: list[str | None] = []
    shelf.web.note = lambda _, headers: asked.append(headers.get("Cookie"))
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL", "Cookie: session=tulip")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL_HOST", shelf.url.removeprefix("http://"))
    list(source(f"{shelf.url}/video/a", credential="mill").fetch())
    assert asked == ["session=tulip", "session=tulip"]
    monkeypatch.setenv("HEADWATER_CREDENTIAL_MILL_HOST", "other.test")
    with pytest.raises(SourceError, match="not for") as caught:
        list(source(f"{shelf.url}/video/a", credential="mill").fetch())
    assert "tulip" not in str(caught.value)


def test_a_page_that_ytdlp_never_comes_to_an_end_with_is_left_out(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pattern of it takes weeks for such a page; the process is ended, and the other videos are read (SEC-1)."""
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "3")
    shelf.web.put("/hang", "<html>" + "<video " * 430_000)
    began = time.monotonic()
    with pytest.raises(SourceError, match=r"/hang took yt-dlp longer than 3 s.*HEADWATER_PARSER_SECONDS"):
        list(source(f"{shelf.url}/hang").fetch())
    assert time.monotonic() - began < 60
    install(monkeypatch, "HangingShelf")
    items = list(source(f"{shelf.url}/shelf/mills").fetch())
    assert told(items) == [("a", "read"), ("b", "failed"), ("c", "read")]
    (problem,) = [item for item in items if isinstance(item, DocumentProblem)]
    assert problem.code == "PARSER_LIMIT"


def test_ytdlp_starts_no_program_and_loads_no_plugin(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither ffmpeg nor a JavaScript engine; it reads no configuration, and writes nothing."""
    from yt_dlp import globals as ytdlp_globals
    from yt_dlp.utils import Popen, check_executable

    (tmp_path / "yt-dlp" / "plugins" / "p" / "yt_dlp_plugins" / "extractor").mkdir(parents=True)
    (tmp_path / "yt-dlp" / "plugins" / "p" / "yt_dlp_plugins" / "extractor" / "evil.py").write_text("1 / 0")
    (tmp_path / "yt-dlp.conf").write_text("--exec evil")
    before = sorted(tmp_path.rglob("*"))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *_, **__: pytest.fail("a program was started"))
    gate = loopback_gate()
    with HttpClient(gate) as client:
        library = ShelfLibrary(gate, client)
        assert library.look_up(f"{shelf.url}/video/a")["id"] == "a"
        library.close()
    assert check_executable("sh", ["-c", "true"]) is False
    with pytest.raises(OSError, match="start no program"):
        Popen.run(["true"])
    assert ytdlp_globals.plugin_ies.value == {}
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"url": "ftp://a.test/b"},
        {"url": "file:///etc/passwd"},
        {"url": "https://ida:tulip@a.test/b"},
        {"url": "https://a.test/b c"},
        {"url": "ytsearch:mills"},
        {"url": "https://a.test/", "languages": ["English, please"]},
        {"url": "https://a.test/", "videos": 0},
        {"url": "https://a.test/", "credential": "not a name"},
    ],
)
def test_a_wrong_config_is_refused(config: dict[str, Any]) -> None:
    """Before anything is fetched; a password is not repeated."""
    with pytest.raises(InvalidConfigurationError) as caught:
        open_connector("video", config, SourceContext(folder=Path("own")))
    assert "tulip" not in str(caught.value)


# Real files


@pytest.fixture
def films() -> Iterator[str]:
    """The pages of shared/data/subs on loopback."""
    if not SUBS.is_dir():
        pytest.skip("the pages of shared/data are not there")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(SUBS)))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_real_pages_give_their_transcripts(films: str) -> None:
    """By yt-dlp's own extractor, with times; rolling captions say no sentence twice; one page has no subtitles."""
    read = {name: only(list(source(f"{films}/{name}.html").fetch())) for name in ("watch", "watch-json3", "watch-asr")}
    assert read["watch"].title == "Elephants Dream"
    assert read["watch"].text == read["watch-json3"].text
    assert opened_at(read["watch"], "Watch out!") == f"{films}/watch.html#t=28"
    sentences = Counter(re.split(r"(?<=[.!?])\s+", read["watch-asr"].text))
    assert len(sentences) > 50
    assert max(sentences.values()) == 1
    assert opened_at(read["watch-asr"], "After the squealing") == f"{films}/watch-asr.html#t=69"
    assert told(list(source(f"{films}/watch-nosubs.html").fetch())) == [("watch-nosubs.html", "failed")]
