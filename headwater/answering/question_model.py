"""Reading a question with a knowledge base's cheap model (RET-3, RET-4).

Belongs here: the one call, the check of its reply, and what it costs. Not here: the rules (`headwater.understanding`),
searching. Guarantee: the model is called at most once for a question; a reply is text to search for and to show, never
an instruction; a part of it that does not fit the question is left out.
"""

from collections.abc import Callable, Sequence
from itertools import product, starmap
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from headwater.domain.answers import Turn
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.usage import Usage
from headwater.generation.plain_words import leads_elsewhere
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.model_failures import MODEL_ERRORS
from headwater.prompts.echo import repeats
from headwater.prompts.prompt import Prompt, data_blocks, fill
from headwater.store.server.json_values import clean_text
from headwater.understanding.concepts import Concepts
from headwater.understanding.intents import Intent
from headwater.understanding.question import Understanding
from headwater.understanding.sub_questions import MAX_PARTS, find_parts
from headwater.understanding.words import content_words, is_misspelt, stem, words

REPLY_TOKENS = 500
_TURNS, _TURN = 6, 600  # turns of a conversation that the model gets, and characters of each text in them
_SEARCH_TEXT, _SEARCH = 500, 200  # characters


_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4_000)]


def _is_about(text: str, said: str) -> bool:
    """Whether a text shares a word with what was said, or corrects one."""
    text_words, said_words = words(text), words(said)
    return (
        not said_words
        or bool({*map(stem, text_words)} & {*map(stem, said_words)})
        or any(starmap(is_misspelt, product(text_words, said_words)))
    )


def _filter_intent(intent: object) -> object:
    """A kind of answer, or None: small talk is told by rules alone, so that an order cannot have a question refused."""
    name = str(intent).strip().casefold().replace("_", "-").replace(" ", "-")
    return name if name in {*Intent} - {Intent.CHIT_CHAT} else None


class QuestionReply(BaseModel):
    """How a question was read."""

    title: _Text = ""
    description: _Text = ""
    intent: Annotated[Intent | None, BeforeValidator(_filter_intent)] = None
    search_text: _Text = ""
    searches: list[_Text] = Field(default=[], max_length=20)


class QuestionModel:
    """A cheap model as a concept model; `reply` is None until it has been asked, and if it failed.

    `note` says why it failed, for the answer's reader; `usage` is what the call cost.
    """

    def __init__(
        self,
        chat: ChatModel,
        settings: KnowledgeBaseSettings,
        question: str,
        history: Sequence[Turn],
        closing: Cancellation | None = None,
    ) -> None:
        self.name = chat.model
        self.reply: QuestionReply | None = None
        self.note = ""
        self.usage = Usage()
        self._chat = chat
        self._settings = settings
        self._question = question
        self._history = history[-_TURNS:]
        self._closing = closing
        self._is_asked = False

    def rewrite(self) -> str:
        """The question so that it can be understood without its conversation; empty if the model failed.

        A reply that lacks most of the question's own words is none: small models repeat an earlier question.
        """
        self._ask(self._follow_up_prompt)
        text = self.reply.search_text if self.reply else ""
        question_words, text_words = content_words(self._question), content_words(text)
        return text if 2 * len(question_words & text_words) >= len(question_words) else ""

    def find_concepts(self, understanding: Understanding) -> Concepts:
        """The intent and the texts to search for; by rules, with a note, if the model fails."""
        self._ask(self._question_prompt)
        if self.reply is None:
            return Concepts(intent=understanding.intent, concepts=find_parts(understanding))
        seen_texts = {understanding.question.casefold()}
        texts = [self.reply.search_text, *self.reply.searches]
        concepts = dict.fromkeys(text for text in texts if text and text.casefold() not in seen_texts)
        intent = self.reply.intent or understanding.intent
        return Concepts(intent=intent, concepts=tuple(concepts)[:MAX_PARTS])

    def _ask(self, prompt: Callable[[], Prompt]) -> None:
        if self._is_asked:
            return
        self._is_asked = True
        text = prompt().text
        try:
            reply, self.usage = self._chat.complete_as(
                [Message(role="user", content=text)], QuestionReply, max_tokens=REPLY_TOKENS, closing=self._closing
            )
        except MODEL_ERRORS as error:
            self.note = f"The question was read by rules, without the model {self.name}: {error}"
            return
        self.reply = self._check_reply(reply, text)

    def _check_reply(self, reply: QuestionReply, prompt: str) -> QuestionReply:
        """The reply with only what fits the question: each text shares a word with it, and repeats no prompt."""
        talk = " ".join((self._question, *(f"{turn.question[:_TURN]} {turn.answer[:_TURN]}" for turn in self._history)))

        def fits(text: str, limit: int = _SEARCH_TEXT) -> str:
            plain = " ".join(clean_text(text).split())
            is_plain = 0 < len(plain) <= limit and not leads_elsewhere(plain)
            return plain if is_plain and _is_about(plain, talk) and not repeats(plain, prompt, but=talk) else ""

        return QuestionReply(
            title=fits(reply.title),
            description=fits(reply.description),
            intent=reply.intent,
            search_text=fits(reply.search_text),
            searches=[text for search_text in reply.searches if (text := fits(search_text, _SEARCH))],
        )

    def _question_prompt(self) -> Prompt:
        return fill("question", self._settings, **data_blocks({"question": self._question}))

    def _follow_up_prompt(self) -> Prompt:
        texts = {"question": self._question}
        for position, turn in enumerate(self._history, start=1):
            texts[f"turn-{position}-question"] = turn.question[:_TURN]
            if turn.answer:
                texts[f"turn-{position}-answer"] = turn.answer[:_TURN]
        blocks = data_blocks(texts)
        question = blocks.pop("question")
        return fill("follow_up", self._settings, question=question, conversation="\n\n".join(blocks.values()))
