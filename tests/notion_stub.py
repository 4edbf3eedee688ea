"""A stub of Notion: search, data sources, pages as markdown, blocks, files.

Belongs here: its pages and answers, whose form `tests/integration/test_vendor_schemas.py` checks. Not here: what is
expected of a sync. Guarantee: addresses of files differ each time they are asked for, as signed ones do.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.json_stub import JsonStub, StubReply, StubRequest

_IDA = str(UUID(int=77))


def id_of(number: int) -> str:
    """The id of a page or block by its number, with hyphens."""
    return str(UUID(int=(1 << 64) + number))


def hex_of(number: int) -> str:
    """The same without hyphens."""
    return id_of(number).replace("-", "")


class NotionStub(JsonStub):
    """Pages and one data source, number 500. The search leaves out what is `hidden`; `pieces` are parts of pages."""

    authorization = "Bearer ntn_secret"

    def __init__(self, count: int = 0) -> None:
        super().__init__()
        self.pages: dict[str, dict[str, Any]] = {}
        self.markdown: dict[str, str] = {}
        self.headings: dict[str, list[tuple[int, str]]] = {}
        self.attached: dict[str, list[tuple[int, str, bytes]]] = {}
        self.pieces: dict[str, list[str]] = {}
        self.hidden: set[str] = set()
        self.storage = ""
        self.clock = datetime(2026, 6, 1, 9, tzinfo=UTC)
        self.signature = 0
        for number in range(count):
            self.put(1000 + number, f"Valve {number}", f"# Use\nValve number {number} turns.")

    def put(self, number: int, title: str, markdown: str, *, is_row: bool = False, **properties: Any) -> None:
        """Write a page, or edit one."""
        identity = id_of(number)
        self.clock += timedelta(minutes=1)
        before = self.pages.get(identity)
        self.markdown[identity] = markdown
        words = re.findall(r"^#+ ([^{\n]*[^{\s])", markdown, re.MULTILINE)
        self.headings[identity] = [(number * 100 + at, word) for at, word in enumerate(words)]
        row = {"type": "data_source_id", "data_source_id": id_of(500), "database_id": id_of(501)}
        self.pages[identity] = {
            "object": "page", "id": identity, "created_time": before["created_time"] if before else self._now(),
            "last_edited_time": self._now(), "in_trash": False, "is_archived": False, "is_locked": False,
            "archived": False, "url": f"https://www.notion.so/{title.replace(' ', '-')}-{hex_of(number)}",
            "public_url": None, "parent": row if is_row else {"type": "workspace", "workspace": True}, "icon": None,
            "cover": None, "created_by": {"object": "user", "id": _IDA},
            "last_edited_by": {"object": "user", "id": _IDA},
            "properties": {"Name": {"id": "title", "type": "title", "title": [_rich(title)]}, **properties},
        }  # fmt: skip

    def attach(self, number: int, block: int, name: str, content: bytes) -> None:
        """Put a file on a page."""
        self.clock += timedelta(minutes=1)
        self.attached.setdefault(id_of(number), []).append((block, name, content))
        self.pages[id_of(number)]["last_edited_time"] = self._now()

    def trash(self, number: int) -> None:
        """Delete a page."""
        self.pages[id_of(number)] |= {"in_trash": True, "archived": True}

    def _now(self) -> str:
        return self.clock.strftime("%Y-%m-%dT%H:%M:00.000Z")

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        if request.path.startswith("/files/"):
            return self._file(request)
        if request.headers.get("notion-version") != "2026-03-11":
            return StubReply(status=400, content={"object": "error", "code": "missing_version"})
        if request.path == "/v1/search":
            return self._search(request.content)
        if request.path == f"/v1/data_sources/{hex_of(500)}/query":
            rows = [page for page in self.pages.values() if "data_source_id" in page["parent"] and not page["in_trash"]]
            return self._listed(rows, request.content)
        if request.path == f"/v1/users/{_IDA}":
            return StubReply(content={"object": "user", "id": _IDA, "type": "person", "name": "Ida Holm"})
        if match := re.fullmatch(r"/v1/pages/(\w+)(/markdown)?", request.path):
            return self._page(str(UUID(match[1])), is_markdown=bool(match[2]))
        if match := re.fullmatch(r"/v1/blocks/(\w+)/children", request.path):
            return self._listed(self._blocks(str(UUID(match[1]))), {"page_size": 100}, "block")
        return StubReply(status=404, content={"object": "error", "code": "object_not_found"})

    def _file(self, request: StubRequest) -> StubReply:
        name = request.path.rpartition("/")[2]
        contents = {name: content for files in self.attached.values() for _, name, content in files}
        return StubReply(content=contents[name], headers={"Content-Type": "application/octet-stream"})

    def reply(self, request: StubRequest) -> StubReply:
        """As in the base, but files need no secret, as signed addresses do."""
        if request.path.startswith("/files/"):
            self.requests.append(request)
            return self.fault(request) or self.answer(request)
        return super().reply(request)

    def _page(self, identity: str, *, is_markdown: bool) -> StubReply:
        if is_markdown and identity in self.markdown and not self.pages.get(identity, {}).get("in_trash"):
            self.signature += 1
            text = self.markdown[identity].replace("{signature}", str(self.signature))
            left = self.pieces.get(identity, [])
            content = {"object": "page_markdown", "id": identity, "markdown": text, "truncated": bool(left)}
            return StubReply(content={**content, "unknown_block_ids": left})
        page = None if is_markdown else self.pages.get(identity)
        return StubReply(status=404) if page is None else StubReply(content=page)

    def _search(self, asked: dict[str, Any]) -> StubReply:
        wanted = asked.get("filter", {})
        if wanted.get("value") == "data_source":
            return self._listed([self.source()], asked)
        is_trash = wanted.get("in_trash", False)
        chosen = [page for key, page in self.pages.items() if key not in self.hidden and page["in_trash"] is is_trash]
        chosen.sort(key=lambda page: str(page["last_edited_time"]), reverse=True)
        return self._listed(chosen, asked)

    def source(self) -> dict[str, Any]:
        """The data source."""
        who = {"object": "user", "id": _IDA}
        database = {"type": "database_id", "database_id": id_of(501)}
        return {
            "object": "data_source", "id": id_of(500), "title": [_rich("Pumps")], "description": [],
            "parent": database, "database_parent": {"type": "workspace", "workspace": True}, "is_inline": False,
            "in_trash": False, "archived": False, "created_time": self._now(), "last_edited_time": self._now(),
            "created_by": who, "last_edited_by": who, "properties": {}, "icon": None, "cover": None,
            "url": f"https://www.notion.so/{hex_of(500)}", "public_url": None,
        }  # fmt: skip

    def _listed(self, values: list[Any], asked: dict[str, Any], name: str = "page_or_data_source") -> StubReply:
        begin = int(asked.get("start_cursor") or 0)
        end = begin + int(asked["page_size"])
        more = {"has_more": end < len(values), "next_cursor": str(end) if end < len(values) else None}
        kind = {"type": name, name: {}}
        return StubReply(content={"object": "list", "results": values[begin:end], **more, **kind})

    def _blocks(self, identity: str) -> list[dict[str, Any]]:
        who = {"object": "user", "id": _IDA}
        page = self.pages[identity]
        common = {
            "object": "block", "parent": {"type": "page_id", "page_id": identity}, "created_time": page["created_time"],
            "created_by": who, "last_edited_time": page["last_edited_time"], "last_edited_by": who,
            "has_children": False, "in_trash": False, "archived": False,
        }  # fmt: skip
        heading = {"color": "default", "is_toggleable": False}
        headings = [
            {**common, "id": id_of(number), "type": "heading_1", "heading_1": {"rich_text": [_rich(words)], **heading}}
            for number, words in self.headings[identity]
        ]
        self.signature += 1
        files = [
            {
                **common, "id": id_of(block), "type": "file", "last_edited_time": "2026-06-01T09:00:00.000Z",
                "file": {
                    "caption": [], "type": "file", "name": name,
                    "file": {
                        "url": f"{self.storage or self.url}/files/{name}?X-Amz-Signature={self.signature}",
                        "expiry_time": page["last_edited_time"],
                    },
                },
            }
            for block, name, _ in self.attached.get(identity, [])
        ]  # fmt: skip
        return headings + files


def _rich(words: str) -> dict[str, Any]:
    plain = dict.fromkeys(("bold", "italic", "strikethrough", "underline", "code"), False)
    return {
        "type": "text", "text": {"content": words, "link": None}, "annotations": {**plain, "color": "default"},
        "plain_text": words, "href": None,
    }  # fmt: skip
