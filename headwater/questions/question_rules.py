"""Questions by rules, without a model: what headings ask, what they say how to do, and what sentences state.

Belongs here: the rules. Not here: words of headings (`phrases`), questions by a model (`question_generator`), whether
search finds an answer (`question_checks`). Guarantee: pure and deterministic; an answer and its quote are words of the
text. The rules know English; in other languages only headings that end in a question mark ask anything.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from headwater.chunking.sentences import sentence_spans
from headwater.domain.languages import language_code
from headwater.questions.phrases import Cased, base_verb, is_instruction, lower_joined_verbs, names_something, to_me
from headwater.questions.sentence_questions import make_question
from headwater.understanding.words import content_words

Family = Literal["title", "asked", "needs", "how", "what"]
"""Which rule asked: the document's title, a question in the text, its requirements, a heading, a sentence."""

ANSWER = 400  # characters
_ASKING = re.compile(
    r"^(?:how|what|which|when|where|who|why|can|does|do|is|are|should|will|may|must)\b.{8,150}\?$", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|here|above|below|following|such|same|so)\b", re.I
)
"""Words that mean something only where they stand."""
_HOW_TO = re.compile(r"^how (?:to|do i|can i|do you) (?P<rest>.{4,90})$", re.IGNORECASE)
_DONE_BEFORE = re.compile(
    r"^(?:prerequisites?|requirements|before you (?:begin|start)|what you(?:'ll| will)? need)$", re.I
)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`#>]{1,3}(?=\S)|(?<=\S)[*`]{1,3}|\[([^\[\]]*)\]\([^()]*\)|:\w+:`([^`<]*)(?:<[^<>`]*>)?`")
_LIST_MARK = re.compile(
    r"^(?:step\s*)?\(?\d{1,2}(?:\.\d+)*[.):]?\s*(?:[-–—:]\s*)?(?=\D)|^(?:step \w+|part \w+)\s*[-–—:]\s*", re.I
)
_ODD = re.compile(
    r"[|<>{}=\\]|https?:|\.\.|/\w*/|\$\{|^[-+]|[“”\"']$|\bTODO\b|\b\d+\.\d+|\b(?:19|20)\d\d\b|&|\s:\w|^What about "
)
_APART = re.compile(
    r"\b(?:change ?log|release(?:d| notes)|licen[cs]e|history|what's (?:new|changed)|code of conduct|copyright)\b", re.I
)
"""Documents and sections that hardly anybody asks about."""
_GENERIC = frozenset(
    re.findall(
        r"\w+",
        """
    basics behavior conclusion configuration configurations default details examples example faq general guide
    guidelines information instructions introduction layout miscellaneous more notes options other overview page pages
    purpose section steps summary support tips tutorial usage walkthrough
    """,
    )
)
"""Words with which headings end that name a part of a document, not something to do."""
_ANYTHING = re.compile(
    r"\b(?:tips?|know|things?|work(?:s|ing)?|happens?|mean(?:s|ing)?|important|considerations?|exactly|goes?|wrong|next|"
    r"changed|changes|new|different|exceptions?|best|better|good|more|options?|should|get|do)\b",
    re.IGNORECASE,
)
_SHORTEST, _LONGEST = 12, 120  # characters of a question


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadingPart:
    """A chunk of a document with the headings above it, the title first."""

    text: str
    breadcrumb: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruled:
    """A question that a rule asked; `answer` and `quote` are empty if a heading asks it."""

    family: Family
    question: str
    answer: str = ""
    quote: str = ""


def ask_by_rules(title: str, parts: Sequence[HeadingPart], language: str, *, most: int) -> list[Ruled]:
    """The questions that a document's title, headings and sentences ask, the best ones first.

    Args:
        title: of the document.
        parts: its chunks, in order.
        language: of the document, as a code; empty if it is unknown.
        most: how many questions are wanted.
    """
    if _APART.search(title):
        return []
    is_english = language_code(language) in ("", "en")
    asker = _Asker(title, parts, language, is_english=is_english)
    by_family: dict[str, list[Ruled]] = {"title": [], "asked": [], "needs": [], "how": [], "what": []}
    seen: set[str] = set()
    for ruled in asker.all():
        plain = ruled.question.casefold()
        if plain not in seen and _is_sound(ruled.question):
            seen.add(plain)
            by_family[ruled.family].append(ruled)
    turns = zip_longest(by_family["asked"], by_family["how"], by_family["what"])
    mixed = [ruled for turn in turns for ruled in turn if ruled is not None]
    return [*by_family["title"], *by_family["needs"], *mixed][:most]


class _Asker:
    """The questions of one document."""

    def __init__(self, title: str, parts: Sequence[HeadingPart], language: str, *, is_english: bool) -> None:
        self._title = plain_text(title)
        self._parts = parts
        self._language = language
        self._is_english = is_english
        self._cased = Cased([heading_part.text for heading_part in parts])
        self._titles = (self._title, *dict.fromkeys(map(plain_text, (p.breadcrumb[0] for p in parts if p.breadcrumb))))

    def all(self) -> Iterator[Ruled]:
        """All questions, in the order of the text."""
        if self._is_english:
            yield from self._of_titles()
        asked_before: set[str] = set()
        for heading_part in self._parts:
            if any(_APART.search(heading) for heading in heading_part.breadcrumb):
                continue
            path = [plain_text(heading) for heading in heading_part.breadcrumb]
            for heading in dict.fromkeys((*path[1:], *map(plain_text, _HEADING.findall(heading_part.text)))):
                if heading not in asked_before and heading not in self._titles:
                    asked_before.add(heading)
                    yield from self._of_heading(heading)
            if self._is_english:
                yield from self._of_sentences(heading_part, path)

    def _of_titles(self) -> Iterator[Ruled]:
        for title in self._titles:
            if (question := self._instruction(title)) or (question := self._question(title)):
                yield Ruled(family="title", question=question)

    def _of_heading(self, heading: str) -> Iterator[Ruled]:
        if question := self._question(heading):
            yield Ruled(family="asked", question=question)
        elif self._is_english and (_DONE_BEFORE.match(heading)):
            if instruction := next(filter(None, map(self._instruction, self._titles)), ""):
                yield Ruled(family="needs", question=f"What do I need to {instruction.removeprefix('How do I ')}")
        elif self._is_english and (question := self._instruction(heading)):
            yield Ruled(family="how", question=question)
        elif self._is_english and self._topic and " " not in heading and (verb := base_verb(heading)):
            yield Ruled(family="how", question=f"How do I {verb} {self._topic}?")

    def _of_sentences(self, part: HeadingPart, above: Sequence[str]) -> Iterator[Ruled]:
        headings = self._title_words | content_words(" ".join(above), self._language)
        for start, end in sentence_spans(part.text):
            sentence = part.text[start:end].strip()
            plain = plain_text(sentence)
            if plain.endswith("?"):
                if _stands_alone(part.text, start, end) and (question := self._question(plain)):
                    yield Ruled(family="asked", question=question)
                continue
            if len(sentence) < 25 or sentence[0] in "#|`-*.>:!<[({" or "\n\n" in sentence or _POINTING.match(plain):
                continue
            if question := make_question(plain, headings, self._cased, self._language):
                yield Ruled(family="what", question=question, answer=plain[:ANSWER], quote=sentence)

    def _question(self, heading: str) -> str:
        """A heading that is a question, if it says by itself what it asks about; otherwise empty."""
        if not heading.endswith("?") or _POINTING.search(heading):
            return ""
        is_asking = _ASKING.match(heading) or not self._is_english
        names = is_asking and names_something(_find_subject(heading), self._cased, self._language)
        if not names:
            return ""
        return self._cased.lower(heading, keeps_first=True) if self._is_english else heading

    def _instruction(self, heading: str) -> str:
        """The question how to do what a heading says; empty if it says nothing to do."""
        match = _HOW_TO.match(heading)
        words = (match["rest"] if match else heading).rstrip("?.: ").split()
        if _POINTING.search(heading) or not 2 <= len(words) <= 12 or not (match or is_instruction(words, self._cased)):
            return ""
        verb = base_verb(words[0]) or (words[0].lower() if match else "")
        thing = lower_joined_verbs(" ".join(words[1:]))
        if not verb or words[-1].lower() in _GENERIC or not words[-1][-1].isalnum():
            return ""
        if thing.endswith("ly") and len(words) == 2 and self._topic:
            return f"How do I {verb} {self._cased.lower(thing)} with {self._topic}?"
        is_of_title = bool(content_words(thing, self._language) & self._title_words)
        if not is_of_title and not names_something(thing, self._cased, self._language):
            return ""
        return f"How do I {verb} {to_me(self._cased.lower(thing))}?"

    @cached_property
    def _title_words(self) -> Set[str]:
        return content_words(" ".join(self._titles), self._language)

    @cached_property
    def _topic(self) -> str:
        """The name that the document is about, if its title is nothing but a name; otherwise empty."""
        words = self._title.split()
        is_name = len(words) <= 3 and all(self._cased.is_name(word) for word in words)
        return self._title if is_name and not is_instruction(words, self._cased) else ""


def plain_text(text: str) -> str:
    """A heading or a sentence without its markup and its number."""
    plain = " ".join(_MARKUP.sub(lambda mark: mark[1] or mark[2] or "", text).split())
    return _LIST_MARK.sub("", plain).strip()


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a span of a text is a paragraph of its own, as a heading is that lost its mark."""
    preceding, following = text[:start].rstrip(" \t"), text[start:end].rstrip(" \t") + text[end:]
    return (not preceding or preceding.endswith("\n\n")) and following[len(text[start:end].strip()) :].startswith(
        "\n\n"
    )


def _find_subject(question: str) -> str:
    """What a question is about: without its mark, and without words that could be about anything."""
    return _ANYTHING.sub(" ", question.rstrip("?"))


def _is_sound(question: str) -> bool:
    return _SHORTEST <= len(question) <= _LONGEST and not _ODD.search(question[:-1]) and question.count("?") == 1
