"""Messages that Outlook saved, as markdown."""

import struct
from datetime import UTC, datetime

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.outlook_messages import OutlookParser
from headwater.parsing.outlook_rtf import unpack_rtf
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from tests.outlook_files import msg_file

ANN = ("Ann", "ann@mill.example")


def read(content: bytes) -> ParsedDocument:
    return OutlookParser().parse(File(content=content, uri="mail/a.msg"))


def pack_plain(rtf: bytes) -> bytes:
    """RTF as a message may store it, without making it shorter."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


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


def test_a_text_in_rtf_alone_is_read() -> None:
    """Packed as in the example of MS-OXRTFCP, 4.1.1, or not."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c0900206277"
        "05b06c647d0a800fa0"
    )  # fmt: skip
    assert unpack_rtf(packed) == rb"{\rtf1\ansi\ansicpg1252\pard hello world}" + b"\r\n"
    assert read(msg_file("Pump", rtf=packed)).text.endswith("\n\nhello world")
    rtf = rb"{\rtf1\ansi\ansicpg1251 {\b \'ed\'e0\'f1\'ee\'f1}\par ok}"
    assert read(msg_file("Pump", rtf=pack_plain(rtf))).text.endswith("\n\nнасос\n\nok")
    assert read(msg_file("Pump", "It lifts.", rtf=packed)).text.endswith("\n\nIt lifts.")


def test_packed_text_repeats_itself() -> None:
    """What is repeated may reach into the repetition (MS-OXRTFCP, 4.1.2)."""
    packed = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert unpack_rtf(packed) == rb"{\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    assert unpack_rtf(packed[:-6]).startswith(rb"{\rtf1 WXYZ")


def test_html_that_is_packed_in_rtf_is_read_as_html() -> None:
    """Without what only programs need that show the RTF (MS-OXRTFEX)."""
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}}\uc1 "
        rb"{\*\htmltag64 <ul>}{\*\htmltag64 <li>}Seals\htmlrtf \line\bullet\htmlrtf0  caf\'e9 \u8212 ?"
        rb"{\*\htmltag84 &lt;}\htmlrtf <\htmlrtf0 5{\*\mhtmltag64 <li>}{\*\htmltag72 </li>}"
        rb"{\*\htmltag64 <li>}{\f1 \'ed\'e0\'f1\'ee\'f1} \{x\}{\*\htmltag72 </li></ul>}}"
    )
    assert read(msg_file("Pump", rtf=pack_plain(rtf))).text.endswith("\n\n- Seals café —<5\n- насос {x}")


@pytest.mark.parametrize("packed", [b"LZFu", b"\xff" * 40, pack_plain(b"{\\rtf1\\fromhtml1 " + b"{" * 3_000)])
def test_a_damaged_text_in_rtf_costs_itself_only(packed: bytes) -> None:
    """The headers stay."""
    assert read(msg_file("Pump", rtf=packed, sender=ANN)).text.endswith('- From: "Ann" <ann@mill.example>')


@pytest.mark.parametrize(
    ("media_type", "content", "is_encrypted"),
    [
        ("application/pkcs7-mime", b"0\x80\x06\x09*\x86H\x86\xf7\r\x01\x07\x03", True),
        ("application/pkcs7-mime", b"0\x80\x06\x09*\x86H\x86\xf7\r\x01\x07\x02", False),
        ("application/pgp-encrypted", b"Version: 1", True),
        ("application/pdf", b"%PDF-1.7", False),
    ],
)
def test_an_encrypted_message_says_so(media_type: str, content: bytes, is_encrypted: bool) -> None:
    """Its only attachment is the message."""
    document = read(msg_file("Pump", attachments=[("smime.p7m", content)], attachment_type=media_type))
    assert any("encrypted" in note for note in document.notes) == is_encrypted
    assert ("smime.p7m" in document.text) != is_encrypted


@pytest.mark.parametrize("media_type", ["application/pkcs7-mime", "application/pgp-encrypted"])
def test_an_encrypted_file_is_an_attachment(media_type: str) -> None:
    """Its name is not that of a message."""
    document = read(msg_file("Pump", attachments=[("invoice.pdf.p7m", b"x")], attachment_type=media_type))
    assert document.text.endswith("- invoice.pdf.p7m (1 KB)")


def test_a_message_is_known_by_its_bytes() -> None:
    """Whatever it is called."""
    assert isinstance(parser_for(msg_file("Pump", "It lifts."), "pump.doc"), OutlookParser)


@pytest.mark.parametrize("cut", [600, 2_000])
def test_a_damaged_message_says_so(cut: int) -> None:
    """It costs itself only."""
    with pytest.raises(DocumentError, match="damaged"):
        read(msg_file("Pump", "It lifts water.")[:cut])
