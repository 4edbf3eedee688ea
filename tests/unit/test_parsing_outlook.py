"""Messages that Outlook saved, as markdown."""

from datetime import UTC, datetime

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.outlook_messages import OutlookParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from tests.outlook_files import msg_file

ANN = ("Ann", "ann@mill.example")


def read(content: bytes) -> ParsedDocument:
    return OutlookParser().parse(File(content=content, uri="mail/a.msg"))


def test_a_message_is_read_as_mail() -> None:
    """Its headers, its text, the names of its attachments; an address of a server of Exchange alone is none."""
    content = msg_file(
        "Größe der Pumpe", "The pump lifts water.\r\n\r\nBye", sender=ANN, sent=datetime(2024, 5, 1, 8, 30, tzinfo=UTC),
        recipients=[("Bo", "bo@mill.example"), ("Cy", "/O=MILL/CN=CY"), ("Di", "")],
        attachments=[("plan.pdf", b"x" * 2_000)],
    )  # fmt: skip
    document = read(content)
    assert document.title == "Größe der Pumpe"
    assert document.text.split("\n\n") == [
        "# Größe der Pumpe",
        '- From: "Ann" <ann@mill.example>\n- To: Bo <bo@mill.example>, Cy, Di\n- Date: Wed, 01 May 2024 08:30:00 +0000',
        "The pump lifts water.", "Bye", "Attachments:", "- plan.pdf (2 KB)",
    ]  # fmt: skip
    assert document.metadata["date"] == "2024-05-01T08:30:00+00:00"
    assert document.original is not None
    assert document.original.content == content


def test_the_headers_with_which_it_travelled_count_more() -> None:
    """They tell the thread of the message; what it quotes is left out as in other mail."""
    headers = "From: Bo <bo@mill.example>\r\nMessage-ID: <2@mill.example>\r\nIn-Reply-To: <1@mill.example>\r\n"
    document = read(msg_file("Re: Pump", "Yes.\n\n> Does it lift?\n", sender=ANN, headers=headers))
    assert document.metadata["from"] == "Bo <bo@mill.example>"
    assert document.metadata["in_reply_to"] == "1@mill.example"
    assert document.text.endswith("\n\nYes.")


def test_who_has_a_copy_is_told_by_its_kind() -> None:
    """Blind copies are nobody's business; signs that look like addresses stay in a subject."""
    people = [ANN, ("Bo", "bo@mill.example"), ("Cy", "cy@mill.example")]
    document = read(msg_file("How to use <div>", "So.", recipients=people, recipient_kinds=(1, 2, 3)))
    assert document.title == "How to use <div>"
    assert document.text.split("\n\n")[1] == "- To: Ann <ann@mill.example>\n- Cc: Bo <bo@mill.example>"


def test_a_form_that_cannot_be_decoded_costs_itself_only() -> None:
    """So does the name of an attachment on two lines."""
    document = read(msg_file("Pump", "It lifts.", html=b"<p>caf\xe9</p>", attachments=[("a\r\nX: 1.pdf", b"x")]))
    assert document.text.split("\n\n")[-3:] == ["It lifts.", "Attachments:", "- a X: 1.pdf (1 KB)"]


def test_a_text_in_html_is_read_without_tags() -> None:
    """If there is no other."""
    assert read(msg_file("Pump", html="<p>See the <b>lid</b>.</p><script>x()</script>")).text.endswith(
        "See the **lid**."
    )


def test_a_message_is_known_by_its_bytes() -> None:
    """Whatever it is called."""
    assert isinstance(parser_for(msg_file("Pump", "It lifts."), "pump.doc"), OutlookParser)


@pytest.mark.parametrize("cut", [600, 2_000])
def test_a_damaged_message_says_so(cut: int) -> None:
    """It costs itself only."""
    with pytest.raises(DocumentError, match="damaged"):
        read(msg_file("Pump", "It lifts water.")[:cut])
