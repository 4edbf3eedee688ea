"""The parts of an answer that can be right or wrong: its claims, and its citations with the text that they cite.

Belongs here: cutting an answer into claims, and finding the text of its citations. Not here: deciding what is right
(`rule_judge`, `model_judge`). Guarantee: pure; every sentence, list item, table row and block of code with two or more
words that carry meaning is one claim, unless it is a heading or introduces what follows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headwater.domain.answers import Citation
from headwater.domain.evaluations import GoldenQuestion
from headwater.domain.places import PlaceKind, PlaceRange
from headwater.domain.search import Passage
from headwater.generation.statement_splitter import statement_spans
from headwater.understanding.words import content_words

_MARKER = re.compile(r"\[\d{1,3}\](?!\()")
_LEADING = re.compile(r"\s*(?:\[\d{1,3}\](?!\()\s*)+")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|\*\*[^*\n]+\*\*:?)\s*$", re.DOTALL)
_NUMBERING = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MIN_WORDS = 2  # words of a claim


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedText:
    """A citation of an answer: where it leads, and the text that is there, below its headings."""

    marker: str
    uri: str
    place: PlaceRange | None
    heading: str
    text: str

    @property
    def pages(self) -> range:
        """The pages that it covers; empty if its place is no page."""
        if self.place is None or self.place.kind is not PlaceKind.PAGE:
            return range(0)
        return range(int(self.place.first), int(self.place.last) + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A statement of an answer without its markers, and the markers that stand for it; none if it is not cited."""

    text: str
    markers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenAnswer:
    """An answer to a golden question, as it is judged."""

    golden: GoldenQuestion
    text: str
    is_refused: bool
    claims: tuple[Claim, ...]
    citations: tuple[CitedText, ...]
    language: str = ""

    def find_citations(self, claim: Claim) -> list[CitedText]:
        """What a claim cites."""
        return [citation for citation in self.citations if citation.marker in claim.markers]

    def claims_of(self, citation: CitedText) -> list[Claim]:
        """The claims that cite it."""
        return [claim for claim in self.claims if citation.marker in claim.markers]


def claims_of(text: str, language: str = "") -> tuple[Claim, ...]:
    """Cut an answer into claims.

    A claim without a marker has those of the next one that has some, because a marker often stands once, at the end of
    a paragraph, a list or code. Claims after the last marker are not cited.
    """
    claims: list[Claim] = []
    waiting: list[str] = []
    for statement in _part_markers(_statements(text)):
        markers = tuple(dict.fromkeys(_MARKER.findall(statement)))
        plain = _NUMBERING.sub("", _MARKER.sub("", statement)).strip()
        if _is_claim(plain, language):
            waiting.append(plain)
        elif not markers:
            continue
        elif not waiting and claims:  # a marker after the end of its sentence
            claims[-1] = Claim(text=claims[-1].text, markers=(*claims[-1].markers, *markers))
        if markers:
            claims += [Claim(text=sentence, markers=markers) for sentence in waiting]
            waiting = []
    return (*claims, *(Claim(text=sentence, markers=()) for sentence in waiting))


def without_markers(text: str) -> str:
    """A text without its markers."""
    return _MARKER.sub("", text)


def find_cited_texts(citations: Sequence[Citation], passages: Iterable[Passage]) -> tuple[CitedText, ...]:
    """Find the text of each citation in the passages that an answer could use, and the chunks around them."""
    pieces = sorted(passages, key=lambda passage: passage.start)
    return tuple(
        CitedText(
            marker=citation.marker,
            uri=citation.uri,
            place=citation.place,
            heading=" > ".join((citation.title, *citation.breadcrumb)),
            text=_text(
                citation, [passage for passage in pieces if passage.document_version_id == citation.document_version_id]
            ),
        )
        for citation in citations
    )


def _text(citation: Citation, pieces: Sequence[Passage]) -> str:
    """The cited span, put together from chunks, which may overlap."""
    texts, position = [], citation.start
    for passage in pieces:
        start, end = max(position, passage.start), min(citation.end, passage.end)
        if start < end:
            texts.append(passage.text[start - passage.start : end - passage.start])
            position = end
    return "".join(texts)


def _statements(text: str) -> list[str]:
    """The statements of a text; a block of code is one, with the marker below it."""
    statements: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        statements += [
            text[position + start : position + end] for start, end in statement_spans(text[position : fence.start()])
        ]
        statements.append(fence.group())
        position = fence.end()
    return statements + [text[position + start : position + end] for start, end in statement_spans(text[position:])]


def _part_markers(pieces: Iterable[str]) -> Iterator[str]:
    """The statements, with the markers at the beginning of one apart: they belong to what comes before."""
    for statement in pieces:
        leading = _LEADING.match(statement)
        if leading and leading.end() < len(statement):
            yield leading.group()
            yield statement[leading.end() :]
        else:
            yield statement


def _is_claim(sentence: str, language: str) -> bool:
    if _HEADING.match(sentence) or sentence.endswith(":"):
        return False
    return len(content_words(sentence, language)) >= _MIN_WORDS
