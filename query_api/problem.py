"""What the HTTP API returns, and the command line prints with `--json`, about errors (RFC 9457).

Belongs here: response models and how they are made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """What went wrong (RFC 9457); `code` is stable, `errors` names wrong fields."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, Any]] = []
