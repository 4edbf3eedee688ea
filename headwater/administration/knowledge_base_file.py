"""A knowledge base in one YAML file (KB-4).

Belongs here: reading the file, and reporting errors with file, line and field. Not here: writing to the store
(`knowledge_base_changes`). Guarantee: a file with an error changes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, Field, ValidationError
from yaml.nodes import MappingNode, Node, SequenceNode

from headwater.administration.knowledge_bases import MODEL_CHECKS
from headwater.domain.closed_model import ClosedModel
from headwater.domain.corpus import Slug
from headwater.domain.knowledge_base_settings import REMOVED, KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.domain.widgets import WidgetSettings
from headwater.domain.wrong_fields import path_of, wrong_fields
from headwater.errors import HeadwaterError, InvalidConfigurationError
from headwater.parsing.yaml_text import compose_yaml, load_yaml, yaml_problem
from headwater.sources.connector import check_config, locate_config


class _KnowledgeBaseSection(ClosedModel):
    slug: Slug
    name: str | None = None
    description: str = ""
    settings: KnowledgeBaseSettings = KnowledgeBaseSettings()


class _SourceSection(SourceSettings):
    model_config = ConfigDict(extra="allow")

    slug: Slug
    kind: str


class _WidgetSection(WidgetSettings):
    slug: Slug


class _File(ClosedModel):
    knowledge_base: _KnowledgeBaseSection
    sources: list[_SourceSection] = Field(default=[])
    widgets: list[_WidgetSection] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceSpec:
    """A source as the file describes it."""

    slug: str
    kind: str
    config: Mapping[str, Any]
    settings: SourceSettings = field(default_factory=SourceSettings)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeBaseSpec:
    """A knowledge base as the file describes it."""

    slug: str
    name: str
    description: str
    settings: KnowledgeBaseSettings
    sources: tuple[SourceSpec, ...]
    widgets: Mapping[str, WidgetSettings] | None = None
    """The settings of its widgets by slug; None if the file says nothing about widgets."""
    notes: tuple[str, ...] = ()
    """What in the file has no effect."""


def read_file(path: Path) -> KnowledgeBaseSpec:
    """Read a knowledge base file.

    Relative paths of sources start at the file's folder.

    Raises:
        InvalidConfigurationError: the file is missing or not YAML, or a field is wrong; the message names file, line
        and field.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidConfigurationError(f"{path}: cannot be read: {reason}.") from error
    try:
        tree, values = compose_yaml(text), load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InvalidConfigurationError(f"{place}: not YAML: {yaml_problem(error)}") from error
    try:
        parsed = _File.model_validate(values)
    except ValidationError as error:
        first = wrong_fields(error)[0]
        raise _wrong(path, tree, first.place, first.message) from error
    return replace(_spec(path, tree, parsed), notes=tuple(_notes(path, tree, values)))


def _spec(path: Path, tree: Node | None, parsed: _File) -> KnowledgeBaseSpec:
    section = parsed.knowledge_base
    for name, check in MODEL_CHECKS.items():
        try:
            check(getattr(section.settings, name))
        except HeadwaterError as error:
            raise _wrong(path, tree, ("knowledge_base", "settings", name), str(error)) from error
    sources: dict[str, SourceSpec] = {}
    for index, source in enumerate(parsed.sources):
        if source.slug in sources:
            raise _wrong(path, tree, ("sources", index, "slug"), f"{source.slug} is used twice")
        sources[source.slug] = _source(path, tree, index, source)
    return KnowledgeBaseSpec(
        slug=section.slug,
        name=section.name or section.slug,
        description=section.description,
        settings=section.settings,
        sources=tuple(sources.values()),
        widgets=None if parsed.widgets is None else _widgets(path, tree, parsed.widgets),
    )


def _notes(path: Path, tree: Node | None, values: Mapping[str, Any]) -> Iterator[str]:
    """The settings of a valid file that earlier releases had."""
    settings = values["knowledge_base"].get("settings") or {}
    for name in (name for name in REMOVED if name in settings):
        line = _line(tree, ("knowledge_base", "settings", name))
        yield f"{path}:{line}: the setting {name} has no effect any more. Remove it."


def _widgets(path: Path, tree: Node | None, sections: list[_WidgetSection]) -> dict[str, WidgetSettings]:
    widgets: dict[str, WidgetSettings] = {}
    for index, section in enumerate(sections):
        if section.slug in widgets:
            raise _wrong(path, tree, ("widgets", index, "slug"), f"{section.slug} is used twice")
        widgets[section.slug] = WidgetSettings.model_validate(section.model_dump(exclude={"slug"}))
    return widgets


def _source(path: Path, tree: Node | None, number: int, source: _SourceSection) -> SourceSpec:
    located = locate_config(source.kind, source.model_extra or {}, path.resolve().parent)
    try:
        config = check_config(source.kind, located)
    except InvalidConfigurationError as error:
        field, colon, reason = str(error).partition(": ")
        field_path = (field,) if colon else ()  # a missing field is named by the message alone
        raise _wrong(path, tree, ("sources", number, *field_path), reason or field) from error
    settings = SourceSettings(**source.model_dump(include=set(SourceSettings.model_fields)))
    return SourceSpec(slug=source.slug, kind=source.kind, config=config, settings=settings)


def _wrong(path: Path, tree: Node | None, location: tuple[int | str, ...], reason: str) -> InvalidConfigurationError:
    field = path_of(location) or "file"
    return InvalidConfigurationError(f"{path}:{_line(tree, location)}: {field}: {reason}")


def _line(node: Node | None, location: tuple[int | str, ...]) -> int:
    """The line (1-based) of a field, or of the nearest enclosing field that exists."""
    line = 1 if node is None else node.start_mark.line + 1
    for step in location:
        child: Node | None = None
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if key.value == str(step):
                    child, line = value, key.start_mark.line + 1
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            child = node.value[step]
            line = child.start_mark.line + 1
        if child is None:
            break
        node = child
    return line
