"""`gitlab`: issues, merge requests and wiki pages of a project or a group (SRC-24).

Belongs here: what is read, in which order. Not here: threads (`thread_reader`), wikis (`wiki_reader`), requests
(`api`). Guarantee: a quiet sync is one request for each of issues, merge requests and wikis; after an error nothing
counts as removed.
"""

import time
from collections.abc import Iterator

from headwater.errors import FetchError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.sources.connector import Connector, Found
from headwater.sources.gitlab.api import GitLabApi, Place
from headwater.sources.gitlab.config import GitLabConfig, Kind, guess_gitlab
from headwater.sources.gitlab.thread_reader import ThreadReader
from headwater.sources.gitlab.thread_shape import ThreadKind
from headwater.sources.gitlab.wiki_reader import WikiReader
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import JsonApi

_ADVICE = "Name a `credential`: an access token with the scope read_api."
_THREADS: tuple[ThreadKind, ...] = ("issues", "merge_requests")
_PLACES = "places.json"


class GitLab(Connector):
    """Reads a project or a group."""

    kind = "gitlab"
    parser_version = "gitlab-1"
    Config = GitLabConfig
    config: GitLabConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Issues, merge requests and wikis by their usual addresses."""
        return guess_gitlab(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per issue, merge request, wiki page and file.

        Raises:
            SourceError: the server cannot be read, or it accepts no more requests.
        """
        config = self.config
        with self.context.http(
            credential=config.credential, address=config.api, delay=config.delay, busy=BUSY_OR_FAILING
        ) as client:
            api = GitLabApi(JsonApi(client, config.api, credential=config.credential, advice=_ADVICE), config)
            places = self._find_places(api)
            try:
                yield from self._read(api, places)
            except FetchError:
                self._write_places(places, listed=0.0)  # it may have moved, or its wiki may be switched off
                raise

    def _read(self, api: GitLabApi, places: list[Place]) -> Iterator[Found]:
        kinds = self._kinds(places[0])
        threads = [
            ThreadReader(api, self.context, self.config, kind, version=self.parser_version)
            for kind in _THREADS
            if kind in kinds
        ]
        self.total = sum(thread.kept_count for thread in threads) or None
        for thread in threads:
            thread.skipped = self.skipped
            yield from thread.fetch(places[0])
        if "wiki" in kinds:
            wikis = WikiReader(api, self.context, self.config, is_alone=not threads)
            yield from wikis.fetch(places)
            if wikis.is_refused:
                self._write_places(places, listed=0.0)  # it may have been switched off

    def _kinds(self, place: Place) -> tuple[Kind, ...]:
        usual: tuple[Kind, ...] = (*_THREADS, "wiki") if place.kind == "projects" else _THREADS
        return self.config.read or usual

    def _find_places(self, api: GitLabApi) -> list[Place]:
        """The project or group, and the projects of the group if their wikis are read; asked for once a day."""
        record = read_list(self.context.folder, self._address, name=_PLACES)
        places = [_to_place(key, item) for key, item in record.items.items()]
        if places and not record.is_whole_due:
            return places
        is_project = bool(places) and places[0].kind == "projects"
        place = (api.find_project(places[0].id) if is_project else None) or api.find_place(self.config.paths)
        is_group = place.kind == "groups"
        places = [place, *(api.list_projects(place) if is_group and "wiki" in self._kinds(place) else ())]
        self._write_places(places, listed=time.time())
        return places

    @property
    def _address(self) -> str:
        return f"{self.config.api} {self.config.path} {self.config.read}"

    def _write_places(self, places: list[Place], *, listed: float) -> None:
        items = {place.key: Item(str(place.has_wiki), place.path) for place in places}
        record = ItemList(address=self._address, cursor="listed", listed=listed, items=items)
        write_list(self.context.folder, record, name=_PLACES)


def _to_place(key: str, item: Item) -> Place:
    kind, _, identity = key.partition(" ")
    has_wiki = item.version == "True"
    return Place(kind="groups" if kind == "groups" else "projects", id=identity, path=item.title, has_wiki=has_wiki)
