"""The config of a Confluence source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`). Guarantee: an accepted config names one server; it
holds no secret; a space's key cannot change the query that it stands in.
"""

import re
from typing import Annotated, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import AfterValidator, Field

from headwater.sources.atlassian_config import AtlassianConfig
from headwater.sources.guesses import Address, Guess

Kind = Literal["page", "blogpost", "attachment"]
_KEY_PATTERN = re.compile(r"~?[A-Za-z0-9._:-]{1,255}", re.ASCII)
_PLACE_PATTERN = re.compile(
    r"(?P<base>.*?)/(?:(?:display|spaces)/(?P<key>~?[A-Za-z0-9._:-]+)|pages|spaces|x|rest|label|plugins|dashboard"
    r"|login|collector|home|index)(?:[/.].*)?",
    re.ASCII,
)


def _check_key(value: str) -> str:
    if not _KEY_PATTERN.fullmatch(value):
        raise ValueError("must be the key of a space, such as ENG")
    return value


class ConfluenceConfig(AtlassianConfig):
    """Which spaces of which server.

    `url` is the address of any page of it. Without `spaces`, the space that this address names is read; if it names
    none, all that are no personal ones. `endpoint` is the address of the interface, if it is not below `url`. More than
    `pages` pages and attachments are refused.
    """

    spaces: tuple[Annotated[str, AfterValidator(_check_key)], ...] = Field(default=(), max_length=200)
    read: tuple[Kind, ...] = Field(default=("page", "blogpost", "attachment"), min_length=1, max_length=3)
    pages: int = Field(default=20_000, ge=1, le=500_000)

    @property
    def web(self) -> str:
        """The address that those of all pages begin with, without a slash at its end."""
        return _split_address(self.url)[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the spaces; none for all that are no personal ones."""
        key = _split_address(self.url)[1]
        return self.spaces or ((key,) if key else ())


def _split_address(url: str) -> tuple[str, str]:
    """What the addresses of a server begin with, and the key of the space that an address names; empty for none."""
    url_parts = urlsplit(url)
    match = _PLACE_PATTERN.fullmatch(url_parts.path)
    path, key = (match["base"], match["key"] or "") if match else (url_parts.path.rstrip("/"), "")
    is_cloud = (url_parts.hostname or "").endswith(".atlassian.net")
    key = "" if key.endswith(".action") else key
    key = key or next(iter(parse_qs(url_parts.query).get("key", ())), "")
    path = "/wiki" if is_cloud and not path else path
    return f"{url_parts.scheme}://{url_parts.netloc}{path}", key if _KEY_PATTERN.fullmatch(key) else ""


def guess_confluence(address: Address) -> Guess | None:
    """A space or a page of Confluence Cloud, or one with the usual addresses of Data Center."""
    url = address.url
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        return None
    path = unquote(url.path)
    is_cloud = url.hostname.endswith(".atlassian.net") and (path == "/wiki" or path.startswith("/wiki/"))
    is_own = re.search(r"/display/~?[A-Za-z0-9]+(?:/|\Z)|/pages/viewpage\.action\Z|/spaces/viewspace\.action\Z", path)
    if not is_cloud and not is_own:
        return None
    web, key = _split_address(address.text)
    scope = f"the space {key}" if key else "all spaces that are no personal ones"
    token = "e-mail:token" if is_cloud else "a personal access token"
    words = f"{scope} of Confluence at {url.hostname}; name a secret ({token}) with --set credential=NAME"
    slug = f"{url.hostname.removesuffix('.atlassian.net')}-{key or 'wiki'}"
    config = {"url": address.text if key else web}
    return Guess(config=config, words=words, score=0.95 if is_cloud else 0.9, slug=slug)
