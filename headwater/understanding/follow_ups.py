"""Making a follow-up understandable without its conversation, by rules (RET-4).

Belongs here: whether a question needs the earlier ones, and the text to search for instead. Not here: rewriting with a
model (the answering package). Guarantee: pure; a self-contained question stays as it is, and every word of the result
is one of the conversation's questions.

There are three ways. "And on Windows?" after "How do I install it on Linux?" replaces the end of the earlier question:
"How do I install it on Windows?" So does "What about Azure?" after a question about AWS. Any other follow-up, such as
"How do I undo it?", keeps its words and gets the subject words of the earlier question behind it.

"Where is the button?" asks of a noun alone. It is a follow-up only if the conversation has spoken of a button.
"""

import re
from collections.abc import Sequence

from headwater.understanding.asking_words import asking_words
from headwater.understanding.code_split import split_code
from headwater.understanding.entities import EntityKind, entities
from headwater.understanding.intents import Intent, intent_of
from headwater.understanding.languages import detect_language
from headwater.understanding.words import asked_words, content_words, is_unspaced

_MOST_SUBJECTS = 8  # words of earlier questions that are added
_LONG = 300  # characters: a longer question says what it is about
_FRAGMENT = 4  # words with meaning: a question without a verb seldom has more

_SUBJECT = 3  # words with meaning: with fewer, what was spoken of before is still the subject

