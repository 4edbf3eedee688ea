"""Fields that the configs of several kinds of sources share.

Belongs here: an address on the web, the name of a credential, and their checks. Not here: the configs (`config` of each
kind). Guarantee: an accepted address holds no user name and no password; no message repeats a secret.
"""

from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field

from headwater.fetching.credentials import check_credential_name


def check_web_address(value: str) -> str:
    """Return an address with http or https.

    Raises:
        ValueError: it is none, or it contains a user name or password.
    """
    try:
        url_parts = urlsplit(value)
        host = url_parts.hostname
    except ValueError:
        url_parts, host = SplitResult("", "", "", "", ""), None
    if "@" in url_parts.netloc:
        raise ValueError("must contain neither a user name nor a password; name a secret with credential")
    if url_parts.scheme not in ("http", "https") or not host or not value.isprintable() or " " in value:
        raise ValueError("must be an address that begins with http:// or https://")
    return value


WebAddress = Annotated[str, Field(max_length=2_000), AfterValidator(check_web_address)]
CredentialName = Annotated[str, AfterValidator(check_credential_name)]
Delay = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)]
"""Seconds between two requests."""
