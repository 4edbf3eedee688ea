"""What a reader gets if a chat model finds no answer, or fails.

Belongs here: the words around the quote that stands in for a reply, when such a quote is an answer, the codes of
failures. Not here: the quote (`headwater.quote`), the events (`generative_answerer`). Guarantee: a quote is never passed
off as the model's answer; a refusal names the passage that came closest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.answering.answerer import refusal_text
from headwater.answering.closest import document_name
from headwater.answering.evidence import Evidence
from headwater.domain.answers import Degraded, FurtherPassage
from headwater.errors import GenerationFailedError, ModelUnavailableError
from headwater.generation.quote_block import quote_block
from headwater.generation.reply import ReplyReading
from headwater.quote.quotes import Quote

MIN_LOG_ODDS = 0.0
"""How likely a quote must be the answer, by the answer scorer, to be shown although the model found none."""
MAX_FURTHER = 2
_DECLINED = "The model found no answer. The closest passage says:"
_UNSUPPORTED = "No passage supports what the model wrote. The closest passage says:"
_FAILED = "The model did not answer. The closest passage says:"
_BROKE_OFF = "Here the model broke off. The closest passage says:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Declined:
    """What a reader is told; without a quote it is a refusal."""

    text: str
    quote: Quote | None = None


def declined(evidence: Evidence, quotes: Sequence[Quote], reading: ReplyReading) -> Declined:
    """Decide what follows a reply in which nothing has support.

    Args:
        evidence: of the question.
        quotes: the best first.
        reading: the reply.
    """
    if quotes and quotes[0].log_odds is not None and quotes[0].log_odds >= MIN_LOG_ODDS:
        return Declined(text=_DECLINED if reading.has_declined else _UNSUPPORTED, quote=quotes[0])
    refused = refusal_text(evidence)
    if not evidence.passages:  # the model was given summaries alone
        return Declined(text=refused)
    closest = quotes[0].passage if quotes else evidence.passages[0]
    return Declined(text=f"{refused} The closest passage is in {document_name(closest)}.")


def stand_in(quote: Quote, marker: str, *, has_text: bool) -> str:
    """The quote that follows what came of a reply, with its marker.

    Args:
        quote: the best one.
        marker: of its citation.
        has_text: whether anything of the reply was shown.
    """
    block = quote_block(quote, marker)
    return f" …\n\n{_BROKE_OFF}\n\n{block}" if has_text else f"{_FAILED}\n\n{block}"


def degraded_of(error: Exception) -> Degraded:
    """The code of a failure."""
    if isinstance(error, GenerationFailedError):
        return "broke_off"
    is_slow = isinstance(error, ModelUnavailableError) and error.is_slow
    return "too_slow" if is_slow else "model_unavailable"


def further_passages(quotes: Sequence[Quote]) -> tuple[FurtherPassage, ...]:
    """The passages of quotes that an answer does not cite, as a line each."""
    return tuple(
        FurtherPassage(
            title=quote.passage.title,
            uri=quote.passage.uri,
            source=quote.passage.source,
            chunk_id=quote.passage.chunk_id,
            document_id=quote.passage.document_id,
            document_version_id=quote.passage.document_version_id,
            breadcrumb=quote.headings or quote.passage.breadcrumb,
            start=quote.start,
            end=quote.end,
            line=quote.line or quote.plain,
            place=quote.place,
        )
        for quote in quotes[:MAX_FURTHER]
    )
