"""The text of messages as mail programs and the mistakes of senders make it (PAR-1)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.email_messages import EmailParser, read_message
from headwater.parsing.parser import File

HEAD = b"From: ann@example.com\nTo: bob@example.com\nSubject: Mill\n"
MILL = "The mill at the old river behind the long hill in the north of the town"


def read(content: bytes) -> ParsedDocument:
    """Read a message."""
    return EmailParser().parse(File(content=content, uri="mill.eml"))


def read_body(content_type: str, body: bytes, *, head: bytes = HEAD) -> str:
    """The text of a message below its header."""
    text = read(head + b"Content-Type: " + content_type.encode() + b"\n\n" + body).text
    return text.partition("bob@example.com")[2].strip()


@pytest.mark.parametrize("kind", ["plain", "html"])
@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("iso-8859-1", b"we\x92re \x93here\x94 for 3 \x80", "we’re “here” for 3 €"),
        ("latin1", b"caf\xe9 \x97 closed", "café — closed"),
        ("windows-1252", "I’m a miller".encode(), "I’m a miller"),
        ("iso-8859-1", "Größe".encode(), "Größe"),
        ("us-ascii", b"we\x92re open", "we’re open"),
        ("iso-8859-2", b"\xb3\xf3d\xbc", "łódź"),
    ],
)
def test_a_western_encoding_is_what_the_bytes_say(kind: str, charset: str, body: bytes, text: str) -> None:
    """Programs write Latin-1 for Windows-1252 and UTF-8; an encoding that nobody writes by mistake counts."""
    assert read_body(f"text/{kind}; charset={charset}", body) == text


def test_a_byte_without_a_character_costs_no_message() -> None:
    """Windows-1252 has none for it."""
    assert read_body("text/plain; charset=iso-8859-1", b"caf\xe9 \x81") == "café \x81"


@pytest.mark.parametrize(
    ("delsp", "body", "text"),
    [
        ("", b"%s \nopens at nine.\nIt closes.", f"{MILL} opens at nine.\nIt closes."),
        ("", b"Best regards, \nAnn Miller \nMill & Sons", "Best regards,\nAnn Miller\nMill & Sons"),
        ("; delsp=yes", b"The mill  \nopens at http://ex \nample.org", "The mill opens at http://example.org"),
        ("", b" %s \n  to five.\n >5 sacks", f"{MILL}  to five.\n>5 sacks"),
        ("", b"> %s \n> opens.\n>> At \n> nine.", f"> {MILL} opens.\n>> At \n> nine."),
        ("", b"Ann says \n-- \nAnn\nMiller", "Ann says"),
        ("", b"Nine. \n\nTen.", "Nine. \n\nTen."),
    ],
)
def test_flowed_lines_are_paragraphs(delsp: str, body: bytes, text: str) -> None:
    """A blank at the end of a line says that it goes on, but not into other quotes or a signature (RFC 3676).

    Where the next word would have fitted, the sender broke the line, as in an address.
    """
    read_lines = read_body(f"text/plain; format=flowed{delsp}", body.replace(b"%s", MILL.encode())).split("\n")
    assert [line.rstrip() for line in read_lines] == [line.rstrip() for line in text.split("\n")]


def test_a_flowed_reply_loses_what_it_quotes() -> None:
    """The line that announces the quote may be broken, too."""
    body = b"Nine tons.\n\nOn Mon, 1 Jun 2026 at 10:00, Ann \n<ann@example.com> wrote:\n> How \n> heavy?\n"
    assert read_body("text/plain; format=flowed", body, head=b"In-Reply-To: <1@x.org>\n" + HEAD) == "Nine tons."


def test_lines_without_flow_stay() -> None:
    """A blank at their ends means nothing."""
    assert read_body("text/plain", b"1 sack \n2 sacks").split("\n") == ["1 sack ", "2 sacks"]


def test_short_rules_part_sections() -> None:
    """They are no footers, though an address stands below them."""
    body = b"Hello,\n_____\nOne\nhttps://a.org\n_____\nTwo\nhttps://b.org\n_____\nThree\nc@d.org\n"
    assert read_body("text/plain", body).count("_____") == 3


def test_a_paragraph_above_a_quote_is_no_announcement() -> None:
    """Although it ends in a colon and has a number."""
    words = "Yes. The price of 300 EUR is right. As to the second point, about which you wrote this:"
    body = f"{words}\n> how many?\nNine.\n".encode()
    assert read_body("text/plain", body, head=b"In-Reply-To: <1@x.org>\n" + HEAD) == f"{words}\nNine."


def test_thousands_of_signatures_are_read() -> None:
    assert "a0" in read_body("text/plain", "\n-- \n".join(f"a{index}" for index in range(3_000)).encode())


def test_blank_lines_of_outlook_and_its_rule_go() -> None:
    """Its blank lines hold a blank that does not break, and its rule is short."""
    body = "Nine tons.\n\n\xa0\n\n  _____  \n\nFrom: Ann <ann@example.com>\nSent: Monday\nTo: Bob\n\nHow?".encode()
    assert read_body("text/plain; charset=utf-8", body, head=b"In-Reply-To: <1@x.org>\n" + HEAD) == "Nine tons."


@pytest.mark.parametrize(
    "head", ["multipart/encrypted; boundary=x", 'application/pkcs7-mime; name="smime.p7m"', "application/x-pkcs7-mime"]
)
def test_an_encrypted_message_says_so(head: str) -> None:
    """What holds its text is no attachment."""
    parts = (
        "--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n\n--x\nContent-Type: application/x\n\nA\n--x--\n"
    )
    document = read(HEAD + f"Content-Type: {head}\n\n{parts}".encode())
    assert any("encrypted" in note for note in document.notes)
    assert "Attachments" not in document.text


def test_a_signed_file_is_an_attachment() -> None:
    """An invoice, for example; what its sender signed is no message."""
    document = read(HEAD + b'Content-Type: application/pkcs7-mime; name="invoice.xml.p7m"\n\nMII=')
    assert "- invoice.xml.p7m" in document.text
    assert not document.notes


def test_a_message_in_utf_16_is_read() -> None:
    """An editor saved it so, whatever its header says."""
    content = (HEAD.decode() + "Content-Type: text/plain; charset=us-ascii\n\nGröße").encode("utf-16")
    assert "Größe" in read(content).text
    with pytest.raises(DocumentError, match="no headers"):
        read(b"\xff\xfe")
    assert read_message(content)["Subject"] == "Mill"


def test_a_signed_message_is_not_said_to_be_encrypted() -> None:
    """Its text is open, though it is packed with the signature."""
    head = "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\nA"
    assert read(HEAD + head.encode()).notes == ()
