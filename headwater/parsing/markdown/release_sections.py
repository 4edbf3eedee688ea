"""The sections of releases in change logs that underline their releases.

Belongs here: sections of the level of their releases, one level lower. Not here: what names a release
(`title_headings`), what changed (`headwater.retrieval.changes`). Guarantee: code stays as it is, and so does any text
with another heading above a line of `=`; the work is linear in the text.
"""

import re

from headwater.parsing.markdown.edits import Edits, new_step, substitute
from headwater.parsing.markdown.fences import spans_outside_code
from headwater.parsing.markdown.headings import plain_heading
from headwater.parsing.markdown.title_headings import UNDERLINED_TOP, is_release

_MARKS = re.compile(r"^ {0,3}#{1,5}(?=[ \t])", re.MULTILINE)
_MARKED_TOP = re.compile(r"^ {0,3}#[ \t]++(\S[^\n]*)$", re.MULTILINE)
_MIN_RELEASES = 2


def lower_sections(text: str, edits: Edits) -> str:
    """A text whose headings with `#` stand one level below the releases, if what is underlined are its releases.

    Authors who underline a release and write `# Fixes` below it mean a section of that release, though both headings
    are of the first level.

    Args:
        text: markdown without tags.
        edits: records the replacements.
    """
    spans = list(spans_outside_code(text))
    releases = [match for span in spans for match in UNDERLINED_TOP.finditer(text, *span)]
    if len(releases) < _MIN_RELEASES or not all(is_release(plain_heading(match[1])) for match in releases):
        return text
    sections = [match for span in spans for match in _MARKED_TOP.finditer(text, *span)]
    if any(is_release(plain_heading(match[1])) for match in sections):
        return text
    first_release = releases[0].start()
    if not any(match.start() > first_release for match in sections):
        return text
    step, copied_end = new_step(), 0
    texts: list[str] = []
    for start, end in spans:
        begin = max(start, first_release)
        if begin >= end:
            continue
        texts += [text[copied_end:begin], substitute(_MARKS, _lower, text[begin:end], base=begin, step=step)]
        copied_end = end
    edits.add(step)
    return "".join([*texts, text[copied_end:]])


def _lower(marks: re.Match[str]) -> str:
    return f"{marks[0]}#"
