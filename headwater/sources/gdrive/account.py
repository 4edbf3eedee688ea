"""What is offered to Google for an access token: the key of a service account, or a refresh token.

Belongs here: reading the secret, and signing. Not here: asking (`headwater.sources.access_tokens`). Guarantee: a
private key signs, and is not sent; no message holds a part of the secret; the token of a service account may read, and
nothing else.
"""

import base64
import json
import time
from collections.abc import Mapping
from typing import Any

from headwater.errors import SourceError
from headwater.fetching.credentials import Credential
from headwater.settings import credential_variable

_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_SECONDS = 3_600
_KEY_MEMBERS = {
    "service_account": ("client_email", "private_key"),
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
}


def token_form(credential: Credential, token_url: str) -> dict[str, str]:
    """What is posted for a token.

    Args:
        credential: the secret, in Google's own forms of JSON.
        token_url: where it is posted.

    Raises:
        SourceError: the secret is of another form.
    """
    key = _read_key(credential)
    if key["type"] == "authorized_user":
        members = _KEY_MEMBERS["authorized_user"]
        return {"grant_type": "refresh_token", **{name: str(key[name]) for name in members}}
    now = int(time.time())
    claims = {"iss": key["client_email"], "scope": _SCOPE, "aud": token_url, "iat": now, "exp": now + _SECONDS}
    if key.get("subject"):  # a person of the domain, in whose name the account reads
        claims["sub"] = key["subject"]
    try:
        return {"grant_type": _GRANT, "assertion": _sign(claims, key)}
    except (ValueError, TypeError, AttributeError) as error:
        raise _form_error(credential.name) from error


def account_name(credential: Credential) -> str:
    """The address of a service account, with which people share folders; empty for another account."""
    return str(_read_key(credential).get("client_email", ""))


def _sign(claims: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    private_key = load_pem_private_key(str(key["private_key"]).encode(), password=None)
    if not isinstance(private_key, RSAPrivateKey):
        raise TypeError("another kind of key")
    header = {"alg": "RS256", "typ": "JWT", **({"kid": key["private_key_id"]} if key.get("private_key_id") else {})}
    signed = ".".join(_encode(json.dumps(content).encode()) for content in (header, claims))
    return f"{signed}.{_encode(private_key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _read_key(credential: Credential) -> Mapping[str, Any]:
    try:
        key = json.loads(credential.secret)
    except (ValueError, RecursionError):
        key = None
    members = _KEY_MEMBERS.get(str(key.get("type"))) if isinstance(key, dict) else None
    if not members or not all(isinstance(key.get(name), str) and key[name] for name in members):
        raise _form_error(credential.name)
    return dict(key)


def _form_error(name: str) -> SourceError:
    return SourceError(
        f"{credential_variable(name)} holds neither the key of a service account nor a refresh token, as Google writes"
        ' them: JSON in one line, whose type is "service_account" or "authorized_user".'
    )
