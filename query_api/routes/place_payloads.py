"""Shape of where in its original something stands.

Belongs here: the place of a citation, passage or chunk. Not here: what places are (`headwater.domain.places`).
Guarantee: as in `payloads`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, model_validator

from headwater.domain.places import PlaceKind, PlaceRange, link_to


class PlacePayload(BaseModel):
    """From which page, slide, sheet, second or line of the original to which; `label` shows both: `p. 12–14`.

    `first` and `last` are numbers, but a sheet's name; they are equal where there is one place only.
    """

    kind: PlaceKind
    first: int | str
    last: int | str
    label: str

    @model_validator(mode="before")
    @classmethod
    def _labelled(cls, value: Any) -> Any:
        place = PlaceRange(**{**value, "kind": PlaceKind(value["kind"])}) if isinstance(value, Mapping) else value
        return {**asdict(place), "label": place.label} if isinstance(place, PlaceRange) else value


def place_link(uri: str, place: PlacePayload | None) -> str | None:
    """Where people open a document at a place; None when its URI is no address."""
    return link_to(uri, PlaceRange(kind=place.kind, first=place.first, last=place.last) if place else None)
