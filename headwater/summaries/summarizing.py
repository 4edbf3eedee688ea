"""Making the summaries that a tree needs: looking up, paying, storing.

Belongs here: which summaries exist, calls of the model beside each other, counts. Not here: the words of a summary
without a model (`extractive`), what is summarised (`tree`). Guarantee: a summary that was paid for is stored before
more are asked for, so a crash pays for at most `_TOGETHER` again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from headwater.answering.prompts.loading import data_blocks, fill, prompt_version
from headwater.chunking.sentences import sentence_spans
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.summaries import PaidSummary
from headwater.errors import GenerationFailedError
from headwater.models_gateway.chat import ChatModel, Message
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_chat_model
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text
from headwater.summaries import extractive
from headwater.summaries.tree import Recipe, Wanted

_TOGETHER = 8
"""Calls beside each other; the model's own bounds may allow fewer."""
_EXTRACTIVE_VERSION = "extractive-1"
_WORDS = 0.7  # words of a summary for each token that it may have
_SPARE = 1.5  # tokens of a reply for each token of the summary: a model that is told a length is not exact

Make = Callable[[Wanted], PaidSummary]
"""Makes one summary."""


def recipe_of(chosen: KnowledgeBaseSettings, model: str) -> Recipe:
    """How a knowledge base's settings have summaries made by a model."""
    version = _EXTRACTIVE_VERSION if model == EXTRACTIVE else prompt_version("summary", chosen)
    return Recipe(
        model=model,
        prompt_version=version,
        piece_min=chosen.piece_min,
        piece_max=chosen.piece_max,
        piece_overlap=chosen.piece_overlap,
        summary_max=chosen.summary_max,
        summary_tokens=chosen.summary_tokens,
    )


def load_maker(recipe: Recipe, chosen: KnowledgeBaseSettings, settings: Settings) -> Make:
    """What makes summaries by a recipe.

    Raises:
        UnknownModelError: there is no such model.
    """
    if recipe.model == EXTRACTIVE:
        return lambda wanted: _quoted(wanted, recipe)
    chat = load_chat_model([recipe.model], settings, is_for_sync=True)
    return lambda wanted: _asked(chat, wanted, recipe, chosen)


@dataclass(kw_only=True, slots=True)
class Summarizer:
    """Looks summaries up, and makes those that do not exist; `made` and `reused` count them."""

    make: Make
    known: Callable[[Sequence[bytes]], dict[bytes, str]]
    """Returns the texts of those that are stored."""
    store: Callable[[Sequence[PaidSummary]], None]
    made: int = 0
    reused: int = 0

    def __call__(self, wanted: Sequence[Wanted]) -> list[str]:
        """The texts of summaries, in order.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer; what it had made is stored.
        """
        texts = self.known(list({one.key for one in wanted}))
        missing = list({one.key: one for one in wanted if one.key not in texts}.values())
        self.reused += len(texts)
        with ThreadPoolExecutor(_TOGETHER, "summaries") as pool:
            for start in range(0, len(missing), _TOGETHER):
                done = self._made(pool, missing[start : start + _TOGETHER])
                texts |= {one.key: one.text for one in done}
        return [texts[one.key] for one in wanted]

    def _made(self, pool: ThreadPoolExecutor, wanted: Sequence[Wanted]) -> list[PaidSummary]:
        """Make some beside each other, and store all that succeed, even if one fails."""
        futures = [pool.submit(self.make, one) for one in wanted]
        errors = [error for error in (future.exception() for future in futures) if error is not None]
        done = [future.result() for future in futures if future.exception() is None]
        self.store(done)
        self.made += len(done)
        if errors:
            raise errors[0]
        return done


def _quoted(wanted: Wanted, recipe: Recipe) -> PaidSummary:
    """A summary in the words of the texts."""
    text = extractive.summarize(wanted, tokens=recipe.summary_tokens, language=wanted.language)
    return PaidSummary(key=wanted.key, text=clean_text(text))


def _asked(chat: ChatModel, wanted: Wanted, recipe: Recipe, chosen: KnowledgeBaseSettings) -> PaidSummary:
    labels = {f"text-{place}": text for place, text in enumerate(wanted.texts, start=1)}
    blocks = data_blocks({"title": wanted.title, **({"before": wanted.before} if wanted.before else {}), **labels})
    prompt = fill(
        "summary",
        chosen,
        title=f"They are from:\n\n{blocks['title']}",
        before=f"This came before, and needs no summary:\n\n{blocks['before']}" if wanted.before else "",
        texts="\n\n".join(blocks[label] for label in labels),
        length=str(int(recipe.summary_tokens * _WORDS)),
    )
    message = Message(role="user", content=prompt.text)
    try:
        reply = chat.complete([message], max_tokens=int(recipe.summary_tokens * _SPARE))
    except GenerationFailedError:  # such as one that the server withheld; the tree must not wait for it for ever
        return _quoted(wanted, recipe)
    text = _complete(" ".join(clean_text(reply.text).split()), is_cut=reply.ended.is_cut)
    made = PaidSummary(key=wanted.key, text=text) if text else _quoted(wanted, recipe)
    return replace(made, usage=reply.ended.usage)


def _complete(text: str, *, is_cut: bool) -> str:
    """A reply without the sentence that its limit cut; all of it if it is a single one."""
    spans = sentence_spans(text) if is_cut else []
    return text[: spans[-2][1]].strip() if len(spans) > 1 else text
