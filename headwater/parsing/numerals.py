"""Numbers as letters and as Roman numerals, as lists count.

Belongs here: writing them. Not here: the formats that say which a list has. Guarantee: pure; a number that neither can
write raises nothing.
"""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_LETTERS = 10


def write_roman(value: int) -> str:
    """A number from 1 on as a Roman numeral in lower case."""
    numeral = ""
    for size, letters in _ROMAN:
        numeral += letters * (value // size)
        value %= size
    return numeral


def write_letters(value: int) -> str:
    """A number from 1 on as a letter in lower case; behind `z` come `aa`, `bb`, as Word counts."""
    return chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, _MAX_LETTERS)
