"""What a question asks for: a number, a person, a time, a place, a reason, steps, a list, a comparison.

Belongs here: the wording of questions, in English first. Not here: the wording of answers (`signs`), the words that
both share (`scoring`). Guarantee: pure; a question whose wording is unknown asks for anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headwater.answering.sides import compared_kind, compares, find_sides
from headwater.answering.signs import Want, any_of, sign_of
from headwater.understanding.intents import Intent, intent_of
from headwater.understanding.words import asked_words, content_words, stem


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a question asks for.

    `sign` finds what an answer of this kind must have, None if nothing is known. `is_counted` says whether only a
    number can answer, as to `how many`. `measured` are the words that a number must stand beside, as `days` in
    `how many days`. `subject` is what a definition is about; `sides` are the things that are compared. `literals` are
    names of code and messages that the question quotes; `actions` are the stems of all its words, because a verb such
    as `get` is a stop word elsewhere. `is_negated` says whether its last question asks for what is not, and `negated`
    are the words after that; `given` are its own numbers; `compounds` its words with a hyphen, such as `in-network`;
    `is_past` says whether it may ask for what has changed.
    """

    want: Want
    sign: re.Pattern[str] | None = None
    is_counted: bool = False
    measured: frozenset[str] = frozenset()
    subject: frozenset[str] = frozenset()
    sides: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()
    actions: frozenset[str] = frozenset()
    is_negated: bool = False
    negated: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    compounds: frozenset[str] = frozenset()
    is_past: bool = False


