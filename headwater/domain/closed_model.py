"""Models that refuse fields which they do not have, and say which one was perhaps meant.

Belongs here: the base of such models, and finding the nearest of some names. Not here: which fields there are.
Guarantee: pure; the error of an unknown field is in the place of that field.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

_ALIKE = 0.6  # of 1: what two names must share to be taken for one another


class ClosedModel(BaseModel):
    """Base of models without further fields."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def known_fields(cls) -> Iterable[str]:
        """The names that may have been meant by an unknown one."""
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
            raise ValidationError.from_exception_data(error.title, [_retold(item, cls) for item in items]) from None


def _is_unknown_here(item: ErrorDetails) -> bool:
    """Whether a field of this very model is unknown; a model within has told its own already."""
    return item["type"] == "extra_forbidden" and len(item["loc"]) == 1


def _retold(item: ErrorDetails, model: type[ClosedModel]) -> InitErrorDetails:
    """Pydantic's own error, with the nearest field if one is unknown."""
    message = item["msg"]
    if _is_unknown_here(item):
        message = f"there is no such field. {did_you_mean(str(item['loc'][0]), model.known_fields())}"
    told = PydanticCustomError(item["type"], message.replace("{", "{{").replace("}", "}}"))
    return {"type": told, "loc": item["loc"], "input": item["input"]}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest of the known words, or all of them if none is near."""
    words = sorted(set(known))
    near = nearest(word, words)
    if near:
        return f"Did you mean `{near}`?"
    return f"There are: {', '.join(words)}." if words else "There are none."


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like another, whatever the case; None when none is."""
    by_plain = {other.casefold(): other for other in known}
    found = get_close_matches(word.casefold(), by_plain, n=1, cutoff=_ALIKE)
    return by_plain[found[0]] if found else None