_PLACES = (
    "on|in|for|with|without|to|from|using|by|at|during|under|via|inside|behind|outside|through|as|per|between|against"
)
_BEGINS = re.compile(
    r"(?:(?:ok(?:ay)?|thanks?|thank you|great|cool|i see|alright|right|yes|no|hm+|und|et|y|e|en|och|og|а|и)\b[,.! ]*)*"
    r"(?:and|but|or|so|also|then|und|oder|aber|et|mais|ou|y|pero|ma|mas|или|но|那么|那)?\b[, ]*"
    r"(?P<about>(?:what|how) about\b|what if\b|(?:the )?same (?:for|with|on|in)\b|wie sieht es mit\b|was ist mit\b|"
    r"et pour\b|qué pasa con\b|e per\b|а как насчёт\b)?\s*",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"^(?:ok(?:ay)?\b[,.! ]*|thanks?\b[,.! ]*)?"
    r"(?:and|but|or|so|also|then|any|another|more|even|only|just|und|oder|aber|et|mais|pero|ma|mas|или|но|那)"
    r"(?:\b|(?=[\u3400-\u9fff]))|(?:\b(?:what|how) about\b)|呢[?？]?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:what|how) about\b|呢[?？]?$", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|will|would|must|"
    r"may|has|have|had|wie|was|wer|wann|wo|warum|kann|comment|pourquoi|quand|cómo|cuándo|come|quando)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|these|those|this|such|former|latter)\b|"
    r"\b(?:do|does|is|did|can|will|would|should|was|of|for|with|from|to|about|after|before|than|like|by|into|without|"
    r"change|need|mean)\s+that\b|\bthat(?:'s|\s+one)?\s*[?.!]*$|"
    r"\b(?:which|other|another|same|first|second|third|last|previous) "
    r"(?:ones?|way|method|option|step|command|approach)\b|"
    r"\b(?:better|easier|faster|simpler|safer|cheaper) (?:way|method|option|solution)s?\b(?! (?:to|of|for)\b)|"
    r"\b(?:first|afterwards?|then|too|as well|anymore)\s*[?.!]*$|"
    r"\b(?:from|in|over) there\b|\b(?:instead|otherwise|else|the same|again|differently)\b|"
    r"\b(?:davon|damit|dafür|dazu|dabei|darin|celui-ci|celle-ci)\b|它|这个|那个|他们|它们",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|isn't) it (?:possible|safe|ok(?:ay)?|necessary|worth|better|best|true|recommended|allowed|required|"
    r"enough|normal)\b|\b(?:does|will|would) it (?:make sense|matter|take .{0,40}\bto)\b|"
    r"\bit is (?:possible|safe|necessary)\b|\b(?:if|when) it comes to\b|"
    r"\b(?:in|of|for|with) this (?:knowledge base|documentation|project|product|library)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:]|\b(?:and|or|but|if|when|while|before|after|because|so that|once|until|without|that|which|who|where)\b",
    re.IGNORECASE,
)
_RELATIONAL_WORDS = """
    default limit limits maximum minimum value values cost costs price size name command commands option options example
    examples difference differences advantage advantages disadvantages drawback drawbacks requirement requirements
    prerequisite prerequisites alternative alternatives step steps next version versions deadline exception exceptions
    details more work works happen happens happened mean means different else other possible reason reasons result
    syntax purpose benefit benefits risk risks there longer faster explain elaborate continue long take takes
    show give tell needed required supported available allowed
"""
_RELATIONAL = frozenset(_RELATIONAL_WORDS.split())
"""Words that are always those of something: alone they name no subject."""
_DEFINES = re.compile(
    r"^(?:what|who)(?:'s| is| are| was)(?: an?)? (?!the\b)|^(?:define|list|explain|describe)\b", re.IGNORECASE
)
_OF_NOUN = re.compile(
    r"^(?:when|where|why|who|how (?:much|long|often|big|far|old|expensive))(?:'s| is| are| was| were) "
    r"(?:(?:the|my|our|your) )?(?P<noun>[^\W\d_]{3,})\s*[?.!]*$",
    re.IGNORECASE,
)
_PLACE = re.compile(rf"^(?P<place>{_PLACES})\s+(?P<rest>\S.*)$", re.IGNORECASE)
_LAST_PLACE = re.compile(
    rf"\b(?P<place>{_PLACES})\s+"
    rf"(?P<rest>(?:(?!\b(?:{_PLACES}|and|or|if|when|before|after)\b)[^?!.,;])+?)\s*[?!.]*$",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:how (?:do|can|should|would|could|must)(?: (?:i|we|you|one|people|users))|how to|"
    r"(?:can|could|may|should|must) (?:i|we|you|one))(?: (?:also|then|now|safely|best|just))? (?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)


def needs_conversation(question: str) -> bool:
    """Whether a question names nothing of its own, so that only the earlier questions tell what it is about.

    Args:
        question: the question as it was asked; a long one, or one with a block of code, says what it is about.
    """
    split = split_code(question)
    plain = " ".join(split.language_text.split())
    is_whole = len(plain) > _LONG or any("\n" in block for block in split.code)  # "What does this do?" and its code
    if is_whole or intent_of(plain) is Intent.CHIT_CHAT:
        return False
    own = _content(plain)
    named = [one for one in entities(plain) if one.kind is not EntityKind.NUMBER]
    if not own:
        return True
    if _refers(plain) or (not named and all(word in _RELATIONAL for word in own)):
        return True
    if _CONTINUES.search(plain) and len(own) <= _FRAGMENT:
        return bool(_ABOUT.search(plain)) or not _ASKS.search(plain) or len(set(own) - _RELATIONAL) < 2
    if _PLACE.match(plain) and not _ASKS.search(plain):
        return len(own) <= _FRAGMENT
    is_word = len(own) == 1 and not named and not is_unspaced(own[0]) and len(plain.split()) > 1
    return is_word and not _DEFINES.match(plain)


def stand_alone(question: str, earlier: Sequence[str], answer: str = "") -> str:
    """Return a question so that it can be searched for without its conversation.

    Args:
        question: the question as it was asked.
        earlier: the earlier questions of the conversation, oldest first.
        answer: the last answer; empty if it is unknown.
    """
    subject = ""
    for number, former in enumerate(earlier):
        if intent_of(former) is Intent.CHIT_CHAT:
            continue
        said = " ".join(earlier[:number])
        joined = _joined(former, subject, said)
        is_thin = len(_content(joined)) < _SUBJECT and not _names(joined) and not _asks_of_new_noun(former, said)
        subject = _with_subject(joined, subject) if is_thin else joined
    return _joined(question, subject, " ".join((*earlier, answer)))


def _joined(question: str, subject: str, said: str) -> str:
    """A question with what it needs of an earlier one, which stands alone; `said` is all that was said before."""
    if not subject or not needs_conversation(question) or _asks_of_new_noun(question, said):
        return question
    begun = _BEGINS.match(question)
    rest = question[begun.end() :].strip() if begun else question
    return _replaced(rest, subject, is_about=bool(begun and begun["about"])) or _with_subject(question, subject)


def _asks_of_new_noun(question: str, said: str) -> bool:
    """Whether a question asks when, where or how much a noun is that was not spoken of: a subject of its own."""
    asked = _OF_NOUN.match(question.strip())
    if asked is None or asked["noun"].casefold() in _RELATIONAL:
        return False
    own = content_words(asked["noun"])
    return bool(own) and not own & content_words(said)


def _replaced(rest: str, subject: str, *, is_about: bool) -> str:
    """The earlier question with its last place, name or purpose replaced by that of a fragment; empty if impossible."""
    rest = rest.strip(" ?!.,:;")
    is_fragment = bool(rest) and not _refers(rest) and (is_about or not _ASKS.search(rest))
    if not is_fragment or len(subject) > _LONG or len(_content(rest)) > _FRAGMENT:
        return ""
    place, last = _PLACE.match(rest), _LAST_PLACE.search(subject)
    if place and last and place["place"].casefold() == last["place"].casefold():
        return f"{subject[: last.start()]}{rest}?"
    if place:
        return f"{subject.rstrip(' ?!.')} {rest}?"
    old, new = _names(subject), _names(rest)
    if last and is_about and (" " not in last["rest"] or set(_names(last["rest"])) & set(old)):
        return f"{subject[: last.start('rest')]}{rest}?"
    if new and old:
        at = subject.rfind(old[-1])
        return f"{subject[:at]}{rest}{subject[at + len(old[-1]) :]}"
    if is_about and last:
        return f"{subject[: last.start('rest')]}{rest}?"
    return ""


def _with_subject(question: str, subject: str) -> str:
    """A question, and behind it the words of an earlier one that it does not have."""
    subject = subject[-_LONG:]
    verb, old_verb = _DOING.search(question), _DOING.search(subject)
    out = {*asked_words(question)}
    if verb and old_verb:  # "How do I delete it?": what was done to it before is not asked any more
        out.update(asked_words(old_verb["verb"]))
    added: list[str] = []
    for match in re.finditer(r"\S+", subject):
        word = match.group().strip("\"'“”‘’«»()[]{}?!.,;:")
        meant = [one for one in _content(word) if one not in out]
        if meant:
            added.append(word)
            out.update(meant)
    return f"{question} {' '.join(added[-_MOST_SUBJECTS:])}".strip()


def _names(text: str) -> list[str]:
    kinds = (EntityKind.NAME, EntityKind.IDENTIFIER, EntityKind.QUOTED, EntityKind.PATH)
    found = [one.text for one in entities(f"x {text}") if one.kind in kinds]  # nothing begins a sentence
    return [name for name in found if name in text and not _ASKS.fullmatch(name.split()[0])]


def _content(text: str) -> list[str]:
    asks = asking_words([detect_language(text)])
    return [word for word in asked_words(text) if word not in asks]


def _refers(text: str) -> bool:
    """Whether a pronoun stands where nothing before it in the question can be meant."""
    plain = _EXPLETIVE.sub(" ", text)
    for match in _REFERS.finditer(plain):
        before = plain[: match.start()]
        clauses = list(_CLAUSE.finditer(before))
        if not clauses or len(_content(before[: clauses[-1].start()])) < 2:
            return True
    return False
