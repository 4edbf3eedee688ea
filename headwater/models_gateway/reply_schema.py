"""Replies in the shape of a pydantic model.

Belongs here: asking for a shape in words, and reading a reply that may be fenced or have words around it. Not here:
sending (`remote_chat`). Guarantee: pure; a reply is either valid or the error says what is wrong.
"""

import json
import re

from pydantic import BaseModel, ValidationError

from headwater.models_gateway.chat_model import Message, Shape

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_SHOWN = 5  # mistakes that the model is told
_REPEATED = 4000  # characters of a wrong reply that the model is shown again


class WrongShapeError(ValueError):
    """A reply does not have the shape; the message says where."""


def instructions(shape: type[BaseModel]) -> Message:
    """Ask for the shape in words: also for servers that cannot enforce it."""
    schema = json.dumps(shape.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    return Message(
        role="system", content=f"Reply with one JSON object of this JSON schema, and nothing else:\n{schema}"
    )


def correction(text: str, wrong: WrongShapeError) -> list[Message]:
    """The reply that was wrong, and what was wrong with it."""
    reply = Message(role="assistant", content=text[:_REPEATED])
    return [
        reply,
        Message(role="user", content=f"That is not valid: {wrong} Reply with the corrected JSON object only."),
    ]


def parse(text: str, shape: type[Shape]) -> Shape:
    """Read a reply.

    Raises:
        WrongShapeError: it is not JSON, or not of the shape.
    """
    try:
        return shape.model_validate(_object(text))
    except ValidationError as error:
        mistakes = error.errors(include_url=False, include_context=False, include_input=False)[:_SHOWN]
        told = "; ".join(f"{'.'.join(map(str, item['loc'])) or 'the object'}: {item['msg']}" for item in mistakes)
        raise WrongShapeError(f"{told}.") from None


def _object(text: str) -> object:
    """The first JSON object: the whole reply, in a fence, or between other words."""
    fenced = _FENCE.search(text)
    candidate = (fenced.group(1) if fenced else text).strip()
    start = candidate.find("{")
    if start < 0:
        raise WrongShapeError("it has no JSON object.")
    try:
        value: object = json.JSONDecoder().raw_decode(candidate, start)[0]
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError, too
        raise WrongShapeError(f"it is not JSON ({error}).") from None
    return value
