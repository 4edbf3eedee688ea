"""What the formats of office programs have in common.

Belongs here: opening their files safely, their properties, and making markdown of cells and texts. Not here: one
format. Guarantee: a file is checked before a library opens it; a text from a file adds no heading, table or code block
of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZipFile

from headwater.errors import DocumentError, UnsafeFileError
from headwater.parsing.archives import open_archive, refuse_dtd
from headwater.parsing.office.strict_open_xml import is_strict, rename_strict
from headwater.parsing.parser import File, Limits

LIMITS = Limits(seconds=60, megabytes=1024)
"""What one office file may take: a workbook of 50 MB takes about a quarter of it."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_APPLE_DOUBLE = b"\x00\x05\x16\x07"  # what macOS keeps of a file beside it, which is no XML for any reader
_PROLOG = 2**16
_SPACES = re.compile(r"[^\S\n]+")
_STRUCTURE = re.compile(r"^(?=#{1,6}(?:\s|$)|>|```|~~~|[-=]+\s*$|\|)", re.MULTILINE)
# What a program adds to the words that it made up.
_MACHINE = re.compile(
    r"(?:description|beschreibung) automat\w+ (?:generated|generiert)[^.]*\.?|AI-generated content may be incorrect\.?"
    r"|KI-generierte Inhalte können fehlerhaft sein\.?|AI 生成的内容可能不正确。",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"(?:.*\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)|(?:image|picture|bild|grafik)\s*\d*)", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)|powerpoint[- ]|pr(?:ä|é|e)sentation(?: ?\d*| powerpoint)$|untitled|"
    r"(?:(?:word )?document|dokument|presentation|slide|folie|diapositive|スライド|book|mappe|title|titel|unbenannt)"
    r"\s*\d*$)",
    re.IGNORECASE,
)


class Package(NamedTuple):
    """An office file that was checked: its bytes without a password, and its parts."""

    content: bytes
    archive: ZipFile


def open_package(file: File, *, suffix: str) -> Package:
    """Check an office file before a library opens it.

    Args:
        file: the file; its passwords are tried if it is encrypted.
        suffix: the ending of its current format, such as `.docx`, for the messages.

    Raises:
        DocumentError: it is of an old format, no password opens it, or it is damaged.
        UnsafeFileError: it is built to exhaust its reader.
    """
    content = file.content
    if content.startswith(_OLE):
        if _ENCRYPTED not in content:
            raise DocumentError(f"The file is in the old binary format of its program. Save it as {suffix}.")
        content = decrypt(content, file.passwords)
    archive = open_archive(content)
    names = archive.namelist()
    if "[Content_Types].xml" not in names:
        raise DocumentError(f"The file is a zip file, but not a {suffix} file. Check what it is.")
    for name in names:
        if name.endswith((".xml", ".rels", ".vml")):
            with archive.open(name) as entry:
                prolog = entry.read(_PROLOG)
            if not prolog.startswith(_APPLE_DOUBLE):
                refuse_dtd(prolog, name)
    if is_strict(archive):
        content = rename_strict(archive)
        archive = ZipFile(BytesIO(content))
    return Package(content, archive)


def decrypt(content: bytes, passwords: Sequence[str]) -> bytes:
    """The content of an encrypted file of any Office, by the first of some passwords that opens it.

    Raises:
        DocumentError: none does, or the file is encrypted in another way.
    """
    if not passwords:
        raise DocumentError(
            "The file is protected by a password. Name the password in `passwords` of its source, or save the file"
            " without one."
        )
    from msoffcrypto import OfficeFile  # slow to import, seldom needed
    from msoffcrypto.exceptions import InvalidKeyError

    for password in passwords:
        decrypted = BytesIO()
        try:
            encrypted = OfficeFile(BytesIO(content))
            checks = {"verify_password": True} if encrypted.format == "ooxml" else {}  # others always check it
            encrypted.load_key(password=password, **checks)
            encrypted.decrypt(decrypted)
        except InvalidKeyError:
            continue
        except Exception as error:  # msoffcrypto raises whatever its parts raise on files that it does not know
            raise DocumentError(f"The file is encrypted in a way that is not read ({error}).") from error
        return decrypted.getvalue()
    raise DocumentError(
        "The file is protected by a password, and none of the `passwords` of its source opens it. Add the right one."
    )


