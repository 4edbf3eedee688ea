"""The base of parsers.

Belongs here: what a parser gets and declares. Not here: any parser, finding one (`registry`), running one in a process
of its own (`registry.parse_file`). Guarantee: a password has no repr.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from headwater.domain.documents import ParsedDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file to parse.

    `uri` is its document's URI, and `root` the root folder of its source, as a part of `uri`. `media_type` is the type
    that its server or its content says, with parameters such as the charset; empty if unknown. A parser tries the
    `passwords` in turn on a file that needs one.
    """

    content: bytes = field(repr=False)
    uri: str
    root: str = ""
    media_type: str = ""
    passwords: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What parsing one file may take."""

    seconds: float
    megabytes: int


class Parser(ABC):
    """Reads one kind of file."""

    media_types: ClassVar[tuple[str, ...]]
    """The media types that it reads, as a server names them: lower case, without parameters."""
    suffixes: ClassVar[tuple[str, ...]]
    """The endings of their file names: lower case, with the dot."""
    version: ClassVar[str]
    """Increase it when the same bytes give a different text; then documents of older versions are read again."""
    keeps_original: ClassVar[bool] = False
    """Whether people want to open the file itself, as with a PDF; for text files, the text is enough."""
    limits: ClassVar[Limits | None] = None
    """What one file may take, for a format whose files can be hostile: then it runs in a process of its own."""

    def prepare(self) -> None:  # noqa: B027 - most parsers have nothing to prepare
        """Import and load what `parse` needs; called once, before the first file, in the parser's own process.

        The time that it takes does not count towards the limit of a file.
        """

    @abstractmethod
    def parse(self, file: File) -> ParsedDocument:
        """Read a file.

        Returns:
            Its text, with `places` for as many of its offsets as it knows.

        Raises:
            DocumentError: it cannot be read; the message says why.
        """
