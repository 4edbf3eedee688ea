"""Documents that cannot be read are counted where people look (SRC-10)."""

import random
from collections.abc import Callable

import pytest

from cli.commands.status import status_of_everything
from cli.doctor_database_checks import DATABASE_CHECKS
from cli.status_texts import status_text
from tests.support import Headwater

NOISE = random.Random(1).randbytes(400).replace(b"\x00", b"\x81")
"""Text in no encoding."""


@pytest.fixture
def kb(headwater: Callable[..., Headwater]) -> Headwater:
    """Two documents that can be read, and two that cannot, each for a reason of its own."""
    readable: dict[str, object] = {"a.md": "# A\n\nRest.\n", "b.md": "# B\n\nDrink.\n"}
    made = headwater(files={**readable, "binary.md": b"\xff\xfe\x00a\x00\x00", "noise.md": NOISE})
    made.sync()
    return made


def test_status_counts_documents_that_could_not_be_read(kb: Headwater) -> None:
    """All reasons together, as text and as JSON."""
    found = status_of_everything()
    (source,) = found["knowledge_bases"][0]["sources"]
    assert (source["documents"], source["unreadable"]) == (2, 2)
    assert "docs: ready, 2 documents, 2 could not be read, synced 2" in status_text(found)
    kb.remove("binary.md")
    kb.remove("noise.md")
    kb.sync()
    assert "could not be read" not in status_text(status_of_everything())


def test_doctor_counts_documents_that_could_not_be_read(kb: Headwater) -> None:
    """Before the reasons, each with its example; a single reason says it all."""
    lines = list(DATABASE_CHECKS["skipped"](kb.store, kb.settings))
    assert lines[0][0] == "warning"
    assert lines[0][1] == "kb/docs: 2 of its documents could not be read, for several reasons."
    (binary,) = [line for _, line in lines if "binary" in line]
    assert binary.endswith("Save it as plain text, or remove it from the source. It is `binary.md`.")
    kb.remove("noise.md")
    kb.sync()
    assert [line for _, line in DATABASE_CHECKS["skipped"](kb.store, kb.settings)] == [binary]