@contextmanager
def refuse_depth() -> Iterator[None]:
    """Turn the error of the XML library about parts that are nested too deeply into one of the file.

    Raises:
        UnsafeFileError: they are.
    """
    from lxml.etree import XMLSyntaxError  # slow to import

    try:
        yield
    except XMLSyntaxError as error:
        if "depth" not in str(error) and "huge" not in str(error).lower():
            raise
        raise UnsafeFileError("Its parts are nested too deeply, as in an attack, so it was not read.") from error


def properties(core: Any) -> tuple[str, dict[str, str]]:
    """The title and the metadata from a file's core properties; a title that a program invented is left out.

    Args:
        core: the properties, as python-docx, python-pptx and openpyxl name them.
    """
    fields = {"author": _property(core, "author", "creator"), "subject": _property(core, "subject"),
             "keywords": _property(core, "keywords"), "created": _date(core, "created"),
             "modified": _date(core, "modified")}  # fmt: skip
    title = usable_title(_property(core, "title"))
    return title, {name: value for name, value in fields.items() if value}


def usable_title(title: str) -> str:
    """The title that a file's properties name; empty if a program invented it."""
    return "" if _NO_TITLE.match(title) else title


def one_line(text: str) -> str:
    """A text on one line, with single spaces."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """A paragraph of a file as markdown: its lines stay, and none of them begins a heading, a table or code."""
    lines = [_SPACES.sub(" ", line).strip() for line in text.splitlines()]
    return _STRUCTURE.sub(r"\\", "\n".join(line for line in lines if line))


def fence_code(lines: Sequence[str]) -> str:
    """Lines as a code block."""
    code = "\n".join(lines).strip("\n")
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", code)), 3)
    return f"{fence}\n{code}\n{fence}"


def table(rows: Sequence[Sequence[str]], *, has_header: bool = True) -> str:
    """A table as markdown, without empty rows and columns; empty if nothing is left.

    Args:
        rows: its rows.
        has_header: whether the first row names the columns; otherwise the columns have no names.
    """
    filled = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    width = max(map(len, filled), default=0)
    filled = [[*row, *[""] * (width - len(row))] for row in filled]
    used_columns = [column for column in range(width) if any(row[column] for row in filled)]
    if not used_columns:
        return ""
    table_rows = filled if has_header else [[""] * width, *filled]
    lines = [f"| {' | '.join(row[column] for column in used_columns)} |" for row in table_rows]
    return "\n".join([lines[0], f"|{'---|' * len(used_columns)}", *lines[1:]])


def join_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """One header row from several: for each column, the different texts above it."""
    columns = zip(*rows, strict=True)
    return [" ".join(dict.fromkeys(one_line(text) for text in column if text.strip())) for column in columns]


def picture(description: str) -> str:
    """A picture by the words for people who do not see it; empty if they say no more than the name of a file."""
    words = one_line(_MACHINE.sub(" ", description))
    return f"Picture: {words}" if any(map(str.isalnum, words)) and not _FILE_NAME.fullmatch(words) else ""


def join_blocks(blocks: Iterable[str]) -> str:
    """Blocks as a document."""
    return "\n\n".join(block for block in blocks if block.strip())


def _property(core: Any, *names: str) -> str:
    values: Mapping[str, Any] = {name: getattr(core, name, None) for name in names}
    return next((one_line(value) for value in values.values() if isinstance(value, str) and value.strip()), "")


def _date(core: Any, name: str) -> str:
    try:
        value = getattr(core, name, None)
    except (ValueError, TypeError):  # a date that is none
        return ""
    return value.isoformat() if isinstance(value, datetime) else ""
