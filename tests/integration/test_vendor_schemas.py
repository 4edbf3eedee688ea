"""Whether the stubs of services that cannot be had answer in the form that their vendors publish.

The schemas of Atlassian's interfaces are those of npm's confluence.js and jira.js, which are made from its OpenAPI
files; the types of Notion, Slack and Microsoft Graph are their own, of @notionhq/client, @slack/web-api and
@microsoft/microsoft-graph-types; those of GitLab are of @gitbeaker/core, which GitLab lists among its clients. Without
them, these tests are skipped and say so.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.confluence_stub import ConfluenceStub
from tests.gitlab_stub import GitLabStub
from tests.graph_stub import DRIVE, HOST, SITE_ID, GraphStub
from tests.jira_stub import JiraStub
from tests.json_stub import StubRequest, serve_stub
from tests.notion_stub import NotionStub, hex_of
from tests.slack_stub import TOKEN, SlackStub

_MODULES = os.environ.get("HEADWATER_TEST_NODE_MODULES", "")
pytestmark = pytest.mark.skipif(
    not Path(_MODULES or "/nowhere").is_dir(),
    reason="HEADWATER_TEST_NODE_MODULES names no folder with confluence.js, jira.js, @notionhq/client, @slack/web-api,"
    " @microsoft/microsoft-graph-types, @gitbeaker/core and typescript",
)
CONFLUENCE = """
import { createV1Client, createV2Client } from 'confluence.js';
const auth = { type: 'basic', email: 'ann@example.com', apiToken: 'token' };
const first = createV1Client({ host: process.argv[2], auth });
const second = createV2Client({ host: process.argv[2], auth });
const expand = 'version,space,container,ancestors,extensions,history,metadata.labels,body.storage'.split(',');
const found = await first.content.searchContentByCQL({ cql: 'type in (page, attachment)', expand, limit: 5 });
await second.page.getPageById({ id: 1001 });
await second.page.getPages({ status: ['trashed'], sort: '-modified-date', limit: 250 });
const drift = globalThis[Symbol.for('apis-code-gen.schemaAudit')] ?? [];
console.log(JSON.stringify({ count: found.results.length, drift }));
"""

JIRA = """
import { createCloudClient } from 'jira.js';
const auth = { type: 'basic', email: 'ann@example.com', apiToken: 'token' };
const client = createCloudClient({ host: process.argv[2], auth });
const query = { jql: 'project in ("ENG")', fields: ['summary'], expand: 'renderedFields', maxResults: 2 };
const found = await client.issueSearch.searchAndReconsileIssuesUsingJql(query);
const issue = await client.issues.getIssue({ issueIdOrKey: 'ENG-1' });
const comments = await client.issueComments.getComments({ issueIdOrKey: issue.id, startAt: 0 });
const drift = globalThis[Symbol.for('apis-code-gen.schemaAudit')] ?? [];
console.log(JSON.stringify({ counts: [found.issues.length, comments.total], drift }));
"""

NOTION = [
    ("SearchResponse", "POST", "/v1/search", {"page_size": 5, "filter": {"property": "object", "value": "page"}}),
    (
        "SearchResponse",
        "POST",
        "/v1/search",
        {"page_size": 5, "filter": {"property": "object", "value": "data_source"}},
    ),
    ("QueryDataSourceResponse", "POST", f"/v1/data_sources/{hex_of(500)}/query", {"page_size": 5}),
    ("GetPageResponse", "GET", f"/v1/pages/{hex_of(1001)}", None),
    ("Awaited<ReturnType<Client['pages']['retrieveMarkdown']>>", "GET", f"/v1/pages/{hex_of(1001)}/markdown", None),
    ("ListBlockChildrenResponse", "GET", f"/v1/blocks/{hex_of(1001)}/children", None),
]
"""The types of answers, and what is asked for each."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder from which scripts find the modules."""
    (tmp_path / "node_modules").symlink_to(Path(_MODULES).resolve())
    return tmp_path


