"""What the configs of Confluence and Jira share.

Belongs here: fields and rules that hold for both. Not here: spaces, projects, and recognising an address
(`headwater.sources.confluence.config`, `headwater.sources.jira.config`). Guarantee: a config holds no secret.
"""

from abc import abstractmethod
from typing import Literal
from urllib.parse import urlsplit

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig


class AtlassianConfig(SourceConfig):
    """Which server.

    `url` is the address of any page of it. `endpoint` is the address of the interface, if it is not below `url`.
    """

    url: WebAddress
    endpoint: WebAddress | None = None
    edition: Literal["cloud", "data_center"] | None = None
    delay: Delay = 0.05
    credential: CredentialName | None = None

    @property
    @abstractmethod
    def web(self) -> str:
        """The address that those of all pages begin with, without a slash at its end."""

    @property
    def api(self) -> str:
        """The address that those of all requests begin with."""
        return (self.endpoint or self.web).rstrip("/")

    @property
    def is_cloud(self) -> bool:
        """Whether the server is Atlassian's own."""
        if self.edition is not None:
            return self.edition == "cloud"
        return (urlsplit(self.url).hostname or "").endswith((".atlassian.net", ".jira-dev.com"))
