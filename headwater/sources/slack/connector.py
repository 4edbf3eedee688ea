"""`slack`: the threads of channels in Slack (SRC-26).

Belongs here: which channels are read, and the names that they need. Not here: threads (`channel_reader`), requests
(`api`). Guarantee: a channel that is not shown is one problem, and what is stored of it stays; after an error nothing
counts as removed.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from headwater.domain.documents import DocumentProblem
from headwater.errors import SourceError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.sources.connector import Connector, Found
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.json_api import JsonApi, NotShownError, RefusalCount
from headwater.sources.slack.api import SlackApi, download_file
from headwater.sources.slack.channel_reader import ChannelReader, Download, Workspace
from headwater.sources.slack.config import SlackConfig, guess_slack
from headwater.sources.slack.document import channel_uri

_NAMES = "names.json"
_CHANNEL = "channel "
"""Stands before the ids of channels in the record of names."""


class Slack(Connector):
    """Reads channels of a workspace."""

    kind = "slack"
    parser_version = "slack-1"
    Config = SlackConfig
    config: SlackConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Channels and messages by their usual addresses."""
        return guess_slack(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per thread and file.

        Raises:
            SourceError: no channel can be read, or Slack accepts no more requests.
        """
        config = self.config
        if config.credential is None:
            raise SourceError("Slack shows nothing without a token. Name a `credential`: a bot token, xoxb-….")
        with ExitStack() as stack:
            http = self.context.http(
                credential=config.credential, address=config.endpoint, delay=config.delay, busy=BUSY_OR_FAILING
            )
            client = stack.enter_context(http)
            json_api = JsonApi(client, config.endpoint.rstrip("/"), credential=config.credential, advice="")
            yield from self._read(SlackApi(json_api, config), self._downloads(stack))

    def _downloads(self, stack: ExitStack) -> Download | None:
        """What fetches files, with the secret that is for their host."""
        if self.config.files_credential is None:
            return None
        client = stack.enter_context(self.context.http(credential=self.config.files_credential, busy=BUSY_OR_FAILING))
        return partial(download_file, client)

    def _read(self, api: SlackApi, download: Download | None) -> Iterator[Found]:
        names = self._find_names(api)
        refusals = RefusalCount("Slack")
        readers: dict[str, ChannelReader] = {}
        for channel in self.config.ids:
            if channel in names.channels:
                reader = ChannelReader(
                    api, self.context, self.config, names, channel, version=self.parser_version, refusals=refusals,
                    download=download,
                )  # fmt: skip
                reader.skipped = self.skipped
                readers[channel] = reader
        self.total = sum(reader.kept_count for reader in readers.values()) or None
        refused = dict(self._refused)
        for channel, reader in readers.items():
            try:
                yield from reader.fetch()
            except NotShownError as error:
                refused[channel] = error
        if refused and len(refused) == len(self.config.ids):
            raise next(iter(refused.values()))
        for channel, refusal in refused.items():  # the slash at the end of the URI keeps what is stored of the channel
            uri = channel_uri(names.team, channel)
            yield DocumentProblem(uri=uri, code=refusal.code, message=f"The channel {channel}: {refusal}")

    def _find_names(self, api: SlackApi) -> Workspace:
        """The workspace, people and channels; asked for once a day, and if one of the channels has no name yet."""
        self._refused: dict[str, NotShownError] = {}
        address = f"{self.config.endpoint} {self.config.credential}"
        record = read_list(self.context.folder, address, name=_NAMES)
        names = _to_workspace(record, self.config.ids)
        if not record.is_whole_due and len(names.channels) == len(self.config.ids):
            return names
        team, people, channels = api.find_team_url(), api.list_people(), dict[str, str]()
        for channel in self.config.ids:
            try:
                channels[channel] = api.find_channel_name(channel) or channel
            except NotShownError as error:
                self._refused[channel] = error
        items = {identity: Item("", name) for identity, name in people.items()}
        items |= {f"{_CHANNEL}{identity}": Item("", name) for identity, name in channels.items()}
        record = ItemList(address=address, cursor=team, listed=time.time(), items=items)
        write_list(self.context.folder, record, name=_NAMES)
        return Workspace(team=team, people=people, channels=channels)


def _to_workspace(record: ItemList, ids: tuple[str, ...]) -> Workspace:
    items = record.items
    channels = {identity: item.title for identity in ids if (item := items.get(f"{_CHANNEL}{identity}")) is not None}
    people = {key: item.title for key, item in items.items() if not key.startswith(_CHANNEL)}
    return Workspace(team=record.cursor, people=people, channels=channels)
