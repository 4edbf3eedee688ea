"""Models that refuse unknown fields, and suggest the field that was probably meant.

Belongs here: the base of such models, and finding the most similar of some names. Not here: the fields.
Guarantee: pure; the error of an unknown field has the location of that field.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from headwater.domain.plurals import MAX_LISTED, join_names
from headwater.domain.wrong_fields import UNKNOWN, message_of

_ALIKE = 0.6  # how similar two names must be, of 1, to suggest one for the other
_MAX_ADVISED = 10  # unknown fields of one model that are compared with the known ones
_MAX_COMPARED = 1000  # names; comparing more would take too long


class ClosedModel(BaseModel):
    """Base of models that refuse unknown fields."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def list_fields(cls) -> Iterable[str]:
        """The names that an error may suggest instead of an unknown one."""
        return cls.model_fields

    @model_validator(mode="wrap")
    @classmethod
    def _name_the_nearest(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            items = error.errors(include_url=False)
            if not any(map(_is_unknown_here, items)):
                raise
            raise ValidationError.from_exception_data(error.title, list(_all_retold(items, cls))) from None


def _is_unknown_here(item: ErrorDetails) -> bool:
    """Whether a field of this very model is unknown; a nested model has reported its own already."""
    return item["type"] == UNKNOWN and len(item["loc"]) == 1


def _all_retold(items: Iterable[ErrorDetails], model: type[ClosedModel]) -> Iterator[InitErrorDetails]:
    """Every error; only the first unknown fields get advice, because a body may have a hundred thousand."""
    field_names, advice_left = sorted(model.list_fields()), _MAX_ADVISED
    for item in items:
        message = message_of(item)
        if _is_unknown_here(item):
            word = str(item["loc"][0])
            advice = f" {did_you_mean(word, field_names, most=len(field_names))}" if advice_left > 0 else ""
            message, advice_left = f"there is no such field.{advice}", advice_left - 1
        yield _retold(item, message)


def _retold(item: ErrorDetails, message: str) -> InitErrorDetails:
    """Pydantic's own error with another message; without a context, pydantic shows it as it is, braces included."""
    told = PydanticCustomError(item["type"], message)
    return {"type": told, "loc": item["loc"], "input": item["input"]}


def did_you_mean(word: str, known: Iterable[str], *, most: int = MAX_LISTED) -> str:
    """A sentence that suggests the most similar known word, or the first `most` of them if none is similar."""
    words = set(known)
    suggestion = nearest(word, words)
    if suggestion:
        return f"Did you mean `{suggestion}`?"
    return f"There are: {join_names(words, most=most)}." if words else "There are none."


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most similar, ignoring case; None if no word is similar enough, or there are too many."""
    by_plain = {candidate.casefold(): candidate for candidate in sorted(known)}
    if len(by_plain) > _MAX_COMPARED:
        return by_plain.get(word.casefold())
    matches = get_close_matches(word.casefold(), by_plain, n=1, cutoff=_ALIKE)
    return by_plain[matches[0]] if matches else None
