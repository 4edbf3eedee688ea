"""Parsing files of subtitles (SRC-2).

Belongs here: their parser. Not here: formats (`cues`), videos (`headwater.sources.video`). Guarantee: the text is a
transcript with the second of each line.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.domain.languages import language_code
from headwater.errors import DocumentError
from headwater.parsing.code_files import CodeParser
from headwater.parsing.file_types import TRANSCRIPT
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.subtitles.cues import read_subtitles
from headwater.parsing.subtitles.roll_up_captions import to_spoken_lines
from headwater.parsing.subtitles.speaker_turns import name_speakers
from headwater.parsing.subtitles.track_name import name_recording
from headwater.parsing.subtitles.transcript import transcript


class SubtitlesParser(Parser):
    """Reads WebVTT, SubRip, TTML, YouTube's json3 and SBV, SubStation Alpha, and JSON of Whisper and of podcasts."""

    media_types: ClassVar[tuple[str, ...]] = ("text/vtt", "application/x-subrip", "application/ttml+xml", TRANSCRIPT)
    suffixes: ClassVar[tuple[str, ...]] = (".vtt", ".srt", ".json3", ".sbv", ".ass", ".ssa", ".ttml", ".dfxp")
    version: ClassVar[str] = "subtitles-3"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its category is its folder below `root`, and its title what its path calls it.

        JSON that only has a transcript somewhere in it is read as code.
        """
        try:
            subtitles = read_subtitles(file.content)
        except DocumentError:
            if not file.uri.lower().endswith(".json"):
                raise
            return CodeParser().parse(file)
        text, places = transcript(name_speakers(to_spoken_lines(subtitles.cues)))
        return ParsedDocument(
            uri=file.uri,
            title=name_recording(file.uri, file.root),
            text=text,
            category=folder_category(file.uri, file.root),
            language=language_code(subtitles.language),
            places=places,
        )