def run(folder: Path, script: str, *arguments: str) -> str:
    """What a script prints; a field that the schema does not know is an error too."""
    (folder / "check.mjs").write_text(script)
    done = subprocess.run(
        ["node", "check.mjs", *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "AUDIT_SCHEMAS": "true"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def test_the_stub_of_confluence_has_the_form_of_its_schema(folder: Path) -> None:
    """Searches with all that is asked for, and single pages (SRC-17)."""
    stub = ConfluenceStub(3)
    stub.put("9", "Manual", "<p>Text.</p>", labels=("care",))
    stub.attach("att1", "1001", "a.md", b"# A", "text/markdown")
    stub.trash("1002")
    with serve_stub(stub):
        assert json.loads(run(folder, CONFLUENCE, stub.url)) == {"count": 4, "drift": []}


def test_the_stub_of_jira_has_the_form_of_its_schema(folder: Path) -> None:
    """Queries, single issues, and comments (SRC-18)."""
    stub = JiraStub(3)
    with serve_stub(stub):
        stub.comment("10000", "900", "<p>Remark.</p>")
        stub.attach("10000", "501", "a.md", b"# A", "text/markdown")
        assert json.loads(run(folder, JIRA, stub.url)) == {"counts": [2, 1], "drift": []}


def test_the_stub_of_notion_has_the_form_of_its_types(folder: Path) -> None:
    """Every answer fits the type that Notion's own client has for it (SRC-19)."""
    stub = NotionStub(3)
    option = {"id": "1", "name": "care", "color": "red"}
    stub.put(2000, "Pump", "# Use", is_row=True, Tags={"id": "a", "type": "multi_select", "multi_select": [option]})
    stub.attach(1001, 9001, "a.md", b"# A")
    names = "Client, SearchResponse, QueryDataSourceResponse, GetPageResponse, ListBlockChildrenResponse"
    lines = [f"import type {{ {names} }} from '@notionhq/client';"]
    with serve_stub(stub):
        for number, (name, method, path, asked) in enumerate(NOTION):
            headers = {"authorization": stub.authorization, "notion-version": "2026-03-11"}
            reply = stub.reply(StubRequest(method=method, path=path, fields={}, headers=headers, content=asked))
            lines.append(f"export const value{number}: {name} = {json.dumps(reply.content)};")
    check_types(folder, lines)


def check_types(folder: Path, lines: list[str]) -> None:
    """Let the compiler of TypeScript find nothing wrong."""
    (folder / "case.ts").write_text("\n".join(lines))
    compiler = ["node", str(Path(_MODULES).resolve() / "typescript" / "bin" / "tsc")]
    done = subprocess.run(
        [*compiler, "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "case.ts"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout == ""
    assert done.returncode == 0


SLACK = {
    "auth.test": ("AuthTestResponse", {}),
    "users.list": ("UsersListResponse", {}),
    "conversations.info": ("ConversationsInfoResponse", {"channel": "C0PUMPS"}),
    "conversations.history": ("ConversationsHistoryResponse", {"channel": "C0PUMPS"}),
    "conversations.replies": ("ConversationsRepliesResponse", {"channel": "C0PUMPS", "ts": "1780000060.000001"}),
}
"""Methods of Slack, with the types of their answers and what they are asked for."""


def test_the_stub_of_slack_has_the_form_of_its_types(folder: Path) -> None:
    """Every answer fits the type that Slack's own client has for it (SRC-26)."""
    stub = SlackStub(3)
    with serve_stub(stub):
        first = "1780000060.000001"
        stub.say("Parts:", thread=first, files=[stub.share("a.md", b"# A", "F0PARTS")])
        stub.say("Oil it.", thread=first)
        stub.edit("1780000120.000002", "Sluice 2 is stuck.")
        stub.say("Never mind.", thread="1780000180.000003")
        stub.delete("1780000180.000003")  # the type of replies knows no tombstones, that of the history does
        names = ", ".join(name for name, _ in SLACK.values())
        lines = [f"import type {{ {names} }} from '@slack/web-api';"]
        for number, (method, (name, fields)) in enumerate(SLACK.items()):
            headers = {"authorization": f"Bearer {TOKEN}"}
            reply = stub.reply(StubRequest(method="GET", path=f"/api/{method}", fields=fields, headers=headers))
            assert reply.content["ok"] is True
            lines.append(f"export const value{number}: {name} = {json.dumps(reply.content)};")
    check_types(folder, lines)


GRAPH = [
    ("{ value: DriveItem[] }", f"/drives/{DRIVE}/root/delta", {}),
    ("{ value: DriveItem[] }", f"/drives/{DRIVE}/root/delta", {"token": "1"}),
    ("DriveItem", f"/drives/{DRIVE}/root", {}),
    ("DriveItem", f"/drives/{DRIVE}/root:/Manuals/1", {}),
    ("DriveItem", f"/drives/{DRIVE}/items/01FILE00001", {}),
    ("{ value: Drive[] }", f"/sites/{SITE_ID}/drives", {}),
    ("Site", f"/sites/{HOST}:/sites/Team", {}),
    ("{ value: SitePage[] }", f"/sites/{SITE_ID}/pages/microsoft.graph.sitePage", {}),
    ("SitePage", "page", {"$expand": "canvasLayout"}),
]
"""Types of Microsoft Graph, with the paths that answer so, and the fields of the request."""


def test_the_stub_of_microsoft_graph_has_the_form_of_its_types(folder: Path) -> None:
    """Every answer fits the type that Microsoft publishes for it (SRC-27); notes of its protocol are in no type."""
    stub = GraphStub(3)
    key = stub.write_page("Home.aspx", "Home", "<p>Oil the lever.</p>")
    stub.delete("Manuals/2/2.md")
    stub.tokens.add("token")
    page = f"/sites/{SITE_ID}/pages/{key}/microsoft.graph.sitePage"
    lines = ["import type { Drive, DriveItem, Site, SitePage, TextWebPart } from '@microsoft/microsoft-graph-types';"]
    with serve_stub(stub):
        for number, (name, path, fields) in enumerate(GRAPH):
            asked = StubRequest(
                method="GET", path=f"/v1.0{path if path != 'page' else page}", fields=fields,
                headers={"authorization": "Bearer token"},
            )  # fmt: skip
            reply = stub.reply(asked)
            assert reply.status == 200
            lines.append(f"export const value{number}: {name} = {json.dumps(without_notes(reply.content))};")
    (part,) = stub.pages[key]["canvasLayout"]["horizontalSections"][0]["columns"][0]["webparts"]
    text = {name: value for name, value in part.items() if not name.startswith("@odata.")}
    lines.append(f"export const text: TextWebPart = {json.dumps(text)};")
    check_types(folder, lines)


def without_notes(value: Any) -> Any:
    """JSON without the members that begin with @odata; the kind of a web part is one, so texts are checked apart."""
    if isinstance(value, dict):
        return {
            key: without_notes(item)
            for key, item in value.items()
            if not key.startswith("@odata.") and key != "innerHtml"
        }
    return [without_notes(item) for item in value] if isinstance(value, list) else value


GITLAB_TYPES = """
import type { GroupSchema, IssueNoteSchema, IssueSchema, MergeRequestNoteSchema, MergeRequestSchema, ProjectSchema,
  WikiSchema } from '@gitbeaker/core';
type Some<T> = T extends (infer E)[] ? Some<E>[] : T extends object
  ? { [K in keyof T as string extends K ? never : K]?: Some<T[K]> | null } : T;
type Project = Some<ProjectSchema> & { wiki_access_level?: 'disabled' | 'private' | 'enabled' };
type Issue = Omit<Some<IssueSchema>, 'moved_to_id'> & {
  issue_type?: string; moved_to_id?: number | null; assignee?: Some<IssueSchema['author']> | null };
type Note<T> = Some<T> & { type?: string | null; internal?: boolean; confidential?: boolean };
type Wiki = Some<WikiSchema>;
"""
"""What GitLab may leave out or null is so here; its documentation has the members that the types lack."""
GITLAB = [
    ("Some<GroupSchema>", "/groups/mill", {}),
    ("Project[]", "/groups/mill/projects", {}),
    ("Project", "/projects/7", {}),
    ("Issue[]", "/projects/7/issues", {"order_by": "updated_at"}),
    ("Issue[]", "/groups/mill/issues", {"order_by": "updated_at"}),
    ("Issue", "/projects/7/issues/1", {}),
    ("Note<IssueNoteSchema>[]", "/projects/7/issues/1/notes", {}),
    ("Some<MergeRequestSchema>[]", "/projects/7/merge_requests", {"order_by": "updated_at"}),
    ("Note<MergeRequestNoteSchema>[]", "/projects/7/merge_requests/1/notes", {}),
    ("Wiki[]", "/projects/7/wikis", {"with_content": "1"}),
    ("Wiki", "/projects/7/wikis/oil", {}),
]
"""Types of GitLab's answers, with the paths that answer so, and the fields of the request."""


def test_the_stub_of_gitlab_has_the_form_of_its_types(folder: Path) -> None:
    """Every member that the stub answers is one of GitLab's, and of its type."""
    stub = GitLabStub(2, 1)
    stub.comment("issues", 1, 900, "Which oil?")
    stub.comment("merge_requests", 5_001, 901, "Fine.")
    stub.move(2, 3, 8)
    stub.pages["oil"] = ("Oil", "# Oil")
    lines = [GITLAB_TYPES]
    with serve_stub(stub):
        for number, (name, path, fields) in enumerate(GITLAB):
            headers = {"authorization": stub.authorization}
            reply = stub.reply(StubRequest(method="GET", path=f"/api/v4{path}", fields=fields, headers=headers))
            assert reply.status == 200
            assert reply.content
            lines.append(f"export const value{number}: {name} = {json.dumps(reply.content)};")
    check_types(folder, lines)
