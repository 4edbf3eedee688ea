"""Reading what is no document of its own, in a process like those of parsers: a page with its links, a list, rows.

Belongs here: the base of such readers. Not here: any reader, which stands beside what it reads. Guarantee: whatever the
bytes make a reader do stays in that process; its answer is JSON, and its caller checks the types.
"""

import json
from abc import abstractmethod
from typing import Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import ParserCrashedError
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import parse_file


class Reader(Parser):
    """Reads bytes from outside for a connector; not registered, because it makes no documents."""

    media_types: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "reader"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    @abstractmethod
    def answer(self, file: File) -> Any:
        """Read; returns what JSON can hold.

        Raises:
            DocumentError: it cannot be read; the message says why.
        """

    def parse(self, file: File) -> ParsedDocument:
        """The answer as a document, which is what a process of a parser sends."""
        return ParsedDocument(uri=file.uri, title="", text=json.dumps(self.answer(file)))

    @classmethod
    def read(cls, content: bytes, uri: str, media_type: str = "") -> Any:
        """Read in a process of its own.

        Args:
            content: the bytes.
            uri: their address.
            media_type: their type, as their server says.

        Raises:
            DocumentError: they cannot be read; the message says why.
        """
        return json.loads(parse_file(cls(), File(content=content, uri=uri, media_type=media_type)).text)


def invalid_answer(error: Exception) -> ParserCrashedError:
    """The error for an answer of another form."""
    return ParserCrashedError(f"Its reader gave an answer that is not valid ({type(error).__name__}); it was left out.")
