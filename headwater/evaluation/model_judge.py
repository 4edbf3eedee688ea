"""Judging an answer with a chat model.

Belongs here: one call for each answer, and reading its verdicts. Not here: the rules that judge without a model
(`rule_judge`), the words of the prompt (`headwater.prompts`). Guarantee: the model sees claims, cited text and the
expected answer as data; a claim or citation on which it says nothing counts as wrong.
"""

from pydantic import BaseModel, Field

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import GenerationFailedError
from headwater.evaluation.claims import GivenAnswer
from headwater.evaluation.verdicts import Verdicts
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.prompts.prompt import data_blocks, fill, prompt_version
from headwater.settings import Settings

_TEXT = 4_000  # characters of each cited text that the model gets
_REPLY_TOKENS = 200, 30  # at first, and for each claim and citation
_UNKNOWN = "(not known)"


class ClaimVerdict(BaseModel):
    """Whether the passages that a claim names support it."""

    claim: int
    supported: bool


class PassageVerdict(BaseModel):
    """Whether a passage states a part of the answer to the question."""

    passage: int
    right: bool


class JudgeReply(BaseModel):
    """The verdicts on one answer."""

    claims: list[ClaimVerdict] = Field(max_length=1_000)
    passages: list[PassageVerdict] = Field(max_length=1_000)
    relevant: bool


class Judge:
    """Judges answers with the judge model of a knowledge base, or else its cheap model."""

    def __init__(self, chat: ChatModel, chosen: KnowledgeBaseSettings) -> None:
        self.model = chat.model
        self.prompt = prompt_version("judge", chosen)
        self._chat = chat
        self._settings = chosen

    def decide(self, given: GivenAnswer) -> Verdicts | None:
        """Decide on every claim and citation of an answer, and on the whole of it; None if the reply has no use.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer.
        """
        first, per_claim = _REPLY_TOKENS
        tokens = first + per_claim * (len(given.claims) + len(given.citations))
        try:
            reply, _ = self._chat.complete_as(
                [Message(role="user", content=self._fill_prompt(given))],
                JudgeReply,
                max_tokens=tokens,
                is_awaited=False,
            )
        except GenerationFailedError:
            return None
        supported = {claim.claim: claim.supported for claim in reply.claims}
        right = {passage.passage: passage.right for passage in reply.passages}
        return Verdicts(
            claims=tuple(supported.get(place, False) for place in range(1, len(given.claims) + 1)),
            citations=tuple(right.get(place, False) for place in range(1, len(given.citations) + 1)),
            is_relevant=reply.relevant,
        )

    def _fill_prompt(self, given: GivenAnswer) -> str:
        numbers = {citation.marker: place for place, citation in enumerate(given.citations, start=1)}
        texts = {
            f"passage-{place}": f"{citation.heading}\n{citation.text[:_TEXT]}"
            for place, citation in enumerate(given.citations, start=1)
        }
        claims = {
            f"claim-{place}": f"{claim.text}\nIt names: {_format_markers(claim.markers, numbers)}"
            for place, claim in enumerate(given.claims, start=1)
        }
        question_texts = {"question": given.golden.question, "expected": given.golden.answer or _UNKNOWN}
        blocks = data_blocks({**question_texts, **texts, **claims})
        return fill(
            "judge",
            self._settings,
            question=blocks["question"],
            expected=blocks["expected"],
            context="\n\n".join(blocks[name] for name in texts),
            claims="\n\n".join(blocks[name] for name in claims),
        ).text


def load_judge(settings: Settings, chosen: KnowledgeBaseSettings) -> Judge | None:
    """Load the judge of a knowledge base; None if it names neither a judge model nor a cheap model.

    Raises:
        UnknownModelError: there is no such model.
    """
    model = chosen.judge_model or chosen.cheap_model
    return None if model is None else Judge(load_chat_model([model], settings), chosen)


def _format_markers(markers: tuple[str, ...], numbers: dict[str, int]) -> str:
    places = [numbers[marker] for marker in markers if marker in numbers]
    return ", ".join(f"passage-{place}" for place in places) or "no passage"
