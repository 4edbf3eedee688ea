"""What the text of a file shows of its fonts, because many say nothing, such as the bitmap fonts of LaTeX (type 3).

Belongs here: whether a font has one width; whether the codes of fonts without a name, which do not say which characters
they show, are those characters, with TeX's codes for ligatures and quotes. Not here: reading codes and places
(`page_text`), the names and flags of fonts (`shapes`). Guarantee: the unmapped text of fonts without a name is kept as
a whole or not at all; without evidence that it is text, it is not. Of other unmapped text, only bullets are kept.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from headwater.parsing.pdf.shapes import FontFace, Page, TextRun

_LETTERS = 60  # fewer are no evidence
_LETTER_SHARE = 0.7  # of the codes that are not spaces: .79 to .97 in ten files of text, .65 at most in formulas
_VOWELS = 0.2, 0.6  # of the letters: .34 to .40 in text, .10 at most in formulas and in codes that are shifted
_WORD, _WORDS, _ENOUGH_WORDS = 3, 4, 200  # letters of a word, and words, that show whether a font has one width
_NARROW, _WIDE = set("fijlrt"), set("mwMW")
_ONE_WIDTH = 0.02  # of the size
_LETTER, _VOWEL = re.compile("[A-Za-z]"), re.compile("[aeiouyAEIOUY]")
_T1 = dict(zip(map(chr, range(0x10, 0x17)), "“”„«»–—", strict=True)) | dict(
    zip(map(chr, range(0x1B, 0x20)), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)
)
_OT1 = dict(zip(map(chr, range(0x0B, 0x10)), ("ff", "fi", "fl", "ffi", "ffl"), strict=True))
_SYMBOLS = {"\x88": "•"}
"""TeX's encodings, where they are not those of ASCII and Latin-1: T1, OT1, and TS1's bullet (LaTeX's encguide)."""
_IN_OT1, _IN_T1 = re.compile("[\x0b-\x0f]"), re.compile("[\x1b-\x1f]")


def resolve_fonts(pages: Sequence[Page]) -> None:
    """Note which fonts have one width, and replace the codes of unmapped text by characters.

    Unmapped text that is none is taken from the pages; of the rest, `opaque` no longer counts the codes.
    """
    for page in pages:
        page.runs = _scale(page.runs)
    _mark_mono(run for page in pages for run in page.runs if " " not in run.text or not run.face.name)
    codes = "".join(run.text for page in pages for run in page.runs if run.is_unmapped and not run.face.name)
    characters = _SYMBOLS | (_OT1 if len(_IN_OT1.findall(codes)) > len(_IN_T1.findall(codes)) else _T1)
    table = str.maketrans(characters)
    is_text = _is_text(codes)
    for page in pages:
        runs, page.runs = page.runs, []
        for run in runs:
            if not run.is_unmapped:
                page.runs.append(run)
            elif (is_text and not run.face.name) or run.text.strip() in _SYMBOLS:
                page.runs.append(run._replace(text=run.text.translate(table)))
                page.opaque -= len(run.text)


def _scale(runs: list[TextRun]) -> list[TextRun]:
    """The runs of a page with one size for each font whose letters alone say how large it is."""
    sizes: dict[FontFace, list[float]] = defaultdict(list)
    for run in runs:
        if run.face.is_unscaled:
            sizes[run.face].append(run.size)
    usual = {face: median(of_runs) for face, of_runs in sizes.items()}
    return [run._replace(size=usual.get(run.face, run.size)) for run in runs] if usual else runs


def _mark_mono(runs: Iterable[TextRun]) -> None:
    """Note whether fonts have one width, by words that have narrow letters and words that have wide ones."""
    faces: dict[str | FontFace, set[FontFace]] = defaultdict(set)
    widths: dict[str | FontFace, dict[str, float]] = defaultdict(dict)
    for run in runs:
        font = run.face.name or run.face
        faces[font].add(run.face)
        if len(_LETTER.findall(run.text)) >= _WORD and len(widths[font]) < _ENOUGH_WORDS:
            widths[font].setdefault(run.text, (run.right - run.left) / (len(run.text) * run.size))
    for font, of_words in widths.items():
        letters = set("".join(of_words))
        if len(of_words) < _WORDS or not (letters & _NARROW and letters & _WIDE):
            continue
        spread = max(of_words.values()) - min(of_words.values())
        for face in faces[font]:
            face.is_mono = face.is_named_mono or spread < _ONE_WIDTH


def _is_text(codes: str) -> bool:
    letters = _count(_LETTER, codes)
    if letters < max(_LETTERS, _LETTER_SHARE * sum(not code.isspace() for code in codes)):
        return False
    low, high = _VOWELS
    return low * letters <= _count(_VOWEL, codes) <= high * letters


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
