"""Reading a model's reply while it comes.

Belongs here: what of a reply comes out, when, and with which citations. Not here: single steps (`leak_guard`,
`markers`, `statement_stream`, `support`, `citations`), the model (`headwater.answering`). Guarantee: a marker is
followed by its citation where it first comes out; text that came out is never changed; what comes out does not depend
on how the reply was cut into pieces; a block of code is closed at the end.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.domain.answers import Citation, Statement
from headwater.errors import GenerationFailedError
from headwater.generation.citations import CitationList
from headwater.generation.facts import find_code, find_names, find_values
from headwater.generation.leak_guard import LeakGuard
from headwater.generation.markers import MarkerScanner
from headwater.generation.prompt_sources import PromptSource
from headwater.generation.statement_splitter import is_heading, is_lead_in, open_fence, table_rows, without_list_mark
from headwater.generation.statement_stream import StatementEnd, StatementStream
from headwater.generation.support import Similarity, SupportFinder
from headwater.generation.support_span import Support
from headwater.understanding.refusal_phrases import declines, may_decline
from headwater.understanding.words import content_words

_MAX_FEW_WORDS = 2
"""A statement with fewer words is read with the one before it, or after it: "Yes." """
_LINKS = "Links to addresses that no passage contains were left out; their texts are kept."
_MAX_BLOCK_CITATIONS = 5

Piece = str | Citation


class ReplyReading:
    """A reply, piece by piece.

    A sentence that may decline is held back until it is known, with all that follows it until a statement has support.

    Args:
        sources: what the model was given.
        question: the question that is answered.
        own_words: the prompt's, without sources and question.
        model: the model, for messages.
        similarity: of two sentences in meaning; None if only words are compared.
    """

    def __init__(
        self,
        sources: Sequence[PromptSource],
        question: str,
        *,
        own_words: str,
        model: str,
        similarity: Similarity | None = None,
    ) -> None:
        self.text = ""
        """What came out, with markers."""
        self.cited = CitationList()
        self.has_declined = False
        """Whether a sentence said that the sources do not hold the answer, before any statement had support."""
        self._model = model
        source_text = "\n".join((*(f"{source.heading}\n{source.text}" for source in sources), question))
        self._guard = LeakGuard(own_words, model, but=source_text)
        self._scanner = MarkerScanner(len(sources), lambda address: _holds(source_text, address))
        self._stream = StatementStream()
        self._finder = SupportFinder(sources, question, similarity)
        self._statements: list[Statement] = []
        self._held: list[Piece] | None = []  # None once it is known that the reply is an answer
        self._beginning = ""
        self._has_text = False
        self._waiting: StatementEnd | None = None  # a short one, which is read with the next

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the reply states, in order: without headings, and without what it says about the sources."""
        return tuple(self._statements)

    @property
    def has_support(self) -> bool:
        """Whether a source supports any statement so far."""
        return bool(self.cited.citations)

    def feed(self, text: str) -> Iterator[Piece]:
        """Yield what may come out after more text.

        Raises:
            RepeatedPromptError: the reply repeats the prompt.
        """
        self._has_text = self._has_text or bool(text.strip())
        for item in self._scanner.feed(self._guard.feed(text)):
            yield from self._read(self._stream.feed(item))

    def end(self) -> Iterator[Piece]:
        """Yield the rest; of a reply that only declines, nothing.

        Raises:
            GenerationFailedError: the reply was empty. RepeatedPromptError: as for `feed`.
        """
        if not self._has_text:
            raise GenerationFailedError(f"The reply of {self._model} was empty. Ask again, or in other words.")
        for item in (*self._scanner.feed(self._guard.end()), *self._scanner.end()):
            yield from self._read(self._stream.feed(item))
        if fence := open_fence(self.text or self._beginning):
            yield from self._read(self._stream.feed(f"\n{fence}"))
        yield from self._read(self._stream.end())
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            yield from self._out(self._mark(waiting.text, self._finder.find(waiting.text, waiting.numbers)))
        if not self.has_declined:
            yield from self._let_out()

    def notes(self) -> Iterator[str]:
        """What the reader of an answer must know about it."""
        if self._scanner.dropped_links:
            yield _LINKS
        unsupported = sum(not statement.supported for statement in self._statements)
        if unsupported and self.text:
            yield _unsupported_note(unsupported)

    def _read(self, items: Iterator[str | StatementEnd]) -> Iterator[Piece]:
        for item in items:
            if isinstance(item, StatementEnd):
                yield from self._out(self._decide(item))
                if not self.has_declined:
                    yield from self._let_out()
            else:
                yield from self._out([item])

    def _out(self, pieces: Iterator[Piece] | list[Piece]) -> Iterator[Piece]:
        """Let pieces out, or hold them back while the reply may be a refusal."""
        for item in pieces:
            if self._held is not None:
                self._held.append(item)
                self._beginning += item if isinstance(item, str) else ""
            else:
                self.text += item if isinstance(item, str) else ""
                yield item
        if self._held is not None and not self.has_declined and not may_decline(self._beginning):
            yield from self._let_out()

    def _let_out(self) -> Iterator[Piece]:
        held_back, self._held = self._held or [], None
        for item in held_back:
            self.text += item if isinstance(item, str) else ""
            yield item

    def _decide(self, end: StatementEnd) -> Iterator[Piece]:
        """Judge a statement, and yield its markers."""
        if end.kind != "text":
            yield from self._decide_block(end)
        elif declines(end.text) and not self.has_support:
            self.has_declined = True
        elif is_heading(end.text) or declines(end.text) or (is_lead_in(end.text) and not find_values(end.text)):
            return
        elif _says_little(end.text):
            yield from self._decide_short(end)
        else:
            yield from self._decide_sentence(end)

    def _decide_sentence(self, end: StatementEnd) -> Iterator[Piece]:
        waiting, self._waiting = self._waiting, None
        numbers = (*end.numbers, *(waiting.numbers if waiting else ()))
        supports = self._finder.find(end.text, numbers)
        yield from self._mark(end.text, supports)
        if waiting is not None:
            statement = self._statements.pop()
            self._statements += [replace(statement, text=waiting.text), statement]

    def _decide_short(self, end: StatementEnd) -> Iterator[Piece]:
        """A short statement is judged with the one before it; without one, it waits for the next."""
        if not self._statements:
            first = self._waiting
            text = f"{first.text} {end.text}" if first else end.text
            self._waiting = StatementEnd(text, (*(first.numbers if first else ()), *end.numbers))
            return
        previous = self._statements[-1]
        if previous.supported and end.numbers:
            yield from self._mark(end.text, self._finder.find(f"{previous.text} {end.text}", end.numbers))
        else:
            self._statements.append(replace(previous, text=end.text))

    def _decide_block(self, end: StatementEnd) -> Iterator[Piece]:
        """Cite a block of code or a table behind it."""
        supports: list[Support] = []
        if end.kind == "code":
            supports += self._finder.find_code(end.text, end.numbers)
            is_supported = bool(supports)
        else:
            rows = [self._finder.find(row.replace("|", " "), end.numbers) for row in table_rows(end.text)]
            supports += [support for row in rows for support in row[:1]]
            is_supported = bool(rows) and all(rows)
        marks = list(self._mark(end.text, tuple(supports[:_MAX_BLOCK_CITATIONS]), gap="\n\n"))
        self._statements[-1] = replace(self._statements[-1], supported=is_supported)
        yield from marks

    def _mark(self, text: str, supports: tuple[Support, ...], *, gap: str = " ") -> Iterator[Piece]:
        """Yield the markers of a statement, and note it."""
        markers: list[str] = []
        for marker, citation in self.cited.cite(supports):
            yield marker if markers else f"{gap}{marker}"
            markers.append(marker)
            if citation is not None:
                yield citation
        self._statements.append(Statement(text=text, supported=bool(supports), markers=tuple(markers)))
        if supports:
            self.has_declined = False


def _holds(text: str, address: str) -> bool:
    """Whether a text has an address; `https://example.co` is not in `https://example.com`."""
    return re.search(rf"{re.escape(address)}(?![\w-]|\.\w)", text) is not None


def _says_little(text: str) -> bool:
    """Whether a statement has no word, number, name or code that a source could have by itself."""
    is_short = len(content_words(without_list_mark(text))) < _MAX_FEW_WORDS
    return is_short and not (find_values(text) or find_names(text) or find_code(text))


def _unsupported_note(count: int) -> str:
    if count == 1:
        return "One sentence of the answer has no support in the passages."
    return f"{count} sentences of the answer have no support in the passages."
