"""Writing a file for a person.

Belongs here: how it is written. Not here: what (`source_export`, `original_access`). Guarantee: a file that is there is
replaced when all is written, or stays as it was; a device or a pipe, such as /dev/null, is written to and never
replaced.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from headwater.errors import InvalidInputError


def write_file(path: Path, blocks: Iterable[bytes]) -> int:
    """Write a file that comes in blocks; returns its size in bytes.

    Raises:
        InvalidInputError: the file cannot be written.
    """
    size = 0
    temporary: Path | None = None
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as device:
                return sum(map(device.write, blocks))
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            for block in blocks:
                size += file.write(block)
        temporary.replace(path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written ({error.strerror}). Name another file.") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return size
