"""Words as people type them who leave out accents (RET-1).

Belongs here: a Latin word without its accents. Not here: reading a question's words with accents
(`headwater.understanding.accent_restoration`), stems. Guarantee: pure; other scripts stay as they are.

Postgres's stemmers of German, Russian and Greek treat both spellings alike; those of French, Spanish, Italian,
Portuguese and others do not, and their stems differ by more than the accent: `informação` becomes `inform`, and
`informacao` `informaca`. In manual pages, the stems are equal for 18 % of French words with accents, and for 82 %
without the accents of the stems; in Portuguese for 7 and 72 %.
"""

import unicodedata

_TYPED = str.maketrans({"ł": "l", "đ": "d", "ı": "i", "œ": "oe"})  # Unicode does not take these apart


def strip_accents(word: str) -> str:
    """A word in lower case without the accents of its Latin letters; the same if it has letters of other scripts."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word.translate(_TYPED))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain if plain.isascii() else word
