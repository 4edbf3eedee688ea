"""A fetched web page as a document of its source.

Belongs here: making the document, without the text that repeats on the site. Not here: fetching (`page_reader`), HTML
(`headwater.parsing`). Guarantee: a page is parsed only if it has changed.
"""

from dataclasses import dataclass, field
from functools import partial

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.page import HtmlPage
from headwater.parsing.html.page_client import page_apart
from headwater.parsing.html.parser import HtmlParser, page_document
from headwater.sources.connector import FetchedDocument
from headwater.sources.website.boilerplate import without_repeats
from headwater.sources.website.state import PageState


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchedPage:
    """A page that was fetched; `page` is None if it is the same as before, so that it was not read."""

    content: bytes = field(repr=False)
    url: str
    uri: str
    media_type: str
    root: str
    state: PageState
    fingerprint: str
    page: HtmlPage | None

    def document(self, repeats: frozenset[str]) -> FetchedDocument:
        """The page as a document, to be parsed if it has changed."""
        return FetchedDocument(
            uri=self.uri,
            fingerprint=self.fingerprint,
            parse=partial(self._parse, repeats),
            parser_version=HtmlParser.version,
            validator=self.state.text(),
        )

    def _parse(self, repeats: frozenset[str]) -> ParsedDocument:
        page = self.page or page_apart(self.content, self.url, self.media_type)
        return page_document(page, uri=self.uri, root=self.root, blocks=without_repeats(page.blocks, repeats))
