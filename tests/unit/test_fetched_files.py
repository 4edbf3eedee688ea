"""Files that a server gave: their titles, their places, and what is no file."""

import pytest

from headwater.domain.places import PlaceKind
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.sources.fetched_files import from_file, require_file
from tests.office_files import docx_file, paragraph

_PAGE = b"<!doctype html><html><title>Sign in</title></html>"


def test_a_file_is_called_by_its_name() -> None:
    """If it names no title; the lines of the text that was made of it are no place."""
    content = docx_file(paragraph("The crane is red."))
    document = from_file(
        File(content=content, uri="https://x.org/a/Plan%20B.docx"), address="https://x.org/f/7"
    ).parse()
    assert document.title == "Plan B.docx"
    assert document.places is not None
    place = document.places.between(0, 9, text=document.text)
    assert place is not None
    assert (place.kind, place.label, place.address) == (PlaceKind.PART, "", "https://x.org/f/7")


@pytest.mark.parametrize(("name", "size"), [("plan.html", 0), ("plan.XML", 0), ("plan", 0), ("plan.docx", len(_PAGE))])
def test_a_web_page_that_is_the_file_is_read(name: str, size: int) -> None:
    """As its name or its size says."""
    require_file(_PAGE, name, size)


def test_html_that_a_program_exported_is_read() -> None:
    """Word and many others name it .doc; a page to sign in has a form, a script or a redirection."""
    require_file(b"<html><body><h1>Plan</h1></body></html>", "plan.DOC")
    for page in (b"<html><form action='/login'>", b"<html><SCRIPT>", b"<html><meta http-equiv='refresh'>"):
        with pytest.raises(DocumentError, match="perhaps one to sign in"):
            require_file(page, "plan.doc")


@pytest.mark.parametrize(("name", "size"), [("plan.docx", 0), ("plan.pdf", 9_000), ("notes.md", 0)])
def test_a_web_page_instead_of_a_file_is_refused(name: str, size: int) -> None:
    """It is one to sign in, or an error with status 200."""
    with pytest.raises(DocumentError, match="perhaps one to sign in"):
        require_file(_PAGE, name, size)
