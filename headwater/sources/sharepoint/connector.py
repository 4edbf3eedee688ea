"""`sharepoint`: libraries and pages of SharePoint, and OneDrive for Business, by Microsoft Graph (SRC-27).

Belongs here: which libraries are read, and the app's token. Not here: files (`library_reader`), pages (`site_pages`),
requests (`graph`). Guarantee: the client secret goes to the login host alone, and the token to Microsoft Graph alone; a
library that is not shown is one problem, and what is stored of it stays; after an error nothing counts as removed.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.errors import SourceError
from headwater.sources.access_tokens import TokenClient, TokenExchange
from headwater.sources.connector import Connector, Found
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import JsonApi, NotShownError, RefusalCount
from headwater.sources.sharepoint.config import SharePointConfig, guess_sharepoint
from headwater.sources.sharepoint.graph import DriveItem, Graph, Library
from headwater.sources.sharepoint.library_reader import LibraryReader
from headwater.sources.sharepoint.site_pages import SitePages
from headwater.sources.source_context import SourceContext

_SITE = "site.json"
_ADVICE = "Name a `client_id` and a `credential`: an app of Microsoft Entra and its client secret."


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """What an address names: the id and the address of a site, and the libraries of it that are read."""

    id: str
    url: str
    libraries: Sequence[Library]


class SharePoint(Connector):
    """Reads a site, a library or a folder."""

    kind = "sharepoint"
    parser_version = "sharepoint-1"
    Config = SharePointConfig
    config: SharePointConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Addresses of SharePoint Online and of OneDrive for Business."""
        return guess_sharepoint(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file and page.

        Raises:
            SourceError: nothing can be read, or the server accepts no more requests.
        """
        config, name = self.config, self.config.credential
        if name is None or not config.client_id:
            raise SourceError(f"SharePoint shows nothing without an app. {_ADVICE}")
        base = f"{config.api}/v1.0"
        exchange = _make_exchange(self.context, config, name)
        with closing(TokenClient(self.context, exchange, address=config.api, delay=config.delay)) as client:
            graph = Graph(JsonApi(client, base, credential=name, advice=_ADVICE), base, config.place.host)
            self._refused: dict[str, NotShownError] = {}
            yield from self._read(graph, self._find_site(graph))
            for uri, error in self._refused.items():
                yield DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _read(self, graph: Graph, site: Site) -> Iterator[Found]:
        refusals = RefusalCount(self.config.place.host)
        for library in site.libraries:
            reader = LibraryReader(graph, self.context, self.config, library, refusals=refusals, skips=self.skipped)
            try:
                for item in reader.fetch():
                    self.total = reader.total if len(site.libraries) == 1 else None
                    yield item
            except NotShownError as error:
                if len(site.libraries) == 1:
                    raise
                uri = f"{library.url}/"  # the slash at the end keeps what is stored of the library
                yield DocumentProblem(uri=uri, code=error.code, message=str(error))
        if self.config.pages and not self.config.place.path and "/personal/" not in site.url:
            yield from SitePages(graph, self.context, site.id, site.url, refusals=refusals, skips=self.skipped).fetch()

    def _find_site(self, graph: Graph) -> Site:
        """The site and its libraries; asked for once a day."""
        record = read_list(self.context.folder, f"{self.config.endpoint} {self.config.url}", name=_SITE)
        if not record.is_whole_due:
            return _to_site(record)
        site, url, folders = self._ask_for_site(graph)
        libraries, refused_keys = {}, set[str]()
        for key, (address, names) in folders.items():
            try:
                root = graph.find_path(key, ())
                folder = graph.find_path(key, names) if names else root
            except NotShownError as error:
                if len(folders) == 1:
                    raise
                refused_keys.add(key)
                if key in record.items:  # reading it says what is wrong, and keeps what is stored
                    libraries[key] = record.items[key]
                else:
                    self._refused[f"{address}/"] = error
                continue
            if root is None or folder is None or folder.is_file:
                raise _folder_error(self.config.url, folder)
            libraries[key] = Item(address, root.id, folder.id)
        if not self.config.place.path:
            for key, item in record.items.items():
                if key not in libraries and _may_be_library(graph, key):  # the list leaves it out
                    libraries[key] = item
        listed = 0.0 if refused_keys else time.time()  # then the next sync asks again
        record = ItemList(address=record.address, cursor=f"{site} {url}", listed=listed, items=libraries)
        write_list(self.context.folder, record, name=_SITE)
        return _to_site(record)

    def _ask_for_site(self, graph: Graph) -> tuple[str, str, dict[str, tuple[str, Sequence[str]]]]:
        """The id and address of the site, and the addresses of its libraries by id, with the folder in each to read.

        Raises:
            SourceError: there is no such site or library.
        """
        place = self.config.place
        for count in range(len(place.path) + 1):  # sites may be within sites
            site = graph.find_site((*place.site, *place.path[:count]))
            if site is None:
                break
            libraries, names = graph.list_libraries(site[0]), place.path[count:]
            if not names:
                return *site, {key: (url, ()) for key, url in libraries.items()}
            for key, url in libraries.items():
                if names[0].lower() == unquote(url.rpartition("/")[2]).lower():
                    return *site, {key: (url, names[1:])}
        raise SourceError(
            f"There is no site or library at {self.config.url}, or the app may not read it. Copy the address from the"
            " browser, and let the app read the site. Nothing was removed."
        )


def _may_be_library(graph: Graph, key: str) -> bool:
    """Whether a library is there, as far as it is shown."""
    try:
        return graph.is_library(key)
    except NotShownError:
        return True


def _folder_error(url: str, item: DriveItem | None) -> SourceError:
    """What an address names instead of a folder."""
    advice = "Name the folder that it is in, and choose the file with `include`."
    what = f"There is no folder at {url}. Check `url`." if item is None else f"{url} is one file. {advice}"
    return SourceError(f"{what} Nothing was removed.")


def _to_site(record: ItemList) -> Site:
    site, _, url = record.cursor.partition(" ")
    libraries = [
        Library(id=key, url=item.version, root=item.title, folder=item.parent) for key, item in record.items.items()
    ]
    return Site(id=site, url=url, libraries=libraries)


def _make_exchange(context: SourceContext, config: SharePointConfig, name: str) -> TokenExchange:
    """How the app's client secret, which goes to the login host alone, is exchanged for a token."""
    form = {
        "grant_type": "client_credentials",
        "client_id": config.client_id,
        "client_secret": context.credential(name, urlsplit(config.login).netloc).secret,
        "scope": f"{config.api}/.default",
    }
    url = f"{config.login}/{config.directory}/oauth2/v2.0/token"
    return TokenExchange(credential=name, url=url, form=lambda: form)
