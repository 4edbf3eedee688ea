"""Whether a question asks what changed since or in a version, or since a date, by its wording (SUM-4).

Belongs here: the wordings, and which version or date they name. Not here: finding what changed
(`headwater.retrieval.changes`), how versions and dates are written (`versions_and_dates`). Guarantee: pure; a question
ends with the version or the date, says "the latest version", asks when a version was released, or for a summary of the
change log.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from headwater.understanding.european_questions import CHANGED_EU
from headwater.understanding.intents import bare_question
from headwater.understanding.japanese_questions import CHANGED_JA
from headwater.understanding.versions_and_dates import DOTTED_NUMBERS, NUMBERS, Version, day_of, version_of
from headwater.understanding.words import content_words

_MAX_QUESTION_CHARS = 200
_CHANGED = r"(?:changed?|changes|new|news|added|different|happened)"
_OF_ONE_KIND = r"(?:deprecated|removed|dropped|fixed|broken|fixes|bug ?fixes|features|deprecations)"
_SECURITY = content_words("security")
_LATEST = r"(?P<latest>(?:the )?(?:latest|newest|last|current|most recent) (?:version|release|update))"
_CHANGE_LOG = r"(?:the |this |your )?(?:change ?logs?|release notes|release history|(?:recent |latest )?changes)"
_KINDS = content_words("added removed dropped deprecated fixed fixes bugs security breaking broken features")
_ASKED = r"^(?:what(?:'s| has| have| is| was| are)?|which|list|show(?: me)?)"
_ENGLISH = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        (
            rf"{_ASKED}\b.{{0,30}}?\b{_CHANGED}\b.{{0,30}}?\b(?:in|of|with) "
            rf"{_LATEST}(?: of .{{1,40}})?$"
        ),
        (
            rf"{_ASKED}\b.{{0,30}}?\b(?:{_CHANGED}|{_OF_ONE_KIND})\b.{{0,30}}?\b(?:in|with) "
            rf"(?P<name>.{{0,40}}?\b(?:v(?:ersion)?\.? ?)?{NUMBERS})$"
        ),
        (r"^(?:what|which)(?:'s| is) (?P<latest>(?:the )?(?:latest|newest|current|most recent) (?:version|release))$"),
        (
            rf"^when (?:was|did) (?P<released>(?:v(?:ersion)?\.? ?|release ){NUMBERS}|{DOTTED_NUMBERS}) "
            r"(?:released|published|come out)$"
        ),
        rf"^when (?:was|did) {_LATEST} (?:released|published|come out)$",
        (
            r"^(?:summari[sz]e|sum up|(?:give|show|write)(?: me)? an? (?:short |brief )?(?:summary|overview) of) "
            rf"(?P<all>{_CHANGE_LOG})$"
        ),
        (
            r"^(?:what(?:'s| has| have| is| was)?|which (?:things|features|documents|pages)|list what|anything)\b"
            rf".{{0,40}}?\b(?:{_CHANGED}|updated|released?)\b.{{0,60}}?"
            r"\b(?:since|after|from|later than|newer than)\s+(?P<since>.{1,40})$"
        ),
    )
)
_CHANGES = (*_ENGLISH, *(re.compile(rule, re.IGNORECASE) for rule in (*CHANGED_EU, *CHANGED_JA)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Since:
    """After which version or date something changed; one of both.

    By its `scope` it is what changed `in` a version instead, or in the `latest` one, whichever that is, in `all` of
    them, or when a version was `released`. `kinds` are the stems of words that say what kind of change is asked for in
    English, as in "what was removed in 2.0".
    """

    text: str
    version: Version = ()
    day: date | None = None
    scope: Literal["since", "in", "latest", "all", "released"] = "since"
    kinds: frozenset[str] = frozenset()


def since_of(text: str) -> Since | None:
    """Since when, or in which version, a question wants to know what changed; None if it does not, or names neither."""
    plain = bare_question(text)
    for rule in _CHANGES if len(plain) <= _MAX_QUESTION_CHARS else ():
        if match := rule.search(plain):
            since = _read_since({scope: words for scope, words in match.groupdict().items() if words})
            if since is not None:
                kinds = content_words(plain) & _KINDS if since.scope in ("in", "latest") else set()
                return replace(since, kinds=frozenset(kinds & _SECURITY or kinds)) if rule in _ENGLISH else since
    return None


def _read_since(asked: dict[str, str]) -> Since | None:
    """What is asked for in the words behind `latest`, `name` or `since`; None if they say no version and no date."""
    if latest := asked.get("latest"):
        return Since(text=latest, scope="latest")
    if change_log := asked.get("all"):
        return Since(text=change_log, scope="all")
    if released := asked.get("released"):
        return Since(text=released, version=version_of(released), scope="released")
    since_text = asked.get("since", "").strip() or asked["name"].strip()
    day, version = day_of(since_text), version_of(since_text)
    if "since" in asked:
        return Since(text=since_text, day=day) if day else Since(text=since_text, version=version) if version else None
    return Since(text=since_text, version=version, scope="in") if version and not day else None


def tells_version(text: str, since: Since) -> bool:
    """Whether a text names the version of a question, or one of that series, and a date if it asks for that."""
    dotted_numbers = re.escape(".".join(map(str, since.version)))
    if since.scope == "released":
        return re.search(rf"(?<![\d.]){dotted_numbers}(?!\.?\d)", text) is not None and day_of(text) is not None
    return re.search(rf"(?<![\d.]){dotted_numbers}(?!\d)", text) is not None
