"""The config of a Slack source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names channels of one
workspace by their ids; it holds no secret.
"""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.guesses import Address, Guess

_ID_PATTERN = re.compile(r"[CG][A-Z0-9]{2,20}", re.ASCII)
_PAGE_PATTERN = re.compile(r"/(?:archives|client/[TE][A-Z0-9]{2,20})/(?P<channel>[CG][A-Z0-9]{2,20})(?:/.*)?", re.ASCII)


def _check_channel(value: str) -> str:
    if not _ID_PATTERN.fullmatch(value):
        raise ValueError("must be the id of a channel, such as C024BE91L, which stands below its details in Slack")
    return value


class SlackConfig(SourceConfig):
    """Which channels.

    `url` is the address of a channel or a message in it. Without `channels`, the channel that it names is read.
    `files_credential` names the same token for the host of files; without it, files are not read. `endpoint` is the
    address of the interface. More than `threads` threads of a channel are refused.
    """

    url: WebAddress
    channels: tuple[Annotated[str, AfterValidator(_check_channel)], ...] = Field(default=(), max_length=500)
    bots: bool = False
    credential: CredentialName | None = None
    files_credential: CredentialName | None = None
    endpoint: WebAddress = "https://slack.com/api"
    threads: int = Field(default=100_000, ge=1, le=1_000_000)
    delay: Delay = 1.2

    @model_validator(mode="after")
    def _has_channels(self) -> "SlackConfig":
        if not self.ids:
            raise ValueError("channels: name at least one id, such as [C024BE91L], or give the address of one as url")
        return self

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the channels, each once."""
        match = _PAGE_PATTERN.fullmatch(urlsplit(self.url).path)
        return tuple(dict.fromkeys(self.channels or ((match["channel"],) if match else ())))


def guess_slack(address: Address) -> Guess | None:
    """A channel, or a message in one, by its usual address."""
    url = address.url
    match = None if url is None else _PAGE_PATTERN.fullmatch(url.path)
    if url is None or match is None or url.scheme != "https" or not (url.hostname or "").endswith(".slack.com"):
        return None
    words = (
        f"the threads of the channel {match['channel']} in Slack; name a secret (a bot token, xoxb-…) with"
        " --set credential=NAME"
    )
    workspace = (url.hostname or "").removesuffix(".slack.com")
    return Guess(config={"url": address.text}, words=words, score=0.95, slug=f"{workspace}-{match['channel']}")
