"""What a mutation is, and when it is stale.

Belongs here: the record, and finding its snippet and its tests. Not here: running anything (`run`). Guarantee: reads
only.
"""

import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutation:
    """One wrong change: in `file`, `old` becomes `new`; at least one of `tests` must fail then. `why` says what breaks.

    `old` occurs exactly once in the file. `tests` are ids as pytest takes them, without parameters.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    why: str

    @property
    def name(self) -> str:
        """What `make mutate ONLY=…` looks into."""
        return f"{self.file}: {self.why}"

    def problems(self, root: Path) -> list[str]:
        """Why this mutation is stale; empty when it can be applied."""
        path = root / self.file
        if not path.is_file():
            return [f"{self.file} is not there"]
        count = path.read_text(encoding="utf-8").count(self.old)
        found = [] if count == 1 else [f"{self.old!r} is {count} times in {self.file}, not once"]
        if self.old == self.new:
            found.append(f"{self.old!r} is changed to itself")
        return found + [f"there is no test {test}" for test in self.tests if not _is_test(root, test)]

    def apply(self, root: Path) -> str:
        """Change the file of a copy of the tree; returns what it held before."""
        text = (root / self.file).read_text(encoding="utf-8")
        self.write(root, text.replace(self.old, self.new))
        return text

    def write(self, root: Path, text: str) -> None:
        """Give a file of the copy another text; bytecode of one of the same size and second would stay."""
        path = root / self.file
        path.write_text(text, encoding="utf-8")
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


@cache
def _is_test(root: Path, test: str) -> bool:
    file, _, name = test.partition("::")
    path = root / file
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    return not name or re.search(rf"^def {re.escape(name)}\(", text, re.MULTILINE) is not None
