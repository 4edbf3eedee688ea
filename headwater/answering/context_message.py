"""A question with the passages that may answer it, as a message to any chat model (API-4).

Belongs here: the text of the message, the proposed system message, the budget of both. Not here: finding the passages
(`question_context`), answers (`generative_answerer`). Guarantee: pure; by `estimate_tokens`, both messages together
never exceed `max_tokens`; text of documents stands only in blocks of data, as in the prompts of answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.search import Passage
from headwater.errors import InvalidInputError
from headwater.lexical.token_estimate import estimate_tokens
from headwater.prompts.prompt import data_blocks, own_words
from headwater.retrieval.context import Context, assemble

_NOTHING = Context(text="", parts=(), token_count=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextMessage:
    """The message and the proposed system message; `token_count` is the estimate for both."""

    content: str
    system: str
    context: Context
    token_count: int


def augment(
    question: str, buckets: Sequence[Sequence[Passage]], *, context_tokens: int, max_tokens: int | None = None
) -> ContextMessage:
    """Put passages before a question, as many as the budget allows.

    Args:
        question: as it was asked; it stays as it is, after the passages.
        buckets: the passages, as for `assemble`.
        context_tokens: the budget of the passages, unless `max_tokens` is given.
        max_tokens: the most tokens of both messages together.

    Raises:
        InvalidInputError: both messages take more than `max_tokens` without any passage.
    """
    if max_tokens is None:
        return _augment(question, assemble(buckets, context_tokens))
    alone = _augment(question, _NOTHING)
    if alone.token_count > max_tokens:
        raise InvalidInputError(
            f"max_tokens is {max_tokens}, but the question and the proposed system message alone take about "
            f"{alone.token_count} tokens. Raise max_tokens, or shorten the question."
        )
    budget = max_tokens - alone.token_count
    while budget > 0:  # the lines around each passage are not in the budget of `assemble`, and seals differ in length
        message = _augment(question, assemble(buckets, budget))
        excess = message.token_count - max_tokens
        if excess <= 0:
            return message
        budget -= excess
    return alone


def _passage_texts(context: Context) -> dict[str, str]:
    """The text of each part of a context with its heading, by the label of its block."""
    return {f"passage-{passage.number}": f"{passage.heading}\n{passage.text}" for passage in context.parts}


def _augment(question: str, context: Context) -> ContextMessage:
    blocks = data_blocks({**_passage_texts(context), "question": question})
    del blocks["question"]  # it counts for the seal of the others
    content, system = "\n\n".join([*blocks.values(), question]), own_words("context")
    count = estimate_tokens(content) + estimate_tokens(system)
    return ContextMessage(content=content, system=system, context=context, token_count=count)
