"""The front matter of a markdown or HTML file.

Belongs here: finding front matter, reading it value by value. Not here: YAML (`headwater.parsing.yaml_text`), the
meaning of values (the parsers). Guarantee: only unreadable values are lost, and they are reported; the text below stays
complete.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from headwater.parsing.plain_values import plain_value
from headwater.parsing.yaml_text import load_yaml, load_yaml_mapping, yaml_problem

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_LIMIT = 65_536  # characters
_ENTRY = re.compile(r"^(?![ \t#\n]|- )[^\n:]++:(?=[ \t\n])", re.MULTILINE)
_MAX_ENTRIES = 300  # entries that are tried one by one
_NOTES = 5
_KEPT = "The rest of the document was read."


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values by name, JSON values only; the text below; what could not be read."""

    values: Mapping[str, Any]
    body: str
    notes: tuple[str, ...] = field(default=())

    def read_text(self, *names: str) -> str:
        """The first of the named values that is a text; empty if none is."""
        texts = (value.strip() for name in names if isinstance(value := self.values.get(name), str))
        return next(filter(None, texts), "")


def split_front_matter(text: str) -> FrontMatter:
    """Separate front matter from a text."""
    match = _FRONT_MATTER.match(text)
    if not match or len(match.group(0)) > _LIMIT:
        return FrontMatter({}, text)
    content, body = match.group(1) or "", text[match.end() :]
    try:
        values, problems = load_yaml_mapping(content)
    except yaml.YAMLError as error:
        values, problems = _by_entries(content, yaml_problem(error))
    if not isinstance(values, dict):  # two thematic breaks with text between them
        return FrontMatter({}, text if values is not None else body)
    plain: dict[str, Any] = {}
    for name, value in values.items():
        try:
            plain[str(plain_value(name))] = plain_value(value)
        except (RecursionError, ValueError, OverflowError):
            problems.append(f"{str(plain_value(name))[:50]}: its value cannot be stored")
    return FrontMatter(plain, body, _notes(problems))


def _by_entries(content: str, reason: str) -> tuple[dict[Any, Any], list[str]]:
    """Read the entries one by one if YAML refuses the whole, so that only the bad one is lost."""
    starts = [match.start() for match in _ENTRY.finditer(content)]
    values: dict[Any, Any] = {}
    problems: list[str] = []
    if not starts or len(starts) > _MAX_ENTRIES:
        return {}, [reason]
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        entry = content[start:end]
        try:
            entry_values = load_yaml(entry)
        except yaml.YAMLError as error:
            problems.append(f"{entry.split(':', 1)[0][:50]}: {_first_line(yaml_problem(error))}")
            continue
        if isinstance(entry_values, dict):
            values |= entry_values
    return values, problems


def _notes(problems: list[str]) -> tuple[str, ...]:
    notes = [
        f"A part of the front matter was left out, because it is not YAML: {_first_line(problem)}. {_KEPT}"
        for problem in problems[:_NOTES]
    ]
    remaining = len(problems) - _NOTES
    return (*notes, f"{remaining} more values of the front matter were left out.") if remaining > 0 else tuple(notes)


def _first_line(text: str) -> str:
    return " ".join(text.split())[:200].rstrip(".")
