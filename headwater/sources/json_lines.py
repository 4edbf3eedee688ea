"""Files with a JSON value per line.

Belongs here: splitting such a file into lines, and reading each. Not here: what the values mean (`jsonl_documents`,
`github`). Guarantee: whatever a line holds, it costs only itself; a line that is too long is not held in memory.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from headwater.errors import DocumentError

LINE_LIMIT = 20_000_000
"""Bytes of a line."""
_DIGITS = 1_000
_MARK = b"\xef\xbb\xbf"


def json_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers, from 1; one that is too long is cut."""
    for line_number, raw in enumerate(_lines(file), start=1):
        line = raw.removeprefix(_MARK) if line_number == 1 else raw
        if line.strip():
            yield line_number, line


def json_object(line: bytes) -> dict[str, Any]:
    """Read a line.

    Raises:
        DocumentError: it is not a JSON object in UTF-8, is nested too deeply, or is too long.
    """
    if len(line) > LINE_LIMIT:
        raise DocumentError(f"longer than {LINE_LIMIT // 1_000_000} MB")
    try:
        values = _load_json(line.decode())
    except json.JSONDecodeError as error:
        raise DocumentError(f"the line is not JSON: {error.msg} at column {error.colno}") from None
    except UnicodeDecodeError:
        raise DocumentError("not UTF-8") from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    if not isinstance(values, dict):
        raise DocumentError("a line must be a JSON object")
    return values


def _load_json(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number with more digits than Python reads stays a text
        return json.loads(line, parse_int=_integer)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LINE_LIMIT + 1):
        yield line
        while len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            line = file.readline(LINE_LIMIT + 1)
