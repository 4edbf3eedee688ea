"""The difference between two texts, for people.

Belongs here: a unified diff that is bounded in size. Not here: which texts (`documents`). Guarantee: pure; its work
does not grow beyond a bound, and a diff that is cut short or not made says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice

from query_api.pages.catalogue import N_, group_digits, translate

MAX_LINES = 2_000
"""Lines of each text; the work may grow with their square."""
_MAX_CHARS = 400_000  # of each text
_SHOWN = 400  # lines of the diff
_MAX_LINE_CHARS = 400  # characters of a line that are shown
_KINDS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of a diff: `kind` is added, removed, place or same."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The lines of a diff; `said` says why some or all are missing, or that the texts are equal."""

    lines: Sequence[Line] = ()
    said: str = ""


def difference(before: str, after: str) -> Difference:
    """What changed from one text to another."""
    if before == after:
        return Difference(said=translate(N_("The texts are equal: the title, the metadata or the parser changed.")))
    if max(len(before), len(after)) > _MAX_CHARS:
        return Difference(said=translate(N_("These versions are too large to compare here.")))
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MAX_LINES:
        return Difference(
            said=translate(
                N_("These versions have more than %(lines)s lines, too many to compare here."),
                lines=group_digits(MAX_LINES),
            )
        )
    diff_lines = list(islice(unified_diff(old, new, n=2, lineterm=""), 2, _SHOWN + 3))
    if not diff_lines:
        return Difference(said=translate(N_("Only the ends of lines changed.")))
    remark = (
        translate(N_("Only the first %(lines)s lines of the difference are shown."), lines=_SHOWN)
        if len(diff_lines) > _SHOWN
        else ""
    )
    return Difference(lines=[_line(text) for text in diff_lines[:_SHOWN]], said=remark)


def _line(text: str) -> Line:
    kind = _KINDS.get(text[:1], "same")
    return Line(kind=kind, text=text[:_MAX_LINE_CHARS] + ("…" if len(text) > _MAX_LINE_CHARS else ""))
