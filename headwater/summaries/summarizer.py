"""Making a summary that a tree needs, by a model or in the words of the texts.

Belongs here: the recipe of a knowledge base, the prompt, reading the reply. Not here: the words of a summary without a
model (`extractive`), what is summarised (`tree`), looking up, paying and storing
(`headwater.models_gateway.result_cache`). Guarantee: a reply of no use is replaced by sentences of the texts, so that
one text keeps no tree from growing; a reply is stored as words alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater.chunking.sentences import sentence_spans
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.summaries import PaidSummary
from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.generation.plain_words import without_links
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_chat_model
from headwater.models_gateway.result_cache import ResultCache
from headwater.prompts.prompt import data_blocks, fill, prompt_version, without_marks
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text
from headwater.summaries import extractive
from headwater.summaries.tree import Recipe, Summarize, Wanted

_EXTRACTIVE_VERSION = "extractive-7"
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
        piece_min=chosen.piece_max // 4,
        piece_max=chosen.piece_max,
        summary_max=chosen.summary_max,
        summary_tokens=chosen.summary_tokens,
    )


def load_maker(recipe: Recipe, chosen: KnowledgeBaseSettings, settings: Settings) -> Make:
    """What makes summaries by a recipe.

    Raises:
        UnknownModelError: there is no such model.
    """
    if recipe.model == EXTRACTIVE:
        return lambda item: _quote_texts(item, recipe)
    chat = load_chat_model([recipe.model], settings, is_for_sync=True)
    return lambda item: _ask_model(chat, item, recipe, chosen)


def estimate_usage(wanted: Wanted, recipe: Recipe, chosen: KnowledgeBaseSettings) -> Usage:
    """The most tokens that a call of the recipe's model takes, by the estimate; its cost is not known here."""
    if recipe.model == EXTRACTIVE:
        return Usage()
    prompt_tokens = estimate_tokens(_prompt(wanted, recipe, chosen))
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=_reply_tokens(recipe), cost=None)


def texts_by(payer: ResultCache[Wanted, str]) -> Summarize:
    """How a tree gets the texts of its summaries, in order; raises what the payer does."""

    def texts(wanted: Sequence[Wanted]) -> list[str]:
        texts_by_key = payer({item.key: item for item in wanted})
        return [texts_by_key[item.key] for item in wanted]

    return texts


def _quote_texts(wanted: Wanted, recipe: Recipe) -> PaidSummary:
    """A summary in the words of the texts."""
    text = extractive.summarize(wanted, tokens=recipe.summary_tokens, language=wanted.language)
    return PaidSummary(key=wanted.key, value=clean_text(text))


def _prompt(wanted: Wanted, recipe: Recipe, settings: KnowledgeBaseSettings) -> str:
    labels = {f"text-{place}": text for place, text in enumerate(wanted.texts, start=1)}
    blocks = data_blocks({"title": wanted.title, **({"before": wanted.before} if wanted.before else {}), **labels})
    return fill(
        "summary",
        settings,
        title=f"They are from:\n\n{blocks['title']}",
        before=f"This came before, and needs no summary:\n\n{blocks['before']}" if wanted.before else "",
        texts="\n\n".join(blocks[label] for label in labels),
        length=str(int(recipe.summary_tokens * _WORDS)),
    ).text


def _reply_tokens(recipe: Recipe) -> int:
    """The most tokens of a reply."""
    return int(recipe.summary_tokens * _SPARE)


def _ask_model(chat: ChatModel, wanted: Wanted, recipe: Recipe, settings: KnowledgeBaseSettings) -> PaidSummary:
    message = Message(role="user", content=_prompt(wanted, recipe, settings))
    try:
        reply = chat.complete([message], max_tokens=_reply_tokens(recipe))
    except GenerationFailedError as error:  # such as a reply that the server withheld
        return replace(_quote_texts(wanted, recipe), usage=Usage.of_failure(error), is_dropped=True)
    words = without_links(without_marks(clean_text(reply.text)))
    text = complete(" ".join(words.split()), is_cut=reply.ended.is_cut)
    if not text:
        return replace(_quote_texts(wanted, recipe), usage=reply.ended.usage, is_dropped=True)
    return PaidSummary(key=wanted.key, value=text, usage=reply.ended.usage)


def complete(text: str, *, is_cut: bool) -> str:
    """A reply without the sentence that its limit cut; all of it if it is a single one."""
    spans = sentence_spans(text) if is_cut else []
    return text[: spans[-2][1]].strip() if len(spans) > 1 else text
