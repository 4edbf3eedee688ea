"""The text of messages as mail programs and the mistakes of senders make it (PAR-1)."""

from base64 import b64encode

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
    """Windows has none for it."""
    assert read_body("text/plain; charset=iso-8859-1", b"caf\xe9 \x81") == "café \x81"
    assert read_body("text/plain; charset=iso-8859-9", b"T\xfcrk \xfe\xf0 \x81") == "Türk şğ \x81"
    assert read_body("text/plain; charset=iso-8859-11", b"\xa1\xd2\xc3 \x81") == "การ \x81"


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


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("gb2312", "朱镕基 €".encode("gb18030"), "朱镕基 €"),
        ("gb2312", "你好".encode(), "你好"),
        ("shift_jis", "①髙 ～".encode("cp932"), "①髙 ～"),
        ("x-sjis", "髙橋".encode("cp932"), "髙橋"),
        ("windows-31j", "髙橋".encode("cp932"), "髙橋"),
        ("ks_c_5601-1987", "똠방".encode("cp949"), "똠방"),
        ("windows-874", "ปั๊ม".encode("cp874"), "ปั๊ม"),
        ("iso-8859-8-i", "משאבה".encode("iso-8859-8"), "משאבה"),
        ("utf-7", b"Gr+APYA3w-e +2D0- +2D3cqQ-", "Größe � 💩"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "html"])
def test_a_name_of_an_encoding_means_what_senders_use(kind: str, charset: str, body: bytes, text: str) -> None:
    """They name the smaller set and use the larger one, or UTF-8; some names are those of browsers alone."""
    assert read_body(f"text/{kind}; charset={charset}", body) == text


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("Größe 你好".encode(), "Größe 你好"),
        (b"Gr\xf6\xdfe", "Größe"),
        (b"=?gb2312?B?" + b64encode("朱镕基".encode("gb18030")) + b"?= ok", "朱镕基 ok"),
        (b"=?iso-8859-1?Q?we=92re?=", "we’re"),
        (b"=?x-unknown?Q?ab?=", "=?x-unknown?Q?ab?="),
        (b"=?punycode?q?a\\ud800b?=", "=?punycode?q?a\\ud800b?="),
        (b"=?utf-8?Q?Gr=C3=BC=C3?= =?utf-8?Q?=9Fe?= aus K" + "öln".encode(), "Grüße aus Köln"),
        (b"=?x-unknown?Q?ab?= =?utf-8?Q?K=C3=B6ln?=", "=?x-unknown?Q?ab?= =?utf-8?Q?K=C3=B6ln?="),
        (b"=?euc-kr?B?" + b64encode("똠방".encode("cp949")) + b"?=", "똠방"),
        (b"=?utf-8?Q?M=C3=BCller?=<a@b.c>", "Müller <a@b.c>"),
        (b"x " + "ß".encode() * 9_000, "x " + "ß" * 1_998),
    ],
)
def test_headers_are_read_as_senders_encode_them(header: bytes, title: str) -> None:
    """Also those that are not encoded, as in internationalized mail (RFC 6532)."""
    assert read(b"Subject: " + header + b"\nFrom: a@b.c\n\nx").title == title


def test_a_byte_order_mark_is_no_header() -> None:
    """An editor puts it there."""
    assert read(b"\xef\xbb\xbfSubject: Mill\n\nIt opens.").title == "Mill"


ARMOR = b"-----BEGIN PGP MESSAGE-----\nVersion: 1\n\nhQEMAabc\n=abcd\n-----END PGP MESSAGE-----\n"


def test_an_encrypted_text_says_so() -> None:
    """What stands around it stays; a line that only names the beginning is text."""
    document = read(HEAD + b"\nHello\n\n" + ARMOR + b"\nBye")
    assert document.text.endswith("Hello\n\nBye")
    assert document.notes
    document = read(HEAD + b"\nIt begins with\n-----BEGIN PGP MESSAGE-----\nand more.")
    assert document.text.endswith("-----BEGIN PGP MESSAGE-----\nand more.")
    assert not document.notes


@pytest.mark.parametrize("tag", ["pre", "p"])
def test_what_is_encrypted_in_a_page_is_told(tag: str) -> None:
    """Its lines are those of any text."""
    armor = ARMOR if tag == "pre" else ARMOR.replace(b"\n", b"<br>\n")
    document = read(HEAD + b"Content-Type: text/html\n\n<p>Hello</p><%b>%b</%b><p>Bye</p>" % (
        tag.encode(), armor.strip(), tag.encode()
    ))  # fmt: skip
    assert document.text.endswith("Hello\n\nBye")
    assert document.notes


@pytest.mark.parametrize(
    "armor", [ARMOR.replace(b"hQEMAabc", b"and then the data"), ARMOR.replace(b"-----B", b"    -----B")]
)
def test_words_about_what_is_encrypted_stay(armor: bytes) -> None:
    """As in a manual."""
    document = read(HEAD + b"\nHello\n\n" + armor + b"\nBye")
    assert "-----BEGIN PGP MESSAGE-----" in document.text
    assert not document.notes


def test_an_encrypted_file_is_an_attachment() -> None:
    """Its name is not that of a message."""
    head = b"Content-Type: application/octet-stream; name=backup.tar.asc\n\n"
    document = read(HEAD + head + ARMOR)
    assert "- backup.tar.asc" in document.text
    assert not document.notes


@pytest.mark.parametrize("armor", [ARMOR, b"Content-Transfer-Encoding: base64\n\n" + b64encode(ARMOR)])
def test_an_encrypted_message_that_a_server_took_apart_says_so(armor: bytes) -> None:
    """As Exchange does: its parts are those of any message."""
    octets = b"Content-Type: application/octet-stream; name=encrypted.asc\n" + (b"\n" if armor == ARMOR else b"")
    parts = (
        b"Content-Type: text/plain\n\nhi",
        b"Content-Type: application/pgp-encrypted\n\nVersion: 1",
        octets + armor,
    )
    body = b"".join(b"--X\n" + part + b"\n" for part in parts)
    document = read(HEAD + b"Content-Type: multipart/mixed; boundary=X\n\n" + body + b"--X--")
    assert document.text.endswith("\n\nhi")
    assert document.notes


def test_a_text_in_rtf_is_read() -> None:
    """As the files of this format are."""
    assert read_body("text/rtf", rb"{\rtf1\ansi The {\b mill} opens.\par At nine.}") == "The mill opens.\n\nAt nine."


def test_a_text_that_is_called_rtf_is_read() -> None:
    """And RTF that takes too long costs itself only."""
    assert read_body("text/rtf", b"The mill opens.") == "The mill opens."
    assert "could not be read" in read_body("text/rtf", rb"{\rtf1 a" + b"\\par " * 100_000 + b"}")
