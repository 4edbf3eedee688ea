"""How much a page draws: a few forms that draw each other are enough to keep PDFium busy for years.

Belongs here: counting, before PDFium reads a page. Not here: what forms hold. Guarantee: a page that passes draws at
most `MAX_FORMS` forms, beside those of patterns and glyphs that are repeated, and `MAX_FORMS * _TEXTS` texts; content
that expands to more than pypdf's limits does not pass.
"""

import re
from collections import Counter
from itertools import islice
from typing import Any

MAX_FORMS = 2_000
_TEXTS = 150  # as many cost about as much as a form; each takes PDFium a kilobyte
_REPEATS = 10  # for so many, the forms of a glyph count: how often it is drawn is not known
_OPERATORS = frozenset((b"Do", b"Tf", b"scn", b"SCN"))  # those that name what is drawn
_TOKEN = re.compile(rb"/[^\s()<>\[\]{}/%\x00]+|(?<![^\s()<>\[\]{}/%\x00])(?:Do|Tf|scn|SCN)(?![^\s()<>\[\]{}/%\x00])")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")

Counts = dict[tuple[int, int], int]  # by what draws, and the resources that it has


def is_drawable(content: bytes, resources: Any) -> bool:
    """Whether PDFium can read a page: its forms and texts are not too many, and no form draws itself.

    Args:
        content: the page's, decoded.
        resources: the page's.
    """
    return _count(content, resources, resources, {}) <= MAX_FORMS


def are_annotations_drawable(annotations: Any, resources: Any) -> bool:
    """Whether PDFium can draw a page's annotations: they and their forms are not too many.

    Args:
        annotations: the page's.
        resources: the page's.
    """
    counts: Counts = {}
    total = 0
    for annotation in islice(annotations, MAX_FORMS + 1):
        total += 1 + _count_look(annotation, resources, counts)
        if total > MAX_FORMS:
            return False
    return True


def _count_look(annotation: Any, resources: Any, counts: Counts) -> int:
    """How much an annotation draws, whatever its state is."""
    try:
        look = annotation.get_object()["/AP"]["/N"].get_object()
        states = [look] if _is_stream(look) else [state.get_object() for state in islice(look.values(), MAX_FORMS)]
    except Exception:  # noqa: BLE001  # it can be broken in any way, or have no look of its own
        return 0
    try:
        return sum(_count_within(state, state, resources, resources, counts) for state in states if _is_stream(state))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # such as content that expands enormously
        return MAX_FORMS + 1


def _count(content: bytes, resources: Any, page: Any, counts: Counts) -> int:
    total = (content.count(b"Tj") + content.count(b"TJ")) // _TEXTS
    for name, times in _count_names(content).items():
        form, pattern, font = (_find(resources, page, category, name) for category in ("/XObject", "/Pattern", "/Font"))
        if _is_stream(form) and form.get("/Subtype") == "/Form":
            total += times * (1 + _count_within(form, form, resources, page, counts))
        if _is_stream(pattern):
            total += min(times, _REPEATS) * _count_within(pattern, pattern, resources, page, counts)
        if font is not None and "/CharProcs" in font:
            total += _REPEATS * _count_glyph(font, resources, page, counts)
        if total > MAX_FORMS:
            break
    return min(total, MAX_FORMS + 1)


def _count_names(content: bytes) -> Counter[str]:
    """How often each name stands before an operator that draws, with no other such operator between."""
    written: Counter[bytes] = Counter()
    seen: set[bytes] = set()
    for token in _TOKEN.findall(content):
        if token in _OPERATORS:
            written.update(seen)
            seen.clear()
        else:
            seen.add(token)
    names: Counter[str] = Counter()
    for name, times in written.items():
        names[_ESCAPE.sub(_unescape, name).decode("latin-1")] += times
    return names


def _count_within(source: Any, owner: Any, outer: Any, page: Any, counts: Counts) -> int:
    """How much the content of a form, pattern or glyph draws.

    Args:
        source: the stream.
        owner: which has its resources: itself, or a font.
        outer: the resources of what draws it, for one that has none.
        page: the page's resources, for categories that are in neither.
        counts: what was counted.
    """
    entry = owner.get("/Resources")
    resources = outer if entry is None else entry.get_object()
    key = id(source), id(resources)
    if key not in counts:
        counts[key] = MAX_FORMS + 1  # for a form that draws itself
        counts[key] = _count(source.get_data(), resources, page, counts)
    return counts[key]


def _count_glyph(font: Any, outer: Any, page: Any, counts: Counts) -> int:
    """How much the glyph of a font draws that draws most."""
    glyphs = [glyph.get_object() for glyph in font["/CharProcs"].get_object().values()]
    return max((_count_within(glyph, font, outer, page, counts) for glyph in glyphs if _is_stream(glyph)), default=0)


def _find(resources: Any, page: Any, category: str, name: str) -> Any:
    """What a name, with its slash, stands for; None if it leads to nothing that has entries."""
    from pypdf.generic import DictionaryObject

    try:
        names = resources[category].get_object() if category in resources else None
        if not isinstance(names, DictionaryObject):
            names = page[category].get_object()
        entry = names[name].get_object()
    except Exception:  # noqa: BLE001  # the object can be broken in any way; the rest of the page can be read
        return None
    return entry if isinstance(entry, DictionaryObject) else None


def _is_stream(entry: Any) -> bool:
    from pypdf.generic import StreamObject

    return isinstance(entry, StreamObject)


def _unescape(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())
