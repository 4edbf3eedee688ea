"""A stub of Microsoft Graph for libraries of SharePoint: log-in, sites, changes, files, pages.

Belongs here: files and answers, which have the fields of Microsoft's published types. Not here: what is expected of a
sync. Guarantee: as in SharePoint, a list of changes names items by id, leaves out `cTag` and paths, and does not name
what is below a folder that moved; a file is redirected to another host, which takes no token.
"""

import base64
import itertools
from typing import Any
from urllib.parse import quote, unquote

from tests.json_stub import JsonStub, StubReply, StubRequest

HOST = "mill.sharepoint.com"
SITE = f"https://{HOST}/sites/Team"
LIBRARY = f"{SITE}/Shared%20Documents"
SITE_ID = f"{HOST},1d2c3b4a-0000-4000-8000-000000000001,1d2c3b4a-0000-4000-8000-000000000002"
DRIVE = "b!AbC-dEf_1"
ROOT = "01ROOT"
CLIENT, SECRET, TENANT = "8f0c1a52-1111-4222-8333-444455556666", "kX8~secret.of_the-app", "mill.onmicrosoft.com"
_EDITOR = {"user": {"displayName": "Bo Ask"}}


class GraphStub(JsonStub):
    """A site with one library, and its pages; `hidden` items are in no list, and `tokens` are valid."""

    def __init__(self, files: int = 0) -> None:
        super().__init__()
        self.items: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.changes: list[str] = []
        self.hidden: set[str] = set()
        self.pages: dict[str, dict[str, Any]] = {}
        self.libraries = {DRIVE: LIBRARY}
        self.tokens: set[str] = set()
        self.secret = SECRET
        self.oldest_change = 0
        self.page_size = 200
        self._numbers = itertools.count(1)
        self.add_valves(0, files)

    def add_valves(self, last: int, until: int) -> None:
        """Put files into ten folders: those after the number of the last one."""
        for number in range(last + 1, until + 1):
            self.put(f"Manuals/{number % 10}/{number}.md", f"# Valve {number}\n\nValve {number} drips.".encode())

    @property
    def files_url(self) -> str:
        """Where files are: another host than that of the interface."""
        return self.url.replace("127.0.0.1", "localhost")

    def put(self, path: str, content: bytes, **fields: Any) -> str:
        """Write a file, or another version of it; returns its id."""
        folder, _, name = path.rpartition("/")
        key = self.find(path) or f"01FILE{next(self._numbers):05}"
        self.contents[key] = content
        digest = base64.b64encode(content.ljust(20)[-20:]).decode()
        link = f"{SITE}/_layouts/15/Doc.aspx?sourcedoc=%7B{key}%7D&file={quote(name)}&action=default"
        return self._change(key, {
            "name": name, "parentReference": self._parent(folder), "size": len(content), "cTag": f'"c:{{{key}}},1"',
            "file": {"mimeType": "application/octet-stream", "hashes": {"quickXorHash": digest}},
            "webUrl": link if name.endswith((".docx", ".xlsx")) else f"{LIBRARY}/{quote(path)}", **fields,
        })  # fmt: skip

    def move(self, path: str, target: str) -> None:
        """Move or rename a file or a folder: its id stays, and only it is named by the next list of changes."""
        folder, _, name = target.rpartition("/")
        self._change(self.find(path), {"name": name, "parentReference": self._parent(folder)})

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it, of which only the folder is named."""
        key = self.find(path)
        gone = [key]
        for folder in gone:
            gone += [child for child, item in self.items.items() if item["parentReference"]["id"] == folder]
        for child in gone:
            del self.items[child]
        self.changes.append(key)

    def find(self, path: str) -> str:
        """The id of a path; empty if nothing is there."""
        key = ROOT
        for name in filter(None, path.split("/")):
            within = (
                child
                for child, item in self.items.items()
                if item["name"] == name and item["parentReference"]["id"] == key
            )
            key = next(within, "")
        return key

    def write_page(self, name: str, title: str, *texts: str, level: str = "published") -> str:
        """Write a page of text web parts, or another version of it; returns its id."""
        key = next((key for key, page in self.pages.items() if page["name"] == name), "")
        key = key or f"f45354cb-d634-45df-8b88-{next(self._numbers):012}"
        version = next(self._numbers)
        parts = [{"@odata.type": "#microsoft.graph.textWebPart", "id": "1", "innerHtml": text} for text in texts]
        column = {"id": "1", "width": 12, "webparts": parts}
        section = {"id": "1", "layout": "oneColumn", "emphasis": "none", "columns": [column]}
        self.pages[key] = {
            "@odata.type": "#microsoft.graph.sitePage", "id": key, "name": name, "title": title,
            "eTag": f'"{{{key}}},{version}"', "webUrl": f"{SITE}/SitePages/{name}", "pageLayout": "article",
            "lastModifiedDateTime": "2026-06-01T10:00:00Z", "lastModifiedBy": _EDITOR,
            "publishingState": {"level": level, "versionId": "1.0"}, "canvasLayout": {"horizontalSections": [section]},
        }  # fmt: skip
        return key

    def _parent(self, folder: str) -> dict[str, Any]:
        key = self.find(folder)
        if not key:
            above, _, name = folder.rpartition("/")
            key = self._change(
                f"01DIR{next(self._numbers):06}",
                {"name": name, "parentReference": self._parent(above), "folder": {"childCount": 1},
                 "webUrl": f"{LIBRARY}/{quote(folder)}"},
            )  # fmt: skip
        return {"driveId": DRIVE, "driveType": "documentLibrary", "id": key}

    def _change(self, key: str, fields: dict[str, Any]) -> str:
        item = self.items.setdefault(key, {"id": key, "createdBy": {"user": {"displayName": "Ida Ek"}}})
        number = next(self._numbers)
        about = {
            "eTag": f'"{{{key}}},{number}"',
            "lastModifiedBy": _EDITOR,
            "lastModifiedDateTime": "2026-06-02T10:00:00Z",
        }
        self.items[key] = {**item, **about, **fields}
        self.changes.append(key)
        return key

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        path = request.path
        if path == f"/{TENANT}/oauth2/v2.0/token":
            return self._log_in(request)
        if path.startswith("/download/"):
            is_refused = "authorization" in request.headers or "localhost" not in request.headers["host"]
            key = path.removeprefix("/download/")
            return StubReply(status=401) if is_refused else StubReply(content=self.contents[key])
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return _refuse(401, "InvalidAuthenticationToken")
        path = unquote(path.removeprefix("/v1.0"))
        return self._site(path, request) if path.startswith("/sites/") else self._library(path, request)

    def _library(self, path: str, request: StubRequest) -> StubReply:
        drive, _, rest = path.removeprefix("/drives/").partition("/")
        if drive not in self.libraries:
            return _refuse(404, "itemNotFound")
        if not rest:
            return StubReply(content={"id": drive, "webUrl": self.libraries[drive]})
        if rest == "root/delta":
            return self._delta(request)
        if rest == "root":
            return StubReply(content=self._root())
        key, _, rest = rest.removeprefix("items/").partition("/")
        if key == "root:":
            key, rest = self.find(rest), ""
        if key not in self.items:
            return _refuse(404, "itemNotFound")
        if rest == "content":
            return StubReply(status=302, headers={"Location": f"{self.files_url}/download/{key}?tempauth=v1"})
        return StubReply(content=self.items[key])

    def _log_in(self, request: StubRequest) -> StubReply:
        form = dict(request.content)
        wanted = {"grant_type": "client_credentials", "client_id": CLIENT, "client_secret": self.secret}
        if request.method != "POST" or {**form, **wanted} != form or form["scope"] != f"{self.url}/.default":
            described = "AADSTS7000215: Invalid client secret provided."
            return StubReply(status=401, content={"error": "invalid_client", "error_description": described})
        token = f"eyJ0eXAi.{next(self._numbers)}.token"
        self.tokens.add(token)
        return StubReply(content={"token_type": "Bearer", "expires_in": 3599, "access_token": token})

    def _root(self) -> dict[str, Any]:
        return {"id": ROOT, "name": "root", "root": {}, "folder": {"childCount": 1}, "webUrl": LIBRARY,
                "parentReference": {"driveId": DRIVE, "driveType": "documentLibrary"}}  # fmt: skip

    def _site(self, path: str, request: StubRequest) -> StubReply:
        if path == f"/sites/{HOST}:/sites/Team":
            return StubReply(content={"id": SITE_ID, "webUrl": SITE, "displayName": "Team"})
        if path == f"/sites/{SITE_ID}/drives":
            return self._paged(
                [{"id": key, "webUrl": url, "driveType": "documentLibrary"} for key, url in self.libraries.items()],
                request,
            )
        below = path.removeprefix(f"/sites/{SITE_ID}/pages/")
        if below == "microsoft.graph.sitePage":
            listed = [
                {name: value for name, value in page.items() if name != "canvasLayout"}
                for key, page in self.pages.items()
                if key not in self.hidden
            ]
            return self._paged(listed, request)
        key = below.partition("/")[0]
        if key in self.pages and request.fields.get("$expand") == "canvasLayout":
            return StubReply(content=self.pages[key])
        return _refuse(404, "itemNotFound")

    def _delta(self, request: StubRequest) -> StubReply:
        begin = request.fields.get("token", "")
        if begin and int(begin) < self.oldest_change:
            return _refuse(410, "resyncRequired", Location=f"{self.url}/v1.0/drives/{quote(DRIVE)}/root/delta?token=")
        keys = dict.fromkeys(self.changes[int(begin) :] if begin else self.items)
        entries = [self._root()] if keys or not begin else []
        for key in keys:
            if key in self.hidden:
                continue
            if key in self.items:
                entries.append({name: value for name, value in self.items[key].items() if name != "cTag"})
            else:
                entries.append({"id": key, "deleted": {"state": "deleted"}, "parentReference": {"driveId": DRIVE}})
        return self._paged(entries, request, link=f"{len(self.changes)}", token=begin)

    def _paged(self, entries: list[Any], request: StubRequest, link: str = "", token: str = "") -> StubReply:
        size = min(int(request.fields.get("$top", self.page_size)), self.page_size)
        begin = int(request.fields.get("$skiptoken", "0"))
        end = begin + size
        here = f"{self.url}{request.path}"
        content: dict[str, Any] = {"@odata.context": f"{self.url}/v1.0/$metadata", "value": entries[begin:end]}
        if end < len(entries):
            token_field = f"&token={token}" if token else ""
            content["@odata.nextLink"] = f"{here}?$skiptoken={end}{token_field}"
        elif link:
            content["@odata.deltaLink"] = f"{here}?token={link}"
        return StubReply(content=content)


def _refuse(status: int, code: str, **headers: str) -> StubReply:
    return StubReply(status=status, content={"error": {"code": code, "message": "No."}}, headers=headers)
