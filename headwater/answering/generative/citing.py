"""Turning the markers of a reply into citations.

Belongs here: numbering, and the citation of each marker. Not here: finding markers (`markers`), the sentences that are
cited (`support`). Guarantee: a marker that comes out has exactly one citation, of a part of the context that the model
was given; numbers count from 1 in the order in which they come out.

A model numbers parts of its context; a reader's number stands for one place. So a part that is cited for two statements
may become two citations, each with its own sentences.
"""

from collections.abc import Iterator

from headwater.quote.breadcrumbs import breadcrumb_at
from headwater.answering.events import Delta
from headwater.answering.generative.support import Support, Supporting, statements
from headwater.domain.answers import Citation
from headwater.retrieval.context import Context
from headwater.understanding.words import content_words

_REMEMBERED = 1000  # characters of the answer in which the statement before a marker is looked for
_FEW = 2  # words: a shorter statement is read with the one before it, such as "Yes."
_CARRIED = 0.6  # share of a statement's words that its support needs if the model named no passage
_CLOSED = ("```", "~~~", "|")  # a marker behind the end of code, or behind a row, would become part of it
_MOST = 3  # citations of an answer in which the model cited nothing


class Citing:
    """Gives markers their numbers and citations while the answer comes out.

    Args:
        context: what the model was given.
        question: the question that is answered.
    """

    def __init__(self, context: Context, question: str) -> None:
        self.citations: list[Citation] = []
        self._parts = {part.number: Supporting(part.passages) for part in context.parts}
        self._question = question
        self._said = ""

    def text(self, text: str) -> Delta:
        """Note a text that comes out."""
        self._said = (self._said + text)[-_REMEMBERED:]
        return Delta(text=text)

    def marks(self, numbers: tuple[int, ...]) -> Iterator[Delta | Citation]:
        """Yield the markers of parts that the statement before them cites, and the new citations."""
        statement = self._statement()
        supports = [self._parts[number].find(statement, self._question) for number in numbers]
        yield from self._cite(supports)

    def support_all(self, text: str) -> Iterator[Delta | Citation]:
        """Yield markers and citations for a whole answer in which the model named no passage.

        Nothing is yielded unless most words of the answer are in statements that a part supports.
        """
        supported: list[Support] = []
        words = carried = 0
        for start, end in statements(text):
            statement = text[start:end]
            length = len(content_words(statement))
            best = max((part.find(statement, "") for part in self._parts.values()), key=lambda found: found.score)
            words += length
            if length >= _FEW and best.score >= _CARRIED:
                carried += length
                supported.append(best)
        if supported and carried * 2 > words:
            supported.sort(key=lambda found: -found.score)
            last = text.rstrip().rpartition("\n")[2].lstrip()
            yield Delta(text="\n\n" if last.startswith(_CLOSED) else " ")
            yield from self._cite(supported[:_MOST])

    def _cite(self, supports: list[Support]) -> Iterator[Delta | Citation]:
        written = set()
        for support in supports:
            known = next((one for one in self.citations if _covers(one, support)), None)
            citation = known or _citation(f"[{len(self.citations) + 1}]", support)
            if citation.marker in written:
                continue
            written.add(citation.marker)
            yield Delta(text=citation.marker)
            if known is None:
                self.citations.append(citation)
                yield citation

    def _statement(self) -> str:
        spans = statements(self._said)
        if not spans:
            return ""
        start, end = spans[-1]
        if len(spans) > 1:
            before = spans[-2][0]
            start = before if len(content_words(self._said[start:end])) < _FEW else start
            self._said, start, end = self._said[before:], start - before, end - before  # not to be split again
        return self._said[start:end]


def _covers(citation: Citation, support: Support) -> bool:
    passage = support.passage
    start, end = passage.start + support.start, passage.start + support.end
    is_same = citation.document_version_id == passage.document_version_id
    return is_same and citation.start <= start and end <= citation.end


def _citation(marker: str, support: Support) -> Citation:
    passage = support.passage
    return Citation(
        marker=marker,
        title=passage.title,
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=breadcrumb_at(passage.text, passage.breadcrumb, support.start),
        start=passage.start + support.start,
        end=passage.start + support.end,
        score=support.score,
        place=passage.place_of(support.start, support.end),
    )
