"""Whether the stub of Google Drive answers, and is asked, in the form that Google publishes (SRC-28).

The form is the discovery document of Drive in PyPI's google-api-python-client, of which nothing else is used. Without
it, these tests are skipped and say so.
"""

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from headwater.sources.connector import open_connector
from headwater.sources.source_context import SourceContext
from tests.gdrive_stub import FOLDER, GOOGLE, GoogleDriveStub
from tests.hostile_server import loopback_gate
from tests.integration.test_gdrive import config, expire, prepare
from tests.json_stub import StubReply, StubRequest, serve_stub

_PACKAGE = find_spec("googleapiclient")
_FOLDERS = [] if _PACKAGE is None else [Path(folder) for folder in _PACKAGE.submodule_search_locations or ()]
_FILES = [folder / "discovery_cache" / "documents" / "drive.v3.json" for folder in _FOLDERS]
pytestmark = pytest.mark.skipif(
    not any(file.is_file() for file in _FILES),
    reason="google-api-python-client, which carries Drive's schema, is absent",
)
_TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int, "object": dict, "array": list}
_FORMATS = {"int64": r"-?\d+", "date-time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"}


@pytest.fixture
def discovery() -> dict[str, Any]:
    """Google's description of the interface."""
    described: dict[str, Any] = json.loads(next(file for file in _FILES if file.is_file()).read_text(encoding="utf-8"))
    return described


def find_errors(value: Any, schema: dict[str, Any], schemas: dict[str, Any], place: str) -> list[str]:
    """Where a value has another form than its schema."""
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    if not isinstance(value, _TYPES[schema["type"]]):
        return [f"{place} is no {schema['type']}"]
    if isinstance(value, list):
        return [text for entry in value for text in find_errors(entry, schema["items"], schemas, f"{place}[]")]
    if isinstance(value, dict) and "properties" in schema:
        unknown = [f"{place}.{name} is unknown" for name in value if name not in schema["properties"]]
        known = [(name, member) for name, member in value.items() if name in schema["properties"]]
        return unknown + [
            text
            for name, member in known
            for text in find_errors(member, schema["properties"][name], schemas, f"{place}.{name}")
        ]
    form = _FORMATS.get(schema.get("format", ""))
    return [] if form is None or re.fullmatch(form, str(value)) else [f"{place} is no {schema['format']}"]


def find_method(request: StubRequest, discovery: dict[str, Any]) -> dict[str, Any]:
    """The method of the interface that a request is for."""
    path = request.path.removeprefix("/drive/v3/")
    methods = [method for part in discovery["resources"].values() for method in part["methods"].values()]
    fitting = [
        method
        for method in methods
        if re.fullmatch(re.sub(r"\{\w+\}", r"[^/]+", method["path"]), path) and method["httpMethod"] == request.method
    ]
    return min(fitting, key=lambda method: method["path"].count("{"))


def test_the_stub_speaks_as_google_does(
    discovery: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every answer fits its schema, every parameter that is sent exists, and so does every field that is asked for."""
    exchanges: list[tuple[StubRequest, StubReply]] = []
    for drive in ("", "0ASharedDrive"):
        stub = GoogleDriveStub(drive=drive)
        reply = stub.reply

        def note(request: StubRequest, reply: Any = reply) -> StubReply:
            exchanges.append((request, reply(request)))
            return exchanges[-1][1]

        monkeypatch.setattr(stub, "reply", note)
        with serve_stub(stub):
            prepare(stub, monkeypatch)
            stub.put("manuals-folder", "Manuals", FOLDER)
            for name, media_type in (("Valve", f"{GOOGLE}document"), ("Sluice.md", "text/markdown")):
                stub.put(f"{name[:5]}-0001", name, media_type, b"# Text", parent="manuals-folder")
            stub.put(
                "short-0001",
                "S",
                f"{GOOGLE}shortcut",
                shortcutDetails={"targetId": "Valve-0001", "targetMimeType": "a"},
            )
            for root in (stub.root, "manuals-folder"):
                fields = config(stub, url=f"https://drive.google.com/drive/folders/{root}")
                context = SourceContext(folder=tmp_path / drive / root / "own", gate=loopback_gate())
                known = {item.uri: item for item in open_connector("gdrive", fields, context).fetch()}
                stub.put("Valve-0001", "Valve", content=b"# Other")
                stub.trash("Sluic-0001")
                context = SourceContext(folder=context.folder, gate=loopback_gate(), known=known)  # type: ignore[arg-type]
                list(open_connector("gdrive", fields, context).fetch())
                expire(context.folder.parent)
                list(open_connector("gdrive", fields, context).fetch())
    assert {request.path.rpartition("/")[2] for request, _ in exchanges} >= {
        "files",
        "changes",
        "export",
        "startPageToken",
    }
    for request, answer in exchanges:
        if request.path == "/token":
            continue
        method = find_method(request, discovery)
        assert set(request.fields) <= {*method["parameters"], *discovery["parameters"]}, request.path
        assert answer.status == 200, (request.path, answer.content)
        if "response" in method and request.fields.get("alt") != "media":
            assert find_errors(answer.content, method["response"], discovery["schemas"], request.path) == []


def test_an_answer_of_another_form_is_found(discovery: dict[str, Any]) -> None:
    """Else the check above would prove nothing."""
    stub = GoogleDriveStub()
    stub.put("doc-000001", "Valve")
    file = {
        **stub.files["doc-000001"],
        "size": 7,
        "modifiedTime": "yesterday",
        "invented": 1,
        "owners": [{"name": "Ida"}],
    }
    assert find_errors(file, {"$ref": "File"}, discovery["schemas"], "file") == [
        "file.invented is unknown", "file.modifiedTime is no date-time", "file.owners[].name is unknown",
        "file.size is no string",
    ]  # fmt: skip
