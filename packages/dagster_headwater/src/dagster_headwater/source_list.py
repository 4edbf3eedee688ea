"""The sources of a knowledge base as data: rows of a file that people or an asset of the project write.

Belongs here: what a source has, reading a file of them. Not here: what becomes of a source (`component`). Guarantee:
a row is checked as a source in `defs.yaml` is; the message names the file and the row.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from headwater.errors import InvalidConfigurationError

_MAX_FILE_BYTES = 10_000_000
_LISTS = ("deps", "tags")
"""Columns of a CSV file whose cells are lists, separated by semicolons."""
_PLAIN = ("slug", "kind", "category", "fresh_within_hours")


class SourceAttributes(dg.Model, dg.Resolvable):
    """Where documents come from."""

    slug: str = Field(description="Its name within the knowledge base.")
    kind: str = Field(description="The connector that reads it, such as folder, jsonl, website or github.")
    config: Mapping[str, Any] = Field(default={}, description="The fields of its kind; paths start at the project.")
    deps: Sequence[dg.ResolvedAssetKey] = Field(
        default=[], description="The assets of this project that write what it reads."
    )
    tags: Sequence[str] = Field(default=[], description="Tags that searches can filter by.")
    category: str = Field(default="", description="A category that searches can filter by.")
    fresh_within_hours: float | None = Field(
        default=None, description="Its documents fail their freshness policy after this time; else as for all sources."
    )

    @property
    def upstream(self) -> list[dg.AssetKey]:
        """The assets that it depends on: `deps`, and those that the config of a database names."""
        asset_keys = [dg.AssetKey.from_user_string(str(key)) for key in self.config.get("assets", ())]
        return list(dict.fromkeys([*self.deps, *asset_keys]))


class SourceList(dg.Model, dg.Resolvable):
    """A file of sources."""

    sources: Sequence[SourceAttributes] = Field(description="What the knowledge base reads.")


def read_sources(path: Path) -> list[SourceAttributes]:
    """The sources of a file: YAML or JSON with `sources` as in `defs.yaml`, or CSV with a source a row.

    A column of a CSV file that is no attribute of a source is a field of its `config`; an empty cell is left out.

    Args:
        path: the file.

    Raises:
        InvalidConfigurationError: the file cannot be read, or a row is no source.
    """
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise InvalidConfigurationError(f"sources_file {path} is larger than {_MAX_FILE_BYTES:,} bytes.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfigurationError(f"sources_file {path} cannot be read ({error}).") from error
    if path.suffix == ".csv":
        rows = list(csv.DictReader(text.splitlines()))
        return [_resolve(row, f"sources_file {path}, row {row_number}") for row_number, row in enumerate(rows, 1)]
    if path.suffix not in (".yaml", ".yml", ".json"):
        raise InvalidConfigurationError(f"sources_file {path} must end with .yaml, .json or .csv.")
    try:
        listed: SourceList = SourceList.resolve_from_yaml(text)
    except Exception as error:
        raise InvalidConfigurationError(f"sources_file {path} is no list of sources: {error}") from error
    return list(listed.sources)


def _from_row(row: Mapping[str | None, Any]) -> dict[str, Any]:
    source: dict[str, Any] = {"config": {}}
    for column, cell in row.items():
        if column is None or cell is None:
            raise ValueError("it has more or fewer cells than the first line")
        if not cell.strip():
            continue
        if column in _LISTS:
            source[column] = [value.strip() for value in cell.split(";") if value.strip()]
        elif column in _PLAIN:
            source[column] = cell.strip()
        else:
            source["config"][column] = cell.strip()
    return source


def _resolve(row: Mapping[str | None, Any], place: str) -> SourceAttributes:
    try:
        resolved: SourceAttributes = SourceAttributes.resolve_from_yaml(json.dumps(_from_row(row)))
    except Exception as error:
        raise InvalidConfigurationError(f"{place}: {error}") from error
    return resolved
