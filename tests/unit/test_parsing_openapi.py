"""Descriptions of APIs among other files become documents with a section per operation (SRC-4)."""

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


def test_a_repository_of_code_has_its_description() -> None:
    """It is found by its name there, because other JSON and YAML is data."""
    assert find_skip("api/openapi.json") is None
    assert isinstance(parser_of(JSON.encode(), "api/openapi.json"), OpenApiParser)
    assert isinstance(parser_of(b"{}", "api/openapi.json"), CodeParser)
    assert find_skip("api/data.json") == ("not_code", "api/data.json", ".json")
