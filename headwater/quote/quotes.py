"""Choosing what a document says in answer to a question.

Belongs here: from passages to quotes. Not here: which fragments are quoted together (`windows`),
finding passages (`headwater.retrieval`), answers (`headwater.answering`). Guarantee: a quote's
span is verbatim text of one document version; no two quotes are of one section; the same passages give the same quotes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.domain.places import PlaceKind, PlaceRange
from headwater.domain.search import Passage
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.text_scorer import TextScorer
from headwater.quote.block_reader import Kind
from headwater.quote.fragment_evidence import Question
from headwater.quote.fragments import read_fragments
from headwater.quote.quote_markdown import Rendered, render
from headwater.quote.selection import Selection
from headwater.quote.stretches import make_stretches
from headwater.quote.windows import compare_windows, read_windows
from headwater.understanding.words import content_words

MAX_QUOTES = 5
_EXACT = (PlaceKind.SECOND, PlaceKind.PART, PlaceKind.CELL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """Words of one section of a document.

    `text` is markdown, without headings; `headings` is the path above it, the document's title first. `passage` is the
    passage that it is taken from; `start` and `end` are offsets in the document version. `line` is the fragment that
    answers best, as plain text, and `plain` all of it. `is_open` means that a marker fits behind the text in the same
    line. `core` is the most important part of it, as markdown, for readers who have an answer already.
    """

    text: str
    headings: tuple[str, ...]
    passage: Passage
    start: int
    end: int
    score: float
    word_count: int
    line: str
    plain: str
    place: PlaceRange | None = None
    is_open: bool = True
    core: Rendered | None = None
    is_read: bool = False
    """Whether a model has read it together with the question: then the score says how likely it answers."""


def choose_quotes(
    question: str,
    passages: Sequence[Passage],
    nearby: Iterable[Passage] = (),
    *,
    weights: Mapping[str, float],
    is_sentence: bool = True,
    embedder: Embedder | None = None,
    reader: TextScorer | None = None,
) -> list[Quote]:
    """Choose the best quote of each section, best first.

    Args:
        question: as it was asked, without misspelt words.
        passages: the search results, best first.
        nearby: the chunks around them, which complete lists and code.
        weights: of the question's words, by their stems.
        is_sentence: false if it is a turn with words of earlier turns behind it.
        embedder: a local model that knows the documents' language; None if there is none.
        reader: a local model that reads texts together with the question; then the embedder decides between equals.

    Raises:
        ModelUnavailableError: a model cannot be loaded.
    """
    fragments = [read_fragments(stretch) for stretch in make_stretches(passages, nearby)]
    language = passages[0].language if passages else ""
    asked = Question(text=question, weights=weights, language=language, is_sentence=is_sentence)
    if reader is not None:
        selections = read_windows(asked, fragments, reader, embedder)
    else:
        selections = compare_windows(asked, fragments, embedder)
    return [_quote(asked, selection, is_read=reader is not None) for selection in _best_of_sections(selections)]


def closest_line(passage: Passage, words: Collection[str]) -> str:
    """The fragment of a passage with most of some words, as plain text; the passage's title if it has none.

    Args:
        passage: the passage.
        words: those of a question, as `content_words` returns them.
    """
    (stretch,) = make_stretches([passage], ())
    lines = [fragment.line for fragment in read_fragments(stretch)]
    return max(lines, key=lambda line: len(content_words(line, passage.language) & set(words)), default=passage.title)


def _best_of_sections(selections: Sequence[Selection]) -> list[Selection]:
    """The best selection of each section."""
    best: dict[object, Selection] = {}
    for selection in selections:
        best.setdefault((selection.stretch.chunks[0].document_version_id, selection.headings), selection)
    return list(best.values())[:MAX_QUOTES]


def _find_deciding(question: Question, selection: Selection) -> int | None:
    """The fragment that is put in bold; none if it is one of a list and says no more than what introduces that."""
    best = selection.fragments[selection.best]
    if best.lead is None or best.lead not in selection.positions:
        return selection.best
    above = question.words_in(selection.fragments[best.lead].plain)
    return None if question.words_in(best.plain) <= above else selection.best


def _find_place(selection: Selection) -> PlaceRange | None:
    """Where the quote stands; of seconds, parts and cells, where the fragment that decides does.

    Only an item of a sheet's list is half a statement: the customer is in one row, and the contract in the next.
    """
    stretch, chosen, best = selection.stretch, selection.chosen, selection.fragments[selection.best]
    place = stretch.place_of(chosen[0].start, chosen[-1].end)
    if place is None or place.kind not in _EXACT or (place.kind == PlaceKind.CELL and best.kind == Kind.ITEM):
        return place
    return stretch.place_of(best.start, best.end) or place


def _quote(question: Question, selection: Selection, *, is_read: bool) -> Quote:
    stretch, chosen, best = selection.stretch, selection.chosen, selection.fragments[selection.best]
    first, last = chosen[0], chosen[-1]
    deciding = _find_deciding(question, selection)
    rendered = render(
        selection.fragments, selection.positions, deciding if len(chosen) > 1 else None, is_cut=selection.is_cut
    )
    chunk = stretch.passage_of(best.start, best.end) or stretch.chunk_at(best.start)
    return Quote(
        text=rendered.text,
        headings=selection.headings,
        passage=chunk,
        start=stretch.start + first.start,
        end=stretch.start + last.end,
        score=round(selection.score, 4),
        word_count=selection.word_count,
        line=best.line,
        plain=" ".join(fragment.plain for fragment in chosen),
        place=_find_place(selection),
        is_open=rendered.is_open,
        core=render(selection.fragments, selection.core, deciding if len(selection.core) > 1 else None),
        is_read=is_read,
    )
