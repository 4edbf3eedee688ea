"""The questions that sentences answer: what something is, covers, needs, or is for.

Belongs here: patterns of English sentences. Not here: which questions of a document are asked (`question_rules`).
Guarantee: pure; the subject of a question is named in the headings above its sentence, or is a name, so the question
says what it is about.
"""

import re
from collections.abc import Set

from headwater.questions.phrases import Cased, base_verb, names_something, to_me
from headwater.understanding.words import content_words

_NAME = r"(?P<article>The |An? )?(?P<name>[\w.+'’-]+(?: [\w.+'’-]+){0,4}?)(?: \((?P<short>[A-Z][\w-]{1,9})\))?"
_REST = r".{15,}"
_DULL = (
    r"(?:great|good|important|essential|valuable|key|useful|nice|common|bad|best|must|only|first|next|same|last|main|"
    r"perfect|powerful|simple|popular|big|little|bit|lot|number|few|couple|result|ways?|reason|part|example|problem|case|"
    r"list|following)\b"
)
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^{_NAME} {tail}{_REST}$"), question_form)
    for tail, question_form in (
        (r"(?P<be>is|are) responsible for ", "What {be} the {name} responsible for?"),
        (r"(?P<be>is|are) used (?:to|for|when|by) ", "What {be} {a}{name} used for?"),
        (r"(?P<be>is|are) (?P<where>stored|located|saved|kept|installed|defined) (?:in|at|on|under|inside) ",
         "Where {be} {the}{name} {where}?"),
        (rf"(?P<be>is|are) (?:an?|the|one of the) (?!{_DULL})[a-z]", "What {be} {a}{name}?"),
        (r"stands for ", "What does {name} stand for?"),
        (r"(?P<verb>cover|include|support|offer)s ", "What does {the}{name} {verb}?"),
        (r"consists of ", "What does {the}{name} consist of?"),
        (r"(?:allow|enable|let|permit)s (?:you|users|members|employees|developers|administrators|admins|teams) ",
         "What can I do with {the}{name}?"),
        (r"(?:refers to|means) ", "What does {name} mean?"),
    )
)  # fmt: skip
_DO = re.compile(
    r"^(?:If you (?:want|need|would like|wish) to|In order to|To) (?P<verb>[a-z]+) (?P<thing>[^,;:()?!]{4,70}),"
    r" (?:you|we|simply|first|just|please|run|use|add|set|open|click|go|create|call|pass|install|navigate|select|see|"
    r"follow|contact|submit|visit|make|update|edit|change|define|enable|start|copy|apply|configure|execute|head)\b"
)
_CAN = re.compile(
    r"^(?:You|Users|Members|Employees|Admins|Administrators) (?:can|may) (?:also |easily |then )?(?P<verb>[a-z]+) "
    r"(?P<thing>[^,;:()?!]{4,60}?) (?:by|through|via|with the|using|in the|from the) [\w$]"
)
_VAGUE = frozenset(
    re.findall(
        r"\w+",
        """
    although though since because once after before unless whether now today currently
    it this that these those there here they he she we you one what which who example note first second third other
    another each every all both some any most many such my our your its their his her if when while as and but or to
    for in on at by with please however additionally finally also then
    """,
    )
)
"""Words that no subject of a question begins or ends with."""
_POINTING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|here|above|below|following|such|same|so|one|ones)\b", re.I
)

_HANGING = re.compile(r"\b(?:is|are|was|be|to|and|or|of|for|a|an|the)$")


def make_question(sentence: str, headings: Set[str], cased: Cased, language: str) -> str:
    """The question that a sentence answers; empty if it answers none of a known form.

    Args:
        sentence: without markup.
        headings: the words with a meaning of the headings above it.
        cased: how its document writes words.
        language: of the document.
    """
    if question := _of_form(sentence, headings, cased, language):
        return question
    if match := _DO.match(sentence):
        return _how("How do I", match, cased, language)
    if match := _CAN.match(sentence):
        return _how("How can I", match, cased, language)
    return ""


def _of_form(sentence: str, headings: Set[str], cased: Cased, language: str) -> str:
    for pattern, question_form in _FORMS:
        match = pattern.match(sentence)
        if match is None:
            continue
        values = {key: value or "" for key, value in match.groupdict().items()}
        if not _is_subject(values["name"], headings, cased, language) or not _fits(values, question_form, cased):
            return ""
        name = _inside(values["name"], has_article=bool(values["article"]), cased=cased)
        article = values["article"].lower()
        values |= {"name": name, "a": article, "the": article if article == "the " else ""}
        return to_me(question_form.format(**values))
    return ""


def _fits(values: dict[str, str], question_form: str, cased: Cased) -> bool:
    """Whether a subject goes with its article: `the plan` alone may be any plan, and `the` one is responsible."""
    is_definite = values["article"].lower() == "the "
    if "the {name}" in question_form:
        return is_definite
    return not is_definite or " " in values["name"] or cased.is_name(values["name"])


def _inside(name: str, *, has_article: bool, cased: Cased) -> str:
    """A subject within a sentence: as it is written behind its article, or without the capital of its sentence."""
    first, _, following = name.partition(" ")
    is_kept = has_article or cased.is_mostly_capital(first) or any(word[0].isupper() for word in following.split())
    return name if is_kept else f"{first[0].lower()}{name[1:]}"


def _is_subject(name: str, headings: Set[str], cased: Cased, language: str) -> bool:
    words = name.split()
    name_words = content_words(name, language)
    if len(words) == 1 and words[0].endswith("s") and not cased.is_name(words[0]):
        return False  # such as `groups`, which may be any
    if not name_words or {words[0].lower(), words[-1].lower()} & _VAGUE or _POINTING.search(name):
        return False
    return name_words <= headings or (len(words) > 1 and all(cased.is_name(word) for word in words))


def _how(begin: str, match: re.Match[str], cased: Cased, language: str) -> str:
    thing = match["thing"].strip()
    if (
        not base_verb(match["verb"])
        or match["verb"] in ("make", "show", "get")
        or _HANGING.search(thing)
        or match["verb"].endswith("ing")
        or _POINTING.search(thing)
    ):
        return ""
    if not names_something(thing, cased, language, least=2):
        return ""
    return f"{begin} {match['verb']} {to_me(thing)}?"
