"""Reading a question (ANS-1).

Belongs here: the title, the intent, the text to search for, and the length that an answer should have. Not here: the
words of titles (`headwater.understanding.titles`), a model's call (`question_model`), searching. Guarantee: without a
model, or when it fails, rules give every field.

A model is asked once at most. It is asked before the search if the question cannot be understood without its
conversation, otherwise during the search, and only if that is not sure of its result; so `finish_reading` adds what the
model said after the search.
"""

from dataclasses import dataclass, field, replace
from uuid import UUID

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.question_model import QuestionModel
from headwater.domain.usage import Usage
from headwater.errors import UnknownModelError
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.settings import Settings
from headwater.understanding.concepts import ConceptModel
from headwater.understanding.follow_ups import TurnKind, TurnReading, needs_conversation, read_turn
from headwater.understanding.intents import Intent
from headwater.understanding.question import Understanding, understand
from headwater.understanding.sub_questions import RuleConcepts
from headwater.understanding.titles import (
    DESCRIPTION_LEAST,
    DESCRIPTION_LIMIT,
    TITLE_LIMIT,
    description_of,
    slug_of_question,
    title_of,
    truncate,
)

_WORDS = {
    Intent.HOW_TO: 200,
    Intent.DEFINITION: 80,
    Intent.TROUBLESHOOTING: 200,
    Intent.COMPARISON: 250,
    Intent.LIST: 150,
    Intent.YES_NO: 80,
    Intent.LOOKUP: 100,
    Intent.CHIT_CHAT: 30,
}
_COMPLEX = 1.5
"""The factor for the length of an answer to a complex question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadQuestion:
    """What is known about a question.

    `search_text` is the question so that it can be understood without the conversation. `title` is the corrected
    question, at most 60 characters; `slug` at most 50; `description` 100 to 150. `word_limit` is the length that an
    answer should have; `instructions` are the caller's wishes about its form. `usage` is what reading has cost so far;
    `notes` are for the answer's reader. `concepts` finds what else to search for.

    Of a turn that follows others, `unsaid` are the words of `search_text` that were taken from them, and `spoken_of`
    the documents that the last answer cites. `alone` is the same turn read without the others, if words cannot tell
    which is meant.
    """

    search_text: str
    title: str
    slug: str
    description: str
    intent: Intent
    word_limit: int
    instructions: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    concepts: ConceptModel = field(default_factory=RuleConcepts, compare=False)
    unsaid: str = ""
    spoken_of: tuple[UUID, ...] = ()
    alone: "ReadQuestion | None" = None

    @property
    def is_small_talk(self) -> bool:
        """Whether there is nothing to search for."""
        return self.intent is Intent.CHIT_CHAT


def read_question(settings: Settings, request: AnswerRequest, closing: Cancellation | None = None) -> ReadQuestion:
    """Read a question before it is searched for; a model is asked only about a follow-up.

    Args:
        settings: says where models are.
        request: the question, with its conversation.
        closing: ends the calls of the model.
    """
    turn = read_turn(request.question, request.history)
    read = _of_turn(request, turn)
    model, note = _load(settings, request, closing)
    notes = (note,) if note else ()
    if model is None:
        return replace(read, notes=notes)
    if request.history and not read.is_small_talk and _may_follow(turn, request.question) and (text := model.rewrite()):
        read = replace(_by_rules(request, text), spoken_of=read.spoken_of)
    return finish_reading(replace(read, concepts=model, notes=notes))


def finish_reading(read: ReadQuestion) -> ReadQuestion:
    """Add what the model said while it was asked for concepts; without it, what the rules say stays."""
    model = read.concepts
    if not isinstance(model, QuestionModel):
        return read
    notes = tuple(dict.fromkeys((*read.notes, *filter(None, [model.note]))))
    reply = model.reply
    if reply is None:
        return replace(read, usage=model.usage, notes=notes)
    intent = reply.intent or read.intent
    is_long = len(reply.description) >= DESCRIPTION_LEAST
    return replace(
        read,
        title=truncate(reply.title, TITLE_LIMIT) or read.title,
        description=truncate(reply.description, DESCRIPTION_LIMIT, least=DESCRIPTION_LEAST)
        if is_long
        else read.description,
        intent=intent,
        word_limit=_word_limit(understand(read.search_text), intent),
        usage=model.usage,
        notes=notes,
    )


def _of_turn(request: AnswerRequest, turn: TurnReading) -> ReadQuestion:
    """A turn as rules read it, with its other reading if there is one."""
    read = _by_rules(request, turn.text)
    if turn.kind is TurnKind.ALONE:
        return read
    spoken_of = next((former.documents for former in reversed(request.history) if former.documents), ())
    alone = _by_rules(request, turn.own) if turn.kind is TurnKind.OPEN else None
    return replace(read, unsaid=turn.unsaid, spoken_of=spoken_of, alone=alone)


def _by_rules(request: AnswerRequest, text: str) -> ReadQuestion:
    understanding = understand(text)
    is_empty = not any(letter.isalnum() for letter in text)
    intent = Intent.CHIT_CHAT if is_empty else understanding.intent
    title = title_of(text)
    return ReadQuestion(
        search_text=text,
        title=title,
        slug=slug_of_question(text),
        description=description_of(text, title, intent),
        intent=intent,
        word_limit=_word_limit(understanding, intent),
        instructions=request.instructions,
    )


def _may_follow(turn: TurnReading, question: str) -> bool:
    """Whether a model is asked about a turn; in languages other than English the rules miss many that follow."""
    is_foreign = turn.kind is TurnKind.OPEN and understand(question).language not in ("en", "")
    return turn.kind is not TurnKind.ALONE and (is_foreign or needs_conversation(question))


def _word_limit(understanding: Understanding, intent: Intent) -> int:
    return int(_WORDS[intent] * (_COMPLEX if understanding.is_complex else 1))


def _load(settings: Settings, request: AnswerRequest, closing: Cancellation | None) -> tuple[QuestionModel | None, str]:
    """The knowledge base's cheap model; None without one, or, with a note, if its name is wrong."""
    knowledge_base_settings = request.knowledge_base.settings
    if knowledge_base_settings.cheap_model is None:
        return None, ""
    try:
        chat = load_chat_model([knowledge_base_settings.cheap_model], settings)
    except UnknownModelError as error:
        return None, f"The question was read by rules: {error}"
    return QuestionModel(chat, knowledge_base_settings, request.question, request.history, closing), ""
