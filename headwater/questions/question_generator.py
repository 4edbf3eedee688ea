"""Making the questions of a text, by rules or by a model.

Belongs here: the recipe of a knowledge base, the prompt, reading the reply. Not here: the rules (`question_rules`),
which documents are asked about (`headwater.syncing`), looking up, paying and storing
(`headwater.models_gateway.result_cache`). Guarantee: a reply of no use gives no questions, so that one text keeps no
source from being synced.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from pydantic import BaseModel, Field

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.questions import PaidQuestions
from headwater.domain.usage import Usage
from headwater.errors import GenerationFailedError
from headwater.generation.plain_words import leads_elsewhere
from headwater.identity import content_hash
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import RULES, load_chat_model
from headwater.prompts.prompt import data_blocks, fill, prompt_version
from headwater.questions.question_rules import HeadingPart, ask_by_rules
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text
from headwater.understanding.same_question import plain_question

TEXT = 12_000
"""Characters of a document that a model reads if it has no summary."""
_RULES_VERSION = "rules-1"
_PER_TOKENS = 10_000  # tokens of a document for which it may have so many questions
_MAX_FACTOR = 10  # how often at most
_REPLY_TOKENS = 60  # for each question
_SHORTEST, _LONGEST = 8, 200  # characters of a question
_ENDS = ("?", "？", "؟", ";")  # the last one is the Greek question mark


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How questions are made."""

    model: str
    prompt_version: str
    per_document: int

    @property
    def hash(self) -> bytes:
        """What identifies the recipe: with another one, everything is looked at again."""
        return content_hash(asdict(self))


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What questions are made of: rules read the parts, a model the text. Without a document it is a whole source."""

    document_id: UUID | None
    title: str
    text: str
    parts: Sequence[HeadingPart] = ()
    language: str = ""

    def key(self, recipe: Recipe) -> bytes:
        """The key of its questions: equal keys, equal questions."""
        content = [[list(heading_part.breadcrumb), heading_part.text] for heading_part in self.parts]
        return content_hash("questions", recipe.model, recipe.prompt_version, recipe.per_document, self.title,
                            self.language, self.text, content)  # fmt: skip


Make = Callable[[Subject], PaidQuestions]
"""Makes the questions of one subject."""


class WrittenQuestions(BaseModel):
    """The reply of a model."""

    questions: list[str] = Field(max_length=50)


def recipe_of(chosen: KnowledgeBaseSettings, model: str) -> Recipe:
    """How a knowledge base's settings have questions made by a model."""
    version = _RULES_VERSION if model == RULES else prompt_version("questions", chosen)
    return Recipe(model=model, prompt_version=version, per_document=chosen.questions_per_document)


def load_maker(recipe: Recipe, chosen: KnowledgeBaseSettings, settings: Settings) -> Make:
    """What makes questions by a recipe.

    Raises:
        UnknownModelError: there is no such model.
    """
    if recipe.model == RULES:
        return lambda subject: _make_by_rules(subject, recipe)
    chat = load_chat_model([recipe.model], settings, is_for_sync=True)
    return lambda subject: _ask_model(chat, subject, recipe, chosen)


def estimate_usage(subject: Subject, recipe: Recipe, chosen: KnowledgeBaseSettings) -> Usage:
    """The most tokens that a call of the recipe's model takes, by the estimate; its cost is not known here."""
    if recipe.model == RULES:
        return Usage()
    prompt_tokens = estimate_tokens(_prompt(subject, recipe, chosen))
    return Usage(prompt_tokens=prompt_tokens, completion_tokens=_reply_tokens(recipe), cost=None)


def _make_by_rules(subject: Subject, recipe: Recipe) -> PaidQuestions:
    """By rules; a long document has more questions than a short one."""
    tokens = sum(estimate_tokens(heading_part.text) for heading_part in subject.parts)
    most = recipe.per_document * min(_MAX_FACTOR, 1 + tokens // _PER_TOKENS)
    ruled = ask_by_rules(subject.title, subject.parts, subject.language, most=most)
    return PaidQuestions(
        key=subject.key(recipe), value=[clean_text(ruled_question.question) for ruled_question in ruled]
    )


def _prompt(subject: Subject, recipe: Recipe, settings: KnowledgeBaseSettings) -> str:
    block = data_blocks({"text": f"{subject.title}\n\n{subject.text}"})["text"]
    return fill("questions", settings, text=block, count=str(recipe.per_document)).text


def _reply_tokens(recipe: Recipe) -> int:
    """The most tokens of a reply."""
    return _REPLY_TOKENS * (recipe.per_document + 1)


def _ask_model(chat: ChatModel, subject: Subject, recipe: Recipe, settings: KnowledgeBaseSettings) -> PaidQuestions:
    """By a model; if it writes something else, the questions are none."""
    key, message = subject.key(recipe), Message(role="user", content=_prompt(subject, recipe, settings))
    try:
        tokens = _reply_tokens(recipe)
        reply, usage = chat.complete_as([message], WrittenQuestions, max_tokens=tokens, is_awaited=False)
    except GenerationFailedError as error:
        return PaidQuestions(key=key, value=(), usage=Usage.of_failure(error), is_dropped=True)
    distinct: dict[str, str] = {}
    for question in filter(None, map(_clean, reply.questions)):
        distinct.setdefault(plain_question(question), question)
    questions = list(distinct.values())[: recipe.per_document]
    return PaidQuestions(key=key, value=questions, usage=usage, is_dropped=bool(reply.questions) and not questions)


def _clean(question: str) -> str:
    """A question in one line; empty if it is none."""
    text = " ".join(clean_text(question).split())
    is_question = _SHORTEST <= len(text) <= _LONGEST and text.endswith(_ENDS) and not leads_elsewhere(text)
    return text if is_question else ""
