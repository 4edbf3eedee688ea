"""Descriptions of APIs among other files become documents with a section per operation (SRC-4)."""

import json
import re

import pytest

from headwater.parsing.code_files import CodeParser
from headwater.parsing.file_types import OPENAPI, media_type_of
from headwater.parsing.openapi.parser import OpenApiParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.sources.codebase.document import parser_of
from headwater.sources.codebase.file_filter import find_skip

YAML = """# Written by hand.
openapi: 3.0.3
info:
  title: Pump house
  version: "1.2"
  description: |
    Starts pumps.

    # Errors
    It answers `409` while a valve is closed.

    ```sh
    # no heading
    ```
paths:
  /pumps/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}, description: The number on its lid.}
    get:
      summary: Show a pump
      tags: [Pump, Reading]
      responses:
        "200":
          content: {application/json: {schema: {$ref: "#/components/schemas/Pump"}}}
    delete:
      summary: Remove a pump
      description: It cannot be undone.
      responses:
        "204":
          description: It is gone.
  /pumps:
    get:
      summary: List pumps
      responses: {"200": {description: Every pump.}}
components:
  schemas:
    Pump:
      properties:
        flow: {type: number, description: "Litres a minute, <b>measured</b>."}
"""
JSON = """{
  "swagger": "2.0",
  "info": {"title": "Valves"},
  "paths": {
    "/valves": {
      "post": {"summary": "Add a valve", "responses": {"201": {"description": "It is there."}}}
    }
  }
}
"""


def test_a_description_is_a_document_with_a_section_for_each_operation() -> None:
    """Its parameters, answers and schemas in words, and the headings of its descriptions below their own."""
    document = OpenApiParser().parse(File(content=YAML.encode(), uri="api/pumps.yaml"))
    assert (document.title, document.category) == ("Pump house", "api")
    headings = [line for line in document.text.split("\n") if line.startswith("#") and line != "# no heading"]
    assert headings[:5] == [
        "# Pump house",
        "## Errors",
        "## Operations",
        "### DELETE /pumps/{id}: Remove a pump",
        "#### Parameters",
    ]
    assert "### Pump operations\n\n#### GET /pumps/{id}: Show a pump\n\n" in document.text
    assert "### DELETE /pumps/{id}: Remove a pump\n\nIt cannot be undone." in document.text
    assert "- `flow` (number): Litres a minute, measured" in document.text
    assert "# no heading" in document.text.split("\n")


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        (YAML, "# Pump house", 4),
        (YAML, "#### GET /pumps/{id}", 19),
        (YAML, "- `flow`", 24),  # the schema stands elsewhere: the last line of the operation that was found
        (YAML, "### DELETE /pumps/{id}", 25),
        (YAML, "It cannot be undone", 27),
        (YAML, "### GET /pumps:", 32),
        (JSON, "### POST /valves", 6),
    ],
)
def test_an_operation_is_cited_at_its_line(content: str, words: str, line: int) -> None:
    """Its words at theirs, as far as they stand in its own part of the file."""
    document = OpenApiParser().parse(File(content=content.encode(), uri="api.yaml"))
    offset = document.text.index(words)
    assert document.places is not None
    place = document.places.between(offset, offset + len(words), text=document.text)
    assert place is not None
    assert place.first == line


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (YAML, "a.yaml", OPENAPI),
        (JSON, "a.json", OPENAPI),
        ('{"openapi":"3.1.0","paths":{}}', "a.json", OPENAPI),
        (YAML, "a.md", "text/markdown"),
        ("swagger: '2.0'\ntags: []\n", "a.yml", "application/yaml"),  # a part of one
        ('{\n  "dependencies": {\n    "swagger": "2.0.1",\n    "a": "1"\n  }\n}', "package.json", "application/json"),
        ("info:\n  swagger: '2.0'\npaths: {}\n", "a.yml", "application/yaml"),
    ],
)
def test_a_description_is_told_by_its_content(content: str, name: str, media_type: str) -> None:
    """Whatever it is called, among files in JSON and YAML."""
    assert media_type_of(content.encode(), name) == media_type
    parser = parser_for(content.encode(), name)
    assert isinstance(parser, OpenApiParser) == (media_type == OPENAPI)


