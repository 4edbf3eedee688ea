"""`markdown_tree`: a folder of markdown, MDX and text files, on disk or in a git repository (SRC-6).

Belongs here: which files of a tree it reads, and how. Not here: trees (`trees`), names that no tree reads
(`tree_files`), markdown (`headwater.parsing`). Guarantee: a file that cannot be read does not affect others.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from headwater.domain.skips import Reason
from headwater.identity import bytes_fingerprint
from headwater.parsing.markdown.parser import PARSER_VERSION
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_of_name
from headwater.sources.connector import FetchedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.tree_files import SUFFIXES, not_markdown
from headwater.sources.tree_guesses import guess_markdown
from headwater.sources.trees import TreeConfig, TreeConnector, TreeFile, check_size

_SIZE_LIMIT = 10_000_000


class MarkdownTreeConfig(TreeConfig):
    """Which tree."""


class MarkdownTree(TreeConnector):
    """Reads a tree of markdown and text files."""

    kind = "markdown_tree"
    parser_version = PARSER_VERSION
    Config = MarkdownTreeConfig
    config: MarkdownTreeConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Local folders and files, and git repositories; kind folder reads more of them."""
        return guess_markdown(address)

    def choose(self, path: str) -> tuple[Reason, str] | None:
        """Files are read by the endings of their names."""
        return not_markdown(path)

    def refusal(self, path: Path) -> str:
        """Only markdown and text files are read."""
        return f"{path} is not a markdown file; their names end in {', '.join(SUFFIXES)}."

    def found(self, file: TreeFile) -> FetchedDocument:
        """Make a document of a file; one in git is not read before its parser needs it."""
        check_size(file.size, _SIZE_LIMIT)
        if file.fingerprint:
            return _make_fetched(file, file.fingerprint, file.read)
        content = file.read()
        return _make_fetched(file, bytes_fingerprint(content), partial(bytes, content))


def _make_fetched(file: TreeFile, fingerprint: str, read: Callable[[], bytes]) -> FetchedDocument:
    parser = parser_of_name(file.uri)
    return FetchedDocument(
        uri=file.uri,
        fingerprint=fingerprint,
        parse=lambda: parse_file(parser, File(content=read(), uri=file.uri, root=file.root)),
        parser_version=parser.version,
    )
