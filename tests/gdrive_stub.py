"""A stub of Google Drive: tokens, lists of files, the list of changes, downloads, exports.

Belongs here: its files and answers, whose form `tests/integration/test_vendor_schemas.py` checks. Not here: what is
expected of a sync. Guarantee: a token is given only for a signature that fits the key; an answer has the fields that
were asked for and no others; the list of changes says of a folder that went away nothing of what was in it. Files that
are `lost` went away for that list alone.
"""

import base64
import json
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import md5
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.json_stub import JsonStub, StubReply, StubRequest

GOOGLE = "application/vnd.google-apps."
FOLDER = f"{GOOGLE}folder"
DOCUMENT = f"{GOOGLE}document"
ROOT = "0AMyDriveOfTheAccount"
ACCOUNT = "reader@mill.iam.gserviceaccount.com"
REFRESH = {
    "type": "authorized_user",
    "client_id": "mill.apps",
    "client_secret": "GOCSPX-tulip",
    "refresh_token": "1//t",
}
_EXPORTS = {
    "document": ("text/markdown", "text/html", "text/plain"),
    "spreadsheet": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",),
    "presentation": (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/pdf",
        "text/plain",
    ),
}
_LINKS = {
    FOLDER: "https://drive.google.com/drive/folders/{}",
    DOCUMENT: "https://docs.google.com/document/d/{}/edit?usp=drivesdk",
}
_QUERY = re.compile(r"(?:'(?P<parent>[\w-]+)' in parents and )?trashed = false(?P<shared> and not 'me' in owners)?")


@cache
def private_key() -> RSAPrivateKey:
    """The key of the service account."""
    return generate_private_key(65537, 2048)


def key_file(**more: str) -> str:
    """What Google writes for a service account, as one line."""
    pem = private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    content = {"type": "service_account", "client_email": ACCOUNT, "private_key": pem, "private_key_id": "k1", **more}
    return json.dumps(content)


