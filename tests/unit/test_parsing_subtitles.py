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


SBV = "0:00:00.599,0:00:04.160\nOpen\nthe valve.\n\n0:00:04.160,0:00:06.770\n1,2 turns.\n"
SCRIPT = (
    "[Script Info]\nTitle: Pumps\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:01:03.50,0:01:04.00,Default,Max,0,0,0,,No, not{\\i1} now{\\i0}.\n"
    "Comment: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,no words\n"
    "Dialogue: 0,0:00:01.00,0:00:03.00,Default,Ida,0,0,0,,{\\an8}Open\\Nthe valve.\n"
    "Dialogue: 0,0:00:02.00,0:00:03.00,Sign,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}\n"
    "Dialogue: broken\n"
)
WHISPER = (
    b'{"text": " Open the valve. Now.", "segments": [{"id": 0, "seek": 0, "start": 0.0, "end": 2.5, '
    b'"text": " Open the valve.", "tokens": [1, 2], "temperature": 0.0}, {"start": null, "text": "no"}, 3, '
    b'{"start": 2.5, "end": 3, "text": " Now."}], "language": "en"}'
)
PODCAST = (
    b'{"version": "1.0.0", "segments": [{"speaker": "Ida", "startTime": 0.5, "endTime": 0.75, "body": "Open"}, '
    b'{"speaker": "Ida", "startTime": 0.75, "endTime": 1.2, "body": "it."}]}'
)


def test_scripts_and_captions_for_youtube_are_read() -> None:
    """Marks for looks, comments and drawings are left out; lines come in the order of their times."""
    assert lines(SBV) == [(599, "Open"), (599, "the valve."), (4160, "1,2 turns.")]
    cues = read_subtitles(SCRIPT.encode()).cues
    assert [(cue.start, cue.lines, cue.voices) for cue in cues] == [
        (1000, ("Open", "the valve."), ("Ida", "Ida")),
        (63_500, ("No, not now.",), ("Max",)),
    ]


@pytest.mark.parametrize(
    ("content", "text"), [(WHISPER, "Open the valve. Now."), (PODCAST, "**Ida:** Open it.")], ids=["whisper", "podcast"]
)
def test_what_programs_heard_is_a_transcript(content: bytes, text: str) -> None:
    """The JSON of Whisper and of podcasts has segments; any other is code."""
    parser = parser_for(content, "talks/opening.json")
    document = parse_file(parser, File(content=content, uri="talks/opening.json"))
    assert (document.text, document.title) == (text, "opening")
    assert document.places is not None
    assert document.places.kind is PlaceKind.SECOND
    assert not isinstance(parser_for(content.replace(b"segments", b"sections"), "a.json"), type(parser))


@pytest.mark.parametrize(
    "content",
    [
        b'{"result": {"segments": [{"start": 0, "end": 2.5, "text": "Open"}]}, "note": "important", "language": "en"}',
        b'[{"segments": [{"start": 0, "end": 2.5, "text": "Open", "tokens": [1]}]}]',
        b'{"segments": [{"start": 0, "end": 12, "text": "The contract", "label": "X"}], "summary": "important"}',
    ],
    ids=["in a result", "in a list", "parts of a text"],
)
def test_other_json_with_segments_is_code(content: bytes) -> None:
    """Whatever stands beside the segments would be lost (SRC-4)."""
    document = parse_file(parser_for(content, "a.json"), File(content=content, uri="a.json"))
    assert document.text == content.decode()


def test_a_script_may_begin_with_comments() -> None:
    """Programs write what made it above its first section."""
    assert read_subtitles(f"; Made by hand\n{SCRIPT}".encode()) == read_subtitles(SCRIPT.encode())


def test_a_break_within_a_line_parts_lines() -> None:
    """As YouTube's `.sbv` has it, which has no empty lines in a cue."""
    assert lines("0:00:01.000,0:00:02.000\nOpen[br]the valve.\n") == [(1000, "Open"), (1000, "the valve.")]


@pytest.mark.parametrize("name", ["a.sbv", "a.ass", "a.ssa"])
def test_further_subtitles_are_told_by_their_names(name: str) -> None:
    """Their content says little."""
    assert parser_for(SBV.encode(), name).version.startswith("subtitles")


def _timed_text(body: str, attributes: str = "", head: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"\n'
        '  xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"\n'
        f"  {attributes}><head><metadata>{head}</metadata></head>{body}</tt>"
    )