_ASKS = r"\b(?:what|which)(?:'s| is| are| was)? (?:the |an? )?(?:[\w-]+ ){0,3}?"
_NOUNS = (
    r"limit|maximum|minimum|price|costs?|fees?|rate|percentage|size|length|duration|port|timeout|version|deadline|age|"
    r"dimensions?|copay(?:ment)?s?|deductibles?|interval|quota|capacity|salary|period"
)
_EXTREMES = r"minimum|maximum|min|max|oldest|newest|longest|shortest|largest|smallest|highest|lowest|earliest|latest"
_MAIN = r"(?:(?:point|consideration|fact|feature|detail|step|aspect|difference|takeaway|element|component|benefit|"
_MAIN += r"requirement|factor|idea|thing)s?|responsibilities)\b"  # behind `key`: the main ones, no key of a file
_RULES = (
    (
        Want.CODE,
        any_of(
            r"example_of (?:show|give)\b.{0,80}\b(?:example|code|snippet|command)",
            _ASKS + r"(?:commands?|syntax|code|snippet|query|statement|sql|flag|option|expression|regex|decorator|"
            r"(?:environment )?variables?|settings?|parameter|header|key(?! " + _MAIN + r")|annotation|label)\b",
            r"^(?:command|code|yaml|json|toml|syntax|snippet|config(?:uration)?|shortcut key|key|example|sql|query)"
            r"(?: \w+)? (?:to|for|that)\b",
        ),
    ),
    (
        Want.REASON,
        any_of(
            "why how_come for_what_reasons? what_(?:is|are|was|were)_the_reasons? warum weshalb wieso pourquoi perché",
            r"^(?:the )?reasons? (?:for|why|that|we|of)\b",
            r"\bwhat(?:'s| is) the (?:purpose|point|benefit|advantage)\b|^por qué\b|почему|为什么|なぜ",
        ),
    ),
    (
        Want.NUMBER,
        any_of(
            "how_(?:many|much|long|often|far|old|soon|big|large|high|tall|deep|wide|fast|quickly|frequently) "
            "wie_?viele? combien cuánt[oa]s? quant[oiae]",
            rf"{_ASKS}(?:number|amount|{_NOUNS})\b",
            rf"^(?:(?:what|which)(?:'s| is| are| was) )?(?:the |an? )?(?:{_EXTREMES})\b",
            rf"^(?:the |an? )?(?!limit\b)(?:{_NOUNS})\b(?! (?:exceeded|reached))|^(?:[\w-]+ ){{1,4}}(?:{_NOUNS})\W*$",
            r"\bhow (?:far|early) (?:ahead|before|in advance)\b|\b(?:what|which) (?:share|proportion|fraction)\b",
            r"\bwhat (?:do|does|will|would|must|should) .{1,60} (?:pay|cost|charge|earn|put in)\b(?! for\W*$)",
            "сколько|多少|几个|いくつ|何(?:個|日|分|時間|年)",
        ),
    ),
    (
        Want.TIME,
        any_of(
            "(?:what|which)_(?:time|date|day|year|month)",
            r"^(?:since |until |by )?(?:when|wann|quand|cuándo|quando)\b|когда|什么时候|いつ",
        ),
    ),
    (
        Want.PLACE,
        any_of(
            "(?:what|which)_(?:folder|directory|file|path|place|page|address|url)(?!_(?:type|format|extension|attribute)s?)",
            r"^(?:in|on|under|at) (?:what|which) (?![\w-]+s\b)",
            r"^(?:from |in )?(?:where|wo|wohin|woher|où|dónde|dove)\b|где|куда|哪里|どこ",
        ),
    ),
    (
        Want.PERSON,
        any_of(
            "(?:which|what)_(?:person|team|role|group|people)",
            r"^(?:to |by |for |with )?(?:who(?:m|se)?|wer|wem|wen|qui|quién|chi|quem)\b|^кто|谁|誰",
        ),
    ),
)
_INTENTS = {
    Intent.COMPARISON: Want.COMPARISON,
    Intent.HOW_TO: Want.STEPS,
    Intent.LIST: Want.LIST,
    Intent.DEFINITION: Want.DEFINITION,
    Intent.YES_NO: Want.YES_NO,
    Intent.TROUBLESHOOTING: Want.STEPS,
}
_LISTED = any_of(
    "list_(?:the|all|of)",
    r"\b(?:what|which) (?:[\w-]+ ){0,4}?(?:steps|responsibilities|requirements|qualifications|options|tips|examples|"
    r"types|kinds|features|benefits|prerequisites|rules|exceptions|items|services|values|fields|parameters|operators|providers|"
    r"methods|rights|components|limitations|factors|criteria|conditions|duties|tools|formats|platforms|versions)\b",
    r"^(?:what|which) (?:[\w-]+ ){0,3}[\w-]+s (?:are|do|does|can|should|must|will|is)\b",
    r"^(?:on [\w-]+, )?(?:(?:in|on|for|from|with|to|under|of) )?(?:what|which) "
    r"(?:(?!are\b|is\b|do\b|does\b|was\b|were\b|can\b|has\b)[\w-]+ ){0,2}?"
    r"(?!does\b|is\b|was\b|has\b|this\b)[a-z-]{3,}(?<![su])s(?: of [\w-]+)? (?!is\b)\w",
)
_STEPPED = any_of(
    "steps procedure process(?:es)?_(?:of|for|to) what_(?:should|must|do|can)_(?:i|you|we)_do "
    "how_(?:do|does|can|should|could|would|to|might|must)",
    r"^(?:i (?:want|need|would like|wish)(?: my \w+)? to|tell \w+|make|let|set|limit|turn|add|change|create|remove|"
    r"delete|enable|disable|use|run|install|configure|stop|keep|move|rename|restore|export|import|show|allow|deploy|get)\b|"
    r"^\w+: (?:tell|make|set|use|add|run)\b|\bwhat now\b|\bwhere do i (?:start|begin)\b|"
    r"\b(?:walk|talk|guide|take|lead) me through\b|\b(?:show|tell) me how\b|\b(?:any|a|the) way to\b|"
    r"[.!] (?:how|fix|help)\W*$",
)
_HOW = re.compile(r"^(how (?:do|does|can|could|should|would|to)\b.*?) (?:which|what)\b.*", re.IGNORECASE)
_PASSIVE = re.compile(
    r"^how (?:is|are) (?:.{1,60} )?(?:turned|switched|enabled|disabled|configured|set|installed|created|added|"
    r"removed|deleted|changed|updated|upgraded|deployed|started|stopped|run|built|registered|activated)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"^(?:which|what) (?!happens|to\b|if\b|do\b|should\b|can\b|could\b|must\b|now\b)\w", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bhow (?:many|much)\s+((?:(?!(?:do|does|did|can|is|are|will|must|should|may|per|has|have)\b)[\w-]+\s*){1,4})",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\bhow (?:many|much|often|frequently)\b|\b(?:phone|percentage)\b", re.IGNORECASE)
_MEASURED = re.compile(rf"{_ASKS}({_NOUNS})\b", re.IGNORECASE)
_DEFINED = re.compile(
    r"^what(?:'s| is| are| does| do)\s+(?:an?\s+|the\s+)?(.+?)(?:\s+(?:mean|stand for|used for|do|for))?\s*\?*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_MEANT = re.compile(
    r"^(?P<before>.+?) (?:meaning|definition)\b|^(?:meaning|definition) of (?P<after>.+?)\W*$|"
    r"^what (?:is|are) (?P<used>[\w.`-]+(?: [\w.`-]+){0,2}) (?:for|about)\W*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|without|exclu\w+|exempt|except)\b|n[’']t\b", re.IGNORECASE)
_NEXT = re.compile(r"(?:[^\w.:;!?]+\w+){1,4}")
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_COMPOUND = re.compile(r"\b[a-z]+(?:-[a-z]+)+\b")
_PAST = re.compile(
    r"\d\.\d|\brelease notes?\b|\bchange(?:d|s|log)\b|"
    r"\b(?:was|were|when|which version|what.s new|added|removed|deprecated|since)\b",
    re.IGNORECASE,
)
_AND = re.compile(
    r",?\s+and\s+(?=(?:how|why|what|when|who|where|which|does|do|is|are|can|should|under what)\b)", re.IGNORECASE
)
_MOST_CLAUSES = 4
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those|one|ones)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_LITERAL = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]{4,})\"|“([^”\n]{4,})”|\b(\w+(?:Error|Exception|Warning))\b|(?<!\w)(--?[a-z][\w-]+)|"
    r"\b(\w+(?:[._]\w+)+)\b|\b([A-Z][A-Z0-9]{3,})\b"
)


