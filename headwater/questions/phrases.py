"""Headings as parts of questions.

Belongs here: upper and lower case, verbs, and whether a phrase names its subject. Not here: which questions are asked
(`question_rules`). Guarantee: pure; a name keeps its capitals if the text uses it with capitals.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from headwater.understanding.words import content_words

_VERBS = frozenset(
    re.findall(
        r"\w+",
        """
    access activate add adjust allow apply assign attach authenticate automate back bind build cache call change
    check choose clean clone collect compile compute configure connect contribute control convert copy create
    customize debug declare define delete deploy destroy detect disable display document download edit enable
    encrypt exclude execute export expose extend extract filter find fix generate get grant handle host implement
    import improve include increase initialize inject install integrate invoke isolate launch limit list load lock
    log make manage measure merge migrate mock modify monitor mount move open organize override package parse pass
    pin plan populate prepare prevent process protect publish pull push query read rebuild receive record redirect
    reduce refresh register release remove rename render repair replace report request reset resize restart restore
    restrict retrieve return revoke roll rotate run save scale schedule search secure send serve set share show sign
    simulate specify start stop store stream submit subscribe switch sync test throttle track train transfer trigger
    troubleshoot tune turn undo uninstall unlock update upgrade upload use validate verify view visualize work write
    """,
    )
)
"""Verbs with which headings begin that say what to do."""
_NOUNS_TOO = frozenset(
    re.findall(
        r"\w+",
        """
    access bind build cache call change check contribute control copy deploy display document download filter host
    limit list load lock log make package plan process publish query record release report request reset return roll
    run scale schedule search show sign start stop store stream switch sync test track trigger turn upload view
    """,
    )
)
"""Of these, those that are nouns in headings such as `Release notes` or `Request context`."""
_OBJECT = re.compile(
    r"^(?:a|an|the|your|our|new|all|up|out|in|off|on|down|with|from|to|an?other|custom|multiple)\b", re.I
)
_LEADS_ON = re.compile(r"^(?:via|with|to|on|in|into|from|using|for|by|as|of)$")
_PARTICLES_ONLY = re.compile(r"^(?:via|with|from|using|by|without|on|in|at|for)\b", re.IGNORECASE)
_INNER = re.compile(r"(?<=[a-z0-9,;)] )[^\W\d_a-z][\w'’-]*")
_NO_PROSE = re.compile(
    r"^(```|~~~).*?^\1|`[^`\n]+`|^#{1,6} .*$|^ *(?:from|import) .*$|(?<!\S)\S*?[/_@:=]\S*", re.MULTILINE | re.DOTALL
)
"""What says nothing about how a document writes words: code, addresses, and headings."""
_HEADING_LIKE = re.compile(r"(?:(?<=\n\n)|\A)[^\n]{0,80}[^\n.,;:!)\]*_ ](?=\n\n|\Z)")
"""A short paragraph without a full stop, such as a heading that lost its mark."""
_I = re.compile(r"^I(?:['’]\w+)?$")
_PERSONS = tuple(
    (re.compile(rf"\b{you}\b", re.IGNORECASE), me)
    for you, me in (("you are", "I am"), ("yours", "mine"), ("your", "my"), ("yourself", "myself"), ("you", "I"))
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_MIXED = re.compile(r"[a-z][A-Z]|\d|^[A-Z]{2,}s?$|[._/@+]")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        """
    a about after against an and are as at be before between but by can could do does during for from had has have how
    i if in into is it its me my not of on or our over per should so than that the their them then this to under up
    via was we what when where which who why will with without would you your
    """,
    )
)
"""Words that are in lower case also in headings."""


class Cased:
    """How a document writes words in its prose, which tells names from other words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._lower: Counter[str] = Counter()
        self._inner: Counter[str] = Counter()  # with a capital, inside a sentence
        self._capital: Counter[str] = Counter()  # with a capital, anywhere
        for text in texts:
            prose = _HEADING_LIKE.sub("", _NO_PROSE.sub("", text))
            self._capital.update(
                word.lower() for word in _WORD.findall(prose) if word[0].isupper() and not word.isupper()
            )
            self._lower.update(word for word in _WORD.findall(prose) if word[0].islower())
            self._inner.update(match[0].lower() for match in _INNER.finditer(prose) if not match[0].isupper())

    def is_name(self, word: str) -> bool:
        """Whether a word is written with a capital also inside sentences, or in a way that only names are."""
        plain = word.strip("'\"`()[],:;.!?")
        low = plain.lower()
        is_only_capital = bool(self._capital[low]) and not self._lower[low]
        return bool(_MIXED.search(plain)) or is_only_capital or self._inner[low] > self._lower[low]

    def is_mostly_capital(self, word: str) -> bool:
        """Whether a word that begins a sentence keeps its capital elsewhere."""
        return self.is_name(word) or self._capital[word.lower()] > self._lower[word.lower()]

    def lower(self, phrase: str, *, keeps_first: bool = False) -> str:
        """A heading as a part of a sentence: names keep their capitals, other words lose them."""
        words = phrase.split()
        if sum(word.isupper() for word in words) * 2 > len(words) > 2:  # a heading in capitals
            words = list(map(_calm, words))
            words[0] = words[0].capitalize()
        is_sentence = any(word[0].islower() and word not in _SMALL for word in words[1:])
        written_words = [
            word
            if self.is_name(word) or _I.match(word) or (not place and keeps_first) or (place and is_sentence)
            else _low(word)
            for place, word in enumerate(words)
        ]
        return " ".join(written_words)


