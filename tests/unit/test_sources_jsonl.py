"""Files of ready documents, one JSON object a line.

Belongs here: what a line may say, and what a bad line costs. Not here: chunks, storing.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import InvalidConfigurationError, SourceError
from headwater.sources import json_lines
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.source_context import SourceContext


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "documents.jsonl"


def fetch(file: Path, *, allowed: tuple[Path, ...] = (), **config: Any) -> list[FetchedDocument | DocumentProblem]:
    context = SourceContext(folder=file.parent / "own", local_paths=allowed)
    found = open_connector("jsonl", {"path": str(file), **config}, context).fetch()
    return [item for item in found if not isinstance(item, UnchangedDocument)]


def fetch_lines(
    file: Path, *lines: str | bytes | dict[str, Any], **config: Any
) -> list[FetchedDocument | DocumentProblem]:
    raw = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    file.write_bytes(b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in raw))
    return fetch(file, **config)


def parsed(items: list[FetchedDocument | DocumentProblem]) -> list[ParsedDocument]:
    return [item.parse() for item in items if isinstance(item, FetchedDocument)]


def problems(items: list[FetchedDocument | DocumentProblem]) -> list[str]:
    assert all(not item.uri for item in items if isinstance(item, DocumentProblem))
    return [item.message for item in items if isinstance(item, DocumentProblem)]


def test_a_line_is_a_document(file: Path) -> None:
    """URI, text, title and metadata are taken as they are; category and language from the metadata (SRC-8)."""
    metadata = {"category": "/how-tos/", "language": "de", "rank": 3, "tags": ["a"], "sub": {"x": None}}
    (document,) = parsed(
        fetch_lines(file, {"uri": "a", "text": "One.\r\nTwo.\r", "title": " A ", "metadata": metadata})
    )
    assert document == ParsedDocument(
        uri="a",
        title="A",
        text="One.\nTwo.\n",
        media_type="text/plain",
        category="how-tos",
        language="de",
        metadata=metadata,
        places=Places(kind=PlaceKind.LINE),
    )


def test_only_uri_and_text_are_needed(file: Path) -> None:
    """Everything else has a default; a last line without a newline counts (SRC-8)."""
    file.write_bytes(
        b'{"uri": "a", "text": ""}\n\n  \n{"uri": "b", "text": "x", "title": null, "metadata": null, "more": 1}'
    )
    assert [(document.uri, document.text, document.title) for document in parsed(fetch(file))] == [
        ("a", "", ""),
        ("b", "x", ""),
    ]


def test_pages_are_documents_of_their_own(file: Path) -> None:
    """A page is named after its document, and is part of the metadata (SRC-8)."""
    lines = [{"uri": "a.pdf", "text": "x", "page": page, "metadata": {"year": 2024}} for page in (1, 2)]
    first, second = parsed(fetch_lines(file, *lines))
    assert (first.uri, second.uri) == ("a.pdf#page=1", "a.pdf#page=2")
    assert second.metadata == {"year": 2024, "page": 2}


def test_texts_may_be_markdown_or_code(file: Path) -> None:
    """The source says so for the whole file; then its documents' fingerprints differ from plain ones (SRC-8)."""
    line = {"uri": "a", "text": "# A"}
    plain, marked = fetch_lines(file, line), fetch_lines(file, line, media_type="text/markdown")
    code = fetch_lines(file, line, media_type="text/x-python")
    types = [document.media_type for document in parsed([*plain, *marked, *code])]
    assert types == ["text/plain", "text/markdown", "text/x-python"]
    assert isinstance(plain[0], FetchedDocument)
    assert isinstance(marked[0], FetchedDocument)
    assert plain[0].fingerprint != marked[0].fingerprint
    assert plain[0].fingerprint == fetch_lines(file, {"uri": "z", "text": "z"}, line)[1].fingerprint  # type: ignore[union-attr]


