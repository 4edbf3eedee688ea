"""What the HTTP API returns, and the command line prints with `--json`, about the health of the API.

Belongs here: response models and how they are made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from pydantic import BaseModel


class ReadyPayload(BaseModel):
    """Whether the API can answer, and what each dependency says."""

    status: str
    dependencies: dict[str, str]
