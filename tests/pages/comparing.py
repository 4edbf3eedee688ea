"""Whether what a page shows is what its commands print.

Belongs here: what may differ from run to run, and remembering which id of the page stands for which of the run. Not
here: the commands. Guarantee: ids, times, durations and places of this machine may differ, nothing else.
"""

import json
import re

_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_MASKS = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s)\b"), "<duration>"),
    (re.compile(r"(_ms\": )\d+(?:\.\d+)?"), r"\1<duration>"),
    (re.compile(r"\b\d+(?:\.\d+)? GB\b"), "<size>"),
    (re.compile(r"(process )\d+"), r"\1<process>"),
)
_REST = "…"


class Comparison:
    """What was learned while a page ran: the ids of the run by those of the page."""

    def __init__(self, places: dict[str, str]) -> None:
        self._places = places
        self._ids: dict[str, str] = {}

    def command(self, text: str) -> str:
        """A page's commands as this run needs them: with its own ids, ports and folders."""
        for shown, real in self._places.items():
            text = text.replace(shown, real)
        return _ID.sub(lambda found: self._ids.get(found[0], found[0]), text)

    def difference(self, shown: str, printed: str) -> str | None:
        """Say where what a page shows differs from what was printed; None where it does not.

        JSON may be shown in another layout than it is printed in. In the page, `…` stands for the rest of a line, and
        on a line of its own for any lines.
        """
        printed = self._as_shown(_pretty(printed) if shown.startswith("{\n") else printed)
        shown = _pretty(shown)
        expected, actual = self._lines(shown), self._lines(printed)
        pattern = "\n".join(_pattern(line) for line in expected)
        pattern = pattern.replace("<lines>\n", "(?:.*\n)*?").replace("\n<lines>", "(?:\n.*)*")
        found = re.fullmatch(pattern, "\n".join(actual))
        ids = _ID.findall("\n".join(expected)), _ID.findall("\n".join(actual))
        if found is None or (_REST not in shown and len(ids[0]) != len(ids[1])):
            return f"--- the page shows\n{shown}\n--- the commands print\n{printed}"
        for of_page, of_run in zip(*ids, strict=False):
            if self._ids.setdefault(of_page, of_run) != of_run:
                return f"{of_page} of the page stands for {self._ids[of_page]}, and here for {of_run}"
        return None

    def _as_shown(self, printed: str) -> str:
        for shown, real in self._places.items():
            printed = printed.replace(real, shown)
        return printed

    @staticmethod
    def _lines(text: str) -> list[str]:
        for mask, name in _MASKS:
            text = mask.sub(name, text)
        return [line.rstrip() for line in text.replace("[y/N]: y\n", "[y/N]: ").strip().splitlines()]


def _pretty(text: str) -> str:
    """JSON the way that it can be compared line by line; anything else as it is."""
    try:
        return json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False)
    except ValueError:
        return text


def _pattern(line: str) -> str:
    if line.strip() == _REST:
        return "<lines>"
    parts = re.split(f"({_REST}|{_ID.pattern})", line)
    return "".join(".*" if part == _REST else _ID.pattern if _ID.fullmatch(part) else re.escape(part) for part in parts)
