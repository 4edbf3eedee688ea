"""`cosense`: the pages of a Cosense (Scrapbox) project (SRC-7).

Belongs here: which pages are read, and their documents. Not here: requests (`api`), notation
(`headwater.parsing.cosense`). Guarantee: a page is fetched only if the list says that it was updated; a page that is
only linked to is none; if the list is not complete, no page counts as removed.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.identity import content_hash
from headwater.parsing.cosense.cosense_page import read_page
from headwater.parsing.cosense.project import Project
from headwater.sources.connector import Connector, FetchedDocument, UnchangedDocument
from headwater.sources.cosense.api import CosenseApi, ListedPage, read_export, read_lines, seconds
from headwater.sources.cosense.config import DEFAULT_SITE, CosenseConfig, guess_cosense, read_project
from headwater.sources.guesses import Address, Guess

Item = FetchedDocument | UnchangedDocument | DocumentProblem
_MAX_REFUSALS = 3
"""Failed requests in a row after which the site is left alone."""
_FILE_LIMIT = 200_000_000  # bytes of an exported project


class Cosense(Connector):
    """Reads a project."""

    kind = "cosense"
    parser_version = "cosense-3"
    Config = CosenseConfig
    config: CosenseConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """A project of scrapbox.io or cosen.se."""
        return guess_cosense(address)

    def fetch(self) -> Iterator[Item]:
        """Yield a document per page, in the order of the list.

        Raises:
            SourceError: the project or its exported file cannot be read.
        """
        if self.config.project is None:
            yield from self._fetch_export()
            return
        project, name = read_project(self.config.project), self.config.credential
        if name is not None:
            self.context.credential(name, urlsplit(project.site).netloc)
        with self.context.http(credential=name, delay=self.config.delay) as client:
            yield from self._pages(CosenseApi(client, project, name), project)

    def _pages(self, api: CosenseApi, project: Project) -> Iterator[Item]:
        listed, is_complete = api.pages()
        pages_to_read = listed[: self.config.pages]
        self.total = len(pages_to_read)
        refusals = 0
        for index, page in enumerate(pages_to_read):
            item = self._page(api, project, page)
            is_refusal = isinstance(item, DocumentProblem) and item.code == FetchError.code
            refusals = refusals + 1 if is_refusal else 0
            if item is not None:
                yield item
            if refusals == _MAX_REFUSALS and index + 1 < len(pages_to_read):
                yield _incomplete(
                    f"{_MAX_REFUSALS} pages of {project.name} in a row could not be fetched, so the other"
                    f" {len(pages_to_read) - index - 1:,} were not asked for. Sync again later, or raise `delay`."
                )
                return
        if not is_complete:
            yield _incomplete(f"The list of the pages of {project.name} changed while it was read. Sync again.")
        self._count_rest([page.title for page in listed[self.config.pages :]])

    def _page(self, api: CosenseApi, project: Project, page: ListedPage) -> Item | None:
        """What has become of a page; None if it is gone."""
        uri = project.page(page.title)
        known_state = self.context.known.get(uri)
        if known_state is not None and known_state.validator == str(page.updated):
            return UnchangedDocument(uri=uri)
        try:
            page_data = api.page(page.title)
        except SourceError as error:
            return DocumentProblem(uri=uri, code=error.code, message=str(error))
        if page_data is None:
            return None
        updated = seconds(page_data.get("updated"))
        return _document(project, uri, page.title, page_data, str(page.updated if updated is None else updated))

    def _fetch_export(self) -> Iterator[Item]:
        """The pages of an exported file."""
        path = self.context.local(self.config.path or Path())
        if not path.is_file() or path.stat().st_size > _FILE_LIMIT:
            raise SourceError(f"{path} is no file of at most {_FILE_LIMIT // 1_000_000} MB. Give the exported file.")
        try:
            name, pages = read_export(path.read_bytes())
        except (OSError, ValueError) as error:
            raise SourceError(f"{path} cannot be read as an exported project: {error}.") from error
        project = Project(site=DEFAULT_SITE, name=name)
        for index, (page, content) in enumerate(pages):
            if index >= self.config.pages:
                self._count_rest([page.title, *(other_page.title for other_page, _ in pages)])
                return
            uri = project.page(page.title)
            yield _document(project, uri, page.title, content, "")

    def _count_rest(self, left: list[str]) -> None:
        self.skipped.add("limit", left[:10], kind=f"{self.config.pages:,}", count=len(left))


def _document(project: Project, uri: str, title: str, page: Mapping[str, Any], validator: str) -> FetchedDocument:
    lines = read_lines(page)
    metadata = {name: day for name in ("created", "updated") if (day := _day(page.get(name)))}
    return FetchedDocument(
        uri=uri,
        fingerprint=content_hash(lines).hex(),
        parse=partial(_parse_page, project, uri, title, lines, metadata),
        validator=validator,
    )


def _parse_page(
    project: Project, uri: str, title: str, lines: list[str], metadata: Mapping[str, str]
) -> ParsedDocument:
    try:
        page = read_page(lines, project)
    except RecursionError:
        raise DocumentError(f"{uri} nests its brackets too deeply. Simplify the page.") from None
    return ParsedDocument(
        uri=uri,
        title=title,
        text=page.text,
        metadata=metadata,
        references=tuple(dict.fromkeys(project.page(link) for link in page.links)),
        places=page.places,
    )


def _incomplete(message: str) -> DocumentProblem:
    return DocumentProblem(uri="", code=FetchError.code, message=f"{message} No page counts as removed.")


def _day(value: Any) -> str:
    """A day as ISO 8601, from seconds since 1970."""
    timestamp = seconds(value)
    return datetime.fromtimestamp(timestamp, UTC).date().isoformat() if timestamp else ""
