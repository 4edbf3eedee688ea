"""How much a chunk says on its own (CHK-3).

Belongs here: the score and its three parts. Not here: what is done with it. Guarantee: deterministic, for any language;
each part and the score are between 0 and 1.

`quality = 0.3 diversity + 0.4 density + 0.3 completeness`, over the chunk's prose, or its code where it has no prose:

- **diversity**: its different words against those that a text of its length has: n^0.9 of n words (Heaps' law). Scripts
  without spaces are counted in pairs of characters. A text that repeats itself has little.
- **density**: the share of visible characters that are letters or digits (three quarters are full marks), times the
  share of words outside of links, times how little of it is repetition: its compressed size against 0.4 of its size,
  which ordinary prose of this length does not fall below. Menus, rules and tables of signs have little.
- **completeness**: a quarter for a beginning (no word in small letters, no closing sign), a quarter for an end mark, a
  half for two sentences, which a list of labels does not have. Of code: a half if no line of it is indented less than
  its first, a half if its brackets are balanced.
"""

import re
import zlib

from headwater.chunking.sentences import UNSPACED
from headwater.models import ChunkKind

_WORD = re.compile(rf"[^\W{UNSPACED}]+|[{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LETTER = re.compile(r"[^\W_]")
_VISIBLE = re.compile(r"\S")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|<?https?://[^\s<>]+>?")
_MARK = re.compile(r"\s*(?:#{1,6}\s|[-*+>•]\s|\d{1,3}[.)]\s|[*_`\"'(\[“‘「『])*")
_SENTENCE = re.compile(r"(?<=[^\W_])[)\]\"'”’`*_]*[.!?…:](?=[\s)\]\"'”’`*_]|\Z)|[。！？]")
_ENDING = re.compile(r"(?:[.!?…:;。！？](?:[)\]\"'”’」』`*_]*)|[|>]|```|~~~)\s*\Z")
_SHARE_OF_LETTERS = 0.75
_COMPRESSED = 0.4
_HEADER = 12  # bytes that compressing adds to any text


def quality(text: str, kind: ChunkKind) -> float:
    """Score a text between 0 and 1, to four places; 0 for a text without a word.

    Args:
        text: a chunk's prose, or its code.
        kind: whether it is code.
    """
    words = _words(text)
    if not words:
        return 0.0
    completeness = _code_completeness(text) if kind is ChunkKind.CODE else _completeness(text)
    return round(0.3 * _diversity(words) + 0.4 * _density(text, words) + 0.3 * completeness, 4)


def _words(text: str) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(text.lower()):
        if len(word) > 2 and _UNSPACED.match(word):
            words += [word[index : index + 2] for index in range(len(word) - 1)]
        else:
            words.append(word)
    return words


def _diversity(words: list[str]) -> float:
    return float(min(1.0, len(set(words)) / len(words) ** 0.9))


def _density(text: str, words: list[str]) -> float:
    linked = sum(len(_words(match[1] or "link")) for match in _LINK.finditer(text))
    plain = _LINK.sub(lambda match: match[1] or "", text)
    visible = len(_VISIBLE.findall(plain))
    letters = len(_LETTER.findall(plain)) / (visible or 1)
    data = text.encode(errors="replace")
    new = (len(zlib.compress(data, 1)) - _HEADER) / len(data)
    return min(1.0, letters / _SHARE_OF_LETTERS) * max(0.0, 1 - linked / len(words)) * min(1.0, new / _COMPRESSED)


def _completeness(text: str) -> float:
    mark = _MARK.match(text)
    first = text[mark.end() if mark else 0 :][:1]
    begins = bool(first) and not first.islower() and (first.isalnum() or first in "|<")
    sentences = min(2, len(_SENTENCE.findall(text)))
    return 0.25 * begins + 0.25 * bool(_ENDING.search(text)) + 0.25 * sentences


def _code_completeness(text: str) -> float:
    indents = [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
    is_balanced = all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}"))
    return 0.5 * (min(indents) == indents[0]) + 0.5 * is_balanced