def base_verb(word: str) -> str:
    """The verb that a heading begins with, `install` for `Install` and `Installing`; empty if it is none."""
    low = word.lower()
    if low in _VERBS:
        return low
    if not low.endswith("ing") or len(low) < 5:
        return ""
    stem = low[:-3]
    for base in (stem, f"{stem}e", stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem):
        if base in _VERBS:
            return base
    return ""


def is_instruction(words: Sequence[str], cased: Cased) -> bool:
    """Whether a heading says what to do: `Install the server`, not `Request context`."""
    if len(words) < 2 or not base_verb(words[0]) or _PARTICLES_ONLY.match(words[1]):
        return False
    if words[0].lower() not in _NOUNS_TOO:
        return True
    is_led = any(_LEADS_ON.match(word.lower()) for word in words[2:])
    return is_led or bool(_OBJECT.match(words[1])) or (len(words) == 2 and cased.is_name(words[1]))


def names_something(phrase: str, cased: Cased, language: str, *, least: int = 2) -> bool:
    """Whether a phrase says by itself what it is about: enough words with a meaning, or a name among them."""
    words = content_words(phrase, language)
    return len(words) >= least or any(
        cased.is_name(word) for word in _WORD.findall(phrase) if word.lower() not in _SMALL
    )


def lower_joined_verbs(thing: str) -> str:
    """The rest of a heading whose first verb was changed: `and running Nebari` becomes `and run Nebari`."""
    return re.sub(r"\b(and|or) (\w+ing)\b", lambda match: f"{match[1]} {base_verb(match[2]) or match[2]}", thing)


def to_me(phrase: str) -> str:
    """A phrase that addresses the reader, as the reader says it."""
    for you, me in _PERSONS:
        phrase = you.sub(me, phrase)
    return phrase


def _calm(word: str) -> str:
    """A word of a heading in capitals, as a heading in upper and lower case has it."""
    if _I.match(word):
        return f"I{word[1:].lower()}"
    return word.lower() if word.lower() in _SMALL else word.capitalize()


def _low(word: str) -> str:
    """A word in lower case, unless only a name is written so."""
    return word if _MIXED.search(word) else word[0].lower() + word[1:]
