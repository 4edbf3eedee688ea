"""The config of a wiki, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names one wiki; it
holds no secret.
"""

from typing import Annotated

from pydantic import Field

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

_MAIN_PAGES = ("/index.php/Main_Page", "/wiki/Main_Page", "/index.php/Hauptseite", "/wiki/Hauptseite")


class MediaWikiConfig(SourceConfig):
    """Which pages of which wiki.

    `url` is the address of any page of the wiki, or of its `api.php`. `namespaces` are numbers: 0 are articles, 12 help
    pages, 14 categories. `files` are patterns of uploaded files to read. More than `pages` pages, or files,
    are refused.
    """

    url: WebAddress
    namespaces: tuple[Annotated[int, Field(ge=0, le=10_000)], ...] = Field(default=(0,), min_length=1, max_length=50)
    pages: int = Field(default=10_000, ge=1, le=200_000)
    files: Globs = ()
    delay: Delay = 0.1
    credential: CredentialName | None = None


def guess_mediawiki(address: Address) -> Guess | None:
    """The main page of a wiki by its usual address, or its interface."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        return None
    is_api = url.path.endswith("/api.php")
    if not is_api and not url.path.endswith(_MAIN_PAGES):
        return None
    message = (
        f"all articles of the wiki at {url.hostname}; if it is private, name a bot password with --set credential=NAME"
    )
    return Guess(
        config={"url": address.text}, words=message, score=0.95 if is_api else 0.9, slug=f"{url.hostname}-wiki"
    )
