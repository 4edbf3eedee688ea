"""Whether a question asks which things there are, how many, or what changed, by its wording (SUM-4).

Belongs here: the wordings, the words that name what is asked for, versions and dates. Not here: finding it
(`headwater.retrieval.members`, `headwater.retrieval.changes`). Guarantee: pure. The wording is a hint: what retrieval
finds decides whether the question is answered so.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from headwater.understanding.european_questions import CHANGED_EU, COUNTED_EU, DENYING_EU, LISTED_EU, UNSAID_EU
from headwater.understanding.intents import bare_question
from headwater.understanding.japanese_questions import CHANGED_JA, COUNTED_JA, LISTED_JA, find_kinds, part_words
from headwater.understanding.language_detector import detect_language, function_words
from headwater.understanding.words import content_words
from headwater.understanding.words import words as split_words

_MAX_QUESTION_CHARS = 200  # characters
_THERE = (
    r"(?:(?:are|is) there|exists?|"
    r"(?:are|is) (?:all )?(?:described|documented|covered|listed|available|included|mentioned|explained|contained)|"
    r"(?:do|does|can) (?P<owner>(?:\w+ ){1,3}?)(?:have|cover|include|contain|document|describe|list|find|offer)\b|"
    r"(?:have|has) (?:an? )?[\w ]{1,30}of (?:their|its) own|(?:are|is) (?:about|in|part of|inside)(?= )|"
    r"deals? with(?= )|covers?(?= ))"
)
_HERE = r"(?P<rest>(?: (?:here|in (?:this|these|the|your) (?:docs?|documents?|documentation|knowledge ?base))|.{0,80}))"
_SHOW = r"(?:list|enumerate|(?:name|give me|show(?: me)?)(?= (?:all|every|the|a (?:full |complete )?list)\b))"
_ALL = r"(?:(?:a |the )?(?:full |complete )?list of )?(?:all |every )?(?:of )?(?:the )?"
_PLURAL = r"(?:\w[\w-]*,? ){0,3}[\w-]{2,}s"
_WHICH = r"(?:(?:main|key|core|different|available|supported|possible|various) )+"
_GET = r"(?:use|have|get|choose|pick|select|set|configure|find|see|take)"
_LIST = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"^(?:what|which) (?:are all )?(?:all )?(?:the |of the )?(?P<subject>.{{2,80}}?) {_THERE}{_HERE}$",
        rf"^(?:what|which) (?P<subject>{_PLURAL}) (?:can|could|may|do|does) (?P<rest>[\w ]{{1,40}}?) {_GET}$",
        rf"^what are (?:the |its |your |our )?{_WHICH}(?P<subject>{_PLURAL})(?P<rest>(?: (?:of|in) .{{2,40}})?)$",
        rf"^{_SHOW} {_ALL}(?P<subject>.{{2,80}}?)(?P<rest>(?: (?:there are|here|that there are))?)$",
        r"^what are all (?:the |of the )?(?P<subject>.{2,80}?)(?P<rest>)$",
        *LISTED_EU,
        *LISTED_JA,
    )
)
_COUNT = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"^how many (?P<subject>.{{2,80}}?) {_THERE}{_HERE}$",
        r"^(?:what is the )?(?:number|count) of (?:all )?(?:the )?(?P<subject>.{2,80}?)(?P<rest>)$",
        *COUNTED_EU,
        *COUNTED_JA,
    )
)
_KINDS = content_words(
    "document documentation docs file page guide article tutorial section topic manual handbook notebook own"
)
_DOCUMENTED = re.compile(r"\b(?:documented|described|covered|explained|of (?:their|its) own)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\s(?:of|for|in|on|from|about|with|by|to|für|von|in|pour|de|des|para)\s", re.IGNORECASE)
_NOWHERE = content_words(f"here there exist {UNSAID_EU}")
_CHANGED = r"(?:changed?|changes|new|news|added|different|happened)"
_ASKED = r"^(?:what(?:'s| has| have| is| was| are)?|list|show(?: me)?)"
_CHANGES = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        (
            rf"{_ASKED}\b.{{0,30}}?\b{_CHANGED}\b.{{0,30}}?\b(?:in|of|with) "
            r"(?P<latest>(?:the )?(?:latest|newest|last|current|most recent) (?:version|release|update))"
            r"(?: of .{1,40})?$"
        ),
        (
            rf"{_ASKED}\b.{{0,30}}?\b{_CHANGED}\b.{{0,30}}?\b(?:in|with) "
            r"(?P<name>.{0,40}?\b(?:v(?:ersion)?\.? ?)?\d{1,4}(?:\.\d{1,4}){0,3})$"
        ),
        (
            r"^(?:what(?:'s| has| have| is| was)?|which (?:things|features|documents|pages)|list what|anything)\b"
            rf".{{0,40}}?\b(?:{_CHANGED}|updated|released?)\b.{{0,60}}?"
            r"\b(?:since|after|from|later than|newer than)\s+(?P<since>.{1,40})$"
        ),
        *CHANGED_EU,
        *CHANGED_JA,
    )
)
_FROM, _TO = r"(?<![a-z\d_])", r"(?![a-z\d_])"  # a number stands between Japanese words without a blank
_VERSION = re.compile(rf"(?:\bv(?:ersion)?\.?\s*|{_FROM})(\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}){_TO}", re.IGNORECASE)
_NUMERIC = re.compile(
    rf"{_FROM}((?:19|20)\d\d)(?:[-/.年](\d{{1,2}})(?:[-/.月](\d{{1,2}}))?)?{_TO}",
    re.IGNORECASE,
)
_MONTHS = (
    r"jan(?:uary?|uari?|eiro|vier)?|jänner|ene(?:ro)?|gennaio",
    r"feb(?:ruary?|ruari?|rero|braio)?|fevereiro|fév(?:r|rier)?",
    r"mar(?:ch|s|zo|ço)?|märz|maart",
    r"apr(?:ile?)?|abril|avril",
    r"ma[iy]|mayo|maio|maggio|mei",
    r"june?|jun[ih]o?|juin|giugno",
    r"july?|jul[ih]o?|juil(?:let)?|luglio",
    r"aug(?:ust|ustus)?|agosto|août",
    r"sept?(?:i?embre|ember)?|setembro|settembre",
    r"o[ck]t(?:ober|obre|ubre)?|outubro|ottobre",
    r"nov(?:i?embre|ember|embro)?",
    r"de[cz](?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)",
)
MONTH = "|".join(_MONTHS)
"""The names of months, as Python and Postgres read them, in seven languages.

