"""The passages below an answer, which it does not quote.

Belongs here: choosing them, and the line of each. Not here: passages behind the shown results
(`headwater.retrieval.next_results`), quotes (`headwater.quote`). Guarantee: pure; at most `MAX_PASSAGES`; the answer
cites none of them; a line is plain text.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from headwater.answering.answer_evidence import Evidence
from headwater.domain.answers import Citation, FurtherPassage
from headwater.domain.search import Passage
from headwater.quote.breadcrumbs import format_heading
from headwater.quote.inline_cleanup import without_marks
from headwater.quote.quotes import Quote, closest_line
from headwater.understanding.words import content_words

MAX_PASSAGES = 2
_MAX_LINE_CHARS = 240
"""Characters of a line."""
_CODE = re.compile(r"(`+)(.+?)\1")


def further_passages(
    evidence: Evidence, quotes: Sequence[Quote], cited: Collection[UUID] = ()
) -> tuple[FurtherPassage, ...]:
    """The best passages that an answer does not cite, as a line each.

    Args:
        evidence: of the question; its passages are in the order of the search, which finds more than the quotes' own.
        quotes: of the same passages, the best first; each passage's line is of its quote.
        cited: the chunks that the answer cites.
    """
    uncited = [passage for passage in evidence.passages if passage.chunk_id not in cited]
    return _as_lines(evidence, uncited[:MAX_PASSAGES], quotes)


def nearest_passages(evidence: Evidence, quotes: Sequence[Quote] = ()) -> tuple[FurtherPassage, ...]:
    """The passages that come closest to a question that is refused; without a trusted one, the most trusted.

    Args:
        evidence: of the question.
        quotes: of its passages.
    """
    if evidence.passages:
        return further_passages(evidence, quotes)
    best = sorted(evidence.trusted.passages, key=lambda passage: -(passage.scores.trust or 0.0))
    return _as_lines(evidence, best[:1], quotes)


def chunks_of(cited: Iterable[Quote | Citation]) -> set[UUID]:
    """The chunks that quotes are taken from, or that are cited."""
    return {
        reference.chunk_id if isinstance(reference, Citation) else reference.passage.chunk_id for reference in cited
    }


def _as_lines(evidence: Evidence, passages: Sequence[Passage], quotes: Sequence[Quote]) -> tuple[FurtherPassage, ...]:
    lines = {quote.passage.chunk_id: quote.line for quote in reversed(quotes)}
    return tuple(
        _further(passage, lines.get(passage.chunk_id) or _line(evidence.question, passage)) for passage in passages
    )


def _line(question: str, passage: Passage) -> str:
    return closest_line(passage, content_words(question, passage.language))


def _further(passage: Passage, line: str) -> FurtherPassage:
    return FurtherPassage(
        title=format_heading(passage.title, passage.uri),
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=passage.breadcrumb,
        start=passage.start,
        end=passage.end,
        line=_truncate(_plain(line)),
        place=passage.place,
    )


def _plain(line: str) -> str:
    """A line without the marks of code and of bold words; in code, they mean something else."""
    plain, offset = "", 0
    for code in _CODE.finditer(line):
        plain += without_marks(line[offset : code.start()]) + code[2]
        offset = code.end()
    return " ".join((plain + without_marks(line[offset:])).split())


def _truncate(line: str) -> str:
    return line if len(line) <= _MAX_LINE_CHARS else f"{line[:_MAX_LINE_CHARS].rsplit(' ', 1)[0]} …"