_AGENTS = (
    '<ttm:agent xml:id="a" type="person"><ttm:name type="family">M.</ttm:name>'
    '<ttm:name type="full">Ida M.</ttm:name></ttm:agent><ttm:agent xml:id="b" type="person"/>'
)


@pytest.mark.parametrize(
    ("time", "start"),
    [
        ("00:01:02.250", 62_250),
        ("01:00:01:12", 3_601_480),
        ("01:02.5", 62_500),
        ("12.5s", 12_500),
        ("1500ms", 1_500),
        ("2m", 120_000),
        ("0.5h", 1_800_000),
        ("50f", 2_000),
        ("227080000t", 22_708),
        ("soon", 0),
        ("9999999h", 0),
    ],
)
def test_times_of_timed_text_are_read(time: str, start: int) -> None:
    """As clock times, frames, offsets and ticks; one that cannot be read is the beginning."""
    body = f'<body><div><p begin="{time}">It is open.</p></div></body>'
    content = _timed_text(body, 'ttp:frameRate="25" ttp:tickRate="10000000"')
    assert lines(content) == [(start, "It is open.")]


def test_frames_of_timed_text_have_a_factor() -> None:
    """Such as 1000/1001 for 29.97 frames a second; without a rate there are 30."""
    body = '<body><div><p begin="00:00:10:15">Open.</p></div></body>'
    assert lines(_timed_text(body)) == [(10_500, "Open.")]
    rates = 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"'
    assert lines(_timed_text(body, rates)) == [(10_626, "Open.")]


def test_timed_text_is_a_transcript() -> None:
    """With breaks, speakers and the language; what only describes a paragraph, or repeats it, is no text."""
    body = (
        '<body><div begin="1s"><p begin="1s" dur="2s" ttm:agent="a">Open<br/>the\n  <span>valve</span>.'
        '<metadata><ttm:desc>no</ttm:desc></metadata><span ttm:role="x-translation">Nein</span></p>'
        '<p begin="4s"><span ttm:agent="a">Now?</span><br/><span ttm:agent="b">Yes &amp; no.</span></p>'
        '<p><span begin="6s" end="7s">So</span> <span begin="7s">be it.</span></p></div></body>'
    )
    subtitles = read_subtitles(_timed_text(body, head=_AGENTS).encode())
    assert subtitles.language == "en"
    assert [(cue.start, cue.end, cue.lines, cue.voices) for cue in subtitles.cues] == [
        (2000, 4000, ("Open", "the valve."), ("Ida M.", "Ida M.")),
        (5000, 5000, ("Now?",), ("Ida M.",)),
        (5000, 5000, ("Yes & no.",), ()),
        (7000, 8000, ("So",), ()),
        (8000, 8000, ("be it.",), ()),
    ]


def test_times_that_would_be_too_late_are_those_of_the_recording() -> None:
    """In lyrics, those of a paragraph are not counted from the beginning of its verse."""
    body = (
        '<body dur="9s"><div begin="4s" end="9s"><p begin="4s" end="5s"><span begin="4s">One</span></p>'
        '<p begin="6s" end="9s">two</p></div></body>'
    )
    assert lines(_timed_text(body)) == [(4000, "One"), (6000, "two")]


def test_timed_text_that_rolls_is_said_once() -> None:
    """As captions of television, which show the line before again."""
    texts = ["one", "one<br/>two", "two<br/>three", "three<br/>four"]
    body = "".join(f'<p begin="{second}s">{text}</p>' for second, text in enumerate(texts))
    assert [text for _, text in lines(_timed_text(f"<body><div>{body}</div></body>"))] == [
        "one", "two", "three", "four"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["talks/opening.ttml", "talks/opening.dfxp", "talks/opening.xml"])
def test_files_of_timed_text_are_told_by_their_root(name: str) -> None:
    """In XML of any name; broken ones say so."""
    content = _timed_text('<body><div><p begin="3s">The mill.</p></div></body>').encode()
    document = parse_file(parser_for(content, name), File(content=content, uri=name))
    assert (document.title, document.text, document.language) == ("opening", "The mill.", "en")
    with pytest.raises(DocumentError, match="not well-formed"):
        read_subtitles(content[:-9])
    with pytest.raises(DocumentError, match="no subtitles"):
        read_subtitles(_timed_text("<body/>").encode())
