"""Markdown files whose every sentence says which file, which revision and which section it is of.

Belongs here: writing, changing and deleting them, and every text that a file ever had. Not here: who reads them.
Guarantee: a piece of a text with its offsets tells whether it belongs to a revision; the same seed changes the same.
"""

import random
import re
from collections.abc import Mapping
from pathlib import Path

SECTIONS = 8
_PERIODS = (0, 1, 2, 3, 1, 1, 1, 1)  # revisions after which a section changes; the first one never does
_SENTENCES = 8
_WORDS = (
    "pump", "valve", "boiler", "filter", "gasket", "rotor", "clutch", "spindle", "bearing", "flange", "nozzle",
    "piston", "manifold", "turbine", "governor", "impeller", "coupling", "regulator", "condenser", "solenoid",
)  # fmt: skip
SENTENCE = re.compile(r"revision (\d+), section (\d+) of widget (\d+)")
"""A sentence's revision, section and file."""


class NumberedFiles:
    """A folder of files."""

    def __init__(self, folder: Path, count: int, seed: int) -> None:
        self.folder = folder
        self._random = random.Random(seed)  # noqa: S311 - files, no secret
        self._histories: dict[str, list[str | None]] = {}
        self._next_number = 0
        for _ in range(count):
            self._add()

    @property
    def histories(self) -> Mapping[str, list[str | None]]:
        """What each file contained, oldest first; None is a deletion."""
        return self._histories

    def list_current(self) -> dict[str, str]:
        """The files that exist, with their texts."""
        return {uri: history[-1] for uri, history in self._histories.items() if history[-1] is not None}

    def change(self) -> dict[str, int]:
        """Change half of the files, delete some, add some, and bring some deleted ones back; returns how many."""
        current = sorted(self.list_current())
        deleted = sorted(set(self._histories) - set(current))
        doomed = self._random.sample(current, max(1, len(current) // 20))
        changed = self._random.sample(sorted(set(current) - set(doomed)), len(current) // 2)
        returning = self._random.sample(deleted, len(deleted) // 2)
        for uri in doomed:
            (self.folder / uri).unlink()
            self._histories[uri].append(None)
        for uri in (*changed, *returning):
            self._write(uri)
        new_count = max(1, len(doomed) - len(returning))
        for _ in range(new_count):
            self._add()
        return {"deleted": len(doomed), "changed": len(changed), "added": len(returning) + new_count}

    def _add(self) -> None:
        number = self._next_number
        self._next_number += 1
        uri = f"{number // 50:02}/w{number:04}.md"
        self._histories[uri] = []
        self._write(uri)

    def _write(self, uri: str) -> None:
        history = self._histories[uri]
        number = int(Path(uri).stem[1:])
        text = _compose(number, len(history))
        history.append(text)
        path = self.folder / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _compose(number: int, revision: int) -> str:
    """The text of a revision, which shares chunks with the one before."""
    paragraphs = [f"# Widget {number:04}"]
    for section in range(SECTIONS):
        period = _PERIODS[section]
        since = revision - revision % period if period else 0
        words = random.Random(f"{number}/{since}/{section}")  # noqa: S311 - texts, no secret
        sentences = [
            f"In revision {since}, section {section} of widget {number:04} the {words.choice(_WORDS)} number"
            f" {words.randrange(10_000)} turns the {words.choice(_WORDS)} every {words.randrange(2, 99)} weeks."
            for _ in range(_SENTENCES)
        ]
        paragraphs += [f"## Section {section} of widget {number:04}", " ".join(sentences)]
    return "\n\n".join(paragraphs) + "\n"
