"""Subtitles as text with seconds (SRC-2)."""

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_for
from headwater.parsing.subtitles.cues import Cue, read_subtitles
from headwater.parsing.subtitles.roll_up_captions import Line, to_spoken_lines
from headwater.parsing.subtitles.speaker_turns import name_speakers
from headwater.parsing.subtitles.track_name import name_recording
from headwater.parsing.subtitles.transcript import Chapter, transcript
from tests.video_site import ROLLING, vtt

SRT = (
    "1\n00:00:01,000 --> 00:00:02,500\n<i>Open</i> {\\an8}the valve.\n\n2\r\n01:01:15,250 --> 01:01:16,000\nClose it.\n"
)


def lines(content: str) -> list[tuple[int, str]]:
    """What is said, with milliseconds."""
    return [(line.start, line.text) for line in to_spoken_lines(read_subtitles(content.encode()).cues)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (SRT, [(1000, "Open the valve."), (3_675_250, "Close it.")]),
        (SRT.replace("valve.\n\n2", "valve.\n2"), [(1000, "Open the valve."), (3_675_250, "Close it.")]),
        ("WEBVTT\n\nNOTE\nno cue\n\nintro\n00:01.500 --> 00:02.000 align:start\na &amp; b\n", [(1500, "a & b")]),
        (
            "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ida>Hello\n<v.loud Max M.>Oh</v>\n",
            [(1000, "Hello"), (1000, "Oh")],
        ),
        (
            "\ufeffWEBVTT\n\n00:01.000 --> 00:02.000\nOne\n00:02.000 --> 00:03.000\nTwo\n",
            [(1000, "One"), (2000, "Two")],
        ),
        ("WEBVTT\n\n00:05.000 --> 00:06.000\nTwo\n\n00:01.000 --> 00:02.000\nOne\n", [(1000, "One"), (5000, "Two")]),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n12\n", [(1000, "12")]),
    ],
)
def test_formats_are_read(content: str, expected: list[tuple[int, str]]) -> None:
    """By their content; tags and notes are left out, speakers are named, cues are in order."""
    assert lines(content) == expected


def test_json3_is_read() -> None:
    """Events without text are windows; anything of another form is left out."""
    events: list[Any] = [
        {"tStartMs": 0, "dDurationMs": 9, "id": 1},
        {"tStartMs": 1000, "dDurationMs": 5, "segs": [{"utf8": "Open"}, {"utf8": " the valve", "tOffsetMs": 9}]},
        {"tStartMs": 1500, "aAppend": 1, "segs": [{"utf8": "\n"}]},
        {"tStartMs": 2000, "segs": [{"utf8": "One.\nTwo."}, 4, {"utf8": None}]},
        {"tStartMs": "x", "segs": [{"utf8": "no"}]},
        {"tStartMs": -1, "segs": [{"utf8": "no"}]},
        {"tStartMs": float("inf"), "segs": [{"utf8": "no"}]},
        7,
    ]
    assert lines(json.dumps({"events": events})) == [(1000, "Open the valve"), (2000, "One."), (2000, "Two.")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Sign in</html>",
        b"{",
        b"{}",
        b'{"events": 3}',
        b'{"a":' * 100_000,
        b"WEBVTT\n\nNOTE only\n",
        b"\0" * 99,
    ],
)
def test_what_is_no_subtitles_is_an_error(content: bytes) -> None:
    """Such as a page that asks to sign in."""
    with pytest.raises(DocumentError):
        read_subtitles(content)


def test_rolling_captions_are_said_once() -> None:
    """With times in the words or without; a line that people say twice stays in captions that do not roll."""
    assert [text for _, text in lines(ROLLING)] == ["open the valve", "and close it", "again slowly"]
    plain = [Cue(0, 1, ("a b",)), Cue(1, 2, ("a b", "c d")), Cue(2, 3, ("c d", "e f")), Cue(9, 10, ("e f", "a b"))]
    assert [line.text for line in to_spoken_lines(plain)] == ["a b", "c d", "e f", "a b"]
    grown = [Cue(0, 1, ("open",)), Cue(1, 2, ("open the",)), Cue(2, 3, ("open the valve",)), Cue(3, 4, ("shut it",))]
    assert to_spoken_lines(grown) == [Line(0, "open the valve"), Line(3, "shut it")]
    spoken = [Cue(n, n + 1, (text,)) for n, text in enumerate(("No.", "No.", "Why?", "So.", "Ah.", "I see.", "Yes."))]
    assert [line.text for line in to_spoken_lines(spoken)] == ["No.", "No.", "Why?", "So.", "Ah.", "I see.", "Yes."]


