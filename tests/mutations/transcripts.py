"""Mutations of what makes transcripts of subtitles: speakers, sounds, titles.

Belongs here: their list. Not here: the runner (`run`). Guarantee: each is found by at least one of its tests.
"""

from tests.mutations.mutation import Mutation

_TURNS = "headwater/parsing/subtitles/speaker_turns.py"
_NAME = "headwater/parsing/subtitles/track_name.py"
_TESTS = ("tests/unit/test_parsing_subtitles.py",)

TRANSCRIPTS = (
    Mutation(
        file=_TURNS,
        old="        if utterance.mark or (name and name != speaker):\n",
        new="        if utterance.mark or name:\n",
        tests=_TESTS,
        why="a meeting would have a paragraph for each caption",
    ),
    Mutation(
        file=_TURNS,
        old="        if words and not _SOUND.fullmatch(words):\n",
        new="        if words:\n",
        tests=_TESTS,
        why="applause is no text",
    ),
    Mutation(
        file=_TURNS,
        old="(titled if len(titled) > 1 else set())",
        new="titled",
        tests=_TESTS,
        why="a word such as Note returns without being a speaker",
    ),
    Mutation(
        file=_TURNS,
        old='sum(line.text.startswith(">>") for line in lines) >= _MIN_MARKS',
        new="True",
        tests=_TESTS,
        why="`a >> b` is no change of speakers",
    ),
    Mutation(
        file=_NAME,
        old="if all(not word or word.lower() in _KINDS or language_code(word) for word in words):",
        new="if all(not word for word in words):",
        tests=_TESTS,
        why="hundreds of files would be called captions",
    ),
    Mutation(
        file="headwater/parsing/subtitles/cues.py",
        old="tuple(dict.fromkeys(sorted(cues, key=lambda cue: cue.start)))",
        new="tuple(sorted(cues, key=lambda cue: cue.start))",
        tests=_TESTS,
        why="joined pieces of a stream would say their borders twice",
    ),
)
