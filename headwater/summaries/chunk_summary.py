"""The summary of a chunk: one sentence (SUM-4).

Belongs here: its key, its prompt, reading the reply. Not here: which chunks lack one
(`headwater.store.content.chunk_summaries`), looking up, paying and storing (`headwater.models_gateway.result_cache`).
Guarantee: the key depends on the text of the chunk and on how summaries are made, so the same text is never paid for
twice, wherever it stands; a summary is one sentence in one line, or empty.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from headwater.answering.answer_summaries import plain_text
from headwater.chunking.sentences import sentence_spans
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.summaries import PaidSummary
from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.generation.plain_words import without_links
from headwater.identity import content_hash
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_chat_model
from headwater.prompts.prompt import data_blocks, fill, prompt_version, without_marks
from headwater.settings import Settings
from headwater.store.content.chunk_summaries import ChunkText
from headwater.store.server.json_values import clean_text
from headwater.summaries.central import central_sentence

_EXTRACTIVE_VERSION = "extractive-sentence-2"
_TOKENS = 80  # of a sentence that is quoted: a longer one is mostly a list
_REPLY_TOKENS = 120
_MAX_REPLY_CHARS = 600  # characters of a reply: a longer one is no single sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class SentenceRecipe:
    """How the summaries of chunks are made."""

    model: str
    prompt_version: str

    @property
    def hash(self) -> bytes:
        """What identifies the recipe: with another one, everything is looked at again."""
        return content_hash("chunk summaries", asdict(self))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A summary that a chunk needs: its key, and the text that it summarises."""

    key: bytes
    text: str
    language: str

    @classmethod
    def of(cls, chunk: ChunkText, recipe: SentenceRecipe) -> "Sentence":
        """The summary of a chunk by a recipe."""
        key = content_hash("chunk summary", recipe.model, recipe.prompt_version, chunk.text)
        return cls(key=key, text=chunk.text, language=chunk.language)


def sentence_recipe(chosen: KnowledgeBaseSettings) -> SentenceRecipe | None:
    """How a knowledge base's settings have its chunks summarised; None if they do not."""
    model = chosen.summary_model
    if model is None or not chosen.chunk_summaries:
        return None
    version = _EXTRACTIVE_VERSION if model == EXTRACTIVE else prompt_version("sentence", chosen)
    return SentenceRecipe(model=model, prompt_version=version)


def load_maker(
    recipe: SentenceRecipe, chosen: KnowledgeBaseSettings, settings: Settings
) -> Callable[[Sentence], PaidSummary]:
    """What makes the summary of a chunk.

    Raises:
        UnknownModelError: there is no such model.
    """
    if recipe.model == EXTRACTIVE:
        return _quote_sentence
    chat = load_chat_model([recipe.model], settings, is_for_sync=True)
    return lambda sentence: _ask_model(chat, sentence, chosen)


def estimate_usage(wanted: Sentence, recipe: SentenceRecipe, chosen: KnowledgeBaseSettings) -> Usage:
    """The most tokens that a call of the recipe's model takes, by the estimate; its cost is not known here."""
    if recipe.model == EXTRACTIVE:
        return Usage()
    prompt_tokens = estimate_tokens(_prompt(wanted, chosen))
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=_REPLY_TOKENS, cost=None)


def _prompt(wanted: Sentence, settings: KnowledgeBaseSettings) -> str:
    return fill("sentence", settings, text=data_blocks({"text": wanted.text})["text"]).text


def _quote_sentence(wanted: Sentence) -> PaidSummary:
    text = central_sentence(wanted.text, tokens=_TOKENS, language=wanted.language)
    return PaidSummary(key=wanted.key, value=clean_text(plain_text(text)))


def _ask_model(chat: ChatModel, wanted: Sentence, settings: KnowledgeBaseSettings) -> PaidSummary:
    """By a model; a reply of no use is replaced by a sentence of the chunk."""
    message = Message(role="user", content=_prompt(wanted, settings))
    try:
        reply = chat.complete([message], max_tokens=_REPLY_TOKENS)
    except GenerationFailedError as error:  # such as a reply that the server withheld
        usage, text = Usage.of_failure(error), ""
    else:
        usage = reply.ended.usage
        text = _first_sentence(without_links(without_marks(clean_text(reply.text))), is_cut=reply.ended.is_cut)
    quoted = "" if text else _quote_sentence(wanted).value
    return PaidSummary(key=wanted.key, value=text or quoted, usage=usage, is_dropped=not text)


def _first_sentence(reply: str, *, is_cut: bool) -> str:
    """The first sentence of a reply in one line; empty if there is none, or if the limit cut it."""
    text = " ".join(reply.split())
    spans = sentence_spans(text)
    if not spans or (is_cut and len(spans) == 1):
        return ""
    start, end = spans[0]
    sentence = text[start:end].strip()
    return sentence if len(sentence) <= _MAX_REPLY_CHARS and any(sign.isalpha() for sign in sentence) else ""
