"""The shape of places in originals.

Belongs here: the place of a citation, passage or chunk. Not here: places themselves (`headwater.domain.places`).
Guarantee: as in `payloads`.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.domain.place_links import link_to
from headwater.domain.places import PlaceKind, PlaceRange


class PlacePayload(BaseModel):
    """The first and last page, slide, cell, second, line or part in the original; `label` shows both: `p. 12–14`.

    `first` and `last` are numbers, cells such as `Prices!B14`, the name of a sheet, or what the address of a part ends
    with; they are equal if there is only one place. `address` is that of the original at the version that was read,
    such as a file's page at a commit; empty if there is none.
    """

    kind: PlaceKind
    first: int | str
    last: int | str
    label: str
    address: str = ""

    @property
    def range(self) -> PlaceRange:
        """It as the kernel's object."""
        return PlaceRange(kind=self.kind, first=self.first, last=self.last, address=self.address)

    @model_validator(mode="before")
    @classmethod
    def _add_label(cls, value: Any) -> Any:
        place = PlaceRange(**{**value, "kind": PlaceKind(value["kind"])}) if isinstance(value, Mapping) else value
        if not isinstance(place, PlaceRange):
            return value
        return {
            "kind": place.kind,
            "first": place.first,
            "last": place.last,
            "label": place.label,
            "address": place.address,
        }


def place_link(uri: str, place: PlacePayload | None) -> str | None:
    """The address that opens a document at a place; None if its URI is not an address."""
    return link_to(uri, place.range if place else None)


def original_url(version_id: UUID, place: PlacePayload | None) -> str:
    """The path in the API of a version's original, at a page if the place is one."""
    fragment = f"#page={place.first}" if place is not None and place.kind == PlaceKind.PAGE else ""
    return f"/api/v1/document-versions/{version_id}/original{fragment}"
