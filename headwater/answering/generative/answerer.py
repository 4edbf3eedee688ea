"""Answers by a chat model, from the passages alone.

Belongs here: from evidence to the events of an answer. Not here: the prompt (`prompting`), markers (`markers`),
citations (`citing`). Guarantee: every marker in an answer has a citation of a passage that the model was given; an
answer without one is a refusal; a reply that breaks off is an error.
"""

from collections.abc import Iterator
from contextlib import closing

from headwater.answering.comparing import compare
from headwater.answering.events import Delta, Done, Event
from headwater.answering.evidence import Evidence
from headwater.answering.generative.prompting import answer_prompt
from headwater.answering.generative.refusals import refusal
from headwater.answering.generative.reply import ReplyReading
from headwater.answering.overviews import Summarized
from headwater.prompts.prompt import fill
from headwater.answering.reading import ReadQuestion
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import GenerationFailedError
from headwater.models_gateway.chat import ChatModel, Ended, Message, Piece, ReplyStream
from headwater.retrieval.gathering import with_nearby
from headwater.store.store import Store


class GenerativeAnswerer:
    """Has a chat model write the answer.

    Args:
        store: the store of the passages' neighbours.
        model: writes the answer.
    """

    def __init__(self, store: Store, model: ChatModel) -> None:
        self.name = model.model
        self._store = store
        self._model = model
        self._request: ReplyStream | None = None
        self._is_cancelled = False

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:
        """Yield the answer while the model writes it.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer.
            GenerationFailedError: its reply broke off, was empty, or repeated the prompt.
        """
        settings, question = evidence.knowledge_base.settings, evidence.asked
        compared = compare(evidence, read)
        summarized = Summarized(evidence.summaries)
        context = summarized.context(with_nearby(self._store, evidence.passages), settings.context_tokens)
        prompt = answer_prompt(
            settings,
            question,
            context,
            word_limit=read.word_limit,
            compared=() if evidence.summaries else compared.groups,
            instructions=read.instructions,
        )
        reading = ReplyReading(context, question, own_words=fill("answer", settings).text, model=self.name)
        ended: Ended | None = None
        for item in self._reply(prompt.text, settings):
            if isinstance(item, Ended):
                ended = item
                yield item.usage
            else:
                yield from summarized.cited(reading.feed(item.text))
        if ended is None:
            raise GenerationFailedError(f"The reply of {self.name} ended before it was complete. Ask again.")
        yield from summarized.cited(reading.end())
        refused = refusal(evidence) if reading.is_refusal else None
        if refused and not reading.text:
            yield Delta(text=refused)
        yield Done(
            reason=evidence.refusal_reason if refused else None,
            text=refused if reading.text else None,
            notes=tuple(filter(None, [compared.note, *([] if refused else _notes(reading, ended, settings))])),
            model=ended.model if ended.model != self.name else None,
            prompt_version=prompt.version,
        )

    def cancel(self) -> None:
        """End the model's request; another thread that waits for it stops waiting."""
        self._is_cancelled = True
        if self._request is not None:
            self._request.close()

    def _reply(self, prompt: str, settings: KnowledgeBaseSettings) -> Iterator[Piece | Ended]:
        """The model's reply; the request ends when nobody reads it any more."""
        message = Message(role="user", content=prompt)
        request = self._model.stream([message], max_tokens=settings.answer_tokens, temperature=settings.temperature)
        with closing(request):
            self._request = request
            if not self._is_cancelled:
                yield from request


def _notes(reading: ReplyReading, ended: Ended, settings: KnowledgeBaseSettings) -> Iterator[str]:
    if ended.is_cut:
        yield f"The answer reached its limit of {settings.answer_tokens:,} tokens (answer_tokens) and breaks off."
    yield from reading.notes()
