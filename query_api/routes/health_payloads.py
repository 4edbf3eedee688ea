"""The shape of the API's health in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from pydantic import BaseModel


class ReadyPayload(BaseModel):
    """Whether the API can answer, and the state of each dependency."""

    status: str
    dependencies: dict[str, str]
