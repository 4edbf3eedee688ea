"""The shape of errors in the HTTP API and in `--json` (RFC 9457).

Belongs here: the response model. Not here: Flask. Guarantee: a field's name and meaning do not change within
`/api/v1`.
"""

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """An error (RFC 9457); `code` is stable, `errors` names wrong fields."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, Any]] = []
