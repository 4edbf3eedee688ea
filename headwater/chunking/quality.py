"""How informative a chunk is on its own (CHK-3).

Belongs here: the score and its three parts. Not here: its use. Guarantee: deterministic, for any language;
each part and the score are between 0 and 1.

`quality = 0.3 diversity + 0.4 density + 0.3 completeness`, over the chunk's prose, or its code if it has no prose:

- **diversity**: the number of different words, divided by the number expected for a text of n words: n^0.9 (Heaps'
  law). Scripts without spaces are counted in pairs of characters. A repetitive text has a low value.
- **density**: the share of visible characters that are letters or digits (three quarters give the full value), times
  the share of words outside links, times the share of pairs of neighbouring words that occur for the first time,
  times the words per line (five give the full value; not used for code, which has fewer). Menus, headings, rules,
  tables of symbols and repetitions have low values.
- **completeness**: a quarter for a beginning (no lower-case word, no closing sign), a quarter for an end mark, a
  half for two sentences, which a list of labels does not have. For code: a half if no line is indented less than
  the first, a half if its brackets are balanced.
"""

import math
import re
from itertools import islice, pairwise

from headwater.domain.documents import ChunkKind
from headwater.lexical.tokens import UNSPACED

_RUN = re.compile(rf"[^\W{UNSPACED}]+|[{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NO_WORD = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|https?://[^\s<>]+")
_MARK = re.compile(r"\s*(?:#{1,6}\s|[-*+>•]\s|\d{1,3}[.)]\s|[*_`\"'(\[“‘「『])*")
# An end mark after a word: neither the dot of a numbered item nor a lone dot.
_SENTENCE = re.compile(r"[.!?…:](?<!\s.)(?<!\s\d.)(?<!\s\d\d.)[)\]\"'”’`*_]*(?=\s|\Z)|[。！？]")
_ENDING = re.compile(r"(?:[.!?…:;。！？][)\]\"'”’」』`*_]*|[|>]|```|~~~)\Z")
_SHARE_OF_LETTERS = 0.75
_WORDS_OF_A_LINE = 5
_LAST = 8  # last characters in which an end mark is searched


def quality(text: str, kind: ChunkKind) -> float:
    """Score a text between 0 and 1, to four places; 0 for a text without words.

    Args:
        text: a chunk's prose, or its code.
        kind: whether it is code.
    """
    plain, linked = _without_links(text)
    words = _words(plain)
    if not words:
        return 0.0
    visible = "".join(plain.split())
    # Words in ASCII consist of letters and digits, and most texts are ASCII; counting characters one by one is slow.
    letters = len("".join(words)) if plain.isascii() else sum(map(str.isalnum, visible))
    density = min(1.0, letters / len(visible) / _SHARE_OF_LETTERS) * (1 - linked / len(words)) * _novelty(words)
    if kind is not ChunkKind.CODE:
        lines = len(list(filter(str.strip, plain.split("\n"))))
        density *= min(1.0, len(words) / lines / _WORDS_OF_A_LINE)
    completeness = _code_completeness(text) if kind is ChunkKind.CODE else _completeness(text)
    diversity = min(1.0, len(set(words)) / math.pow(len(words), 0.9))
    return round(0.3 * diversity + 0.4 * density + 0.3 * completeness, 4)


def _without_links(text: str) -> tuple[str, int]:
    """A text with only the labels of its links, and how many words these have."""
    if "](" not in text and "://" not in text:
        return text, 0
    labels = " ".join(_LINK.findall(text))
    return _LINK.sub(r"\1", text), len(_words(labels))


def _words(text: str) -> list[str]:
    """Runs of letters and digits, in lower case; in scripts without spaces, pairs of neighbouring characters."""
    if text.isascii():
        return text.lower().translate(_NO_WORD).split()
    words: list[str] = []
    for run in _RUN.findall(text.lower()):
        if len(run) > 2 and _UNSPACED.match(run):
            words += [run[index : index + 2] for index in range(len(run) - 1)]
        else:
            words.append(run)
    return words


def _novelty(words: list[str]) -> float:
    """The share of pairs of neighbouring words that occur for the first time."""
    return len(set(pairwise(words))) / (len(words) - 1) if len(words) > 1 else 1.0


def _completeness(text: str) -> float:
    mark = _MARK.match(text)
    first = text[mark.end() if mark else 0 :][:1]
    begins = bool(first) and not first.islower() and (first.isalnum() or first in "|<")
    sentences = sum(1 for _ in islice(_SENTENCE.finditer(text), 2))
    return 0.25 * begins + 0.25 * bool(_ENDING.search(text.rstrip()[-_LAST:])) + 0.25 * sentences


def _code_completeness(text: str) -> float:
    indents = [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
    is_balanced = all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}"))
    return 0.5 * (min(indents) == indents[0]) + 0.5 * is_balanced
