"""Messages of Outlook that tests make.

Belongs here: compound files (MS-CFB), and in them the properties of messages (MS-OXMSG), both only as far as tests need
them. Not here: what is expected of reading them. Guarantee: no file is written to disk.
"""

import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count

_SECTOR, _SMALL = 512, 64
_END, _NONE, _FAT_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Storage = Mapping[str, "bytes | Storage"]
_SUBJECT, _BODY, _HTML, _RTF, _HEADERS, _SENT = 0x0037, 0x1000, 0x1013, 0x1009, 0x007D, 0x0039
_SENDER_NAME, _SENDER_ADDRESS, _NAME, _ADDRESS = 0x0C1A, 0x0C1F, 0x3001, 0x3003
_RECIPIENT_TYPE = 0x0C15
_FILE_NAME, _FILE_DATA, _FILE_TYPE, _BY_VALUE = 0x3707, 0x3701, 0x370E, (0x3705, 1)
_STRING, _BINARY, _INTEGER, _TIME = 0x001F, 0x0102, 0x0003, 0x0040


def msg_file(
    subject: str,
    body: str = "",
    *,
    html: str | bytes = "",
    rtf: bytes = b"",
    headers: str = "",
    sender: tuple[str, str] = ("", ""),
    sent: datetime | None = None,
    recipients: Sequence[tuple[str, str]] = (),
    recipient_kinds: Sequence[int] = (),
    attachments: Sequence[tuple[str, bytes]] = (),
    attachment_type: str = "",
) -> bytes:
    """A message; names and addresses are pairs, and the kinds of recipients are 1 for To, 2 for Cc, 3 for Bcc."""
    texts = {_SUBJECT: subject, _BODY: body, _HEADERS: headers, _SENDER_NAME: sender[0], _SENDER_ADDRESS: sender[1]}
    forms = {_HTML: html if isinstance(html, bytes) else html.encode(), _RTF: rtf}
    storage = _properties(24, texts, binaries={number: form for number, form in forms.items() if form}, sent=sent)
    for number, (name, address) in enumerate(recipients):
        kinds = {_RECIPIENT_TYPE: recipient_kinds[number]} if recipient_kinds else {}
        parts = _properties(0, {_NAME: name, _ADDRESS: address}, integers=kinds)
        storage[f"__recip_version1.0_#{number:08X}"] = parts
    for number, (name, content) in enumerate(attachments):
        parts = _properties(
            0,
            {_FILE_NAME: name, _FILE_TYPE: attachment_type},
            binaries={_FILE_DATA: content},
            integers=dict([_BY_VALUE]),
        )
        storage[f"__attach_version1.0_#{number:08X}"] = parts
    return compound_file(storage)


def _properties(
    header: int,
    texts: Mapping[int, str],
    *,
    binaries: Mapping[int, bytes] | None = None,
    integers: Mapping[int, int] | None = None,
    sent: datetime | None = None,
) -> "dict[str, bytes | Storage]":
    """The streams of some properties, and the stream that lists them behind a header of a size."""
    streams: dict[str, bytes | Storage] = {}
    listed = b"\0" * (header + 8)
    values = [(number, _STRING, text.encode("utf-16-le")) for number, text in texts.items() if text]
    values += [(number, _BINARY, value) for number, value in (binaries or {}).items()]
    for number, kind, value in values:
        streams[f"__substg1.0_{number:04X}{kind:04X}"] = value
        listed += struct.pack("<HHIII", kind, number, 6, len(value) + 2 * (kind == _STRING), 0)
    for number, integer in (integers or {}).items():
        listed += struct.pack("<HHIII", _INTEGER, number, 6, integer, 0)
    if sent is not None:
        ticks = int((sent - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
        listed += struct.pack("<HHIQ", _TIME, _SENT, 6, ticks)
    return {**streams, "__properties_version1.0": listed}


def compound_file(root: Storage) -> bytes:
    """A compound file with streams of less than 4,096 bytes each."""
    small, small_chains = bytearray(), list[int]()
    entries: list[list[object]] = []

    def add(name: str, content: "bytes | Storage") -> int:
        place = len(entries)
        kind = 2 if isinstance(content, bytes) else 1 if place else 5
        entries.append([name, kind, _NONE, _NONE, _END, 0])
        if isinstance(content, bytes):
            assert len(content) < 4_096
            first = len(small_chains)
            blocks = -(-len(content) // _SMALL)
            small_chains.extend([*range(first + 1, first + blocks), _END][:blocks])
            small.extend(content.ljust(blocks * _SMALL, b"\0"))
            entries[place][4:] = [first if blocks else _END, len(content)]
            return place
        below = [add(child, inside) for child, inside in content.items()]
        for child, following in zip(below, [*below[1:], _NONE], strict=True):  # a chain instead of a tree
            entries[child][2] = following
        entries[place][3] = below[0] if below else _NONE
        return place

    add("Root Entry", root)
    sectors: list[bytes] = []
    chains: list[int] = []

    def store(content: bytes) -> int:
        first, needed = len(sectors), -(-len(content) // _SECTOR)
        sectors.extend(content.ljust(needed * _SECTOR, b"\0")[at * _SECTOR :][:_SECTOR] for at in range(needed))
        chains.extend([*range(first + 1, first + needed), _END][:needed])
        return first if needed else _END

    entries[0][4:] = [store(bytes(small)), len(small)]
    small_fat = store(b"".join(struct.pack("<I", following) for following in small_chains))
    directory = store(b"".join(map(_directory_entry, entries)))
    fat_sectors = next(size for size in count(1) if size * 128 >= len(sectors) + size)
    fat = [*chains, *[_FAT_SECTOR] * fat_sectors]
    table = b"".join(struct.pack("<I", following) for following in fat).ljust(fat_sectors * _SECTOR, b"\xff")
    small_fat_sectors = -(-4 * len(small_chains) // _SECTOR)
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, fat_sectors,
        directory, 0, 4_096, small_fat, small_fat_sectors, _END, 0, len(sectors),
    )  # fmt: skip
    listed = b"".join(struct.pack("<I", len(sectors) + number) for number in range(1, fat_sectors))
    return (header + listed).ljust(_SECTOR, b"\xff") + b"".join(sectors) + table


def _directory_entry(entry: Sequence[object]) -> bytes:
    name, kind, right, child, start, size = entry
    text = f"{name}\0".encode("utf-16-le")
    head = struct.pack("<64sHBBIII", text, len(text), kind, 1, _NONE, right, child)
    return head + b"\0" * 36 + struct.pack("<IQ", start, size)