def read_asked(question: str) -> Asked:
    """Read what a question asks for.

    Args:
        question: as it was asked.
    """
    plain = " ".join(question.split())
    want = _want_of(plain)
    counted = (_COUNTED.search(plain) or _MEASURED.search(plain)) if want == Want.NUMBER else None
    subject = _subject(plain) if want == Want.DEFINITION else ""
    asking = _last_question(plain)
    return Asked(
        want=want,
        sign=sign_of(want, plain),
        is_counted=want == Want.NUMBER and _COUNTS.search(plain) is not None,
        measured=frozenset(content_words(counted[1])) if counted else frozenset(),
        subject=frozenset(content_words(subject)),
        sides=find_sides(plain) if want == Want.COMPARISON else (),
        is_negated=_NOT.search(asking) is not None,
        negated=after_negations(asking),
        given=frozenset(_NUMBER.findall(plain)),
        compounds=compounds(plain),
        is_past=_PAST.search(plain) is not None,
        actions=frozenset(stem(word) for word in _WORD.findall(plain.lower())),
        literals=tuple(dict.fromkeys(next(filter(None, match.groups())).strip() for match in _LITERAL.finditer(plain))),
    )


def asking_part(question: str) -> str:
    """The last sentence of a question that compares, if the sides are in it: the others only tell how it came up.

    Args:
        question: as it was asked.
    """
    *before, last = _SENTENCE_END.split(" ".join(question.split()))
    return last if before and read_asked(last).sides else question


def clauses(question: str) -> tuple[str, ...]:
    """The questions that one sentence joins with `and`; a pronoun is replaced by the first one's words. Often none.

    Args:
        question: as it was asked.
    """
    parts = _AND.split(" ".join(question.split()))
    if not 2 <= len(parts) <= _MOST_CLAUSES:  # each is answered by itself
        return ()
    first, *rest = (part.strip(" ,?.") for part in parts)
    about = " ".join(asked_words(first))
    return (f"{first}?", *(f"{part}? {about}" if _PRONOUN.search(part) else f"{part}?" for part in rest))


def after_negations(text: str) -> frozenset[str]:
    """The stems of the words shortly after each `not`, `no`, `without` and the like: what is denied."""
    after = (_NEXT.match(text, match.end()) for match in _NOT.finditer(text))
    return frozenset().union(*(content_words(found[0]) for found in after if found))


def compounds(text: str) -> frozenset[str]:
    """The words of a text that have a hyphen, such as `in-network`: their parts alone do not tell them apart."""
    return frozenset(_COMPOUND.findall(text.lower()))


def has_sign(asked: Asked, text: str) -> bool | None:
    """Whether a text has what an answer of this kind must have; None if nothing is known."""
    return None if asked.sign is None else any(True for _ in _signs(asked, text))


def signs(asked: Asked, text: str) -> list[tuple[int, int]]:
    """Where the signs of an answer are in a text."""
    return list(_signs(asked, text)) if asked.sign else []


def _signs(asked: Asked, text: str) -> Iterator[tuple[int, int]]:
    """The signs of an answer, without the numbers that the question gives itself."""
    assert asked.sign is not None  # noqa: S101 - the callers know
    taken = [one.span() for one in _NUMBER.finditer(text) if one[0] in asked.given] if asked.given else []
    for match in asked.sign.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            yield match.span()


def _want_of(plain: str) -> Want:
    """The kind of answer; of several sentences, the last question decides if it can."""
    sides, is_compared = any(map(content_words, find_sides(plain))), compares(plain)
    if (is_compared and (sides or compared_kind(plain))) or (sides and intent_of(plain) == Intent.COMPARISON):
        return Want.COMPARISON
    last = _last_question(plain)
    want = _want(last) if last != plain else Want.ANYTHING
    return _want(plain) if want == Want.ANYTHING else want


def _last_question(plain: str) -> str:
    """The last of several sentences if it asks: the others tell how the question came up. Otherwise the whole text."""
    *before, last = _SENTENCE_END.split(plain)
    return last if before and last.endswith("?") else plain


def _want(plain: str) -> Want:
    intent = intent_of(plain)
    asking = _HOW.sub(r"\1", plain) if intent == Intent.HOW_TO else plain
    for want, rule in _RULES:
        if rule.search(asking):
            return want
    if intent == Intent.YES_NO:
        return Want.YES_NO
    if _MEANT.search(plain):
        return Want.DEFINITION
    if _LISTED.search(plain):
        return Want.LIST
    if _STEPPED.search(plain):
        return Want.STEPS
    if _PASSIVE.search(plain):
        return Want.STEPS
    return Want.ANYTHING if _WHICH.match(plain) else _INTENTS.get(intent, Want.ANYTHING)


def _subject(plain: str) -> str:
    """What a definition is asked of."""
    if meant := _MEANT.search(plain):
        return str(next(filter(None, meant.groups())))
    defined = _DEFINED.match(plain)
    return defined[1] if defined else ""
