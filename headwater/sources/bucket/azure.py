"""The addresses and signatures of Azure Blob Storage (Shared Key).

Belongs here: the address of a page of the list and of a blob, and the headers that sign a request. Not here: sending it
(`objects`). Guarantee: the account key signs, and is in no header.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from urllib.parse import quote, unquote, urlsplit

from headwater.errors import SourceError
from headwater.fetching.credentials import Credential

_VERSION = "2023-11-03"
_SIGNED = (
    "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
    "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
)  # fmt: skip
"""The headers whose values are lines of the text that is signed, in this order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AzureContainer:
    """A container: `base` is its address, without a slash at the end."""

    base: str
    account: str
    credential: Credential | None = field(default=None, repr=False)

    def list_address(self, prefix: str, token: str) -> str:
        """The address of a page of the list: up to five thousand blobs."""
        query = {"restype": "container", "comp": "list", "prefix": prefix, "marker": token}
        pairs = [f"{name}={quote(value, safe='')}" for name, value in query.items() if value]
        return f"{self.base}?{'&'.join(pairs)}"

    def object_address(self, key: str) -> str:
        """The address of a blob."""
        return f"{self.base}/{quote(key, safe='/-_.~')}"

    def sign(self, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of a request for an address; without a secret, those that were given.

        Raises:
            SourceError: the secret is no account key.
        """
        if self.credential is None:
            return {**headers, "x-ms-version": _VERSION}
        sent = {**headers, "x-ms-date": formatdate(usegmt=True), "x-ms-version": _VERSION}
        digest = hmac.new(self._key(self.credential), self._text(url, sent).encode(), hashlib.sha256).digest()
        return {**sent, "Authorization": f"SharedKey {self.account}:{base64.b64encode(digest).decode()}"}

    def _key(self, credential: Credential) -> bytes:
        try:
            return base64.b64decode(credential.secret, validate=True)
        except (binascii.Error, ValueError):
            raise SourceError(
                f"The credential {credential.name} must be a key of the storage account, as Azure shows it under"
                " Access keys. A shared access signature is not one."
            ) from None

    def _text(self, url: str, sent: Mapping[str, str]) -> str:
        """The text that is signed."""
        lower = {name.lower(): value for name, value in sent.items()}
        azure_headers = [f"{name}:{lower[name]}" for name in sorted(lower) if name.startswith("x-ms-")]
        url_parts = urlsplit(url)
        pairs = sorted(pair.partition("=")[::2] for pair in url_parts.query.split("&") if pair)
        parameters = [f"{name.lower()}:{unquote(value)}" for name, value in pairs]
        resource = "\n".join([f"/{self.account}{url_parts.path}", *parameters])
        return "\n".join(["GET", *(lower.get(name, "") for name in _SIGNED), *azure_headers, resource])
