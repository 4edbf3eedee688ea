"""The config of a SharePoint source, and recognising its address.

Belongs here: its fields and their rules, and what an address from a browser names. Not here: asking (`graph`).
Guarantee: an accepted config names one site, library or folder; it holds no secret.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import Field, model_validator

from headwater.sources.config_fields import CredentialName, Delay, WebAddress
from headwater.sources.connector import SourceConfig
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

_CLOUDS = (".sharepoint.com", ".sharepoint.us", ".sharepoint.cn", ".sharepoint-mil.us")
_ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9.-]{0,254}"
_SHOWN_PATTERN = re.compile(r"/(?:Forms/[^/]+\.aspx|SitePages(?:/.*)?|_layouts/.*|)\Z", re.IGNORECASE)
_READABLE_LINK_PATTERN = re.compile(r"/:[a-z]:/r(?=/)")
_LINK_PATTERN = re.compile(r"/:[a-z]:/(?!r/)")
_FILE_PATTERN = re.compile(
    r"/:[a-eg-z]:/r/(?!.*/SitePages/)|.*/_layouts/(?:[^/]+/)?(?:Doc|WopiFrame|Viewer|xlviewer|PowerPoint)[0-9]?\.aspx\Z",
    re.IGNORECASE,
)
_LOGINS = {
    "https://graph.microsoft.com": "https://login.microsoftonline.com",
    "https://graph.microsoft.us": "https://login.microsoftonline.us",
    "https://dod-graph.microsoft.us": "https://login.microsoftonline.us",
    "https://microsoftgraph.chinacloudapi.cn": "https://login.partner.microsoftonline.cn",
}
_COLLECTIONS = ("sites", "teams", "personal")
"""Below these, sites have addresses of two names; what else a host has belongs to its own site."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What an address names: a host, the names of a site's address there, and those below it."""

    host: str
    site: tuple[str, ...]
    path: tuple[str, ...]


class SharePointConfig(SourceConfig):
    """Which site, library or folder, by its address in a browser. Of a site, all libraries and its pages are read.

    `tenant` and `client_id` name the app. Without `tenant`, it is the one that the host is named after. Without
    `include`, all files are read; more than `items` of a library are refused. `endpoint` is the address of Microsoft
    Graph: that of a national cloud, or another one, which then gives the tokens itself.
    """

    url: WebAddress
    tenant: str = Field(default="", pattern=rf"^(?:{_ID_PATTERN})?$")
    client_id: str = Field(default="", pattern=rf"^(?:{_ID_PATTERN})?$")
    credential: CredentialName | None = None
    include: Globs = ()
    exclude: Globs = ()
    pages: bool = True
    items: int = Field(default=100_000, ge=1, le=1_000_000)
    delay: Delay = 0.0
    endpoint: WebAddress = "https://graph.microsoft.com"

    @model_validator(mode="after")
    def _is_readable(self) -> "SharePointConfig":
        if _LINK_PATTERN.match(urlsplit(self.url).path):
            raise ValueError("url: a link that shares something names no place; open it, and copy the address then")
        if _FILE_PATTERN.match(unquote(urlsplit(self.url).path)):
            raise ValueError(
                "url: this is the address of one file; open the folder that the file is in, copy the folder's address,"
                " and choose the file with `include`"
            )
        return self

    @property
    def api(self) -> str:
        """The address that those of all requests begin with."""
        return self.endpoint.rstrip("/")

    @property
    def login(self) -> str:
        """The address of what gives tokens: no config leads a token to a host that the secret is not for."""
        return _LOGINS.get(self.api, self.api)

    @property
    def place(self) -> Place:
        """What the address names."""
        return _find_place(self.url)

    @property
    def directory(self) -> str:
        """The tenant: that of the config, or the one that the host is named after."""
        return self.tenant or f"{self.place.host.partition('.')[0].removesuffix('-my')}.onmicrosoft.com"


def _find_place(url: str) -> Place:
    url_parts = urlsplit(url)
    fields = dict(parse_qsl(url_parts.query))
    view_path = fields.get("parent") or fields.get("id") or fields.get("RootFolder") or ""
    path = view_path if view_path.startswith("/") else _READABLE_LINK_PATTERN.sub("", unquote(url_parts.path))
    names = tuple(filter(None, _SHOWN_PATTERN.sub("", path).split("/")))
    count = 2 if names[:1] and names[0].lower() in _COLLECTIONS else 0
    return Place(host=url_parts.netloc.lower(), site=names[:count], path=names[count:])


def guess_sharepoint(address: Address) -> Guess | None:
    """Any address of SharePoint Online or of OneDrive for Business."""
    url = address.url
    host = "" if url is None else url.hostname or ""
    if url is None or url.scheme != "https" or not host.endswith(_CLOUDS):
        return None
    place = _find_place(address.text)
    what = f"the files of {place.path[-1]}" if place.path else "the files and pages of a site"
    product = "OneDrive" if host.partition(".")[0].endswith("-my") else "SharePoint"
    words = (
        f"{what} in {product} at {host}; name an app of Microsoft Entra with --set client_id=ID, and its client secret"
        " for login.microsoftonline.com with --set credential=NAME"
    )
    name = (*place.site, *place.path)[-1:] or ("sharepoint",)
    return Guess(config={"url": address.text}, words=words, score=0.95, slug=f"{host.partition('.')[0]}-{name[0]}")
