"""Keywords of documents: one by one, in whatever form a file has them (RET-2)."""

from types import SimpleNamespace
from typing import Any

import pytest

from headwater.parsing.keywords import split_keywords
from headwater.parsing.pdf.document_info import metadata


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("oil; pump, brass  screw;oil", ["oil", "pump", "brass screw"]),
        ('"oil", "pump"', ["oil", "pump"]),
        ("油、泵；阀", ["油", "泵", "阀"]),
        ("brass screw", "brass screw"),
        (";,", []),
        (["a; b", "c"], ["a; b", "c"]),
        (7, 7),
        (None, None),
    ],
)
def test_keywords_are_split(value: Any, expected: Any) -> None:
    """By what people and programs put between them; other fields stay as they are."""
    fields = {"subject": "Oil, and pumps"}
    assert split_keywords({**fields, "keywords": value}) == {**fields, "keywords": expected}
    assert split_keywords({**fields, "Tags": value}) == {**fields, "Tags": expected}


def test_a_pdf_file_may_have_many_keywords() -> None:
    """The last one is no half of a word."""
    words = [f"keyword {number}" for number in range(100)]
    info = metadata(SimpleNamespace(metadata={"/Keywords": "; ".join(words)}))
    assert split_keywords(info)["keywords"] == words
