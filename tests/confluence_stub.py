"""A stub of Confluence, of Cloud and of Data Center: searches with cursors, single items, attachments.

Belongs here: its items and answers, whose form `tests/integration/test_vendor_schemas.py` checks. Not here: what is
expected of a sync. Guarantee: a new number of an item puts it first in the list of changes.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from tests.json_stub import JsonStub, StubReply, StubRequest

_SEARCH = "/rest/api/content/search"
_SPACE = {
    "id": 7, "key": "ENG", "name": "Engineering", "type": "global", "status": "current", "_links": {},
    "_expandable": {},
}  # fmt: skip
_ABOVE = {"id": "100", "type": "page", "status": "current", "title": "Handbook"}


class ConfluenceStub(JsonStub):
    """The space ENG. `hidden` items are there, but in no list."""

    authorization = "Basic YW5uQGV4YW1wbGUuY29tOnRva2Vu"  # ann@example.com:token

    def __init__(self, count: int = 0, *, is_cloud: bool = True) -> None:
        super().__init__()
        self.is_cloud = is_cloud
        self.context = "/wiki" if is_cloud else ""
        self.items: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.hidden: set[str] = set()
        self.trashed: list[dict[str, Any]] = []
        self.clock = 0
        for number in range(count):
            self.put(str(1000 + number), f"Valve {number}", f"<h2>Use</h2><p>Valve number {number} turns.</p>")

    def put(self, identity: str, title: str, body: str, *, kind: str = "page", labels: tuple[str, ...] = ()) -> None:
        """Write a page or blog post, or edit one."""
        number = self._next_number(identity)
        self.items[identity] = {
            **self._common(identity, kind, title, number),
            "ancestors": [] if kind == "blogpost" else [_ABOVE],
            "metadata": {"labels": _labels(labels)},
            "body": {"storage": {"value": body, "representation": "storage"}},
        }  # fmt: skip
        place = "blog" if kind == "blogpost" else "pages"
        self.items[identity]["_links"]["webui"] = f"/spaces/ENG/{place}/{identity}/{title.replace(' ', '+')}"

    def attach(self, identity: str, page: str, name: str, content: bytes, media_type: str) -> None:
        """Attach a file to a page, or a new version of it."""
        number = self._next_number(identity)
        self.files[identity] = content
        self.items[identity] = {
            **self._common(identity, "attachment", name, number),
            "container": {"id": page, "type": "page", "status": "current", "title": "A page"},
            "metadata": {"mediaType": media_type, "labels": _labels()},
            "extensions": {"mediaType": media_type, "fileSize": len(content), "comment": ""},
        }  # fmt: skip
        self.items[identity]["_links"]["download"] = f"/download/attachments/{page}/{quote(name)}?version={number}"

    def trash(self, identity: str) -> None:
        """Delete a page, with what is attached to it."""
        self.trashed.append({**self.items.pop(identity), "status": "trashed"})
        attached = [key for key, item in self.items.items() if item.get("container", {}).get("id") == identity]
        for key in attached:
            del self.items[key]

    def _next_number(self, identity: str) -> int:
        before = self.items.get(identity)
        return before["version"]["number"] + 1 if before else 1

    def _common(self, identity: str, kind: str, title: str, number: int) -> dict[str, Any]:
        self.clock += 1
        who = {
            "type": "known",
            "accountId": "a1",
            "accountType": "atlassian",
            "email": "",
            "publicName": "Ida",
            "displayName": "Ida Holm",
        }
        when = (datetime(2026, 6, 1, tzinfo=UTC) + timedelta(seconds=self.clock)).isoformat(timespec="milliseconds")
        return {
            "id": identity, "type": kind, "status": "current", "title": title,
            "space": _SPACE,
            "history": {"latest": True, "createdBy": who, "createdDate": "2026-01-01T00:00:00.000Z", "_links": {}},
            "version": {"by": who, "when": when, "number": number, "minorEdit": False, "message": ""},
            "_links": {}, "clock": self.clock,
        }  # fmt: skip

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        path = request.path.removeprefix(self.context)
        if path == _SEARCH:
            return self._search(request)
        if path == "/api/v2/pages" and request.fields.get("status") == "trashed":
            return StubReply(content={"results": [_version_two(item) for item in self.trashed], "_links": {}})
        if match := re.fullmatch(r"/api/v2/(pages|blogposts)/(\w+)", path):
            item = self.items.get(match[2])
            is_right = item is not None and item["type"] == ("page" if match[1] == "pages" else "blogpost")
            return StubReply(content=_version_two(item)) if item and is_right else StubReply(status=404)
        if match := re.fullmatch(r"/rest/api/content/(\w+)", path):
            item = self.items.get(match[1])
            return StubReply(content=self._shown(item, "")) if item else StubReply(status=404)
        if match := re.fullmatch(r"(?:/api/v2/pages/(\w+)/attachments|/rest/api/content/(\w+)/child/attachment)", path):
            page = match[1] or match[2]
            same = [
                item
                for item in self.items.values()
                if item.get("container", {}).get("id") == page and item["title"] == request.fields["filename"]
            ]
            return StubReply(content={"results": [{"id": item["id"], "title": item["title"]} for item in same]})
        return self._file(path)

    def _file(self, path: str) -> StubReply:
        match = re.search(r"/attachment/(att\d+)/download\Z", path)
        by_name = [
            key for key, item in self.items.items() if path == item["_links"].get("download", "").partition("?")[0]
        ]
        identity = match[1] if match else next(iter(by_name), "")
        item = self.items.get(identity)
        if item is None:
            return StubReply(status=404)
        return StubReply(content=self.files[identity], headers={"Content-Type": item["extensions"]["mediaType"]})

    def _search(self, request: StubRequest) -> StubReply:
        query, begin = request.fields["cql"], int(request.fields.get("cursor") or request.fields.get("start") or 0)
        limit = int(request.fields["limit"])
        if match := re.match(r"id in \(([^)]*)\)", query):
            chosen = [self.items[one] for one in match[1].split(", ") if one in self.items and one not in self.hidden]
        else:
            kinds = re.search(r"type in \(([^)]*)\)", query)
            wanted = kinds[1].split(", ") if kinds else []
            chosen = [item for key, item in self.items.items() if item["type"] in wanted and key not in self.hidden]
            chosen.sort(key=lambda item: -item["clock"])
        links: dict[str, str] = {
            "base": f"https://elsewhere.example.com{self.context}",
            "context": self.context,
            "self": "https://elsewhere.example.com/",
        }
        if begin + limit < len(chosen):
            at = {"cursor" if self.is_cloud else "start": str(begin + limit)}
            links["next"] = f"{_SEARCH}?{urlencode({**request.fields, **at})}"
        results = [self._shown(item, request.fields["expand"]) for item in chosen[begin : begin + limit]]
        return StubReply(
            content={"results": results, "start": begin, "limit": limit, "size": len(results), "_links": links}
        )

    def _shown(self, item: dict[str, Any], expand: str) -> dict[str, Any]:
        unshown = {"clock", *(() if "body.storage" in expand else ("body",))}
        return {name: value for name, value in item.items() if name not in unshown}


def _labels(names: tuple[str, ...] = ()) -> dict[str, Any]:
    entries = [{"prefix": "global", "name": name, "id": str(at), "label": name} for at, name in enumerate(names)]
    return {"results": entries, "start": 0, "limit": 200, "size": len(names), "_links": {}}


def _version_two(item: dict[str, Any]) -> dict[str, Any]:
    """An item as the second version of the interface sends it."""
    version = item["version"]
    return {
        "id": item["id"], "status": item["status"], "title": item["title"], "spaceId": "7", "authorId": "a1",
        "createdAt": "2026-01-01T00:00:00.000Z", "_links": {"webui": item["_links"]["webui"]},
        "version": {
            "number": version["number"], "message": "", "minorEdit": False, "authorId": "a1",
            "createdAt": version["when"],
        },
    }  # fmt: skip
