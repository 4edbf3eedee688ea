"""Splitting text into sentences.

Belongs here: where a sentence ends, and which scripts use spaces. Not here: which sentences matter. Guarantee:
spans tile the text, in order.

This is our own code, because the libraries are either much slower (pysbd: about 280 times) or weaker on abbreviations.
"""

import re
from collections.abc import Iterator

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|Corp|St|vs|etc|e\.?g|i\.?e|cf|incl|resp|Figs?|Nos?|Vol|al|approx|Jan|Feb|Mar|Apr|Jun|"
    r"Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|[A-Z]|\d{1,2}"
    # German ones stand before nouns, which begin with a capital letter.
    r"|bzw|ca|evtl|ggf|inkl|sog|vgl|zzgl|z\.[BT]|d\.h|u\.[aU]|o\.ä|i\.d\.R|[dosuvz])\.$"
)
# Japanese and Chinese have no blank before a name: "これは、G. K. Chestertonの話です。"
_INITIAL = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef][A-Z]\.$")
_LATIN = re.compile(r"\s*+[A-Za-z]")
# Such an abbreviation ends a sentence, unless what it abbreviates goes on: "Ohio R.C. 3313.60", "§ 1 Abs. 3".
_BEFORE_NUMBER = re.compile(
    r"(?:(?:^|[\s(\"'§.])(?:[A-Z]\.){2,}|(?:^|[\s(\"'])(?:Admin|Arts?|Chs?|Chap|Cir|Cls?|Eqs?|Eqns?|Paras?|Pts?|Refs?|"
    r"Regs?|Rev|Secs?|Stat|Supp|pp?"
    r"|Abb|Abs|Anl|Anm|Bde?|Buchst|gem|Kap|Nrn?|Rdnr|Rn|Tab|Ziff|arts?|cap|chap|n[úu]m|p[áa]gs?)\.)$"
)
# Initials stand before a name, as in "T.S. Eliot", unless the next word begins a sentence: "in the U.S. The law".
_INITIALS = re.compile(r"(?:[,:(]\s|\b(?:[Bb]y|[Aa]uthor|and|with)\s)(?:[A-Z]\.){2,3}$")
_ONLY_INITIALS = re.compile(r"\s*(?:[A-Z]\.){2,3}")
_NAME = re.compile(
    r"\s++(?!(?:An?|The|Th(?:is|at|ese|ose|ere|ey)|It|Its|In|If|We|You|He|She|But|And|For|On|At|As|To|When|While|His|Her"
    r"|Their|Our|No|Not|With|By|From|How|What|Who|Why|However|So|Some|Many|Most|All|One|Each|Such|Then|After|Before)\b)"
    r"[A-Z][a-z]"
)
_NUMBER = re.compile(r"\s*+(?:[\d§¶(\[]|(?:Ann|Art|Ch|Chap|Code|Part|Rev|Rule|Sec|Stat|Tit)(?:\.|[a-z]*\b))")
# Possessive, and never started inside a run of dots: a line of dots would take quadratic time. It begins with one set
# of characters, which is five times as fast as with alternatives.
_END = re.compile(
    r"[.!?。！？\n](?:(?<=[.!?])(?<![.!?][.!?])[.!?]*+[\"'”’)\]*_`]*+(?=\s++(?!\\[\])])[^a-z])|"
    r"(?<=[。！？])[。！？]*+[”’」』）*_`]*+|(?<=\n)[ \t]*+\n\s*+)"
)
_MARKS = re.compile(r"(?<=[。！？”’」』）])([*_`])\1*+")
# A full stop behind a bracket, a mark that opens code or a blank is a sign, as in jq's `map(. >= 2)`; words may follow
# a blank, as in "it works . Then".
_SIGN = re.compile(r"(?:[(\[{]|(?:^|[\s(])(?:`+|\*+))\.$")
_AFTER_SIGN = re.compile(r"\s*+[\"'“‘(]*+[^\W_]")
_BRACKETS = (("「", "」"), ("『", "』"), ("（", "）"))
_CONTEXT = 12  # characters before a full stop that tell what it ends
_MAX_QUOTED = 200  # characters: what is longer between brackets is cut like any text
_CLOSING, _GOING_ON = "”’」』）", "とはがをにの、。"  # what goes on behind what is said: "…。」と言う"
_VISIBLE = re.compile(r"\S")


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Split `text[start:end]` at its sentence ends; see `each_sentence`."""
    return list(each_sentence(text, start, end))


def each_sentence(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Split `text[start:end]` at its sentence ends.

    Yields:
        Spans that tile it; each begins at its first visible character, except that the first begins at `start`, and
        ends where the next begins.
    """
    end = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, end):
        if match.group(0) == "." and _goes_on(text, max(begin, match.end() - _CONTEXT), match.end()):
            continue
        if match.group(0)[0] in "。！？" and _is_quoted(text, begin, match, end):
            continue
        stop = _before_opening(text, begin, match)
        visible = _VISIBLE.search(text, stop, end)
        following = visible.start() if visible else end
        if following < end and text[begin:stop].strip():
            yield begin, following
            begin = following
    if begin < end:
        yield begin, end


def _before_opening(text: str, begin: int, end: re.Match[str]) -> int:
    """Where a sentence ends: before a mark of code or emphasis that the next one opens, as in `。`x` は`.

    A mark closes if the sentence holds an odd number of it; without spaces nothing else tells.
    """
    marks = _MARKS.search(end.group(0)) if end.group(0)[0] in "。！？" else None
    if marks is None:
        return end.end()
    place = end.start() + marks.start()
    return end.end() if text.count(marks.group(0)[0], begin, place) // len(marks.group(0)) % 2 else place


def _is_quoted(text: str, begin: int, end: re.Match[str], limit: int) -> bool:
    """Whether a sentence ends only within Japanese brackets, or goes on behind them."""
    start, place = max(begin, end.start() - _MAX_QUOTED), end.end()
    if text[place - 1] in _CLOSING and place < limit and text[place] in _GOING_ON:
        return True
    return any(
        text.count(opening, start, place) > text.count(closing, start, place)
        and text.find(closing, place, min(limit, place + _MAX_QUOTED)) >= 0
        for opening, closing in _BRACKETS
    )


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the full stop before `end` is a sign, or that of an abbreviation, and ends no sentence."""
    word = text[start:end]
    if _SIGN.search(word) or (word[-2:-1].isspace() and not _AFTER_SIGN.match(text, end)):
        return True
    if _ABBREVIATION.search(word):
        return True
    is_named = _INITIALS.search(word) or (len(word) < _CONTEXT and _ONLY_INITIALS.fullmatch(word))
    if is_named and _NAME.match(text, end):
        return True
    if _INITIAL.search(word) and _LATIN.match(text, end):
        return True
    return _BEFORE_NUMBER.search(word) is not None and _NUMBER.match(text, end) is not None
