"""Making questions: looking up, asking rules or a model, storing.

Belongs here: which questions exist already, calls of the model beside each other, counts. Not here: the rules
(`rules`), which documents are asked about (`headwater.syncing`). Guarantee: questions that were paid for are stored
before more are asked for, so a crash pays for at most `TOGETHER` texts again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from uuid import UUID

from pydantic import BaseModel, Field

from headwater.answering.prompts.loading import data_blocks, fill, prompt_version
from headwater.answering.same_question import plain_question
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.questions import PaidQuestions
from headwater.errors import GenerationFailedError
from headwater.identity import content_hash
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat import ChatModel, Message
from headwater.models_gateway.chat_registry import RULES, load_chat_model
from headwater.questions.rules import Part, ask_by_rules
from headwater.settings import Settings
from headwater.store.server.json_values import clean_text

TOGETHER = 8
"""Calls beside each other; the model's own bounds may allow fewer."""
TEXT = 12_000
"""Characters of a document that a model reads if it has no summary."""
_RULES_VERSION = "rules-1"
_PER_TOKENS = 10_000  # tokens of a document for which it may have so many questions
_MOST_TIMES = 10  # how often at most
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
    parts: Sequence[Part] = ()
    language: str = ""

    def key(self, recipe: Recipe) -> bytes:
        """The key of its questions: equal keys, equal questions."""
        parts = [[list(part.breadcrumb), part.text] for part in self.parts]
        return content_hash("questions", recipe.model, recipe.prompt_version, recipe.per_document, self.title,
                            self.language, self.text, parts)  # fmt: skip


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
        return lambda subject: _ruled(subject, recipe)
    chat = load_chat_model([recipe.model], settings, is_for_sync=True)
    return lambda subject: _asked(chat, subject, recipe, chosen)


@dataclass(kw_only=True, slots=True)
class QuestionMaker:
    """Looks questions up, and makes those that do not exist; `made` and `reused` count the texts."""

    recipe: Recipe
    make: Make
    known: Callable[[Sequence[bytes]], dict[bytes, list[str]]]
    """Returns the questions that are stored, by key."""
    store: Callable[[Sequence[PaidQuestions]], None]
    made: int = 0
    reused: int = 0

    def __call__(self, subjects: Sequence[Subject]) -> list[tuple[bytes, list[str]]]:
        """The questions of each subject, with their key.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer; what it had made is stored.
        """
        keys = [subject.key(self.recipe) for subject in subjects]
        found = self.known(list(set(keys)))
        missing = {key: subject for key, subject in zip(keys, subjects, strict=True) if key not in found}
        self.reused += len(found)
        with ThreadPoolExecutor(TOGETHER, "questions") as pool:
            waiting = list(missing.values())
            for start in range(0, len(waiting), TOGETHER):
                done = self._made(pool, waiting[start : start + TOGETHER])
                found |= {one.key: list(one.questions) for one in done}
        return [(key, found[key]) for key in keys]

    def _made(self, pool: ThreadPoolExecutor, subjects: Sequence[Subject]) -> list[PaidQuestions]:
        """Make some beside each other, and store all that succeed, even if one fails."""
        futures = [pool.submit(self.make, subject) for subject in subjects]
        errors = [error for error in (future.exception() for future in futures) if error is not None]
        done = [future.result() for future in futures if future.exception() is None]
        self.store(done)
        self.made += len(done)
        if errors:
            raise errors[0]
        return done


def _ruled(subject: Subject, recipe: Recipe) -> PaidQuestions:
    """By rules; a long document has more questions than a short one."""
    tokens = sum(estimate_tokens(part.text) for part in subject.parts)
    most = recipe.per_document * min(_MOST_TIMES, 1 + tokens // _PER_TOKENS)
    asked = ask_by_rules(subject.title, subject.parts, subject.language, most=most)
    return PaidQuestions(key=subject.key(recipe), questions=[clean_text(one.question) for one in asked])


def _asked(chat: ChatModel, subject: Subject, recipe: Recipe, chosen: KnowledgeBaseSettings) -> PaidQuestions:
    """By a model; a reply without use gives no questions, so that one text keeps no source from being synced."""
    block = data_blocks({"text": f"{subject.title}\n\n{subject.text}"})["text"]
    prompt = fill("questions", chosen, text=block, count=str(recipe.per_document))
    message = Message(role="user", content=prompt.text)
    try:
        reply, usage = chat.structured(
            [message], WrittenQuestions, max_tokens=_REPLY_TOKENS * (recipe.per_document + 1)
        )
    except GenerationFailedError:
        return PaidQuestions(key=subject.key(recipe), questions=())
    distinct: dict[str, str] = {}
    for question in filter(None, map(_cleaned, reply.questions)):
        distinct.setdefault(plain_question(question), question)
    kept = list(distinct.values())[: recipe.per_document]
    return PaidQuestions(key=subject.key(recipe), questions=kept, usage=usage)


def _cleaned(question: str) -> str:
    """A question in one line; empty if it is none."""
    text = " ".join(clean_text(question).split())
    return text if _SHORTEST <= len(text) <= _LONGEST and text.endswith(_ENDS) else ""
