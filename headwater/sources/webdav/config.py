"""The config of a WebDAV source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`folder_lists`). Guarantee: an accepted config names a
folder of one server; it holds no secret.
"""

import re

from pydantic import Field

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

_FILES_PATTERN = re.compile(r".*/remote\.php/(?:dav/files/[^/]+|webdav)(?:/.*)?|.*/(?:dav/spaces|webdav|dav)/.*")


class WebDavConfig(SourceConfig):
    """Which folder of which server. Without `include`, all files are read; more than `items` are refused."""

    url: WebAddress
    include: Globs = ()
    exclude: Globs = ()
    items: int = Field(default=100_000, ge=1, le=1_000_000)
    delay: Delay = 0.0
    credential: CredentialName | None = None

    @property
    def folder(self) -> str:
        """The folder's address, with a slash at its end."""
        return f"{self.url.partition('?')[0].partition('#')[0].rstrip('/')}/"


def guess_webdav(address: Address) -> Guess | None:
    """A folder by the usual addresses of Nextcloud, ownCloud and others."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or not url.hostname or not _FILES_PATTERN.fullmatch(url.path):
        return None
    is_own = "/remote.php/" in url.path or "/dav/spaces/" in url.path
    name = url.path.rstrip("/").rpartition("/")[2]
    words = (
        f"the files of a folder at {url.hostname}, by WebDAV; name a secret (user:app-password) with"
        " --set credential=NAME"
    )
    return Guess(
        config={"url": address.text}, words=words, score=0.95 if is_own else 0.4, slug=f"{url.hostname}-{name}"
    )
