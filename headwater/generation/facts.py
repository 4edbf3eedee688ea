"""The numbers and names of a text, and whether it denies.

Belongs here: what can be compared between two texts word for word. Not here: the comparison (`support`,
`disagreement`), the words of a text (`headwater.understanding.words`). Guarantee: pure; a number is the same however it
is written: `1,000` and `1000`, `40` and `forty`, `3,5` and `3.5`; in languages that write it so, `1.000` and `1000`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater.generation.statement_splitter import without_list_mark
from headwater.understanding.words import names, stem

_DIGITS = re.compile(
    r"(?<![\w.,])[vV]?(\d+(?:[.,'’\u00a0\u202f:]\d+)*)(?:st|nd|rd|th)?[ \t\u00a0\u202f-]?(%|[^\W\d_]+|[€$£¥°])?"
)
_BEFORE = re.compile(r"[€$£¥][ \t]?$")
_THOUSANDS = re.compile(r"\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
_POINTED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_POINTED_LANGUAGES = frozenset(["de", "es", "it", "pt", "nl", "da", "id", "tr", "el", "ro", "hr", "sl", "sr", "vi"])
"""Their texts write thousands with a full stop."""
_SEPARATORS = re.compile(r"[,'’\u00a0\u202f]")
_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMERALS = {
    **{word: index for index, word in enumerate(f"zero {_ONES} {_TEENS}".split())},
    **{word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)},
}
_FACTORS = {"hundred": 100, "thousand": 1000, "dozen": 12}
_FACTOR = "|".join(_FACTORS)
_WRITTEN = re.compile(
    rf"\b(?:(?:({_TENS.replace(' ', '|')})(?:[ -]({_ONES.replace(' ', '|')}))?|({'|'.join(_NUMERALS)}))"
    rf"(?: ({_FACTOR}))?|({_FACTOR}))\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:main|different|key|possible|common|other|more)?[ ]?(?:ways?|options?|types?|kinds?|steps?|methods?|things?|"
    r"parts?|reasons?|cases?|modes?|of|or|and|hand|time|thing)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|without|none|neither|nor|unable|prohibit\w*|forbid\w*|nicht|kein\w*|niemals|ohne|jamais|aucune?|nunca|ningun\w*|"
    r"ning[úu]n\w*|non(?!-)|nessun\w*|n[ãa]o)\b|n['’]t\b|\bne\b[^.]{1,40}\bpas\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(r"(?:\bnot|n['’]t|\bnever)\s+(?:\w+\s+)?(?:prohibit|forbid)\w*", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"[\W_]*(?:yes|no|ja|nein|oui|non|s[íi]|sì|sim|n[ãa]o|nee|да|нет)[,.:;!]+[*_ ]*(?=\S)", re.IGNORECASE
)
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_IDENTIFIER = re.compile(r"(?<![\w.-])(?=[\w.-]*[A-Za-z_])(?:\w+[._]\w[\w.]*|[A-Za-z]+\d\w*)(?![\w-])")


_MEASURES = frozenset(map(stem, [
    "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "bytes", "%", "$", "€", "£",
    "seconds", "minutes", "hours", "days", "weeks", "months", "years",
]))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number as digits, with the stem of the word behind it, or the sign beside it; empty without one."""

    value: str
    unit: str = ""


def numbers(text: str, language: str = "") -> list[Number]:
    """The numbers of a text that are written in digits, in order.

    Args:
        text: the text.
        language: its code; empty if unknown. It decides what `1.000` is.
    """
    quantities = []
    for match in _DIGITS.finditer(without_list_mark(text)):
        sign = _BEFORE.search(match.string[max(0, match.start() - 2) : match.start()])
        unit = match[2] or (sign[0].strip() if sign else "")
        quantities += [Number(value=value, unit=stem(unit.casefold())) for value in _values(match[1], language)]
    return quantities


def values(text: str, language: str = "") -> set[str]:
    """The values of all numbers of a text in a language, also of those that are written as English words."""
    digit_values = {quantity.value for quantity in numbers(text, language)}
    return digit_values | {value for value, _ in _find_number_words(text)}


def find_values(text: str, language: str = "") -> set[str]:
    """The values that whatever supports a text must have: not of words that merely count its own parts."""
    counted = {
        value
        for value, following in _find_number_words(text)
        if value not in ("0", "1") and not _COUNTED.match(following)
    }
    return {quantity.value for quantity in numbers(text, language)} | counted


def has_other_measure(statement: str, texts: Iterable[str]) -> bool:
    """Whether texts have a number of a statement with other measures alone, as `5 GiB` for `5 MiB`."""
    measured = [quantity for text in texts for quantity in numbers(text)]
    for claimed in numbers(statement):
        units = {quantity.unit for quantity in measured if quantity.value == claimed.value}
        if claimed.unit in _MEASURES and units and claimed.unit not in units and units <= _MEASURES:
            return True
    return False


def find_names(text: str, language: str = "") -> set[str]:
    """The stems of a text's names: words with a capital that do not begin a sentence."""
    plain = _CODE.sub(" ", without_list_mark(text))
    return {name for name in names(plain, language) if not any(character.isdigit() for character in name)}


def find_code(text: str) -> set[str]:
    """The commands, flags and identifiers of a text, in lower case; a supporting text has them letter by letter."""
    inline = " ".join(match[2] for match in _CODE.finditer(text))
    words = {word.strip("()[]{}<>,;:'\"") for word in inline.split()}
    code_words = {word for word in words if re.search(r"[^\W\d]{2}", word) and not word.startswith(("<", "$"))}
    return {word.rstrip(".").casefold() for word in (*code_words, *_FLAG.findall(text), *_IDENTIFIER.findall(text))}


def without_yes_or_no(text: str) -> str:
    """A sentence without the `yes` or `no` that it begins with: it is an answer, not a word of the statement."""
    return _YES_OR_NO.sub("", text, count=1) if _YES_OR_NO.match(text) else text


def denies(text: str) -> bool:
    """Whether a text has a word of denial; in English, German, French, Spanish, Italian and Portuguese."""
    return _NEGATION.search(_PERMISSION.sub("", text)) is not None


def _values(written: str, language: str) -> list[str]:
    """The values that a run of digits and signs stands for: one, or the parts of a time or a version's name."""
    written = written.rstrip(".,:'’")
    if language[:2].lower() in _POINTED_LANGUAGES and _POINTED.fullmatch(written):
        return [_plain(written.replace(".", "").replace(",", "."))]
    if _THOUSANDS.fullmatch(written):
        is_english = "." not in written or written.count(".") == 1
        plain = _SEPARATORS.sub("", written) if is_english else written.replace(".", "").replace(",", ".")
        return [_plain(plain)]
    if re.fullmatch(r"\d+,\d{1,2}", written):
        return [_plain(written.replace(",", "."))]
    return [_plain(group) for group in re.split(r"[,'’:\u00a0\u202f]", written)]


def _plain(value: str) -> str:
    """Without zeros that say nothing; a version such as `1.60.2` or `3.10` stays."""
    integer, _, fraction = value.partition(".")
    return (value if fraction.strip("0") else integer).lstrip("0") or "0"


def _find_number_words(text: str) -> Iterator[tuple[str, str]]:
    """The values of numbers in English words, each with the text behind it."""
    for match in _WRITTEN.finditer(text):
        *numerals, factor, alone = (word and word.casefold() for word in match.groups())
        value = sum(_NUMERALS[word] for word in numerals if word) * _FACTORS.get(factor, 1)
        yield str(_FACTORS[alone] if alone else value), text[match.end() :].lstrip(" -")
