"""The config of a bucket, and recognising its address.

Belongs here: its fields and their rules, where a bucket's server is. Not here: requests (`s3`, `azure`). Guarantee: an
accepted config names one bucket of one server; it holds no secret.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote, unquote

from pydantic import Field, field_validator

from headwater.sources.config_fields import CredentialName
from headwater.sources.connector import PasswordNames, SourceConfig
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

_PLACES: Mapping[str, str] = {"s3": "s3", "gs": "gs", "gcs": "gs", "az": "az", "azure": "az", "abfs": "az"}
"""The schemes that people write, and the ones of our URIs."""
_REGION = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_BUCKET = re.compile(r"[A-Za-z0-9$][A-Za-z0-9._-]{1,254}", re.ASCII)
_ENDPOINT = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._-]+)*/?", re.ASCII)
_OF_AMAZON = re.compile(r"(?:(?P<bucket>.+)\.)?s3[.-](?:(?P<region>[a-z]{2}[a-z-]*-\d)\.)?amazonaws\.com(?:\.cn)?")
_OF_AZURE = re.compile(r"(?P<account>[a-z0-9]{3,24})\.blob\.core\.windows\.net")
_NAMES = {"s3": "S3", "gs": "Google Cloud Storage", "az": "Azure"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Which objects: `kind` is s3, gs or az; `account` only Azure has; `prefix` is empty for the whole bucket."""

    kind: str
    bucket: str
    prefix: str
    account: str = ""

    @property
    def uri(self) -> str:
        """What the URIs of its documents begin with, ending with a slash."""
        account = f"{self.account}/" if self.account else ""
        return f"{self.kind}://{account}{self.bucket}/"


class BucketConfig(SourceConfig):
    """Which objects of which bucket.

    `url` is such as `s3://docs/manual/`. `endpoint` is the server's address, if it is not that of Amazon, Google or
    Azure. `link` is a template of the addresses at which people open objects.
    """

    url: str = Field(max_length=1_500)
    endpoint: str | None = Field(default=None, max_length=300)
    region: str | None = None
    credential: CredentialName | None = None
    include: Globs = ()
    exclude: Globs = ()
    link: str | None = Field(default=None, max_length=1_000)
    max_objects: Annotated[int, Field(ge=1, le=1_000_000)] = 100_000
    max_megabytes: Annotated[int, Field(ge=1, le=1_000)] = 100
    passwords: PasswordNames = ()

    @field_validator("url")
    @classmethod
    def _is_place(cls, value: str) -> str:
        read_place(value)
        return value

    @field_validator("endpoint")
    @classmethod
    def _is_server(cls, value: str | None) -> str | None:
        if value is not None and not _ENDPOINT.fullmatch(value):
            raise ValueError("must be the address of a server, such as https://minio.example.com")
        return None if value is None else value.rstrip("/")

    @field_validator("region")
    @classmethod
    def _is_region(cls, value: str | None) -> str | None:
        if value is not None and not _REGION.fullmatch(value):
            raise ValueError("must be the name of a region, such as eu-west-1")
        return value

    @field_validator("link")
    @classmethod
    def _is_template(cls, value: str | None) -> str | None:
        if value is not None and (not value.startswith(("http://", "https://")) or "{key}" not in value):
            raise ValueError("must be an address with {key} in it, such as https://files.example.com/{key}")
        return value

    @property
    def place(self) -> Place:
        """Which objects."""
        return read_place(self.url)

    @property
    def server(self) -> str:
        """The address of the server, to which the bucket's name is added."""
        place = self.place
        if self.endpoint is not None:
            return self.endpoint
        if place.kind == "az":
            return f"https://{place.account}.blob.core.windows.net"
        return (
            "https://storage.googleapis.com" if place.kind == "gs" else f"https://s3.{self.region_name}.amazonaws.com"
        )

    @property
    def region_name(self) -> str:
        """The region that requests are signed for."""
        return self.region or ("auto" if self.place.kind == "gs" else "us-east-1")

    def web_address(self, key: str) -> str:
        """Where people open an object; empty if only requests with a signature may."""
        if self.link is not None:
            return self.link.replace("{key}", quote(key, safe="/-_.~"))
        return "" if self.credential is not None else f"{self.server}/{self.place.bucket}/{quote(key, safe='/-_.~')}"


def read_place(url: str) -> Place:
    """Read the address of a bucket, such as `s3://docs/manual/` or `az://account/container/`.

    Raises:
        ValueError: it is none.
    """
    scheme, _, path = url.partition("://")
    kind = _PLACES.get(scheme.lower())
    if kind is None or not url.isprintable() or "@" in path.partition("/")[0]:
        raise ValueError("must be such as s3://bucket/folder/, gs://bucket/ or az://account/container/")
    account, _, path = path.partition("/") if kind == "az" else ("", "", path)
    bucket, _, prefix = path.partition("/")
    if not _BUCKET.fullmatch(bucket) or (kind == "az" and not re.fullmatch(r"[a-z0-9]{3,24}", account)):
        raise ValueError("must name a bucket, such as s3://bucket/folder/, or az://account/container/ for Azure")
    return Place(kind=kind, bucket=bucket, prefix=prefix, account=account)


def guess_bucket(address: Address) -> Guess | None:
    """A bucket by its own kind of address, or by that of its folder on the servers of Amazon, Google and Azure."""
    config = _config(address)
    if config is None:
        return None
    try:
        place = read_place(config["url"])
    except ValueError:
        return None
    suffix = f" below {place.prefix}" if place.prefix else ""
    message = (
        f"the objects of the {_NAMES[place.kind]} bucket {place.bucket}{suffix};"
        " if it is not public, name its keys with --set credential=NAME"
    )
    slug = f"{place.bucket}-{place.prefix.strip('/')}" if place.prefix else place.bucket
    return Guess(config=config, words=message, score=0.95, slug=slug)


def _config(address: Address) -> dict[str, str] | None:
    url = address.url
    if url is None:
        return None
    if url.scheme.lower() in _PLACES:
        return {"url": address.text}
    host, path = (url.hostname or "").lower(), unquote(url.path.lstrip("/"))
    if url.scheme not in ("http", "https") or (path and not path.endswith("/")):
        return None  # a single file, or a page
    if (match := _OF_AMAZON.fullmatch(host)) is not None and (match["bucket"] or path):
        region = {"region": match["region"]} if match["region"] else {}
        return {"url": f"s3://{match['bucket']}/{path}" if match["bucket"] else f"s3://{path}", **region}
    if host == "storage.googleapis.com" and path:
        return {"url": f"gs://{path}"}
    if (match := _OF_AZURE.fullmatch(host)) is not None and path:
        return {"url": f"az://{match['account']}/{path}"}
    return None
