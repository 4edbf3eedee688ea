"""The shape of the API's health in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from pydantic import BaseModel


class ReadyPayload(BaseModel):
    """Whether the API can answer, and the state of each dependency.

    `status` is ok, degraded (a model cannot be used) or unavailable. A model is named by its setting and its name; its
    state is ok, or degraded with the reason.
    """

    status: str
    dependencies: dict[str, str]