def test_an_unknown_media_type_is_refused(file: Path) -> None:
    """The message names the field."""
    with pytest.raises(InvalidConfigurationError, match="media_type"):
        fetch(file, media_type="text/html")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"uri": "a", "text": "x"', "not JSON: .* at column"),
        ("not json", "not JSON"),
        ("[1, 2]", "must be a JSON object"),
        ('"text"', "must be a JSON object"),
        ("{}", "uri must be"),
        ('{"uri": 5, "text": "x"}', "uri must be"),
        ('{"uri": " ", "text": "x"}', "uri must be"),
        ('{"uri": "a\\u0000b", "text": "x"}', "uri must contain neither NUL"),
        ('{"uri": "a\\ud800b", "text": "x"}', "uri must contain neither NUL"),
        ('{"uri": "a"}', "text must be a string"),
        ('{"uri": "a", "text": ["x"]}', "text must be a string"),
        ('{"uri": "a", "text": "x", "page": "1"}', "page must be a whole number"),
        ('{"uri": "a", "text": "x", "page": 1.5}', "page must be a whole number"),
        ('{"uri": "a", "text": "x", "page": true}', "page must be a whole number"),
        ('{"uri": "a", "text": "x", "title": 5}', "title must be a string"),
        ('{"uri": "a", "text": "x", "metadata": [1]}', "metadata must be an object"),
        ('{"uri": "a", "text": "x", "metadata": ' + '{"a":' * 100_000 + "1" + "}" * 100_001, "nested too deeply"),
        ('{"uri": "a", "text": "x", "page": ' + "9" * 5_000 + "}", "page must be a whole number"),
        (b'{"uri": "a", "text": "caf\xe9"}', "not UTF-8"),
        (b'{"uri": "a", "text": "\xed\xa0\x80"}', "not UTF-8"),
        ('{"uri": "a", "text": "x"}'.encode("utf-16"), "not UTF-8|not JSON"),
        (b"\x00\x00", "not JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_line_costs_itself_only(file: Path, line: str | bytes, message: str) -> None:
    """Its number is reported, and the lines around it are read (SRC-8)."""
    found = fetch_lines(file, {"uri": "first", "text": "x"}, line, {"uri": "last", "text": "x"})
    assert [document.uri for document in parsed(found)] == ["first", "last"]
    assert all(re.match(r"line \d+: ", problem) for problem in problems(found))
    assert re.match(f"line 2: .*({message})", problems(found)[0])


def test_a_line_that_is_too_long_costs_itself_only(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not held in memory, and the numbers of later lines stay right (SEC-1)."""
    monkeypatch.setattr(json_lines, "LINE_LIMIT", 100)
    long = {"uri": "a", "text": "x" * 1_000}
    found = fetch_lines(file, long, {"uri": "b", "text": "x"}, long, "bad", {"uri": "c", "text": "x" * 60})
    assert [document.uri for document in parsed(found)] == ["b", "c"]
    assert [problem.split(":")[0] for problem in problems(found)] == ["line 1", "line 3", "line 4"]
    assert "longer than" in problems(found)[0]


def test_a_byte_order_mark_is_no_part_of_the_first_line(file: Path) -> None:
    """Files from other systems begin with one; alone on a line it is blank."""
    assert [d.uri for d in parsed(fetch_lines(file, b'\xef\xbb\xbf{"uri": "a", "text": "x"}'))] == ["a"]
    assert fetch_lines(file, b"\xef\xbb\xbf") == []
    assert problems(fetch_lines(file, {"uri": "a", "text": "x"}, b'\xef\xbb\xbf{"uri": "b", "text": "x"}'))


def test_characters_that_cannot_be_stored_pass_in_texts(file: Path) -> None:
    """NUL and lone surrogates are replaced where documents are stored: here they stay, so that offsets agree."""
    (document,) = parsed(fetch_lines(file, '{"uri": "a", "text": "x\\u0000y\\ud800z", "title": "\\udfff"}'))
    assert (document.text, document.title) == ("x\x00y\ud800z", "\udfff")


def test_of_equal_names_in_one_line_the_last_counts(file: Path) -> None:
    """As JSON parsers do."""
    (document,) = parsed(fetch_lines(file, '{"uri": "a", "uri": "b", "text": "1", "text": "2"}'))
    assert (document.uri, document.text) == ("b", "2")


def test_lines_with_the_same_uri_are_both_given(file: Path) -> None:
    """The code that compares them with the stored documents decides which one counts."""
    found = fetch_lines(file, {"uri": "a", "text": "1"}, {"uri": "a", "text": "2"})
    assert [document.text for document in parsed(found)] == ["1", "2"]


def test_numbers_that_json_has_no_place_for_become_text(file: Path) -> None:
    """A value that Python accepts beyond JSON must not stop the whole batch when it is stored."""
    (document,) = parsed(
        fetch_lines(file, '{"uri": "a", "text": "x", "metadata": {"a": NaN, "b": -Infinity, "c": 1e999}}')
    )
    assert document.metadata == {"a": "nan", "b": "-inf", "c": "inf"}


def test_an_empty_file_has_no_documents(file: Path) -> None:
    """Nothing there is nothing found, not an error."""
    assert fetch_lines(file) == []


def test_what_is_no_readable_file_is_a_source_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, a folder, a pipe, and one without permission: nothing was read, so nothing vanished (SRC-8)."""
    with pytest.raises(SourceError, match="There is no file or folder"):
        fetch(file)
    with pytest.raises(SourceError, match="not a regular file"):
        fetch(file.parent)
    os.mkfifo(file.parent / "pipe")
    with pytest.raises(SourceError, match="not a regular file"):
        fetch(file.parent / "pipe")
    file.touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match=r"cannot be read \(Permission denied\)"):
        fetch(file)


def test_only_allowed_files_are_read(file: Path) -> None:
    """HEADWATER_LOCAL_PATHS holds for files too (SEC-1)."""
    file.touch()
    assert fetch(file, allowed=(file.parent,)) == []
    with pytest.raises(SourceError, match="HEADWATER_LOCAL_PATHS"):
        fetch(file, allowed=(file.parent / "other",))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["uri", "text", "page", "x"]), inner),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(VALUES.map(lambda value: json.dumps(value).encode()) | st.binary().filter(lambda raw: b"\n" not in raw))
)
def test_any_file_is_documents_and_problems(file: Path, lines: list[bytes]) -> None:
    """Every line that is not blank is a document that can be stored, or a problem."""
    found = fetch_lines(file, *lines)
    blank = sum(
        not (line.removeprefix(b"\xef\xbb\xbf") if not number else line).strip() for number, line in enumerate(lines)
    )
    assert len(found) == len(lines) - blank
    for document in parsed(found):
        json.dumps(document.metadata, allow_nan=False)