class GoogleDriveStub(JsonStub):
    """A drive of one account, or a shared one; lists leave out what is `hidden`; `exports` are contents by type."""

    def __init__(self, *, drive: str = "") -> None:
        super().__init__()
        self.drive = drive
        self.root = drive or ROOT
        self.files: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.exports: dict[tuple[str, str], bytes] = {}
        self.log: list[str] = []
        self.hidden: set[str] = set()
        self.tokens: dict[str, float] = {}
        self.seconds = 3599
        self.is_revoked = False
        self.is_member = True
        self.lost: set[str] = set()
        self.first_change = 0
        self.clock = datetime(2026, 6, 1, 9, tzinfo=UTC)
        self.put(self.root, "Mill" if drive else "My Drive", FOLDER, parent="")

    def put(
        self, identity: str, name: str, media_type: str = DOCUMENT, content: bytes | str = b"", *,
        parent: str | None = None, is_own: bool = False, **more: Any,
    ) -> str:  # fmt: skip
        """Write a file, or edit one."""
        self.clock += timedelta(minutes=1)
        now = self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        before = self.files.get(identity, {})
        encoded = content.encode() if isinstance(content, str) else content
        is_google = media_type.startswith(GOOGLE)
        link = _LINKS.get(media_type, "https://drive.google.com/file/d/{}/view?usp=drivesdk").format(identity)
        ida = {
            "kind": "drive#user",
            "displayName": "Ida Holm",
            "me": is_own,
            "permissionId": "17",
            "emailAddress": "i@mill.org",
        }
        file = {
            "kind": "drive#file", "id": identity, "name": name, "mimeType": media_type, "trashed": False,
            "createdTime": before.get("createdTime", now), "modifiedTime": now, "webViewLink": link,
            "lastModifyingUser": ida, "permissionIds": ["17", "anyoneWithLink"], "version": str(len(self.log)),
            **({} if is_google else {"md5Checksum": _md5(encoded), "size": str(len(encoded))}),
            **({"driveId": self.drive} if self.drive else {"owners": [ida], "ownedByMe": is_own}),
            **more,
        }  # fmt: skip
        home = before.get("parents", [self.root])[0] if parent is None else parent
        self.files[identity] = {**file, "parents": [home]} if home else file
        self.contents[identity] = encoded
        if media_type == DOCUMENT:
            self.exports[identity, "text/markdown"] = encoded
        self.log.append(identity)
        return identity

    def change(self, identity: str, **more: Any) -> None:
        """Rename, move or share a file, without editing it."""
        self.files[identity] |= more
        self.log.append(identity)

    def trash(self, identity: str) -> None:
        """Put a file or a folder into the trash; what is within is in the trash too, and only the folder changes."""
        self.change(identity, trashed=True)
        pending = [identity]
        while pending:
            within = [key for key, file in self.files.items() if file.get("parents") == [pending[0]]]
            pending = pending[1:] + within
            for key in within:
                self.files[key]["trashed"] = True

    def delete(self, identity: str) -> None:
        """Delete a file for ever."""
        del self.files[identity]
        self.log.append(identity)

    def reply(self, request: StubRequest) -> StubReply:
        """As in the base, but with tokens that end."""
        self.requests.append(request)
        if (fault := self.fault(request)) is not None:
            return fault
        if request.path == "/token":
            return self._token(request.content)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.is_revoked or self.tokens.get(token, 0) < time.time():
            return error(401, "authError")
        return self.answer(request)

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        path, fields = request.path.removeprefix("/drive/v3"), request.fields
        if path == "/changes/startPageToken":
            return StubReply(content={"kind": "drive#startPageToken", "startPageToken": str(len(self.log))})
        if path == "/changes":
            return self._changes(fields)
        if path == "/files":
            return self._list(fields)
        if path == f"/drives/{self.drive}" and self.is_member:
            return StubReply(content=select({"kind": "drive#drive", "id": self.drive}, fields["fields"]))
        match = re.fullmatch(r"/files/([\w-]+)(/export)?", path)
        file = self.files.get(self.root if match and match[1] == "root" else match[1] if match else "")
        if match is None or file is None or (self.drive and not match[2] and "supportsAllDrives" not in fields):
            return error(404, "notFound")
        if match[2]:
            return self._export(file, fields["mimeType"])
        if fields.get("alt") != "media":
            return StubReply(content=select(file, fields.get("fields", "kind,id,name,mimeType")))
        if file["mimeType"].startswith(GOOGLE):
            return error(403, "fileNotDownloadable")
        return StubReply(content=self.contents[file["id"]], headers={"Content-Type": file["mimeType"]})

    def _token(self, form: Mapping[str, str]) -> StubReply:
        values = dict(form)
        is_user = values == {
            "grant_type": "refresh_token",
            **{name: REFRESH[name] for name in REFRESH if name != "type"},
        }
        if self.is_revoked or not (is_user or self._is_signed(values)):
            return StubReply(status=400, content={"error": "invalid_grant", "error_description": "Invalid JWT"})
        token = f"ya29.token-{len(self.tokens)}"
        self.tokens[token] = time.time() + self.seconds
        return StubReply(content={"access_token": token, "expires_in": self.seconds, "token_type": "Bearer"})

    def _is_signed(self, form: dict[str, str]) -> bool:
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" or len(form) != 2:
            return False
        signed, _, signature = form["assertion"].rpartition(".")
        try:
            private_key().public_key().verify(_decode(signature), signed.encode(), PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        header, claims = (json.loads(_decode(part)) for part in signed.split("."))
        is_timely = claims["iat"] <= time.time() + 1 < claims["exp"] <= claims["iat"] + 3600
        scope = "https://www.googleapis.com/auth/drive.readonly"
        expected = {"iss": ACCOUNT, "scope": scope, "aud": f"{self.url}/token"}
        return bool(is_timely and header["alg"] == "RS256" and expected.items() <= claims.items())

    def _list(self, fields: Mapping[str, str]) -> StubReply:
        match = _QUERY.fullmatch(fields["q"])
        if match is None or (self.is_member and self.drive and fields.get("driveId") != self.drive):
            return error(400, "invalid")
        if not self.is_member and "driveId" in fields:
            return error(404, "notFound")
        chosen = [
            file for key, file in self.files.items()
            if not file["trashed"] and key not in self.hidden and key != self.root
            and (not match["parent"] or file.get("parents") == [match["parent"]])
            and not (match["shared"] and file.get("ownedByMe"))
        ]  # fmt: skip
        page, following = self._page(chosen, fields)
        content = {"kind": "drive#fileList", "incompleteSearch": False, "files": page, **following}
        return StubReply(content=select(content, fields["fields"]))

    def _changes(self, fields: Mapping[str, str]) -> StubReply:
        place = fields["pageToken"].partition(" ")[0]
        if not place.isdecimal() or int(place) < self.first_change:
            return error(400, "invalid")
        changed = list(dict.fromkeys(reversed(self.log[int(place) :])))[::-1]
        entries = [
            {
                "kind": "drive#change", "changeType": "file", "fileId": key, "removed": self._is_lost(key),
                "time": "2026-06-01T09:00:00.000Z", **({} if self._is_lost(key) else {"file": self.files[key]}),
            }
            for key in changed
        ]  # fmt: skip
        page, following = self._page(entries, fields, f"{place} ")
        end = following or {"newStartPageToken": str(len(self.log))}
        return StubReply(content=select({"kind": "drive#changeList", "changes": page, **end}, fields["fields"]))

    def _is_lost(self, key: str) -> bool:
        """Whether the list of changes says that a file went away, from the drive or from this list alone."""
        return key not in self.files or key in self.lost

    def _page(self, entries: list[Any], fields: Mapping[str, str], place: str = "") -> tuple[list[Any], dict[str, str]]:
        token = fields.get("pageToken", "")
        begin = int(token.removeprefix(place) or 0) if token.startswith(place) else 0
        end = begin + int(fields["pageSize"])
        return entries[begin:end], {"nextPageToken": f"{place}{end}"} if end < len(entries) else {}

    def _export(self, file: dict[str, Any], media_type: str) -> StubReply:
        if media_type not in _EXPORTS.get(file["mimeType"].removeprefix(GOOGLE), ()):
            return error(400, "badRequest")
        content = self.exports.get((file["id"], media_type))
        if content is None:
            return error(400, "badRequest")
        if len(content) > 10_000_000:
            return error(403, "exportSizeLimitExceeded")
        return StubReply(content=content, headers={"Content-Type": media_type})


def error(status: int, reason: str, **headers: str) -> StubReply:
    """An error as Google writes it."""
    errors = [{"domain": "global", "reason": reason, "message": "No ya29.token"}]
    content = {"error": {"code": status, "message": "No ya29.token", "errors": errors}}
    return StubReply(
        status=status, content=content, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


def select(value: Any, fields: str) -> Any:
    """The members of a value that a list such as `a,b(c,d)` names."""
    if isinstance(value, list):
        return [select(entry, fields) for entry in value]
    names, depth, begin = [], 0, 0
    for place, sign in enumerate(f"{fields},"):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            names.append(fields[begin:place])
            begin = place + 1
    selected = {}
    for entry in names:
        name, _, within = entry.partition("(")
        if name in value:
            selected[name] = select(value[name], within[:-1]) if within else value[name]
    return selected


def _md5(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
