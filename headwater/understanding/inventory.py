"""Whether a question asks which things there are, or how many, by its wording (SUM-4).

Belongs here: the wordings, and the words that name what is asked for. Not here: finding it
(`headwater.retrieval.members`), what changed (`change_questions`). Guarantee: pure. The wording is a hint: what
retrieval finds decides whether the question is answered so.
"""

import re
from dataclasses import dataclass

from headwater.understanding.chinese_questions import COUNTED_ZH, LISTED_ZH
from headwater.understanding.european_questions import COUNTED_EU, DENYING_EU, LISTED_EU, UNSAID_EU
from headwater.understanding.intents import bare_question
from headwater.understanding.japanese_questions import COUNTED_JA, LISTED_JA, find_kinds, part_words
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
        *LISTED_ZH,
    )
)
_COUNT = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"^how many (?P<subject>.{{2,80}}?) {_THERE}{_HERE}$",
        r"^(?:what is the )?(?:number|count) of (?:all )?(?:the )?(?P<subject>.{2,80}?)(?P<rest>)$",
        *COUNTED_EU,
        *COUNTED_JA,
        *COUNTED_ZH,
    )
)
_KINDS = content_words(
    "document documentation docs file page guide article tutorial section topic manual handbook notebook own"
)
_DOCUMENTED = re.compile(r"\b(?:documented|described|covered|explained|of (?:their|its) own)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\s(?:of|for|in|on|from|about|with|by|to|für|von|in|pour|de|des|para)\s", re.IGNORECASE)
_NOWHERE = content_words(f"here there exist {UNSAID_EU}")


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


def inventory_of(text: str) -> Inventory | None:
    """What a question wants listed or counted; None if its wording asks for something else."""
    plain = bare_question(text)
    if len(plain) > _MAX_QUESTION_CHARS:
        return None
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


def _find_joining_words(language: str) -> frozenset[str]:
    """The stems of a language's words that say nothing of what is asked for; English ones are no content words."""
    joining_words = function_words(language) - set(DENYING_EU.get(language, "").split())
    return frozenset() if language == "en" else frozenset(content_words(" ".join(joining_words)))


def _find_head(subject: str) -> str:
    """The last word before a word such as "of": "guides" in "guides for staff"."""
    head_phrase = _PREPOSITION.split(subject, maxsplit=1)[0]
    return next(reversed(split_words(head_phrase)), "")
