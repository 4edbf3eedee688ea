"""What readers have seen of each document, and what they must not see after it.

Belongs here: which revision a text is of, the least revision that a later look may see, violations. Not here: the
requests (`readers`). Guarantee: a look is held against what was known when it began, so a slow response is none.

A document's revisions are numbered; a deletion counts as one. After a replica was promoted, what was not replicated may
be undone: then the ledger forgets, and counts the documents that went back.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SHOWN = 20  # violations that are kept in words


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """The beginning of a look: the least revisions that it may see, and how often the ledger has forgotten."""

    floors: Mapping[str, int]
    epoch: int


class Ledger:
    """The revisions that were seen."""

    def __init__(self, histories: Mapping[str, Sequence[str | None]]) -> None:
        self._histories = histories
        self._floors: dict[str, int] = {}
        self._forgotten: dict[str, int] = {}
        self._epoch = 0
        self._lock = threading.Lock()
        self.violations: list[str] = []
        self.violation_count = 0
        self.counts: Counter[str] = Counter()
        """How many looks of each kind were held against it, and how many were not answered."""

    def begin(self) -> Look:
        """Begin a look."""
        with self._lock:
            return Look(floors=dict(self._floors), epoch=self._epoch)

    def find_revision(self, uri: str, text: str) -> int | None:
        """Which revision of a document has exactly this text."""
        history = self._histories.get(uri, ())
        return history.index(text) if text in history else None

    def find_text(self, uri: str, revision: int) -> str | None:
        """The text of a revision; None for a deletion."""
        return self._histories[uri][revision]

    def note(self, look: Look, uri: str, revision: int, how: str) -> None:
        """A look has seen a revision of a document."""
        least = look.floors.get(uri, 0)
        if revision < least:
            what = "deleted" if self._histories[uri][least] is None else f"at revision {least}"
            self.report(look, f"{how}: {uri} at revision {revision}, after it was {what}")
        with self._lock:
            if look.epoch == self._epoch:
                if revision < self._forgotten.pop(uri, 0):
                    self.counts["went back"] += 1
                self._floors[uri] = max(revision, self._floors.get(uri, 0))

    def settle(self) -> None:
        """All files are synced: from now on nobody sees an older revision."""
        with self._lock:
            self._floors = {uri: len(history) - 1 for uri, history in self._histories.items()}
            self._forgotten = {}

    def forget(self) -> None:
        """A replica was promoted: what it had not received may be undone."""
        with self._lock:
            self._epoch += 1
            self._forgotten, self._floors = self._floors, {}

    def report(self, look: Look, violation: str) -> None:
        """Note a violation, unless the ledger has forgotten since the look began."""
        with self._lock:
            if look.epoch != self._epoch:
                self.counts["across a promotion"] += 1
                return
            self.violation_count += 1
            if len(self.violations) < _SHOWN:
                self.violations.append(violation)

    def count(self, what: str) -> None:
        """Count a look."""
        with self._lock:
            self.counts[what] += 1
