"""The addresses and signatures of S3 (Signature Version 4), which many servers speak.

Belongs here: the address of a page of the list and of an object, and the headers that sign a request. Not here: sending
it (`objects`). Guarantee: the secret signs, and is in no header; botocore only computes: it opens no connection.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from headwater.errors import SourceError
from headwater.fetching.credentials import Credential


@dataclass(frozen=True, kw_only=True, slots=True)
class S3Bucket:
    """A bucket: `base` is its address, without a slash at the end."""

    base: str
    region: str
    credential: Credential | None = field(default=None, repr=False)

    def list_address(self, prefix: str, token: str) -> str:
        """The address of a page of the list: a thousand objects."""
        query = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
        return f"{self.base}?{'&'.join(f'{name}={_quote(value)}' for name, value in sorted(query.items()))}"

    def object_address(self, key: str) -> str:
        """The address of an object."""
        return f"{self.base}/{quote(key, safe='/-_.~')}"

    def sign(self, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers of a request for an address; without a secret, those that were given.

        Raises:
            SourceError: the secret is not of the form `KEY:SECRET`.
        """
        if self.credential is None:
            return dict(headers)
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        logging.getLogger("botocore.auth").setLevel(logging.WARNING)  # it would log the token of a session
        key, _, session_part = self.credential.secret.partition(":")
        secret, _, session = session_part.partition(":")
        if not key or not secret:
            raise SourceError(
                f"The credential {self.credential.name} must be an access key and its secret, KEY:SECRET, or"
                " KEY:SECRET:TOKEN for a session."
            )
        request = AWSRequest(method="GET", url=url, headers=dict(headers))
        S3SigV4Auth(Credentials(key, secret, session or None), "s3", self.region).add_auth(request)
        return dict(request.headers.items())


def _quote(text: str) -> str:
    return quote(text, safe="-_.~")
