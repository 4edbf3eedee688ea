"""The config of a Notion source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names one server; it
holds no secret.
"""

from pydantic import Field

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.guesses import Address, Guess

_HOSTS = ("notion.so", "www.notion.so", "notion.com", "www.notion.com", "app.notion.com")


class NotionConfig(SourceConfig):
    """Which workspace, by the secret of an integration: all that is shared with it is read.

    `endpoint` is the address of the interface. More than `pages` pages are refused.
    """

    credential: CredentialName | None = None
    endpoint: WebAddress = "https://api.notion.com"
    files: bool = True
    pages: int = Field(default=20_000, ge=1, le=500_000)
    delay: Delay = 0.34
    """Notion allows three requests a second."""

    @property
    def api(self) -> str:
        """The address that those of all requests begin with."""
        return self.endpoint.rstrip("/")


def guess_notion(address: Address) -> Guess | None:
    """Any page of Notion; public sites of it (`notion.site`) are websites."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or url.hostname not in _HOSTS:
        return None
    words = (
        "all pages of Notion that are shared with an integration; name the integration's secret with"
        " --set credential=NAME"
    )
    return Guess(config={}, words=words, score=0.95, slug="notion")
