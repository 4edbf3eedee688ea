"""The first bytes of binary formats.

Belongs here: signatures, and the entries of archives and compound files that tell formats apart. Not here: text
(`file_types`), reading such files. Guarantee: nothing is unpacked; the work is linear in the file, and small for most.
"""

import re
import struct
from collections.abc import Iterator

from headwater.errors import DocumentError
from headwater.parsing.compound_files import open_compound

ZIP = "application/zip"
OLE = "application/x-ole-storage"
_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
PPTX = f"{_OFFICE}.presentationml.presentation"
EPUB = "application/epub+zip"
ENCRYPTED = "application/x-encrypted-office"

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"II+\x00", "image/tiff"),
    (0, b"MM\x00+", "image/tiff"),
    (0, b"\x00\x00\x00\x0cjP  \r\n", "image/jp2"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "application/ogg"),
    (0, b"MThd", "audio/midi"),
    (0, b"\x1a\x45\xdf\xa3", "video/x-matroska"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
    (0, b"\x93NUMPY", "application/x-numpy-data"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"!<arch>\n", "application/x-archive"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\x00\x01\x00\x00\x00", "font/ttf"),
    (0, b"# Sphinx inventory version", "application/x-sphinx-inventory"),
)
_TYPES = {name for _, _, name in _SIGNATURES}
_BMP_HEADERS = {12, 40, 52, 56, 64, 108, 124}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic", b"avif": "image/avif",
           b"M4A ": "audio/mp4", b"M4B ": "audio/mp4", b"qt  ": "video/quicktime"}  # fmt: skip
_ZIP_PARTS = {
    b"word/document": DOCX, b"xl/workbook": XLSX, b"ppt/presentation": PPTX,
    b"META-INF/container.xml": EPUB,  # where the first entry does not say it, because it is compressed or elsewhere
    b"META-INF/MANIFEST.MF": "application/java-archive",
    b"AndroidManifest.xml": "application/vnd.android.package-archive",
}  # fmt: skip
_BOOK_IN_FOLDER = re.compile(rb"[^/]+/META-INF/container\.xml")  # the book's folder was packed, not what is in it
_PACKAGE_FOLDERS = {b"word": DOCX, b"xl": XLSX, b"ppt": PPTX}  # for a main part of another name, which is allowed
# The first entry of EPUB and OpenDocument, which is not compressed.
_MIMETYPE = re.compile(rb"mimetype[^a]{0,64}(application/[\w.+-]{1,80}?)(?=\s|PK[\x01-\x08]|\Z)", re.DOTALL)
_OLE_STREAMS = {
    "EncryptedPackage": ENCRYPTED, "WordDocument": "application/msword", "Workbook": "application/vnd.ms-excel",
    "Book": "application/vnd.ms-excel",
    "PowerPoint Document": "application/vnd.ms-powerpoint", "__properties_version1.0": "application/vnd.ms-outlook",
}  # fmt: skip
_BY_PARTS = {*_ZIP_PARTS.values(), *_OLE_STREAMS.values()}
_ENTRIES = 5_000


def is_told_by_bytes(media_type: str) -> bool:
    """Whether `binary_type` recognises each file of a media type."""
    return media_type in _TYPES or media_type in _BY_PARTS or media_type.startswith(("image/", "audio/", "video/"))


def is_container(media_type: str) -> bool:
    """Whether only the whole file tells what it is: an archive's directory is at its end."""
    return media_type in (ZIP, OLE) or media_type in _BY_PARTS


def binary_type(content: bytes) -> str:
    """The media type of a binary file by its first bytes; empty if they tell nothing."""
    media_type = next((name for offset, sign, name in _SIGNATURES if content.startswith(sign, offset)), "")
    if media_type == ZIP:
        return _zip_type(content)
    if media_type == OLE:
        return _ole_type(content)
    return media_type or _by_structure(content)


def _by_structure(content: bytes) -> str:
    if content[:4] == b"RIFF":
        return _RIFF.get(content[8:12], "application/x-riff")
    if content[4:8] == b"ftyp":
        return _BRANDS.get(content[8:12], "video/mp4")
    if content[:2] == b"BM" and len(content) > 18 and struct.unpack_from("<I", content, 14)[0] in _BMP_HEADERS:
        return "image/bmp"
    if len(content) > 2 and content[0] == 0xFF and content[1] & 0xE0 == 0xE0 and content[1] & 0x06:
        return "audio/mpeg"
    if b"%PDF-" in content[:1024]:  # readers allow other bytes before it
        return "application/pdf"
    return ""


def _zip_type(content: bytes) -> str:
    if stated := _MIMETYPE.match(content, 30):
        return stated[1].decode()
    names = list(_entries(content))
    for entry_name, media_type in _ZIP_PARTS.items():
        if any(name.startswith(entry_name) for name in names):
            return media_type
    if sum(_BOOK_IN_FOLDER.fullmatch(name) is not None for name in names) == 1:
        return EPUB
    if b"[Content_Types].xml" in names:
        folders = {name.partition(b"/")[0] for name in names}
        return next((media_type for folder, media_type in _PACKAGE_FOLDERS.items() if folder in folders), ZIP)
    return ZIP


def _entries(content: bytes) -> Iterator[bytes]:
    """The first names in an archive's directory; of a damaged archive, those at its first entries."""
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - 66_000))
    start = end - int.from_bytes(content[end + 12 : end + 16], "little")
    is_whole = end >= 0 and start >= 0 and content.startswith(b"PK\x01\x02", start)
    position, header, length_at, name_at = (start, b"PK\x01\x02", 28, 46) if is_whole else (0, b"PK\x03\x04", 26, 30)
    for _ in range(_ENTRIES):
        position = content.find(header, position)
        if position < 0:
            return
        begin = position + name_at
        position = begin + int.from_bytes(content[position + length_at : position + length_at + 2], "little")
        yield content[begin:position]


def _ole_type(content: bytes) -> str:
    """By the streams of the file itself, because a workbook may hold a whole Word file."""
    try:
        with open_compound(content) as container:
            streams = {path[0].casefold() for path in container.listdir(storages=True) if len(path) == 1}
    except DocumentError:  # of a damaged file, those that it names
        streams = {name.casefold() for name in _OLE_STREAMS if f"{name}\0".encode("utf-16-le") in content}
    return next((media_type for name, media_type in _OLE_STREAMS.items() if name.casefold() in streams), OLE)
