"""Making the summaries that a tree needs: looking up, paying, storing.

Belongs here: which summaries exist, calls of the model beside each other, counts. Not here: the words of a summary
without a model (`extractive`), what is summarised (`tree`). Guarantee: a summary that was paid for is stored before
more are asked for, so a crash pays for at most `_TOGETHER` again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from headwater.answering.prompts.loading import data_blocks, fill, prompt_version, without_marks
from headwater.chunking.sentences import sentence_spans
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.summaries import PaidSummary
from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat import ChatModel, Message
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_chat_model
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text
from headwater.summaries import extractive
from headwater.summaries.budget import Budget
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


def expected_usage(wanted: Wanted, recipe: Recipe, chosen: KnowledgeBaseSettings) -> Usage:
    """The most tokens that a call of the recipe's model takes, by the estimate; its cost is not known here."""
    if recipe.model == EXTRACTIVE:
        return Usage()
    prompt_tokens = estimate_tokens(_prompt(wanted, recipe, chosen))
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=_reply_tokens(recipe), cost=None)


@dataclass(kw_only=True, slots=True)
class Summarizer:
    """Looks summaries up, and makes those that do not exist; `made` and `reused` count them, `usage` sums up the cost.

    `budget` bounds the calls.
    """

    make: Make
    known: Callable[[Sequence[bytes]], dict[bytes, str]]
    """Returns the texts of those that are stored."""
    store: Callable[[Sequence[PaidSummary]], None]
    budget: Budget
    made: int = 0
    reused: int = 0
    usage: Usage = field(default_factory=Usage)

    def __call__(self, wanted: Sequence[Wanted]) -> list[str]:
        """The texts of summaries, in order.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer; what it had made is stored.
            BudgetReachedError: the budget is spent; what was made is stored.
        """
        texts = self.known(list({one.key for one in wanted}))
        missing = list({one.key: one for one in wanted if one.key not in texts}.values())
        self.reused += len(texts)
        with ThreadPoolExecutor(_TOGETHER, "summaries") as pool:
            while missing:
                next_ones = missing[: self.budget.affordable(missing[:_TOGETHER])]
                texts |= {one.key: one.text for one in self._made(pool, next_ones)}
                del missing[: len(next_ones)]
        return [texts[one.key] for one in wanted]

    def _made(self, pool: ThreadPoolExecutor, wanted: Sequence[Wanted]) -> list[PaidSummary]:
        """Make some beside each other, and store all that succeed, even if one fails."""
        futures = [pool.submit(self.make, one) for one in wanted]
        errors = [error for error in (future.exception() for future in futures) if error is not None]
        done = [future.result() for future in futures if future.exception() is None]
        self.store(done)
        self.made += len(done)
        for one in done:
            self.usage += one.usage
            self.budget.note(one.usage)
        if errors:
            raise errors[0]
        return done


def _quoted(wanted: Wanted, recipe: Recipe) -> PaidSummary:
    """A summary in the words of the texts."""
    text = extractive.summarize(wanted, tokens=recipe.summary_tokens, language=wanted.language)
    return PaidSummary(key=wanted.key, text=clean_text(text))


def _prompt(wanted: Wanted, recipe: Recipe, chosen: KnowledgeBaseSettings) -> str:
    labels = {f"text-{place}": text for place, text in enumerate(wanted.texts, start=1)}
    blocks = data_blocks({"title": wanted.title, **({"before": wanted.before} if wanted.before else {}), **labels})
    return fill(
        "summary",
        chosen,
        title=f"They are from:\n\n{blocks['title']}",
        before=f"This came before, and needs no summary:\n\n{blocks['before']}" if wanted.before else "",
        texts="\n\n".join(blocks[label] for label in labels),
        length=str(int(recipe.summary_tokens * _WORDS)),
    ).text


def _reply_tokens(recipe: Recipe) -> int:
    """The most tokens of a reply."""
    return int(recipe.summary_tokens * _SPARE)


def _asked(chat: ChatModel, wanted: Wanted, recipe: Recipe, chosen: KnowledgeBaseSettings) -> PaidSummary:
    message = Message(role="user", content=_prompt(wanted, recipe, chosen))
    try:
        reply = chat.complete([message], max_tokens=_reply_tokens(recipe))
    except GenerationFailedError:  # such as one that the server withheld; the tree must not wait for it for ever
        return _quoted(wanted, recipe)
    text = _complete(" ".join(without_marks(clean_text(reply.text)).split()), is_cut=reply.ended.is_cut)
    made = PaidSummary(key=wanted.key, text=text) if text else _quoted(wanted, recipe)
    return replace(made, usage=reply.ended.usage)


def _complete(text: str, *, is_cut: bool) -> str:
    """A reply without the sentence that its limit cut; all of it if it is a single one."""
    spans = sentence_spans(text) if is_cut else []
    return text[: spans[-2][1]].strip() if len(spans) > 1 else text
