"""What of an e-mail message only its receiver can open.

Belongs here: telling it, in the forms of S/MIME and of OpenPGP, in parts and within a text. Not here: opening it;
signatures, whose text is open (`email_messages`, `email_replies`). Guarantee: the work is linear in the message; a
text around what is encrypted stays.
"""

import re
from collections.abc import Sequence
from email.message import Message
from itertools import dropwhile

from headwater.parsing.email_texts import read_payload

_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
SEALED_NAMES = ("", "smime.p7m", "encrypted.asc", "encrypted.pgp")
"""Of messages (RFC 8551), in small letters; what has another name is a file, such as an invoice with its signature."""
_SIGNED_ONLY = "signed-data"  # its text is open, but packed together with the signature
_ENCRYPTED = "multipart/encrypted"
_VERSION = "application/pgp-encrypted"
_NO_KIND = "application/octet-stream"
_BEGIN, _END = "-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----"
_BASE64 = re.compile(r"(?:[A-Za-z0-9/=]|\\?\+)+")  # a sign may be escaped, for markdown
_ARMOR_HEADER = re.compile(r"[A-Z][A-Za-z]*: .*")
_EMPTY_FENCE = re.compile(r"^```\n```$\n?", re.MULTILINE)


def is_encrypted(part: Message) -> bool:
    """Whether the parts of a part are no texts and files, but what only its receiver can open.

    A server may have taken a message in OpenPGP out of the part that says so, as Exchange does.
    """
    kind = part.get_content_type()
    if kind == _ENCRYPTED:
        return True
    if (part.get_filename() or "").lower() not in SEALED_NAMES:
        return False
    if kind == _NO_KIND:
        return read_payload(part).lstrip().startswith(_BEGIN.encode())
    is_open = str(part.get_param("smime-type") or "").lower() == _SIGNED_ONLY
    return kind == _VERSION or (kind in _SEALED and not is_open)


def drop_armor(text: str) -> str:
    """A text without what is encrypted in it; examples with other words or behind blanks stay."""
    if _BEGIN not in text:
        return text
    lines: list[str] = []
    armor: list[str] | None = None  # the lines of a block that has not ended yet
    for line in text.split("\n"):
        if line.rstrip() == _BEGIN:
            lines += armor or []
            armor = [line]
        elif armor is None:
            lines.append(line)
        else:
            armor.append(line)
            if line.rstrip() == _END:
                lines += [] if _is_armor(armor[1:-1]) else armor
                armor = None
    return _EMPTY_FENCE.sub("", "\n".join([*lines, *(armor or [])]))


def _is_armor(body: Sequence[str]) -> bool:
    """Whether lines are the headers and the base64 of something encrypted."""
    filled = [line.strip() for line in body if line.strip()]
    data = list(dropwhile(_ARMOR_HEADER.fullmatch, filled))
    return bool(data) and all(map(_BASE64.fullmatch, data))
