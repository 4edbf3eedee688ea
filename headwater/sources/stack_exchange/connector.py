"""`stack_exchange`: the questions of a Stack Exchange data dump, each with its best answers (SRC-9).

Belongs here: the config, the order of work, what is left out. Not here: rows (`rows`), choosing answers (`posts`), the
text (`document`). Guarantee: a question whose used attributes and answers are the same as in the dump before is not
read again; while a row cannot be read, no document counts as removed, because it may be the missing one.

The dump is read once from beginning to end for an index on disk, because answers may be anywhere in it. A question that
is new or has changed is then read at its place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import field_validator

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, SourceError
from headwater.identity import bytes_fingerprint
from headwater.private_files import private_folder
from headwater.sources.connector import AbsolutePath, Connector, FetchedDocument, Found, SourceConfig, located
from headwater.sources.guesses import Address, Guess
from headwater.sources.stack_exchange.document import question_uri, thread_document
from headwater.sources.stack_exchange.posts import Posts, Span, Thread, open_posts, used_hash
from headwater.sources.stack_exchange.rows import BrokenRow, read_row, read_rows

_SITE = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}", re.ASCII)
_EXAMPLES = 3
_INDEX = "posts.sqlite"


class StackExchangeConfig(SourceConfig):
    """The dump, and the host of the site that it is of, such as `stackoverflow.com`."""

    path: AbsolutePath
    site: str

    @field_validator("site")
    @classmethod
    def _is_host(cls, value: str) -> str:
        if not _SITE.fullmatch(value.lower()):
            raise ValueError("must be the host of the site, such as stackoverflow.com or unix.stackexchange.com")
        return value.lower()

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)


class StackExchange(Connector):
    """Reads a Posts.xml."""

    kind = "stack_exchange"
    parser_version = "stackexchange-2"
    Config = StackExchangeConfig
    config: StackExchangeConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """A local file named Posts.xml; dumps are unpacked into a folder with the name of their site."""
        path = address.path
        if path is None or path.name.lower() != "posts.xml" or not path.is_file():
            return None
        folder = path.parent.name.lower()
        site = {"site": folder} if _SITE.fullmatch(folder) else {}
        message = f"the questions and answers of a Stack Exchange dump{f' of {folder}' if site else ''}"
        return Guess(config={"path": str(path), **site}, words=message, score=0.9, slug=folder if site else "questions")

    def fetch(self) -> Iterator[Found]:
        """Yield a document per question that has an answer to read, by id, after the rows that cannot be read.

        Raises:
            SourceError: the file does not exist, cannot be read, or is no dump of posts.
        """
        path = self.context.local(self.config.path)
        if not path.is_file():
            raise SourceError(f"{self.config.path} is not a regular file; a stack_exchange source reads one Posts.xml.")
        with open_posts(private_folder(self.context.folder) / _INDEX) as posts:
            yield from self._build_index(path, posts)
            self._count(posts)
            for thread in posts.threads():
                yield self._make_item(path, thread)

    def _build_index(self, path: Path, posts: Posts) -> Iterator[DocumentProblem]:
        """Read the whole dump into the index; yields the rows that cannot be read."""
        count = 0
        try:
            with path.open("rb") as file:
                for row in read_rows(file):
                    try:
                        if isinstance(row, BrokenRow):
                            raise DocumentError(row.reason)  # noqa: TRY301 - both kinds of wrong rows end alike
                        count += posts.add(row)
                    except DocumentError as error:
                        message = f"The row at byte {row.start}: {str(error)[:300]}."
                        yield DocumentProblem(uri="", code=DocumentError.code, message=message)
        except OSError as error:
            raise SourceError(f"{self.config.path} cannot be read ({error.strerror}).") from error
        if not count:
            raise SourceError(f"{self.config.path} contains no posts, so nothing was changed. Name a dump's Posts.xml.")
        posts.finish()

    def _count(self, posts: Posts) -> None:
        """Note how many documents there will be, and what is left out."""
        left_out = _count(posts.list_unanswered())
        self.total = posts.question_count() - left_out[0]
        self.skipped.add("unanswered", self._name_threads(left_out[1]), count=left_out[0])
        count, first = _count(posts.orphans())
        self.skipped.add("orphan", [f"https://{self.config.site}/a/{post_id}" for post_id in first], count=count)

    def _name_threads(self, numbers: Sequence[int]) -> list[str]:
        return [question_uri(self.config.site, post_id) for post_id in numbers]

    def _make_item(self, path: Path, thread: Thread) -> FetchedDocument:
        uri = question_uri(self.config.site, thread.id)
        spans = (thread.question, *thread.answers)
        return FetchedDocument(
            uri=uri,
            fingerprint=bytes_fingerprint(b"".join(span.hash for span in spans)),
            parse=partial(_parse_thread, path, self.config.site, uri, spans),
        )


def _parse_thread(path: Path, site: str, uri: str, spans: tuple[Span, ...]) -> ParsedDocument:
    """Read the rows of a thread again, at their places."""
    with path.open("rb") as file:
        rows = [read_row(file, span.start, span.size) for span in spans]
    values = [row.values for row in rows if row is not None]
    if [used_hash(value) for value in values] != [span.hash for span in spans]:
        raise DocumentError("The dump was changed while it was read. Sync again.")
    return thread_document(site, uri, values[0], values[1:])


def _count(numbers: Iterator[int]) -> tuple[int, list[int]]:
    """How many there are, and the first of them."""
    first = list(islice(numbers, _EXAMPLES))
    return len(first) + sum(1 for _ in numbers), first
