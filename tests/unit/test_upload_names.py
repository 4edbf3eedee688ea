"""The names that uploaded files may have (SEC-1)."""

import posixpath
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.uploads import MAX_NAME_BYTES, MAX_PART_BYTES, upload_name
from headwater.errors import InvalidInputError


@pytest.mark.parametrize(
    "name",
    ["a.pdf", "a/b/c.pdf", ".env", "a b.md", "文書/手引き.md", "a#b?c%d.txt", "C:\u200d.md", "👨\u200d👩.png", "...",
     "a" * MAX_PART_BYTES],
)  # fmt: skip
def test_names_that_people_use_stay_as_they_are(name: str) -> None:
    """Folders, other scripts, emoji, and characters that an address must encode."""
    assert upload_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/.", "a\\b", "a\x00b", "a\nb", "a\x7fb", "a\x85b",
     "\ud800", "a\u202eb", "a\u200bb", "a\u2028b", " a", "a ", "a/ b", "\u3000", "\ufeffa", "a\ufffdb",
     "a" * (MAX_PART_BYTES + 1), "ü" * 128, "/".join(["a" * 250] * 4)],
)  # fmt: skip
def test_names_that_lead_elsewhere_or_deceive_are_refused(name: str) -> None:
    """Each with a reason that can be shown."""
    with pytest.raises(InvalidInputError, match="cannot be named") as refused:
        upload_name(name)
    str(refused.value).encode()
    assert str(refused.value).isprintable()


@given(st.text(max_size=300))
def test_a_name_that_passes_is_safe(name: str) -> None:
    """It is its own normal form, stays below its folder, is one printable line, and has a bounded size."""
    try:
        normal = upload_name(name)
    except InvalidInputError:
        return
    assert upload_name(normal) == normal == unicodedata.normalize("NFC", name)
    assert posixpath.normpath(posixpath.join("/store", normal)) == f"/store/{normal}"
    assert len(normal.encode()) <= MAX_NAME_BYTES
    assert len(normal.splitlines()) == 1
