"""Abbreviations such as `R&D`, `HSA` and `VP`: as one word, and as the words that they stand for.

Belongs here: what is an abbreviation, what well-known ones mean, and whether a text has the other form. Not here:
cutting texts into words (`words`), short forms of one word such as `repo` (`synonyms`). Guarantee: pure; a letter alone
is never an abbreviation; a well-known abbreviation and its long form count as each other.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

_WITH_AMPERSAND = re.compile(r"\b[A-Za-z]{1,3}(?:&[A-Za-z])+s?\b")
_ABBREVIATION = re.compile(r"\b(?:[A-Za-z]{1,3}(?:&[A-Za-z])+|[A-Z]{3,5})(?=s?\b)")
_MEANINGS = """
    ceo: chief executive officer; cfo: chief financial officer; chro: chief human resources officer;
    cio: chief information officer; ciso: chief information security officer; cmo: chief marketing officer;
    coo: chief operating officer; cpo: chief product officer; cto: chief technology officer;
    vp: vice president; avp: assistant vice president; evp: executive vice president; svp: senior vice president;
    hr: human resources; pto: paid time off; wfh: work from home; ooo: out of office; nda: non disclosure agreement;
    ytd: year to date; eod: end of day; eta: estimated time of arrival; asap: as soon as possible;
    faq: frequently asked questions; kpi: key performance indicator; roi: return on investment;
    sla: service level agreement; TOS: terms of service; poc: proof of concept; eol: end of life;
    qa: quality assurance; dob: date of birth; ssn: social security number; m&a: mergers and acquisitions;
    p&l: profit and loss; q&a: questions and answers; r&d: research and development; t&c: terms and conditions;
    ER: emergency room; icu: intensive care unit; pcp: primary care; otc: over the counter;
    fsa: flexible spending account; hsa: health savings account; eob: explanation of benefits;
    dme: durable medical equipment; STD: short term disability; ltd: long term disability;
    pr: pull request; sso: single sign on; mfa: multi factor authentication; 2fa: two factor authentication;
    otp: one time password; rbac: role based access control; acl: access control list; cli: command line interface;
    gui: graphical user interface; OS: operating system; vm: virtual machine; CI: continuous integration;
    iac: infrastructure as code; ttl: time to live; csrf: cross site request forgery; xss: cross site scripting;
    orm: object relational mapper; nlp: natural language processing; ml: machine learning; llm: large language model
"""
_LONG = {short: long for short, _, long in (entry.strip().partition(": ") for entry in _MEANINGS.split(";"))}
"""What well-known abbreviations stand for; those in capitals are words otherwise.

Abbreviations that everybody writes and hardly anybody spells out, such as `API`, are left out: their words would only
find passages on other subjects.
"""
_SHORT = {long: short for short, long in _LONG.items()}
_GAP = r"[\s-]+"
_SHORTS = "|".join(short if short.isupper() else f"(?i:{short})" for short in sorted(_LONG, key=len, reverse=True))
_LONGS = "|".join(long.replace(" ", _GAP) for long in sorted(_SHORT, key=len, reverse=True))
_KNOWN = re.compile(rf"(?<![\w&])(?=\w)(?:(?<!\d )(?P<short>{_SHORTS})|(?P<long>(?i:{_LONGS})))s?(?![\w&])")
"""A well-known abbreviation or a long form; `24 hr` is no human resources."""
_SKIPPED = r"\s+(?:(?:and|of|for|the|&)\s+)?"
_JOINED = r"\s+(?:and|&)\s+"


def without_ampersands(text: str) -> str:
    """A text with each abbreviation such as `R&D` as one word, `RD`: its letters alone mean nothing."""
    return _WITH_AMPERSAND.sub(lambda match: match[0].replace("&", ""), text) if "&" in text else text


def with_known(text: str) -> str:
    """A text with the other form behind each well-known abbreviation and each long form of one: `VP (vice president)`.

    A search neither by words nor by meaning finds one form by the other.
    """
    found = list(_KNOWN.finditer(text))
    shorts = {_key(one) for one in found if one["short"]}
    longs = {_key(one) for one in found if one["long"]}

    def followed(one: re.Match[str]) -> str:
        short = _key(one)
        if short in shorts & longs:
            return one[0]
        return f"{one[0]} ({_LONG[short] if one['short'] else short.upper()})"

    return _KNOWN.sub(followed, text) if found else text


def _key(found: re.Match[str]) -> str:
    """The table's entry of an abbreviation or a long form as it is written."""
    if found["long"]:
        return _SHORT[" ".join(re.split(_GAP, found["long"].lower()))]
    return found["short"] if found["short"] in _LONG else found["short"].lower()


def spelt_out(question: str, text: str) -> set[str]:
    """The words of a question's abbreviations and long forms that a text has in the other form, in lower case.

    `R&D` is spelt out by two words with `and` between them, in any case; `HSA` by three words with capitals; a
    well-known one by the words that it stands for. The words of a long form such as `vice president` are all there if
    the text has `VP`. Ampersands are left out.
    """
    patterns = {**_shortenings(question), **spellings(question)}
    return {word for word, pattern in patterns.items() if pattern.search(text)} if patterns else set()


@lru_cache(maxsize=1 << 8)
def spellings(question: str) -> Mapping[str, re.Pattern[str]]:
    """How each abbreviation of a question is spelt out, by its word.

    If the question is all in capitals, only well-known ones are abbreviations.
    """
    found = [] if question.upper() == question else _ABBREVIATION.findall(question)
    ways = {one.replace("&", "").lower(): [_initials(one)] for one in found}
    for known in _KNOWN.finditer(question):
        if known["short"]:
            long = _LONG[_key(known)].replace(" ", _GAP)
            ways.setdefault(known[0].replace("&", "").lower(), []).append(rf"\b(?i:{long})s?\b")
    return {word: re.compile("|".join(dict.fromkeys(either))) for word, either in ways.items()}


@lru_cache(maxsize=1 << 8)
def _shortenings(question: str) -> Mapping[str, re.Pattern[str]]:
    """How a text shortens each word of the long forms in a question."""
    found: dict[str, set[str]] = {}
    for known in _KNOWN.finditer(question):
        if known["long"]:
            for word in re.split(_GAP, known[0].lower()):
                found.setdefault(word, set()).add(re.escape(_key(known).upper()))
    return {word: re.compile(rf"\b(?:{'|'.join(sorted(shorts))})s?\b") for word, shorts in found.items()}


def _initials(abbreviation: str) -> str:
    if "&" in abbreviation:
        parts = (r"\s+".join(rf"{letter}[a-z]+" for letter in part) for part in abbreviation.split("&"))
        return rf"\b(?i:{_JOINED.join(parts)})\b"
    return rf"\b{_SKIPPED.join(rf'{letter}[a-z]+' for letter in abbreviation)}\b"