def test_paragraphs_last_about_a_minute() -> None:
    """They end with a sentence, or after a minute; every line has its second."""
    said = [Line(second * 1000, f"Line {second}" + ("." if second == 45 else "")) for second in range(0, 200, 5)]
    text, places = transcript(said)
    assert [paragraph.split(" ")[1] for paragraph in text.split("\n\n")] == ["0", "50", "110", "170"]
    assert places.kind == PlaceKind.SECOND
    for line in said:
        place = places.between(text.index(line.text), text.index(line.text) + 1, text=text)
        assert place is not None
        assert place.first == line.start // 1000


def test_chapters_are_headings_where_they_begin() -> None:
    """One without words is left out; words before the first one have none."""
    said = [Line(0, "Hello."), Line(9_800, "Now the valve."), Line(30_000, "Bye.")]
    chapters = [Chapter(10_000, "The valve"), Chapter(20_000, "Silence"), Chapter(25_000, "End # now")]
    assert (
        transcript(said, chapters=chapters)[0] == "Hello.\n\n## The valve\n\nNow the valve.\n\n## End \\# now\n\nBye."
    )


def _paragraphs(*texts: str) -> list[str]:
    """The paragraphs of lines that are said five seconds apart."""
    said = [Line(index * 5_000, text) for index, text in enumerate(texts)]
    return transcript(name_speakers(said))[0].split("\n\n")


def test_a_meeting_names_its_speakers_once_each_turn() -> None:
    """Zoom and Teams name them in each cue; a name that comes once is one, too, and a line without belongs to it."""
    assert _paragraphs(
        "Ida: Hello.",
        "Ida: Can you hear me?",
        "Max M. (Lab): Yes.",
        "I can.",
        "Ida: The valve: it is open.",
        "Ada: So.",
    ) == [
        "**Ida:** Hello. Can you hear me?",
        "**Max M. (Lab):** Yes. I can.",
        "**Ida:** The valve: it is open.",
        "**Ada:** So.",
    ]
    assert _paragraphs("田中：こんにちは。", "田中：始めます。", "田中：次。", "佐藤：はい。") == [
        "**田中:** こんにちは。 始めます。 次。", "**佐藤:** はい。"
    ]  # fmt: skip
    assert _paragraphs("a_b [x]: Hello.", "a_b [x]: One.", "a_b [x]: Two.") == ["**a\\_b \\[x\\]:** Hello. One. Two."]


def test_voices_are_the_speakers() -> None:
    """As WebVTT has them, whatever they are called and how often; nothing before a colon is one then."""
    cues = "\n\n".join(
        f"00:{second:02}.000 --> 00:{second + 1:02}.000\n{text}"
        for second, text in enumerate(
            ("<v Müller, Jörg (IT)>We have\nOption one: go</v>", "<v Room: 12>Hi.", "<v Room: 12>So</v> <v +49 30>Yes")
        )
    )
    said = name_speakers(to_spoken_lines(read_subtitles(f"WEBVTT\n\n{cues}\n".encode()).cues))
    assert transcript(said)[0].split("\n\n") == [
        "**Müller, Jörg (IT):** We have Option one: go", "**Room: 12:** Hi. So", "**+49 30:** Yes"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "paragraphs"),
    [
        ([">> Hello.", "I am here.", ">> IDA: Hi.", ">>> Bye."], ["Hello. I am here.", "**IDA:** Hi.", "Bye."]),
        ([">> it works >> yeah", "good", ">> so"], ["it works", "yeah good", "so"]),
        (["-Who is it?", "-Me."], ["Who is it?", "Me."]),
        (["- Who is it?", "- [Ida] Me.", "And you?"], ["Who is it?", "**Ida:** Me. And you?"]),
        (["NARRATOR: A valve.", "It is open.", "IDA: So."], ["**NARRATOR:** A valve. It is open.", "**IDA:** So."]),
        (["Ida: One.", "x", "Max: Two.", *"abcdefghij", "Ida: On.", "Ida: Off.", "Max: On.", "Max: Off."],
         ["**Ida:** One. x", "**Max:** Two. a b c d e f g h i j", "**Ida:** On. Off.", "**Max:** On. Off."]),
    ],
)  # fmt: skip
def test_captions_mark_another_speaker(texts: list[str], paragraphs: list[str]) -> None:
    """With angles, dashes, capitals, or names that return."""
    assert _paragraphs(*texts) == paragraphs


