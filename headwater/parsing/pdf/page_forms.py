"""How often a page draws its forms: a few that draw each other are enough to keep PDFium busy for years.

Belongs here: counting, before PDFium reads a page. Not here: what forms hold. Guarantee: a page that passes draws at
most `MAX_FORMS` forms; content that expands to more than pypdf's limits does not pass.
"""

import re
from collections import Counter
from typing import Any

from headwater.errors import DocumentError

MAX_FORMS = 2_000
_DRAWN = re.compile(rb"/([^\s()<>\[\]{}/%\x00]+)(?:[\s\x00]|%[^\r\n]*+)++Do(?![^\s()<>\[\]{}/%\x00])")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")


def check_forms(content: bytes, resources: Any) -> None:
    """Refuse a page whose forms are too many for PDFium.

    Args:
        content: the page's, decoded.
        resources: the page's.

    Raises:
        DocumentError: a form draws itself, or forms are drawn more than `MAX_FORMS` times.
    """
    if _count(content, resources, resources, {}) > MAX_FORMS:
        raise DocumentError("Its forms are drawn too often.")


def _count(content: bytes, resources: Any, inherited: Any, counts: dict[int, int]) -> int:
    names = Counter(_ESCAPE.sub(_unescape, name).decode("latin-1") for name in _DRAWN.findall(content))
    objects = resources["/XObject"].get_object() if names and "/XObject" in resources else {}
    total = 0
    for name, times in names.items():
        drawn = objects.get(f"/{name}")
        form = drawn.get_object() if drawn is not None else None
        if form is None or form.get("/Subtype") != "/Form":
            continue
        if id(form) not in counts:
            counts[id(form)] = MAX_FORMS + 1  # for a form that draws itself
            entry = form.get("/Resources")
            entries = inherited if entry is None else entry.get_object()
            counts[id(form)] = 1 + _count(form.get_data(), entries, inherited, counts)
        total += times * counts[id(form)]
    return min(total, MAX_FORMS + 1)


def _unescape(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())
