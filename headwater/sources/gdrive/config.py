"""The config of a Google Drive source, and recognising its address.

Belongs here: its fields and their rules. Not here: asking (`api`), secrets (`account`). Guarantee: an accepted config
names one folder, one shared drive, or all that is shared with the account; it holds no secret; a token for Google goes
to Google alone.
"""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from headwater.sources.config_fields import CredentialName, Delay, WebAddress, check_web_address
from headwater.sources.connector import SourceConfig
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

WEB = "https://drive.google.com"
SHARED = ""
"""Stands for the folder that holds all that is shared with the account."""
_GOOGLE = "https://www.googleapis.com"
_PLACE_PATTERN = re.compile(
    r"/drive/(?:u/\d+/)?(?:(?:mobile/)?folders/(?P<folder>[\w-]{2,200})|(?P<mine>my-drive)|(?P<shared>shared-with-me))/?",
    re.ASCII,
)
_FILE_PATTERN = re.compile(
    r"/(?:document|spreadsheets|presentation|file)/(?:u/\d+/)?d/(?!e/)[\w-]{10,200}(?:/(?:edit|view|preview))?/?",
    re.ASCII,
)
_HOSTS = ("docs.google.com", "drive.google.com")
_ID_PATTERN = re.compile(r"[\w-]{10,200}", re.ASCII)


def _check_folder(value: str) -> str:
    if _find_root(value) is None:
        raise ValueError(
            f"must be the address of a folder or shared drive ({WEB}/drive/folders/…), its id, {WEB}/drive/my-drive,"
            f" or {WEB}/drive/shared-with-me; of one file, name its folder, and choose the file with `include`"
        )
    return value if _ID_PATTERN.fullmatch(value) else check_web_address(value)


class GoogleDriveConfig(SourceConfig):
    """Which folder, with all that is below it. Without `include`, all files are read; more than `items` are refused.

    `url` is the address or the id of a folder or shared drive. `endpoint` is the address of the interface.
    """

    url: Annotated[str, Field(max_length=2_000), AfterValidator(_check_folder)]
    include: Globs = ()
    exclude: Globs = ()
    items: int = Field(default=100_000, ge=1, le=1_000_000)
    delay: Delay = 0.0
    credential: CredentialName | None = None
    endpoint: WebAddress = _GOOGLE

    @property
    def root(self) -> str:
        """The id of the folder, `root` for the account's own; SHARED for all that is shared with the account."""
        return _find_root(self.url) or SHARED

    @property
    def api(self) -> str:
        """The address that those of all requests begin with."""
        return f"{self.endpoint.rstrip('/')}/drive/v3"

    @property
    def token_url(self) -> str:
        """Where tokens are given: at Google's own address, else at the server that gets them."""
        endpoint = self.endpoint.rstrip("/")
        return "https://oauth2.googleapis.com/token" if endpoint == _GOOGLE else f"{endpoint}/token"


def _find_root(value: str) -> str | None:
    """The id of the folder that an address or an id names; None if it names none."""
    if _ID_PATTERN.fullmatch(value):
        return value
    try:
        url = urlsplit(value)
    except ValueError:
        return None
    match = _PLACE_PATTERN.fullmatch(url.path) if url.scheme == "https" and url.netloc == "drive.google.com" else None
    if match is None:
        return None
    return SHARED if match["shared"] else match["folder"] or "root"


def guess_google_drive(address: Address) -> Guess | None:
    """Folders and shared drives by their usual addresses; also single files, of which the config says what to do."""
    url = address.url
    root = None if url is None else _find_root(url.geturl())
    is_file = url is not None and url.hostname in _HOSTS and _FILE_PATTERN.fullmatch(url.path) is not None
    if root is None and not is_file:
        return None
    which = "what is shared with an account" if root == SHARED else "the files of a folder"
    words = (
        f"{which} in Google Drive; name a secret (the key of a service account, as one line of JSON, for"
        " oauth2.googleapis.com) with --set credential=NAME"
    )
    return Guess(config={"url": address.text}, words=words, score=0.95, slug="google-drive")