@pytest.mark.parametrize(
    "content",
    [
        "openapi: 3.0.0\ninfo: {title: T}\ncomponents: {schemas: {Pump: {description: It lifts.}}}\n",
        "openapi: 3.0.0\ninfo: {title: T}\npaths: {{ .Values.paths }}\n",
        '{\n  "swagger": "2.0",\n  "paths": []\n}',
    ],
)
def test_what_describes_no_operation_is_code(content: str) -> None:
    """A list of schemas, a template, and something else that looks so."""
    document = OpenApiParser().parse(File(content=content.encode(), uri="a.yaml"))
    assert (document.text, document.media_type) == (content, "text/x-code")


@pytest.mark.parametrize(
    ("paths", "lines"),
    [
        ("  \"/a('{id}')\":\n    get: {}\n  /b/{n}:go:\n    post: {}\n  /b/{n}:\n    post: {}\n", (4, 6, 8)),
        ("  /a:\n    post:\n      requestBody:\n        delete: x\n    delete: {}\n", (4, 7)),
    ],
)
def test_paths_of_every_form_are_found(paths: str, lines: tuple[int, ...]) -> None:
    """With quotes and colons; what is nested below an operation is none."""
    document = OpenApiParser().parse(File(content=f"openapi: 3.0.0\npaths:\n{paths}".encode(), uri="a.yaml"))
    assert document.places is not None
    offsets = [match.start() for match in re.finditer(r"^### [A-Z]+ /", document.text, re.MULTILINE)]
    places = [document.places.between(offset, offset + 5, text=document.text) for offset in offsets]
    assert tuple(place.first for place in places if place) == lines


def test_json_of_php_costs_its_length() -> None:
    """Its slashes are escaped."""
    paths = {f"/a{number}": {"get": {"summary": f"Get {number}", "responses": {}}} for number in range(3)}
    content = json.dumps({"openapi": "3.0.0", "paths": paths}, indent=1).replace("/", "\\/")
    document = OpenApiParser().parse(File(content=content.encode(), uri="a.json"))
    assert document.places is not None
    offset = document.text.index("### GET /a2")
    place = document.places.between(offset, offset + 5, text=document.text)
    assert place is not None
    assert content.split("\n")[int(place.first) - 2].strip().startswith('"\\/a2"')


@pytest.mark.parametrize(
    "schema",
    [
        "&a {example: *a, default: *a, type: object, properties: {x: *a}}",
        "{oneOf: [{type: string}, {$ref: '#/components/schemas/A'}]}",
        "{allOf: [" + ", ".join(["{$ref: '#/components/schemas/A'}"] * 20) + "]}",
    ],
)
def test_a_schema_that_is_made_of_itself_ends(schema: str) -> None:
    """By references or aliases."""
    content = (
        "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n          content:\n"
        "            application/json: {schema: {$ref: '#/components/schemas/A'}}\n"
        f"components:\n  schemas:\n    A: {schema}\n"
    )
    document = OpenApiParser().parse(File(content=content.encode(), uri="a.yaml"))
    assert "### GET /a" in document.text
    assert len(document.text) < 100_000


def test_a_repository_of_code_has_its_description() -> None:
    """It is found by its name there, because other JSON and YAML is data."""
    assert find_skip("api/openapi.json") is None
    assert isinstance(parser_of(JSON.encode(), "api/openapi.json"), OpenApiParser)
    assert isinstance(parser_of(b"{}", "api/openapi.json"), CodeParser)
    assert find_skip("api/data.json") == ("not_code", "api/data.json", ".json")
