"""Documents and files that a sync left out, counted by reason.

Belongs here: the reasons, and their messages. Not here: the code that leaves things out (connectors, the documents
stage). Guarantee: a few lines per source, however much was left out; the order does not depend on the order of files.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from headwater.domain.documents import DocumentProblem

Reason = Literal[
    "no_parser",
    "no_text",
    "unreadable",
    "duplicate",
    "hidden",
    "tool",
    "outside",
    "excluded",
    "endless",
    "limit",
    "videos",
    "unselected",
    "not_code",
    "generated",
    "binary",
    "too_large",
    "empty",
    "lfs",
    "submodule",
    "link",
    "unanswered",
    "orphan",
]

DUPLICATE = "DUPLICATE_URI"
"""The code of a document whose URI another one has."""
_EXAMPLES = 3
_LINES = 20  # per source; the rest becomes one line
_ORDER: tuple[Reason, ...] = (
    "no_text",
    "unreadable",
    "duplicate",
    "no_parser",
    "limit",
    "lfs",
    "submodule",
    "too_large",
    "unanswered",
    "orphan",
    "videos",
    "unselected",
    "excluded",
    "endless",
    "outside",
    "not_code",
    "binary",
    "generated",
    "empty",
    "link",
    "tool",
    "hidden",
)
_WORDS: dict[Reason, tuple[str, str]] = {
    "no_parser": (
        "{count} {kind} file: no parser reads this type here.", "{count} {kind} files: no parser reads this type here."
    ),
    "no_text": ("{count} document has no text.", "{count} documents have no text."),
    "unreadable": ("{count} document could not be read: {kind}", "{count} documents could not be read: {kind}"),
    "duplicate": (
        "{count} document was left out, because another has the same URI. Give each document its own.",
        "{count} documents were left out, because others have the same URIs. Give each document its own.",
    ),
    "hidden": ("{count} hidden file or folder.", "{count} hidden files or folders."),
    "tool": ("{count} file or folder of a tool.", "{count} files or folders of tools."),
    "limit": (
        "{count} page was not visited, because {kind} pages are the limit. Raise `pages`.",
        "{count} pages were not visited, because {kind} pages are the limit. Raise `pages`.",
    ),
    "videos": (
        "{count} video was not read, because {kind} videos are the limit. Raise `videos`.",
        "{count} videos were not read, because {kind} videos are the limit. Raise `videos`.",
    ),
    "excluded": ("{count} page that the site excludes by {kind}.", "{count} pages that the site excludes by {kind}."),
    "endless": (
        "{count} address of a list or calendar without end.", "{count} addresses of lists or calendars without end."
    ),
    "unselected": (
        "{count} file that the source's patterns leave out.", "{count} files that the source's patterns leave out."
    ),
    "not_code": (
        "{count} {kind} file: neither code, a package manifest nor documentation.",
        "{count} {kind} files: neither code, package manifests nor documentation.",
    ),
    "generated": ("{count} generated, minified or lock file.", "{count} generated, minified or lock files."),
    "binary": ("{count} binary file.", "{count} binary files."),
    "too_large": ("{count} file over {kind}.", "{count} files over {kind}."),
    "empty": ("{count} empty file.", "{count} empty files."),
    "lfs": (
        "{count} file that Git LFS stores outside the repository.",
        "{count} files that Git LFS stores outside the repository.",
    ),
    "submodule": (
        "{count} submodule: another repository. Add it as a source of its own.",
        "{count} submodules: other repositories. Add them as sources of their own.",
    ),
    "link": ("{count} symbolic link.", "{count} symbolic links."),
    "unanswered": (
        "{count} question has no answer that is accepted or scores above zero.",
        "{count} questions have no answer that is accepted or scores above zero.",
    ),
    "orphan": ("{count} answer belongs to no question here.", "{count} answers belong to no question here."),
    "outside": ("{count} link leads out of the folder.", "{count} links lead out of the folder."),
}  # fmt: skip
_LINE = re.compile(r"^(line \d+): ")
_PLACES = re.compile(r"\d[\d,]*")  # numbers in otherwise equal messages: bytes, limits
_COLUMN = re.compile(r" at column \d+")
_DOCUMENTS = frozenset(
    {".adoc", ".asciidoc", ".doc", ".docx", ".epub", ".htm", ".html", ".ipynb", ".mediawiki", ".odt", ".org", ".pdf",
     ".pptx", ".rst", ".rtf", ".tex", ".textile", ".wiki", ".wikitext", ".xls", ".xlsx"}
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """One reason: how often it occurred, its message, and the first few examples."""

    reason: Reason
    message: str
    count: int
    examples: tuple[str, ...]

    @property
    def text(self) -> str:
        """The message with the examples."""
        return format_skip(self.message, self.count, self.examples)


class Skips:
    """Counts what a sync leaves out."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Reason, str], int] = {}
        self._examples: dict[tuple[Reason, str], list[str]] = {}

    def add(self, reason: Reason, examples: Sequence[str], *, kind: str = "", count: int = 1) -> None:
        """Count something that was left out.

        Args:
            reason: the reason.
            examples: its name, or some of the names for several things.
            kind: distinguishes cases of the same reason: a file's ending, an error.
            count: how many.
        """
        key = (reason, kind)
        if count:
            self._counts[key] = self._counts.get(key, 0) + count
            self._examples[key] = sorted({*self._examples.get(key, ()), *examples})[:_EXAMPLES]

    def add_problem(self, problem: DocumentProblem) -> None:
        """Count a document that could not be read, by its error, or that has the URI of another."""
        if problem.code == DUPLICATE:
            self.add("duplicate", [problem.uri])
            return
        message = _PLACES.sub("…", _COLUMN.sub("", _LINE.sub("", problem.message)))[:200]
        line = _LINE.match(problem.message)
        example = problem.uri or (line[1] if line else "")
        self.add("unreadable", [example] if example else [], kind=message)

    def merge(self, other: "Skips") -> None:
        """Add the counts of another instance."""
        for reason, kind, count, examples in other.counted():
            self.add(reason, examples, kind=kind, count=count)

    def counted(self) -> Iterator[tuple[Reason, str, int, Sequence[str]]]:
        """The counts: reason, kind, how often, some names."""
        for (reason, kind), count in self._counts.items():
            yield reason, kind, count, self._examples[reason, kind]

    def lines(self) -> list[Skipped]:
        """The counts as lines: by reason, the most frequent first."""
        keys = sorted(self._counts, key=lambda key: (_ORDER.index(key[0]), -self._counts[key], key[1]))
        shown_keys, other_keys = keys[:_LINES], keys[_LINES:]
        lines = [
            _make_skip(reason, kind, self._counts[reason, kind], self._examples[reason, kind])
            for reason, kind in shown_keys
        ]
        other_counts = {
            reason: sum(self._counts[key] for key in other_keys if key[0] == reason) for reason, _ in other_keys
        }
        return lines + [_make_skip(reason, "other", count, []) for reason, count in other_counts.items()]


def is_worth_a_look(line: Skipped) -> bool:
    """Whether a line of a source's `skipped` is about documents that someone may expect to find."""
    is_document = any(PurePosixPath(name).suffix.lower() in _DOCUMENTS for name in line.examples)
    return line.reason in ("no_text", "unreadable", "duplicate", "limit", "videos") or (
        line.reason == "no_parser" and is_document
    )


def read_skipped(lines: Iterable[Mapping[str, Any]]) -> tuple[Skipped, ...]:
    """Read lines that were stored as JSON."""
    return tuple(Skipped(**{**line, "examples": tuple(line["examples"])}) for line in lines)


def format_skip(message: str, count: int, examples: Sequence[str]) -> str:
    """A message of what was left out, with its examples."""
    if not examples:
        return message
    names = ", ".join(f"`{name}`" for name in examples)
    sentence = f"It is {names}." if count == 1 else f"For example: {names}."
    return f"{message.rstrip('.')}. {sentence}"


def _make_skip(reason: Reason, kind: str, count: int, examples: Sequence[str]) -> Skipped:
    words = _WORDS[reason][count != 1].format(count=f"{count:,}", kind=kind)
    return Skipped(reason=reason, message=words, count=count, examples=tuple(examples))
