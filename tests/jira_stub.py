"""A stub of Jira, of Cloud and of Data Center: queries, single issues, comments, attachments.

Belongs here: its issues and answers, whose form `tests/integration/test_vendor_schemas.py` checks. Not here: what is
expected of a sync. Guarantee: a query that names a time returns only what changed since; times are those of another
zone than UTC.
"""

import re
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.json_stub import JsonStub, StubReply, StubRequest

_ZONE = timezone(timedelta(hours=9))
_LISTED_COMMENTS = 2


class JiraStub(JsonStub):
    """The project ENG. `hidden` issues are there, but in no list."""

    authorization = "Basic YW5uQGV4YW1wbGUuY29tOnRva2Vu"  # ann@example.com:token

    def __init__(self, count: int = 0, *, is_cloud: bool = True) -> None:
        super().__init__()
        self.is_cloud = is_cloud
        self.issues: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.hidden: set[str] = set()
        self.max_results = 5_000
        self.clock = datetime(2026, 6, 1, 9, tzinfo=_ZONE)
        for number in range(count):
            self.put(
                str(10_000 + number), f"ENG-{number + 1}", f"Valve {number} leaks", f"<p>Valve {number} drips.</p>"
            )

    def put(self, identity: str, key: str, summary: str, html: str, **fields: Any) -> None:
        """Write an issue, or edit one, keeping its comments and files."""
        before = self.issues.get(identity, {})
        self.clock += timedelta(minutes=10)
        now = self._time(self.clock)
        self.issues[identity] = {
            "summary": summary, "html": html, "key": key, "comments": before.get("comments", []),
            "attachment": before.get("attachment", []), "created": before.get("created", now), "updated": now,
            "labels": [], **fields,
        }  # fmt: skip

    def comment(self, identity: str, comment: str, html: str) -> None:
        """Comment on an issue."""
        self.clock += timedelta(minutes=10)
        issue = self.issues[identity]
        issue["comments"].append((comment, html, self._time(self.clock)))
        issue["updated"] = self._time(self.clock)

    def attach(self, identity: str, attachment: str, name: str, content: bytes, media_type: str) -> None:
        """Attach a file to an issue."""
        self.clock += timedelta(minutes=10)
        self.files[attachment] = content
        issue = self.issues[identity]
        issue["updated"] = self._time(self.clock)
        issue["attachment"].append(
            {
                "id": attachment, "filename": name, "mimeType": media_type, "size": len(content),
                "author": self._person("Bo"), "created": self._time(self.clock),
                "content": f"https://elsewhere.example.com/{attachment}",
                "self": f"{self.url}/rest/api/3/attachment/{attachment}",
            }
        )  # fmt: skip

    def _time(self, time: datetime) -> str:
        return time.isoformat(timespec="milliseconds").replace("+09:00", "+0900")

    def _person(self, name: str) -> dict[str, Any]:
        return {
            "accountId": name,
            "accountType": "atlassian",
            "active": True,
            "displayName": name,
            "timeZone": "Asia/Tokyo",
        }

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        path = re.sub(r"\A/rest/api/[23]", "", request.path)
        if path == ("/search/jql" if self.is_cloud else "/search"):
            return self._search(request)
        if match := re.fullmatch(r"/issue/([\w-]+)", path):
            named = [key for key, issue in self.issues.items() if match[1] in (key, issue["key"])]
            return StubReply(content=self._shown(named[0])) if named else StubReply(status=404)
        if match := re.fullmatch(r"/issue/(\w+)/comment", path):
            return StubReply(content=self._comments(match[1], int(request.fields["startAt"])))
        match = re.fullmatch(r"(?:/attachment/content|/secure/attachment)/(\d+)(?:/.*)?", path)
        content = self.files.get(match[1]) if match else None
        return StubReply(status=404) if content is None else StubReply(content=content)

    def _comments(self, identity: str, begin: int) -> dict[str, Any]:
        comments = self.issues[identity]["comments"]
        page = [{**self._comment(*one), "renderedBody": one[1]} for one in comments[begin : begin + 3]]
        return {"comments": page, "startAt": begin, "maxResults": 3, "total": len(comments)}

    def _comment(self, identity: str, html: str, created: str) -> dict[str, Any]:
        body: Any = {"type": "doc", "version": 1, "content": []} if self.is_cloud else re.sub(r"<[^>]+>", "", html)
        return {"id": identity, "author": self._person("Bo"), "created": created, "updated": created, "body": body}

    def _search(self, request: StubRequest) -> StubReply:
        query, fields = request.fields["jql"], request.fields["fields"]
        keys = tuple(re.findall(r'"(\w+)"', query))
        since = re.search(r"updated >= (\d+)", query)
        chosen = [
            key
            for key, issue in self.issues.items()
            if issue["key"].startswith(keys)
            and key not in self.hidden
            and (since is None or datetime.fromisoformat(issue["updated"]).timestamp() * 1_000 >= int(since[1]))
        ]
        chosen.sort(key=lambda key: self.issues[key]["created" if "order by created" in query else "updated"])
        begin = int(request.fields.get("nextPageToken", request.fields.get("startAt", 0)))
        end = begin + min(int(request.fields["maxResults"]), self.max_results)
        issues = [{"id": key} if fields == "id" else self._shown(key) for key in chosen[begin:end]]
        if not self.is_cloud:
            return StubReply(
                content={"issues": issues, "startAt": begin, "maxResults": end - begin, "total": len(chosen)}
            )
        more = {"nextPageToken": str(end)} if end < len(chosen) else {}
        return StubReply(content={"issues": issues, "isLast": not more, **more})

    def _shown(self, identity: str) -> dict[str, Any]:
        issue = self.issues[identity]
        project = issue["key"].partition("-")[0]
        listed = issue["comments"][:_LISTED_COMMENTS]
        names = {"issuetype": "Bug", "status": "In Progress", "priority": "High"}
        fields = {
            **{name: {"id": "1", "name": value} for name, value in names.items()},
            "summary": issue["summary"], "labels": issue["labels"], "created": issue["created"],
            "updated": issue["updated"], "attachment": issue["attachment"], "reporter": self._person("Ida"),
            "assignee": None, "resolution": None, "components": [{"id": "1", "name": "Pumps"}], "fixVersions": [],
            "project": {"id": "7", "key": project, "name": "Engineering" if project == "ENG" else project},
            "issuelinks": [
                {"id": "1", "type": {"outward": "blocks", "inward": "is blocked by"}, "outwardIssue": {"key": "ENG-2"}}
            ],
            "comment": {
                "comments": [self._comment(*one) for one in listed], "startAt": 0, "maxResults": len(listed),
                "total": len(issue["comments"]),
            },
        }  # fmt: skip
        rendered = {
            "description": issue["html"],
            "comment": {"comments": [{"id": one, "body": html} for one, html, _ in listed]},
        }
        return {
            "id": identity, "key": issue["key"], "self": f"{self.url}/rest/api/3/issue/{identity}", "fields": fields,
            "renderedFields": rendered,
        }  # fmt: skip
