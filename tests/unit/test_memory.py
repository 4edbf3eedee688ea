"""What reading and cutting a document takes of memory.

Belongs here: shapes of `bench/memory.py` that once passed the bound, in small. Not here: how long it takes.
"""

import pytest

from bench.memory import BASE, FACTOR, measure
from headwater.errors import DocumentError
from headwater.parsing.memory_limit import require_bounds

_FULL = 400_000  # bytes
# What grows with the document from the start is held to the same share of it in a quarter of the time. The others keep
# their length: a parser takes its memory at once, and what it may take is above these lengths.
_SIZES = {
    "md/table": 100_000,
    "md/headings": 100_000,
    "md/items": 100_000,
    "md/newlines": _FULL,
    "py/brackets": _FULL,
    "py/lines": _FULL // 2,
    "mdx/attributes": _FULL,
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", _SIZES)
def test_no_document_takes_more_than_its_share(name: str) -> None:
    """At most 64 MB and 40 times its bytes, or it is refused; of a shorter document the same per byte."""
    taken, _, _ = measure(name, _SIZES[name])
    assert taken / _SIZES[name] <= (BASE + FACTOR * _FULL) / _FULL


def test_a_document_that_would_take_more_is_refused_with_a_reason() -> None:
    """Millions of lines of a character each are named; a document that people write is not refused."""
    with pytest.raises(DocumentError, match=r"3,500,001 lines.*smaller documents"):
        require_bounds("a\n" * 3_500_000, "text/markdown")
    with pytest.raises(DocumentError, match="markup"):
        require_bounds("<A " + 'b="c" ' * 100_000, "text/markdown")
    require_bounds("A sentence of a usual length.\n\n" * 300_000, "text/markdown")
