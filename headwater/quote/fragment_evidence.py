"""The question's words in fragments, and a quantity that was asked for.

Belongs here: what speaks for each fragment before a model has seen it, and the question as texts are compared with it.
Not here: which fragments make a window and what models say of it (`windows`), words (`headwater.understanding`).
Guarantee: pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from headwater.quote.block_reader import Kind
from headwater.quote.fragments import Fragment
from headwater.understanding.answer_kinds import asks_for_quantity, has_quantity
from headwater.understanding.entry_names import find_names, is_identifier, split_names
from headwater.understanding.words import content_words, names

_MAX_LABEL = 300  # characters
_QUANTITY = 0.2  # what a wanted quantity weighs beside all words of the question


@dataclass(frozen=True, kw_only=True, slots=True)
class FragmentEvidence:
    """What speaks for one fragment: the question's words in it, by their stems, and their share of all by weight.

    `is_named` says that it is a row of a table, and that the question has its whole label; `entry_share` says
    how much of the question is the name of the option or the term that it explains.
    """

    words: frozenset[str]
    covered: float
    has_quantity: bool
    is_named: bool = False
    entry_share: float = 0.0

    @property
    def score(self) -> float:
        """All of it together."""
        return self.covered + _QUANTITY * self.has_quantity


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question as fragments are compared with it; `weights` are those of its words, by their stems.

    A turn with words of earlier turns behind it is no sentence: its tokens are not compared.
    """

    text: str
    weights: Mapping[str, float]
    language: str = ""
    is_sentence: bool = True

    def share(self, words: frozenset[str], all_words: frozenset[str] | None = None) -> float:
        """The share of some of its words in others, or in all that it has, by weight; 0 if there are none."""
        total = sum(self.weights[word] for word in (self.weights if all_words is None else all_words))
        return sum(self.weights[word] for word in words) / total if total else 0.0

    def words_in(self, text: str) -> frozenset[str]:
        """The question's words in a text."""
        return frozenset(self.weights.keys() & content_words(text, self.language))

    def names_row(self, label: str) -> bool:
        """Whether it has the whole label of a row, and not as a part of a longer name (`3.1.8` of `3.1.8-debug`)."""
        label = label.casefold()
        return label in self._spelt and bool(self.words_in(label)) and _whole(label).search(self._spelt) is not None

    @cached_property
    def names(self) -> frozenset[str]:
        """Its words with a capital that does not begin a sentence, by their stems; without those that have a digit."""
        capitalised = (name for name in names(self.text, self.language) if not any(map(str.isdigit, name)))
        return frozenset(self.weights.keys() & set(capitalised))

    def share_of_entry(self, label: str) -> float:
        """How much of it is the name in the label of an item or in a heading; 0 if it does not name that.

        It names it with an option or another identifier, which is all that matters then, with a name, or if it asks
        for nothing else than all words of the label.
        """
        if label not in self._entry_shares:
            self._entry_shares[label] = self._compare_label(label[:_MAX_LABEL])
        return self._entry_shares[label]

    def _compare_label(self, label: str) -> float:
        named_labels = self._entities.intersection(split_names(label))
        if any(map(is_identifier, named_labels)):
            return 1.0
        words = content_words(label, self.language)
        is_all = words == self.weights.keys() and not label.startswith("-")  # `-T` has the words of `-t`
        return self.share(frozenset(self.weights.keys() & words)) if named_labels or is_all else 0.0

    @cached_property
    def _entities(self) -> frozenset[str]:
        return frozenset(find_names(self.text))

    @cached_property
    def _entry_shares(self) -> dict[str, float]:
        return {}

    @cached_property
    def _spelt(self) -> str:
        return self.text.casefold().replace("`", "")


def _whole(label: str) -> re.Pattern[str]:
    """Matches a label between words, where nothing joins it to one of them."""
    return re.compile(rf"(?<![\w./$@,:-]){re.escape(label)}(?![./,:-]?\w|[+#])")


def find_evidence(question: Question, fragments: Sequence[Fragment]) -> list[FragmentEvidence]:
    """Collect the evidence for every fragment."""
    is_wanted = asks_for_quantity(question.text)
    return [_read_fragment(question, fragment, is_wanted) for fragment in fragments]


def find_named_rows(
    fragments: Sequence[Fragment], evidence: Sequence[FragmentEvidence], positions: Sequence[int]
) -> tuple[int, ...]:
    """The rows that the question names, of the table of which a window has such a row.

    There are none if text of the window has as many of the question's words.

    Args:
        fragments: those of a stretch.
        evidence: what speaks for each of them.
        positions: those of the window.
    """
    rows = [position for position in positions if evidence[position].is_named]
    best = max(rows, key=lambda row: evidence[row].covered, default=None)
    texts = (evidence[position].covered for position in positions if fragments[position].kind != Kind.ROW)
    if best is None or evidence[best].covered <= max(texts, default=0.0):
        return ()
    named_rows = (position for position, row in enumerate(evidence) if row.is_named)
    return tuple(position for position in named_rows if fragments[position].group == fragments[best].group)


def _read_fragment(question: Question, fragment: Fragment, is_wanted: bool) -> FragmentEvidence:
    words = question.words_in(fragment.plain)
    is_labelled = bool(words) and any(fragment.cells[1:])
    return FragmentEvidence(
        words=words,
        covered=question.share(words),
        has_quantity=is_wanted and has_quantity(fragment.plain),
        is_named=is_labelled and question.names_row(fragment.cells[0].strip("`* ")),
        entry_share=max(map(question.share_of_entry, fragment.labels), default=0.0),
    )
