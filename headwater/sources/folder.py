"""`folder`: a folder of files of any kind, on disk or in a git repository (SRC-4, SRC-6).

Belongs here: which files of a tree it reads, and how. Not here: trees (`trees`), the formats (`headwater.parsing`).
Guarantee: a file's type is told by its content; a file that nobody reads is counted, with its type; an unchanged file
is not read again; passwords come from the environment and are in no document.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field

from headwater.domain.skips import Reason
from headwater.identity import bytes_fingerprint
from headwater.parsing.file_types import EMPTY, media_type_of
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import find_parser, parse_file
from headwater.parsing.signatures import is_container
from headwater.sources.connector import FetchedDocument, Found, PasswordNames, UnchangedDocument
from headwater.sources.globs import Globs, matches
from headwater.sources.guesses import Address, Guess
from headwater.sources.tree_files import is_tool_output
from headwater.sources.tree_guesses import guess_folder
from headwater.sources.trees import TreeConfig, TreeConnector, TreeFile, check_size

_BEGINNING = 65_536
_MAX_TEXT_BYTES = 10_000_000
_MAX_FILE_BYTES = 100_000_000  # of a file whose original people open, such as a PDF


class FolderConfig(TreeConfig):
    """Which folder, and which of its files.

    `include` and `exclude` are patterns, `passwords` names of credentials that are tried on encrypted files.
    `max_megabytes` limits each file; without it, text may have 10 MB and any other format 100 MB.
    """

    include: Globs = ()
    exclude: Globs = ()
    passwords: PasswordNames = ()
    max_megabytes: Annotated[int, Field(ge=1, le=1_000)] | None = None


class Folder(TreeConnector):
    """Reads a tree of files of any kind."""

    kind = "folder"
    parser_version = "folder-1"
    Config = FolderConfig
    config: FolderConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Local folders and files, and git repositories."""
        return guess_folder(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file, by path.

        Raises:
            SourceError: the folder, repository or branch does not exist, or a password is not in the environment.
        """
        self._passwords = tuple(self.context.password(name) for name in self.config.passwords)
        yield from super().fetch()

    def choose(self, path: str) -> tuple[Reason, str] | None:
        """Every file is read that the patterns choose, except those that tools write for tools."""
        if matches(path, self.config.exclude) or (self.config.include and not matches(path, self.config.include)):
            return "unselected", ""
        return ("tool", "") if is_tool_output(path) else None

    def refusal(self, path: Path) -> str:
        """Only the patterns leave a single file out."""
        return f"{path} is left out by the source's own include or exclude. Change them, or its path."

    def found(self, file: TreeFile) -> Found | None:
        """Make a document of a file; None for a file of a type that nobody reads."""
        known_state = self.context.known.get(file.uri)
        if known_state is not None and file.stamp and known_state.validator == file.stamp:
            return UnchangedDocument(uri=file.uri)
        if file.fingerprint:
            check_size(file.size, self._largest(None))  # git gives a file only as a whole
        content = file.begin(_BEGINNING)
        media_type = media_type_of(content, file.uri)
        parser = self._parser(file, media_type)
        if parser is None and not is_container(media_type):
            self._leave_out(file, media_type)
            return None
        check_size(file.size, self._largest(parser))
        if len(content) < file.size:
            content = file.read()
            media_type = media_type_of(content, file.uri)
            parser = self._parser(file, media_type)
        if parser is None:
            self._leave_out(file, media_type)
            return None
        return self._make_fetched(file, content, media_type, parser)

    def _make_fetched(self, file: TreeFile, content: bytes, media_type: str, parser: Parser) -> FetchedDocument:
        parser_file = File(
            content=content, uri=file.uri, root=file.root, media_type=media_type, passwords=self._passwords
        )
        return FetchedDocument(
            uri=file.uri,
            fingerprint=file.fingerprint or bytes_fingerprint(content),
            parse=partial(parse_file, parser, parser_file),
            parser_version=parser.version,
            validator=file.stamp,
        )

    def _parser(self, file: TreeFile, media_type: str) -> Parser | None:
        return None if media_type == EMPTY else find_parser(media_type, file.uri)

    def _leave_out(self, file: TreeFile, media_type: str) -> None:
        """Count a file that nobody reads, by its type."""
        reason: Reason = "no_text" if media_type == EMPTY else "no_parser"
        self.skipped.add(reason, [file.uri], kind="" if media_type == EMPTY else media_type)

    def _largest(self, parser: Parser | None) -> int:
        if self.config.max_megabytes is not None:
            return self.config.max_megabytes * 1_000_000
        return _MAX_FILE_BYTES if parser is None or parser.keeps_original else _MAX_TEXT_BYTES
