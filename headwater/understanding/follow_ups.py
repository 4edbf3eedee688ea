"""Reading a turn of a conversation, by rules (RET-4).

Belongs here: whether a turn follows those before it, what they are about, and the text to search for. Not here: the
words of each language (`turn_words`), choosing between two readings by what they find (the answering package),
rewriting with a model (the same). Guarantee: pure; every word of a text to search for was said in one of the questions,
and a turn without earlier ones stays as it is.

A turn *follows* if it names nothing of its own ("How long does it take?"), stands *alone* if it says that it begins
another subject ("Other than that, …") or is long, and is *open* otherwise: "Can I skip the checks?" may be about what
was spoken of, and words cannot tell. There are two ways to complete it. "And on Windows?" after "How do I install it on
Linux?" replaces the end of the earlier question, "What about sick leave?" the annual leave of one. Any other turn keeps
its words and gets those of its subject behind it: the last question that stood alone, and the turn before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from headwater.domain.answers import Turn
from headwater.models_gateway.minilm_vocabulary import english_words
from headwater.understanding.code_split import split_code
from headwater.understanding.entities import EntityKind, entities
from headwater.understanding.intents import Intent, intent_of
from headwater.understanding.interrogatives import load_interrogatives
from headwater.understanding.language_detector import detect_language
from headwater.understanding.reader_texts import is_offered
from headwater.understanding.turn_words import TurnWords, turn_words
from headwater.understanding.words import content_words, find_asked_words, is_pair, stem

_MAX_SUBJECT_WORDS = 8
_MAX_CHARS = 300  # a longer question says what it is about
_MAX_FRAGMENT_WORDS = 4  # with meaning: a question without a verb seldom has more
_MIN_SUBJECT_WORDS = 3  # with meaning: with fewer, what was spoken of before is still the subject
_MIN_OWN_WORDS = 2  # with meaning: after a change of subject, with fewer there is no other one
_NEW_WORDS = 4  # with meaning, none of them said before
_SELF_CONTAINED_WORDS = 8  # with meaning: so many say what they are about


class TurnKind(StrEnum):
    """Whether a turn needs those before it: never, always, or as what is found tells."""

    ALONE = "alone"
    FOLLOWS = "follows"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnReading:
    """A turn as it may be searched for.

    `text` has what the turn leaves unsaid: `unsaid` are the words behind it. `own` is the turn without words that only
    join it to others, or change the subject. They are equal if it stands alone.
    """

    kind: TurnKind
    text: str
    own: str
    unsaid: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parts:
    """A turn without the words at its beginning that say how it joins the others."""

    rest: str
    is_change: bool
    is_about: bool


def read_turn(question: str, earlier: Sequence[Turn], language: str = "") -> TurnReading:
    """Read a turn with those before it.

    Args:
        question: the turn as it was asked.
        earlier: the earlier turns, oldest first.
        language: its ISO 639-1 code; by default it is detected.
    """
    words = turn_words(language or detect_language(question))
    turn_parts = _split(question, words)
    subject, focus = _subject(earlier, words)
    if not subject or _is_whole(question) or is_offered(question, earlier[-1].answer):
        return TurnReading(kind=TurnKind.ALONE, text=question, own=question)
    conversation = " ".join((*(turn.question for turn in earlier), *(turn.answer for turn in earlier[-1:])))
    kind = _kind_of(turn_parts, words, conversation)
    if kind is TurnKind.ALONE:
        own_text = turn_parts.rest if turn_parts.is_change else question
        return TurnReading(kind=kind, text=own_text, own=own_text)
    if replaced := _replace_subject(turn_parts, subject, words):
        return TurnReading(kind=TurnKind.FOLLOWS, text=replaced, own=replaced)
    turn_text = turn_parts.rest if turn_parts.is_change else question
    text = _with_subject(turn_text, f"{subject} {focus}", words)
    return TurnReading(kind=kind, text=text, own=turn_parts.rest, unsaid=text[len(turn_text) :].strip())


def needs_conversation(question: str) -> bool:
    """Whether a question names nothing of its own, so that only the earlier questions tell what it is about.

    Args:
        question: the question as it was asked; a long one, or one with a block of code, says what it is about.
    """
    words = turn_words(detect_language(question))
    turn_parts = _split(question, words)
    return not _is_whole(question) and (turn_parts.is_about or _kind_of(turn_parts, words, "") is TurnKind.FOLLOWS)


def stand_alone(question: str, earlier: Sequence[str], answer: str = "") -> str:
    """Return a question so that it can be searched for without those before it; an open one stays as it is.

    Args:
        question: the question as it was asked.
        earlier: the earlier questions, oldest first.
        answer: the last answer; empty if it is unknown.
    """
    turns = [Turn(question=former) for former in earlier[:-1]]
    reading = read_turn(question, [*turns, *(Turn(question=former, answer=answer) for former in earlier[-1:])])
    return reading.text if reading.kind is TurnKind.FOLLOWS or needs_conversation(question) else question


def _is_whole(question: str) -> bool:
    """Whether a question says what it is about, or asks nothing."""
    split = split_code(question)
    plain = " ".join(split.language_text.split())
    has_code = any("\n" in block for block in split.code)  # "What does this do?" and its code
    return len(plain) > _MAX_CHARS or has_code or intent_of(plain) is Intent.CHIT_CHAT


def _split(question: str, words: TurnWords) -> _Parts:
    text = " ".join(split_code(question).language_text.split())
    is_change = False
    if joined := words.joins.match(text):
        text = text[joined.end() :].strip(" ,")
    if change := words.changes.match(text):
        is_change, text = True, text[change.end() :].strip()
        if again := words.joins.match(text):
            text = text[again.end() :].strip(" ,")
    about = words.about.match(text)
    return _Parts(rest=text or question, is_change=is_change, is_about=about is not None)


def _kind_of(parts: _Parts, words: TurnWords, said: str) -> TurnKind:
    """Whether a turn needs its conversation; `said` is all that was said before."""
    plain = parts.rest
    own_words = _content(plain)
    if parts.is_change and len(own_words) >= _MIN_OWN_WORDS and not _refers(plain, words):
        return TurnKind.ALONE
    names = [entity for entity in entities(plain) if entity.kind is not EntityKind.NUMBER]
    other_words = [word for word in own_words if word not in words.relational]
    is_relational = not names and len(other_words) <= min(1, len(own_words) - len(other_words))
    if not own_words or is_relational or words.condition.match(plain):
        return TurnKind.FOLLOWS
    if _refers(plain, words):
        return TurnKind.OPEN if _has_new_name(own_words, words, said) else TurnKind.FOLLOWS
    if len(own_words) >= _SELF_CONTAINED_WORDS or _asks_of_new_noun(plain, words, said):
        return TurnKind.ALONE
    if _is_place(plain, words) and not words.asks.search(plain):
        return TurnKind.FOLLOWS if len(own_words) <= _MAX_FRAGMENT_WORDS else TurnKind.OPEN
    is_word = len(own_words) == 1 and not names and not is_pair(own_words[0]) and len(plain.split()) > 1
    is_asked = is_word and not parts.is_about and not words.defines.match(plain)
    return TurnKind.FOLLOWS if is_asked else TurnKind.OPEN


def _subject(earlier: Sequence[Turn], words: TurnWords) -> tuple[str, str]:
    """What the turns were about last: the question that stood alone, and a turn behind it that followed."""
    subject = focus = ""
    for index, turn in enumerate(earlier):
        if _is_small_talk(turn.question):
            continue
        turn_parts = _split(turn.question, words)
        earlier_questions = " ".join(former.question for former in earlier[:index])
        kind = _kind_of(turn_parts, words, earlier_questions)
        is_known = bool(turn.search_text)
        stood = turn.search_text in (turn.question, turn_parts.rest) if is_known else kind is not TurnKind.FOLLOWS
        if not subject or stood:
            is_thin = not is_known and kind is TurnKind.OPEN and len(_content(turn_parts.rest)) < _MIN_SUBJECT_WORDS
            is_thin = is_thin and not _names(turn_parts.rest)
            subject = _with_subject(turn_parts.rest, subject, words) if is_thin else turn_parts.rest
            focus = ""
        elif replaced := _replace_subject(turn_parts, subject, words):
            subject, focus = replaced, ""
        else:
            focus = turn_parts.rest if not turn.documents or _is_new(turn_parts.rest, earlier_questions) else ""
    return subject, focus


def _is_new(question: str, said: str) -> bool:
    """Whether a turn has so many words that were not said before that those behind it may mean one of them."""
    return len(_content(question)) >= _NEW_WORDS and not content_words(question) & content_words(said)


def _is_small_talk(question: str) -> bool:
    return intent_of(question) is Intent.CHIT_CHAT


def _asks_of_new_noun(question: str, words: TurnWords, said: str) -> bool:
    """Whether a question asks when, where or how much a noun is that was not spoken of: a subject of its own."""
    match = words.noun.match(question.strip())
    if match is None or match["noun"].casefold() in words.relational:
        return False
    noun_words = content_words(match["noun"])
    return bool(noun_words) and not noun_words & content_words(said)


def _has_new_name(own: Sequence[str], words: TurnWords, said: str) -> bool:
    """Whether a turn has a word that is no English one, and that was not said before, such as the name of a program."""
    english_stems = _english_stems()
    if not words.is_english or not english_stems:
        return False
    old = content_words(said)
    return any(word.isascii() and word.isalpha() and stem(word) not in english_stems | old for word in own)


@cache
def _english_stems() -> frozenset[str]:
    return frozenset(map(stem, english_words()))


def _replace_subject(parts: _Parts, subject: str, words: TurnWords) -> str:
    """The earlier question with its last place, name or kind replaced by that of a fragment; empty if impossible."""
    fragment = parts.rest
    if about := words.about.match(fragment):
        fragment = fragment[about.end() :]
    fragment = fragment.strip(" ?!.,:;")
    is_fragment = (
        bool(fragment) and not _refers(fragment, words) and (parts.is_about or not words.asks.search(fragment))
    )
    if not is_fragment or len(subject) > _MAX_CHARS or len(_content(fragment)) > _MAX_FRAGMENT_WORDS:
        return ""
    place, last = _place(fragment, words), _last_place(subject, words)
    if place and last and place.casefold() == last["place"].casefold():
        return f"{subject[: last.start()]}{fragment}?"
    if place:
        return f"{subject.rstrip(' ?!.')} {fragment}?"
    old, new = _names(subject), _names(fragment)
    is_kind = last and last["place"].casefold() != "to"
    if last and is_kind and parts.is_about and (" " not in last["rest"] or set(_names(last["rest"])) & set(old)):
        return f"{subject[: last.start('rest')]}{fragment}?"
    if new and old:
        position = subject.rfind(old[-1])
        return f"{subject[:position]}{fragment}{subject[position + len(old[-1]) :]}"
    if parts.is_about and len(_content(fragment)) == 1:
        return f"{subject.rstrip(' ?!.')} {fragment}?"
    return _with_other_kind(fragment, subject)


def _with_other_kind(rest: str, subject: str) -> str:
    """The earlier question about another kind of the same, such as sick leave instead of annual leave."""
    first, _, noun = rest.rpartition(" ")
    if not first or len(_content(rest)) != 2:
        return ""
    kind = re.search(rf"\b([^\W\d_]{{3,}}) {re.escape(noun)}\b", subject, re.IGNORECASE)
    if kind is None or not _content(kind[1]):
        return ""
    return f"{subject[: kind.start()]}{rest}{subject[kind.end() :]}"


def _with_subject(question: str, subject: str, words: TurnWords) -> str:
    """A question, and behind it the words of its subject that it does not have."""
    subject = subject[-_MAX_CHARS:]
    old_verb = words.doing.search(subject)
    out = {*find_asked_words(question)}
    if old_verb and _does_to_it(question, words):  # "How do I delete it?": what was done to it before is not asked
        out.update(find_asked_words(old_verb["verb"]))
    added: list[str] = []
    for match in re.finditer(r"\S+", subject):
        word = match.group().strip("\"'“”‘’«»()[]{}?!.,;:")
        meant = [term for term in _content(word) if term not in out]
        if meant:
            added.append(word)
            out.update(meant)
    return f"{question} {' '.join(added[-_MAX_SUBJECT_WORDS:])}".strip()


def _does_to_it(question: str, words: TurnWords) -> bool:
    """Whether a question asks to do something to what was spoken of, as in "How do I delete it?"."""
    verb = words.doing.search(question)
    return verb is not None and words.refers.match(question[verb.end() :].lstrip()) is not None


def _place(text: str, words: TurnWords) -> str:
    match = re.match(rf"(?P<place>{words.places})\s+\S", text, re.IGNORECASE)
    return match["place"] if match else ""


def _is_place(text: str, words: TurnWords) -> bool:
    return bool(_place(text, words))


def _last_place(text: str, words: TurnWords) -> re.Match[str] | None:
    places = words.places
    return re.search(
        rf"\b(?P<place>{places})\s+(?P<rest>(?:(?!\b(?:{places}|and|or|if|when|before|after)\b)[^?!.,;])+?)\s*[?!.]*$",
        text,
        re.IGNORECASE,
    )


def _names(text: str) -> list[str]:
    kinds = (EntityKind.NAME, EntityKind.IDENTIFIER, EntityKind.QUOTED, EntityKind.PATH)
    names = [entity.text for entity in entities(f"x {text}") if entity.kind in kinds]  # nothing begins a sentence
    asks = turn_words().asks
    return [name for name in names if name in text and not asks.fullmatch(name.split()[0])]


def _content(text: str) -> list[str]:
    asks = load_interrogatives([detect_language(text)])
    return [word for word in find_asked_words(text) if word not in asks]


def _refers(text: str, words: TurnWords) -> bool:
    """Whether a pronoun stands where nothing before it in the question can be meant."""
    plain = words.expletive.sub(" ", text)
    for match in words.refers.finditer(plain):
        preceding = plain[: match.start()]
        clauses = list(words.clause.finditer(preceding))
        if not clauses or len(_content(preceding[: clauses[-1].start()])) < _MIN_OWN_WORDS:
            return True
    return False
