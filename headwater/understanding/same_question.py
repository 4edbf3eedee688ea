"""Whether two questions ask for the same (ANS-2).

Belongs here: the form in which two questions are the same text, and the words that forbid that one gets the answer of
the other. Not here: their vectors, stored answers (`headwater.answering.reuse`). Guarantee: pure; a name, a number, a
negation, a question word, a sign, or any other word with a meaning that only one of two questions has keeps them apart.

Vectors alone cannot tell: with the built-in model, "How do I deploy on AWS?" is closer to the same question about GCP
than to most of its paraphrases.
"""

import re
import unicodedata

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_END_MARKS = re.compile(r"[\s?!.,;:…。？！؟；]+$")
_QUOTES = re.compile(r"""(?<!\w)['"`]+|['"`]+(?!\w)|"|`""")
_PAUSES = re.compile(r"[,;:?!]+(?=\s)|(?<=\s)[–—-]+(?=\s)|\.(?=\s)")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑](?=[^\W\d_])")

_FLAG = re.compile(r"(?<![\w-])-[A-Za-z]*[A-Z][A-Za-z]*(?!\w)")
"""An option with a capital letter: `-V` is another one than `-v`."""
_QUOTED_SIGN = re.compile(r"""(?<!\w)(['"`])([^\w\s'"`]+)\1(?!\w)""")
_LONE_SIGN = re.compile(r"(?<=\s)(?![–—-]+\s)[^\w\s]+(?=\s+\S)|\[\]|\{\}")
"""A sign between blanks, other than a dash; at the end, a mark is one of the sentence."""

_CONTRACTIONS = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(what|who|where|when|how|why|it|that|there|here)'s\b"), r"\1 is"),
    (re.compile(r"'(?:re|m)\b"), " is"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'d\b"), " would"),
)
_LEAD_IN = re.compile(
    r"^(?:(?:hi|hello|hey|please|ok|okay|so|well)\s+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|explain|show|describe|say)(?: to)?(?: (?:me|us))? |"
    r"(?:please )?(?:tell|show|explain|describe)(?: to)? (?:me|us) |"
    r"(?:i|we) (?:want|need|would like) to (?:know|find out|understand) |"
    r"do you know )?"
    r"(?=(?:what|who|whom|whose|which|when|where|why|how)\b)"
)
"""What people say before a question."""
_HOW = re.compile(
    r"^(?:how (?:do|can|could) (?:i|we|you|one|someone|people|users)|how to|"
    r"what is the (?:best |right |correct )?way to)\b"
)
_ASIDE = re.compile(r"\b(?:please|thanks|thank you|actually|exactly|really)\b")
_SILENT = frozenset(("a", "an", "the", "this", "that", "these", "those", "i", "we", "my", "our", "me", "of", "there"))
"""Words that say nothing about what is asked. In capitals they are names: `plan A`."""
_SAME = {"are": "is", "be": "is", "being": "is", "does": "do"}
_CAPITALS = re.compile(r"(?<=\S\s)(?!I\b)[A-Z]+\b")
_WORD = re.compile(r"[^\s/()\[\]{}]+")


def plain_question(question: str) -> str:
    """The question without what makes no difference: case, spaces, quotation marks, hyphens in words, end marks.

    The slug of a question, with its hyphens, has the same form. A sign that the question is about, and the capitals of
    an option, are kept.
    """
    text = unicodedata.normalize("NFKC", question).translate(_APOSTROPHES)
    text = _LONE_SIGN.sub(_name_sign, _QUOTED_SIGN.sub(lambda match: _name_sign(match, 2), text))
    text = _FLAG.sub(lambda match: re.sub("[A-Z]", r"\g<0>^", match[0]), text).casefold()
    plain = _END_MARKS.sub("", _PAUSES.sub(" ", f"{_QUOTES.sub('', text)} "))
    return " ".join((_HYPHEN.sub(" ", plain) or text).split())


def asks_the_same(first: str, second: str) -> bool:
    """Whether two questions differ only in words without a meaning, and in the forms of a word.

    What they ask about must be named by the same words in the same order: `from A to B` is not `from B to A`.
    """
    first_meaning, second_meaning = _meaning(first), _meaning(second)
    return (
        bool(first_meaning)
        and len(first_meaning) == len(second_meaning)
        and all(map(_is_form_of, first_meaning, second_meaning))
    )


def _name_sign(match: re.Match[str], group: int = 0) -> str:
    """A sign as a word, which nothing takes for punctuation."""
    return f" sign{match[group].encode().hex()} "


def _meaning(question: str) -> list[str]:
    """The words of a question that count, in order; `how` stands for each way to ask how something is done."""
    text = plain_question(question if question.isupper() else _CAPITALS.sub(_mark_capitals, question))
    for pattern, replaced in _CONTRACTIONS:
        text = pattern.sub(replaced, text)
    text = " ".join(_ASIDE.sub(" ", text).split())
    text = _HOW.sub("how", _LEAD_IN.sub("", text))
    return [_SAME.get(word, word) for word in _WORD.findall(text) if word not in _SILENT]


def _mark_capitals(match: re.Match[str]) -> str:
    """A name in capitals that would be a word without a meaning in lower case, such as `A` in `plan A`."""
    return f"{match[0]}^" if match[0].lower() in _SILENT else match[0]


def _is_form_of(first: str, second: str) -> bool:
    """Whether two words are the same but for an English ending; words with digits or signs have no other form."""
    if first == second:
        return True
    if not all(word.isalpha() and word.isascii() for word in (first, second)):
        return False
    return bool(_bases(first) & _bases(second))


def _bases(word: str) -> set[str]:
    """What a word may be without its ending, such as `deploy` for `deploying`."""
    bases = {word}
    if word.endswith("s") and len(word) > 3 and word != "news":
        bases.add(f"{word[:-3]}y" if word.endswith("ies") else word[:-1])
        bases.add(word.removesuffix("es"))
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 3:
            bases |= {base, f"{base}e", base[:-1] if base[-1] == base[-2] else base}
    return bases
