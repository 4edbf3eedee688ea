"""The manifest of a backup, which is checked before anything else in the file is used.

Belongs here: its fields, and naming the wrong one. Not here: the file (`cli.backup.archive`). Guarantee: a manifest
that passes has every field that a restore uses, of the right type; otherwise the message names the field.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from cli.backup.archive import MANIFEST
from headwater import __version__
from headwater.domain.wrong_fields import MISSING, wrong_fields
from headwater.errors import InvalidInputError
from headwater.store.server.dumps import BackupError
from headwater.store.server.migrations import migrations

FORMAT = 1
OURS, THEIRS, FOLDERS, ORIGINALS = "headwater.dump", "dagster.dump", "sources.tar.gz", "originals.tar"

Count = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
Word = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200)]
Time = Annotated[str, StringConstraints(strict=True, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$")]


class Part(BaseModel):
    """A member of the backup."""

    model_config = ConfigDict(frozen=True)

    bytes: Count
    sha256: Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-f]{64}$")]


class Parts(BaseModel):
    """All members of the backup."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ours: Part = Field(alias=OURS)
    theirs: Part = Field(alias=THEIRS)
    folders: Part = Field(alias=FOLDERS)
    originals: Part | None = Field(default=None, alias=ORIGINALS)  # backups before migration 0012 have none


class Counts(BaseModel):
    """The rows of each table of both databases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ours: dict[Word, Count] = Field(alias=OURS)
    theirs: dict[Word, Count] = Field(alias=THEIRS)


class Originals(BaseModel):
    """The originals of documents: how many the backup contains, or where they are instead."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: Count
    elsewhere: Annotated[str, StringConstraints(strict=True, min_length=1, max_length=2_000)] | None = None


class Manifest(BaseModel):
    """The description of a backup, written into it."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1]
    headwater: Word
    dagster: Word
    created_at: Time
    postgres: Annotated[int, Field(strict=True, ge=1, lt=1000)]
    migrations: list[Word]
    rows: Counts
    files: Count
    originals: Originals = Originals(files=0)
    members: Parts

    @model_validator(mode="after")
    def _has_its_originals(self) -> "Manifest":
        if "originals" in self.model_fields_set and self.members.originals is None:
            raise ValueError(f"it names originals but has no {ORIGINALS}")
        return self


def check_manifest(file: Path, document: Any) -> Manifest:
    """Return a backup's manifest.

    Raises:
        InvalidInputError: the backup comes from a newer Headwater, or a field is missing or wrong; the message names
            it.
    """
    values = document if isinstance(document, dict) else {}
    names = values.get("migrations")
    known_migrations = [path.stem for path in migrations()]
    newer = [str(name) for name in names if name not in known_migrations] if isinstance(names, list) else []
    format_number = values.get("format")
    if (newer and all(isinstance(name, str) for name in names or [])) or (
        type(format_number) is int and format_number > FORMAT
    ):
        raise InvalidInputError(
            f"{file} was made by Headwater {str(values.get('headwater'))[:40]}. This is {__version__}, which does"
            f" not know {', '.join(newer)[:200] or 'its format'}. Upgrade first."
        )
    try:
        return Manifest.model_validate(values if isinstance(document, dict) else document)
    except ValidationError as error:
        raise InvalidInputError(
            f"{file} is not a complete backup made by Headwater: in its {MANIFEST}, {_first(error)}. Nothing"
            " was restored. Use another backup, or create a new one."
        ) from error


def check_written(document: Any) -> None:
    """Check a manifest before it is written, as a restore will.

    Raises:
        BackupError: a restore would refuse it.
    """
    try:
        Manifest.model_validate(document)
    except ValidationError as error:
        raise BackupError(f"No backup was written: in its {MANIFEST}, {_first(error)}.") from error


def _first(error: ValidationError) -> str:
    """The first error and its field."""
    first = wrong_fields(error)[0]
    field = ".".join(map(str, first.location)) or "the whole"
    return f"`{field}` is missing" if first.kind == MISSING else f"`{field}` is wrong: {first.message.rstrip('.')}"