"Marketing 2024" names none; "Mars 2020" is March, as in French."""
_NAMED = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º)?\.? (?:de )?)?(?P<month>{MONTH})\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?)?,? (?:del? )?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)

Version = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Inventory:
    """Which things are asked for, by the stems of the words that name them; `is_count` if their number is.

    `head` is the word that says what they are, as it was asked. `kinds` are the stems of words such as "guide", which
    count only where a folder is called so, too, and `joining_words` are those of its language, such as "les", which a
    folder's name may have. `names_documents` says that it is asked which of them are described, or
    which pages there are of them.
    """

    words: frozenset[str]
    head: str
    kinds: frozenset[str]
    is_count: bool
    names_documents: bool
    joining_words: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Since:
    """After which version or date something changed; one of both.

    By its `scope` it is what changed `in` a version instead, or in the `latest` one, whichever that is.
    """

    text: str
    version: Version = ()
    day: date | None = None
    scope: Literal["since", "in", "latest"] = "since"


def inventory_of(text: str) -> Inventory | None:
    """What a question wants listed or counted; None if its wording asks for something else."""
    plain = _plain(text)
    for rules, is_count in ((_COUNT, True), (_LIST, False)):
        for rule in rules:
            if match := rule.search(plain):
                phrase = part_words(" ".join(filter(None, match.groupdict().values())))
                joining_words = _find_joining_words(detect_language(plain))
                said_words = content_words(phrase) - _NOWHERE - joining_words
                kinds = frozenset(said_words & (_KINDS | content_words(find_kinds(phrase))))
                words = frozenset(said_words) - kinds or frozenset(said_words)
                of_documents = bool(kinds) or _DOCUMENTED.search(plain) is not None
                if not words:
                    return None
                head = _find_head(match["subject"])
                return Inventory(
                    words=words,
                    head=head,
                    kinds=kinds,
                    is_count=is_count,
                    names_documents=of_documents,
                    joining_words=joining_words | content_words(UNSAID_EU),
                )
    return None


def since_of(text: str) -> Since | None:
    """Since when, or in which version, a question wants to know what changed; None if it does not, or names neither."""
    plain = _plain(text)
    for rule in _CHANGES:
        if match := rule.search(plain):
            since = _read_since({scope: words for scope, words in match.groupdict().items() if words})
            if since is not None:
                return since
    return None


def day_of(text: str) -> date | None:
    """The first date in a text; a month or a year counts as its first day."""
    if match := _NAMED.search(text):
        day = match["day"] or match["after"] or "1"
        month = next(index for index, names in enumerate(_MONTHS, 1) if re.fullmatch(names, match["month"], re.I))
        return _date(match["year"], str(month), day)
    match = _NUMERIC.search(text)
    return _date(match[1], match[2] or "1", match[3] or "1") if match else None


def version_of(text: str) -> Version:
    """The first version in a text, as numbers; empty if there is none."""
    match = _VERSION.search(text)
    return tuple(map(int, match[1].split("."))) if match else ()


def _read_since(asked: dict[str, str]) -> Since | None:
    """What is asked for in the words behind `latest`, `name` or `since`; None if they say no version and no date."""
    if latest := asked.get("latest"):
        return Since(text=latest, scope="latest")
    since_text = asked.get("since", "").strip() or asked["name"].strip()
    day, version = day_of(since_text), version_of(since_text)
    if "since" in asked:
        return Since(text=since_text, day=day) if day else Since(text=since_text, version=version) if version else None
    return Since(text=since_text, version=version, scope="in") if version and not day else None


def _find_joining_words(language: str) -> frozenset[str]:
    """The stems of a language's words that say nothing of what is asked for; English ones are no content words."""
    joining_words = function_words(language) - set(DENYING_EU.get(language, "").split())
    return frozenset() if language == "en" else frozenset(content_words(" ".join(joining_words)))


def _find_head(subject: str) -> str:
    """The last word before a word such as "of": "guides" in "guides for staff"."""
    head_phrase = _PREPOSITION.split(subject, maxsplit=1)[0]
    return next(reversed(split_words(head_phrase)), "")


def _plain(text: str) -> str:
    plain = bare_question(text)
    return plain if len(plain) <= _MAX_QUESTION_CHARS else ""


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
