"""Reading a model's reply while it comes.

Belongs here: what of a reply comes out, when, and with which citations. Not here: single steps (`leaks`, `markers`,
`citing`), the model (`answerer`). Guarantee: a marker is followed by its citation where it first comes out; what comes
out does not depend on how the reply was cut into pieces.
"""

from collections.abc import Iterator

from headwater.answering.events import Delta
from headwater.answering.generative.citing import Citing
from headwater.answering.generative.leaks import LeakGuard
from headwater.answering.generative.markers import MarkerScanner, Marks
from headwater.answering.generative.refusals import begins_refusal, says_nothing
from headwater.domain.answers import Citation
from headwater.errors import GenerationFailedError
from headwater.retrieval.context import Context

_UNCITED = "The model named no passage; the citations are the passages that its words fit best."
_LINKS = "Links to addresses that no passage contains were left out; their texts are kept."


class ReplyReading:
    """A reply, piece by piece.

    Its first words are held back until they are known to be no refusal, words of the prompt and brackets until they are
    known to be harmless.

    Args:
        context: what the model was given.
        question: the question that is answered.
        own_words: the prompt's, without context and question.
        model: the model, for messages.
    """

    def __init__(self, context: Context, question: str, *, own_words: str, model: str) -> None:
        self.text = ""
        """What came out, without markers."""
        given = f"{context.text}\n{question}"
        self._model = model
        self._guard = LeakGuard(own_words, model, but=given)
        self._scanner = MarkerScanner(len(context.parts), lambda address: address in given)
        self._citing = Citing(context, question)
        self._beginning: str | None = ""  # None once it is known
        self._says_nothing = False
        self._is_uncited = False

    def feed(self, text: str) -> Iterator[Delta | Citation]:
        """Yield what may come out after more text."""
        if self._says_nothing:
            return
        if self._beginning is not None:
            self._beginning += text
            is_refusal = begins_refusal(self._beginning)
            if is_refusal is None:
                return
            text, self._beginning, self._says_nothing = self._beginning, None, is_refusal
        if not self._says_nothing:
            yield from self._out(self._scanner.feed(self._guard.feed(text)))

    def end(self) -> Iterator[Delta | Citation]:
        """Yield the rest, and citations if the model gave none.

        Raises:
            GenerationFailedError: the reply was empty.
        """
        if self._beginning is not None:
            if not self._beginning.strip():
                raise GenerationFailedError(f"The reply of {self._model} was empty. Ask again, or in other words.")
            text, self._beginning = self._beginning, None
            yield from self._out(self._scanner.feed(self._guard.feed(text)))
        yield from self._out(self._scanner.feed(self._guard.end()))
        yield from self._out(self._scanner.end())
        if not self._says_nothing and not self._citing.citations and not says_nothing(self.text):
            self._is_uncited = True
            yield from self._citing.support_all(self.text)

    @property
    def is_refusal(self) -> bool:
        """Whether no passage supports the reply, once it has ended."""
        return not self._citing.citations

    def notes(self) -> Iterator[str]:
        """What the reader of an answer must know about it."""
        if self._is_uncited:
            yield _UNCITED
        if self._scanner.dropped_links:
            yield _LINKS

    def _out(self, items: list[str | Marks]) -> Iterator[Delta | Citation]:
        for item in items:
            if isinstance(item, Marks):
                yield from self._citing.marks(item.numbers)
            else:
                self.text += item
                yield self._citing.text(item)
