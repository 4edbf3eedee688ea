"""A stub of GitLab: projects, groups, issues, merge requests, comments, wiki pages, files.

Belongs here: its entries and answers, which have the fields that GitLab's documentation of its REST interface shows.
Not here: what is expected of a sync. Guarantee: lists hold what changed at a time or later, in pages; issues that moved
stay closed where they were, as in GitLab.
"""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlencode

from tests.json_stub import JsonStub, StubReply, StubRequest


class GitLabStub(JsonStub):
    """The group mill with the projects mill/pumps (7) and mill/sub/valves (8). `hidden` entries are in no list."""

    authorization = "Bearer glpat-token"

    def __init__(self, issues: int = 0, requests: int = 0) -> None:
        super().__init__()
        self.entries: dict[str, dict[int, dict[str, Any]]] = {"issues": {}, "merge_requests": {}}
        self.notes: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        self.pages: dict[str, tuple[str, str]] = {}
        self.projects = {7: "mill/pumps", 8: "mill/sub/valves"}
        self.wiki_levels = {7: "enabled", 8: "disabled"}
        self.hidden: set[int | str] = set()
        self.clock = datetime(2026, 6, 1, 9, tzinfo=UTC)
        for number in range(1, issues + 1):
            self.put("issues", number, f"Valve {number} leaks", f"Valve {number} drips.")
        for number in range(1, requests + 1):
            self.put("merge_requests", 5_000 + number, f"Mend valve {number}", f"It holds {number} bar.")

    def tick(self) -> str:
        """A later time."""
        self.clock += timedelta(minutes=10)
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def put(self, kind: str, identity: int, title: str, body: str, *, project: int = 7, **fields: Any) -> None:
        """Write an entry, or edit one."""
        before, now = self.entries[kind].get(identity, {}), self.tick()
        self.entries[kind][identity] = {
            "id": identity, "iid": before.get("iid", identity % 5_000), "project_id": project, "title": title,
            "description": body, "state": "opened", "created_at": before.get("created_at", now), "updated_at": now,
            "closed_at": None, "labels": [], "milestone": None, "author": person("Ida Ek"), "assignees": [],
            "assignee": None, "user_notes_count": len(self.notes.get((kind, identity), [])), "upvotes": 0,
            **({"confidential": False, "issue_type": "issue", "moved_to_id": None} if kind == "issues" else
               {"source_branch": "mend", "target_branch": "main", "merged_at": None, "draft": False}),
            **fields,
        }  # fmt: skip

    def comment(self, kind: str, identity: int, note: int, body: str, **fields: Any) -> None:
        """Comment on an entry."""
        now = self.tick()
        self.notes.setdefault((kind, identity), []).append(
            {
                "id": note, "type": None, "body": body, "author": person("Bo Ask"), "created_at": now,
                "updated_at": now, "system": False, "internal": False, "confidential": False, **fields,
            }
        )  # fmt: skip
        count = sum(not one["system"] for one in self.notes[kind, identity])
        self.entries[kind][identity] |= {"updated_at": now, "user_notes_count": count}

    def move(self, identity: int, other: int, project: int) -> None:
        """Move an issue to another project: a copy with another id, while the first one is closed."""
        entry = self.entries["issues"][identity]
        self.put("issues", other, entry["title"], entry["description"], project=project)
        entry |= {"state": "closed", "moved_to_id": other, "updated_at": self.tick()}

    def upload(self, name: str, content: bytes) -> str:
        """Store a file; returns how a text links to it."""
        secret = hashlib.md5(content, usedforsecurity=False).hexdigest()
        self.files[secret, name] = content
        return f"[{name}](/uploads/{secret}/{name.replace(' ', '%20')})"

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        path = request.path.removeprefix("/api/v4")
        match = re.fullmatch(r"/(projects|groups)/([^/]+)(?:/(.*))?", path)
        if match is None:
            return StubReply(status=404)
        kind, name, rest = match[1], unquote(match[2]), match[3] or ""
        if kind == "groups":
            return self._group(name, rest, request)
        number = next((key for key, value in self.projects.items() if name in (str(key), value)), None)
        if number is None:
            return StubReply(status=404, content={"message": "404 Project Not Found"})
        return self._project(number, rest, request)

    def _group(self, name: str, rest: str, request: StubRequest) -> StubReply:
        if name not in ("mill", "3"):
            return StubReply(status=404, content={"message": "404 Group Not Found"})
        if not rest:
            return StubReply(
                content={"id": 3, "full_path": "mill", "name": "Mill", "web_url": f"{self.url}/groups/mill"}
            )
        if rest == "projects":
            return StubReply(content=[self._shown_project(number) for number in self.projects])
        return self._listed(rest, None, request) if rest in self.entries else StubReply(status=404)

    def _shown_project(self, number: int) -> dict[str, Any]:
        return {
            "id": number, "path_with_namespace": self.projects[number], "visibility": "private",
            "wiki_access_level": self.wiki_levels.get(number, "enabled"), "issues_enabled": True,
        }  # fmt: skip

    def _project(self, number: int, rest: str, request: StubRequest) -> StubReply:
        if not rest:
            return StubReply(content=self._shown_project(number))
        if rest in self.entries:
            return self._listed(rest, number, request)
        if rest == "wikis":
            listed = [self._page(slug) for slug in self.pages if slug not in self.hidden]
            return StubReply(content=listed)
        if match := re.fullmatch(r"wikis/(.+)", rest):
            slug = unquote(match[1])
            return StubReply(content=self._page(slug)) if slug in self.pages else StubReply(status=404)
        if match := re.fullmatch(r"uploads/([0-9a-f]{32})/(.+)", rest):
            content = self.files.get((match[1], unquote(match[2])))
            headers = {"Content-Type": "application/octet-stream"}
            return StubReply(status=404) if content is None else StubReply(content=content, headers=headers)
        match = re.fullmatch(r"(issues|merge_requests)/(\d+)(/notes)?", rest)
        entries = self.entries[match[1]].values() if match else ()
        entry = next(
            (one for one in entries if match and one["iid"] == int(match[2]) and one["project_id"] == number), None
        )
        if match is None or entry is None:
            return StubReply(status=404)
        if not match[3]:
            return StubReply(content=self._shown(match[1], entry))
        notes = sorted(self.notes.get((match[1], entry["id"]), []), key=lambda note: note["created_at"])
        return self._paged(notes, request)

    def _page(self, slug: str) -> dict[str, Any]:
        title, content = self.pages[slug]
        return {"format": "markdown", "slug": slug, "title": title, "content": content, "encoding": "UTF-8"}

    def _listed(self, kind: str, project: int | None, request: StubRequest) -> StubReply:
        order = request.fields["order_by"]
        after = request.fields.get(order.replace("_at", "_after"), "")
        chosen = [
            entry
            for entry in self.entries[kind].values()
            if entry["id"] not in self.hidden
            and project in (None, entry["project_id"])
            and (not after or datetime.fromisoformat(entry[order]) >= datetime.fromisoformat(after))
        ]
        chosen.sort(key=lambda entry: (entry[order], entry["id"]))
        return self._paged([self._shown(kind, entry) for entry in chosen], request)

    def _paged(self, values: list[dict[str, Any]], request: StubRequest) -> StubReply:
        size, page = int(request.fields.get("per_page", 20)), int(request.fields.get("page", 1))
        headers = {}
        if page * size < len(values):
            query = urlencode({**request.fields, "page": page + 1})
            headers = {"Link": f'<https://elsewhere.example.com/x?{query}>; rel="next", <x>; rel="first"'}
        return StubReply(content=values[(page - 1) * size : page * size], headers=headers)

    def _shown(self, kind: str, entry: dict[str, Any]) -> dict[str, Any]:
        path, mark = self.projects[entry["project_id"]], "#" if kind == "issues" else "!"
        references = {"short": f"{mark}{entry['iid']}", "full": f"{path}{mark}{entry['iid']}"}
        return {
            **entry,
            "references": references,
            "web_url": f"https://elsewhere.example.com/{path}/-/x/{entry['iid']}",
        }


def person(name: str) -> dict[str, Any]:
    """A person as GitLab shows one."""
    return {"id": 1, "username": name.lower().replace(" ", "."), "name": name, "state": "active"}
