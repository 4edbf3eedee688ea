"""What a question asks, by rules and without a model (RET-3).

Belongs here: a question with all that rules tell of it, and whether what was found is sure enough to do without a
model. Not here: the rules for code (`code_split`), languages, intents and entities; what a model makes of a question
(`concepts`). Guarantee: pure, and the same for the same question; a rule that does not apply leaves a field empty.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headwater.domain.knowledge_base_settings import COMPLEXITY_INDICATORS
from headwater.domain.search import Passage
from headwater.retrieval.understanding.code_split import split_code
from headwater.retrieval.understanding.entities import Entity, entities
from headwater.retrieval.understanding.intents import Intent, intent_of
from headwater.retrieval.understanding.languages import detect_language

LONG_QUESTION = 30
"""Words: a longer question asks for more than one thing, or describes a whole case."""

AHEAD = 0.1
"""By how much the best passage's score must exceed that of the next document's.

Of the questions with so sure a best passage, it is right for 99.7 % of xquad's (for 95 % of all), 72 % of northwind's
(62 %), and 73 % of headings looked for as questions (39 %).
"""
_SEVERAL = "several questions"
_LONG = "long"
_QUESTION_MARK = re.compile(r"[?？](?=\s|\Z|[^\x00-\x7f])")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Understanding:
    """A question and what rules tell of it.

    `language_text` is the question without blocks of code, `code` what was split off; `language` is an ISO 639-1 code,
    empty when nothing tells. `complexity` says what makes the question complex: indicators as they are set,
    `several questions`, `long`.
    """

    question: str
    language_text: str
    code: tuple[str, ...]
    language: str
    intent: Intent
    entities: tuple[Entity, ...]
    complexity: tuple[str, ...]

    @property
    def is_complex(self) -> bool:
        """Whether one search may not be enough for it."""
        return bool(self.complexity)

    @property
    def search_text(self) -> str:
        """What to embed: the language, or the whole question when all of it is code."""
        return self.language_text or self.question


def understand(question: str, complexity_indicators: Sequence[str] = COMPLEXITY_INDICATORS) -> Understanding:
    """Tell what a question asks.

    Args:
        question: as it was asked.
        complexity_indicators: words and phrases that make a question complex, in any case.
    """
    split = split_code(question)
    text = split.language_text
    return Understanding(
        question=question,
        language_text=text,
        code=split.code,
        language=detect_language(text),
        intent=intent_of(text),
        entities=entities(text),
        complexity=tuple(_complexity(text, complexity_indicators)),
    )


def is_sure(understanding: Understanding, passages: Sequence[Passage]) -> bool:
    """Whether a simple question found what it asks, so that no model need look at it (the score shortcut).

    It did when words and vectors agree on the best passage, and it is clearly ahead of any other document's.

    Args:
        understanding: of the question.
        passages: what was found, reranked, best first.
    """
    if understanding.is_complex or understanding.intent is Intent.COMPARISON or not passages:
        return False
    best = passages[0]
    others = (passage.score for passage in passages if passage.document_id != best.document_id)
    return best.scores.vector_rank == 1 == best.scores.text_rank and best.score - max(others, default=0.0) >= AHEAD


def _complexity(text: str, indicators: Sequence[str]) -> Iterator[str]:
    plain = " ".join(text.casefold().split())
    for indicator in indicators:
        wanted = " ".join(indicator.casefold().split())
        # Where words have no spaces between them there is no border to look for.
        before, behind = (r"(?<!\w)", r"(?!\w)") if wanted.isascii() else ("", "")
        if re.search(f"{before}{re.escape(wanted)}{behind}", plain):
            yield indicator
    if len(_QUESTION_MARK.findall(text)) > 1:
        yield _SEVERAL
    if len(_WORD.findall(text)) > LONG_QUESTION:
        yield _LONG
