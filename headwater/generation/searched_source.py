"""A source as sentences that statements are held against.

Belongs here: splitting a source once, and the words and numbers of its sentences. Not here: the comparison (`support`).
Guarantee: pure; the sentences are verbatim text of the source's passages.
"""

from dataclasses import dataclass
from functools import cached_property

from headwater.domain.search import Passage
from headwater.generation.facts import values
from headwater.generation.prompt_sources import PromptSource
from headwater.generation.statement_splitter import statement_spans
from headwater.understanding.words import content_words


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceSentence:
    """A sentence of a passage: its offsets in that, its words and its numbers."""

    passage: Passage
    start: int
    end: int
    words: frozenset[str]
    values: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[self.start : self.end]


class SearchedSource:
    """A source, split into sentences once.

    Args:
        source: with at least one passage.
        language: of all sources; empty if they differ.
    """

    def __init__(self, source: PromptSource, language: str) -> None:
        self.number = source.number
        self.passages = source.passages
        self._heading = source.heading
        self._language = language

    @cached_property
    def sentences(self) -> list[SourceSentence]:
        """Its sentences, in order."""
        return [
            SourceSentence(
                passage=passage,
                start=start,
                end=end,
                words=frozenset(content_words(passage.text[start:end], self._language)),
                values=frozenset(values(passage.text[start:end], self._language)),
            )
            for passage in self.passages
            for start, end in statement_spans(passage.text)
        ]

    @cached_property
    def heading_words(self) -> set[str]:
        """The stems of its heading's words."""
        return content_words(self._heading, self._language)

    @cached_property
    def words(self) -> set[str]:
        """The stems of all its words."""
        return self.heading_words.union(*(sentence.words for sentence in self.sentences))

    @cached_property
    def values(self) -> set[str]:
        """The values of all its numbers."""
        return values(self._heading, self._language).union(*(sentence.values for sentence in self.sentences))

    @cached_property
    def plain(self) -> str:
        """All of it in lower case, for code."""
        return "\n".join((self._heading, *(passage.text for passage in self.passages))).casefold()
