"""Change logs in plain text: what is flush left are releases, or days, and what is indented belongs to them.

Belongs here: Debian's change logs, GNU's ChangeLog and NEWS (Emacs outlines), and those whose releases have a date, as
markdown. Not here: change logs in markdown (`markdown.release_sections`), what changed (`headwater.retrieval.changes`).
Guarantee: a text whose other lines are not indented, as those of a diary or of a program's log, is none; each line
stays a line; the work is linear.
"""

import re
from email.utils import parsedate_to_datetime
from itertools import pairwise

_DAY = r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}"
_ENTRY = re.compile(
    r"(?P<package>[a-z0-9][a-z0-9+.-]+) \((?:\d+:)?(?P<version>\d[^()\s]*)\) (?P<about>[^;\n]+; *urgency=.*)"
    rf"|(?:version |release )?v?\d{{1,4}}(?:\.\d{{1,4}}){{1,3}}[\w.+~-]*[ \t]+(?:-[ \t]+)?[(\[]?{_DAY}\b.*"
    rf"|{_DAY}[ \t]+[^\s<][^<>]*<[^<>]*>[ \t]*",
    re.IGNORECASE,
)
_SIGNED = re.compile(r" -- [^\n]*>  (?P<date>\w{3}, [ \d]\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4})[ \t]*")
_OUTLINE = re.compile(r"[^\n]{0,200}-\*-[ \t]*(?:mode:[ \t]*)?outline\b[^\n]*-\*-")
_OUTLINE_HEADING = re.compile(r"^(\*{1,6})(?=[ \t])", re.MULTILINE)
_MARKED = re.compile(r"#{1,6}(?:[ \t]|$)")
_MIN_ENTRIES = 3
_NOTES = 2  # lines flush left that are no entries: what Debian puts below a change log that it shortened
_ENTRIES_PER_NOTE = 20  # in a long one, some more
_TAB = 8


def read_change_log(text: str) -> str | None:
    """The markdown of a change log in plain text, line by line; None if the text is none."""
    if _OUTLINE.match(text):
        return _OUTLINE_HEADING.sub(lambda stars: "#" * len(stars[1]), text)
    lines = [line.rstrip() for line in text.split("\n")]
    entries = [index for index, line in enumerate(lines) if _ENTRY.fullmatch(line)]
    if len(entries) < _MIN_ENTRIES:
        return None
    log_lines = lines[entries[0] :]
    notes = sum(bool(line) and not line[0].isspace() for line in log_lines) - len(entries)
    bodies = sum(any(map(str.strip, lines[start + 1 : end])) for start, end in pairwise([*entries, len(lines)]))
    if notes > _NOTES + len(entries) // _ENTRIES_PER_NOTE or 2 * bodies < len(entries):
        return None
    written_lines = lines[: entries[0]]
    for start, end in pairwise([*entries, len(lines)]):
        written_lines += _write_entry(lines[start], lines[start + 1 : end])
    return "\n".join(written_lines)


def _write_entry(heading: str, lines: list[str]) -> list[str]:
    """An entry with its heading, and its text flush left; Debian's headings get the date below the entry."""
    body = [line.expandtabs(_TAB) for line in lines]
    signature = next(filter(None, map(_SIGNED.fullmatch, body)), None)
    depths = [len(line) - len(line.lstrip()) for line in body if line[:1].isspace() and not _SIGNED.fullmatch(line)]
    depth = min(depths, default=0)
    flush_body = [line[min(depth, len(line) - len(line.lstrip())) :] for line in body]
    flush_body = [f"\\{line}" if _MARKED.match(line) else line for line in flush_body]
    entry = _ENTRY.fullmatch(heading)
    if entry and entry["package"]:
        date = (
            f" ({parsedate_to_datetime(signature['date']):%Y-%m-%d})"
            if signature and _is_date(signature["date"])
            else ""
        )
        heading = f"{entry['package']} {entry['version']}{date}"
        if flush_body and not flush_body[0]:
            flush_body[0] = entry["about"]
    return [f"# {heading}", *flush_body]


def _is_date(text: str) -> bool:
    try:
        parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return False
    return True