@pytest.mark.parametrize(
    "texts",
    [
        ["There are three steps: one, two and three.", "And I said: no.", "At 10:30 we go.", "See https://x.org: it."],
        ["it is -- or was -- open", "-- or closed", "- as they say", "- être", "-animationController", "a >> b"],
        ["-Wall is an option.", "-5 degrees."],
        ["WARNING: hot.", "Read it.", "Option one: go.", "I do.", "[x = 5]", "[I do not know what she meant]"],
        ["Note: one.", *"abcdef", "Note: two.", *"abc", "Note: three."],
        ["[see the notes] It is open.", "[NOTE: that is wrong] So."],
    ],
)
def test_what_only_looks_like_a_speaker_is_said(texts: list[str]) -> None:
    """A colon in a sentence, a dash that goes on, a word that returns alone."""
    assert " ".join(_paragraphs(*texts)).replace("\\", "") == " ".join(texts)


def test_sounds_are_no_text() -> None:
    """Alone in a line; with words they stay."""
    assert _paragraphs("[ Applause ]", ">> [Music]", "Hello [laughs] all.", "[ __ ]") == ["Hello [laughs] all."]
    assert transcript(name_speakers([Line(0, "[Music]")]))[0] == ""


def test_joined_pieces_say_the_last_cue_once() -> None:
    """Pieces of a stream that were written one after the other; the same words at another time stay."""
    piece = "WEBVTT\n\n00:01.000 --> 00:02.000\nOpen it.\n\n00:03.000 --> 00:04.000\nNow.\n\n"
    assert lines(piece + piece.replace("00:01", "00:05").replace("00:02", "00:06")) == [
        (1000, "Open it."), (3000, "Now."), (5000, "Open it.")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("talks/Opening a valve.vtt", "Opening a valve"),
        ("talks/Opening [f3KxT9aQ_-w].en-orig.vtt", "Opening"),
        ("talks/Lecture 3.mp4.de.srt", "Lecture 3"),
        ("talks/GMT2024_Recording.transcript.vtt", "GMT2024_Recording"),
        ("maths/cross-products/english/captions.srt", "cross-products"),
        ("calls/acdc/2025-05-29_158/transcript_corrected.vtt", "acdc 2025-05-29_158"),
        ("en/2014/202.vtt", "2014 202"),
        ("Dr. No.srt", "Dr. No"),
        ("Pump [repair].en.vtt", "Pump [repair]"),
        ("Intro to v1.2.srt", "Intro to v1.2"),
        ("a%20b.vtt", "a b"),
        ("transcript.vtt", ""),
    ],
)
def test_a_file_is_called_what_was_recorded(path: str, title: str) -> None:
    """By its name, without kind, language and id; by its folders if the name says no more than that."""
    assert name_recording(path) == title
    assert name_recording(f"/home/{path}", "/home") == title


_CUES = st.lists(
    st.tuples(st.integers(0, 10_000), st.lists(st.text("ab .#<`\n", max_size=12), max_size=3)), max_size=30
)


@given(_CUES)
def test_no_word_is_lost(cues: list[tuple[int, list[str]]]) -> None:
    """Whatever is said and when: lines are in the text in their order, with their seconds (CHK-2)."""
    ordered = sorted((Line(second * 1000, " ".join("".join(said).split()) or "x") for second, said in cues))
    text, places = transcript(ordered)
    assert "".join(text.replace("\\", "").split()) == "".join("".join(line.text.split()) for line in ordered)
    offsets = [mark.offset for mark in places.marks]
    assert all(one < two for one, two in pairwise(offsets))


@settings(deadline=None)  # the first one loads what knows encodings
@given(st.binary(max_size=200) | st.text('WEBVT\n 0:1.->{}"segsutf8<v,', max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """With a DocumentError (SEC-1); every place is one of the text."""
    with suppress(DocumentError):
        text, places = transcript(name_speakers(to_spoken_lines(read_subtitles(content).cues)))
        assert all(mark.offset <= len(text) for mark in places.marks)


@pytest.mark.parametrize(("name", "content"), [("a/talk.vtt", vtt((75, "The mill."))), ("a/talk.srt", SRT)])
def test_files_of_subtitles_are_documents(name: str, content: str) -> None:
    """In folders and uploads, with seconds as places."""
    parser = parser_for(content.encode(), name)
    document = parse_file(parser, File(content=content.encode(), uri=name))
    assert (document.title, document.category, document.media_type) == ("talk", "a", "text/markdown")
    assert document.places is not None
    assert document.places.kind == PlaceKind.SECOND
