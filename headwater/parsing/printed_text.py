"""Text that was made for a printer or a terminal.

Belongs here: signs that only control a terminal, words that are divided at the end of a line. Not here: encodings
(`text`), whether a hyphen belongs to its word (`pdf.hyphens`). Guarantee: pure and linear; each line stays a line.
"""

import re

from headwater.parsing.pdf.hyphens import Words

_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[()][0-9A-B]|[=>78])|[^\n\x08]\x08")
_DIVIDED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n(?P<indent>[ \t]*)(?P<rest>[^\W\d_][^\s]*)[ \t]*")


def without_terminal_marks(text: str) -> str:
    """A text without the colours of a terminal, and without characters that are printed over."""
    return _CONTROL.sub("", text) if "\x1b" in text or "\x08" in text else text


def with_whole_words(text: str) -> str:
    """A text whose divided words stand in one piece, at the end of the line where they begin."""
    if not _DIVIDED.search(text):
        return text
    words = Words(line.strip() for line in text.split("\n"))

    def join(match: re.Match[str]) -> str:
        beginning = text[text.rfind("\n", 0, match.start()) + 1 : match.start() + 1]
        count, between = words.joint(beginning, match["rest"])
        return f"{match['rest']}\n{match['indent']}" if count and not between else match[0]

    return _DIVIDED.sub(join, text)
