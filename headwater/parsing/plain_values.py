"""Turning arbitrary metadata values into JSON values.

Belongs here: dates, sets and numbers that JSON does not have. Not here: reading any format.
Guarantee: the result can be written as JSON and stored, and is the same in every process.
"""

import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

_INTEGER_BITS = 4096  # Python refuses to write integers of more than about 4,300 digits


def plain_value(value: Any) -> Any:
    """Make a JSON value: dates become text, sets become sorted lists, any other unknown type becomes text too."""
    if isinstance(value, Mapping):
        return {str(plain_value(name)): plain_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, set | frozenset):  # their order differs from process to process
        return sorted((plain_value(item) for item in value), key=json.dumps)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
        return hex(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
