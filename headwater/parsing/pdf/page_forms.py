"""How much a page draws: a few forms that draw each other are enough to keep PDFium busy for years.

Belongs here: counting, before PDFium reads a page. Not here: what forms hold. Guarantee: a page that passes draws at
most `MAX_FORMS` forms and `MAX_FORMS * _TEXTS` texts; content that expands to more than pypdf's limits does not pass.
"""

import re
from collections import Counter
from typing import Any

MAX_FORMS = 2_000
_TEXTS = 150  # as many cost about as much as a form; each takes PDFium a kilobyte
_DRAWN = re.compile(rb"/([^\s()<>\[\]{}/%\x00]+)(?:[\s\x00]|%[^\r\n]*+)++Do(?![^\s()<>\[\]{}/%\x00])")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")


def is_drawable(content: bytes, resources: Any) -> bool:
    """Whether PDFium can read a page: its forms and texts are not too many, and no form draws itself.

    Args:
        content: the page's, decoded.
        resources: the page's.
    """
    return _count(content, resources, resources, {}) <= MAX_FORMS


def _count(content: bytes, resources: Any, inherited: Any, counts: dict[int, int]) -> int:
    names = Counter(_ESCAPE.sub(_unescape, name).decode("latin-1") for name in _DRAWN.findall(content))
    total = (content.count(b"Tj") + content.count(b"TJ")) // _TEXTS
    for name, times in names.items():
        form = _find_form(resources, f"/{name}")
        if form is None:
            continue
        if id(form) not in counts:
            counts[id(form)] = MAX_FORMS + 1  # for a form that draws itself
            entry = form.get("/Resources")
            entries = inherited if entry is None else entry.get_object()
            counts[id(form)] = 1 + _count(form.get_data(), entries, inherited, counts)
        total += times * counts[id(form)]
    return min(total, MAX_FORMS + 1)


def _find_form(resources: Any, name: str) -> Any:
    """A form by its name; None if the name leads to anything else."""
    from pypdf.generic import StreamObject

    try:
        form = resources["/XObject"].get_object()[name].get_object()
    except Exception:  # noqa: BLE001  # the object can be broken in any way; the rest of the page can be read
        return None
    return form if isinstance(form, StreamObject) and form.get("/Subtype") == "/Form" else None


def _unescape(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())
