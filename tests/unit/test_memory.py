"""What reading and cutting a document takes of memory.

Belongs here: shapes of `bench/memory.py` that once passed the bound, in small. Not here: how long it takes.
"""

import pytest

from bench.memory import measure
from headwater.errors import DocumentError
from headwater.parsing.bounds import require_bounds


@pytest.mark.parametrize(
    "name", ["md/table", "md/headings", "md/items", "md/newlines", "py/brackets", "py/lines", "mdx/attributes"]
)
def test_no_document_takes_more_than_its_share(name: str) -> None:
    """At most 64 MB and 40 times its bytes, or it is refused."""
    taken, allowed, _ = measure(name, 400_000)
    assert taken <= allowed


def test_a_document_that_would_take_more_is_refused_with_a_reason() -> None:
    """Millions of lines of a character each are named; a document that people write is not refused."""
    with pytest.raises(DocumentError, match=r"3,500,001 lines.*Split it"):
        require_bounds("a\n" * 3_500_000, "text/markdown")
    with pytest.raises(DocumentError, match="markup"):
        require_bounds("<A " + 'b="c" ' * 100_000, "text/markdown")
    require_bounds("A sentence of a usual length.\n\n" * 300_000, "text/markdown")
