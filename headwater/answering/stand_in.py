"""What a reader gets if a chat model finds no answer, or fails.

Belongs here: the words around the quote that stands in for a reply, when such a quote is an answer. Not here: the quote
(`headwater.quote`), the events (`generative_answerer`), the failure (`models_gateway.model_failures`). Guarantee: a
quote is never passed off as the model's answer; a refusal names the passage that came closest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.answering.answer_evidence import Evidence
from headwater.answering.closest_passages import document_name
from headwater.answering.refusal import is_answered, refusal_text
from headwater.generation.quote_block import quote_block
from headwater.generation.reply import ReplyReading
from headwater.generation.statement_splitter import open_fence
from headwater.quote.quotes import Quote

_DECLINED = "The model found no answer. The closest passage says:"
_UNSUPPORTED = "No passage supports what the model wrote. The closest passage says:"
_FAILED = "The model did not answer. The closest passage says:"
_BROKE_OFF = "Here the model broke off. The closest passage says:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Declined:
    """What a reader is told; without a quote it is a refusal."""

    text: str
    quote: Quote | None = None


def decide_stand_in(evidence: Evidence, quotes: Sequence[Quote], reading: ReplyReading) -> Declined:
    """Decide what follows a reply in which nothing has support.

    Args:
        evidence: of the question.
        quotes: the best first.
        reading: the reply.
    """
    if is_answered(evidence, quotes):
        return Declined(text=_DECLINED if reading.has_declined else _UNSUPPORTED, quote=quotes[0])
    refused = refusal_text(evidence)
    if not evidence.passages:  # the model was given summaries alone
        return Declined(text=refused)
    closest = quotes[0].passage if quotes else evidence.passages[0]
    return Declined(text=f"{refused} The closest passage is in {document_name(closest)}.")


def stand_in(quote: Quote, marker: str, *, shown: str) -> str:
    """The quote that follows what came of a reply, with its marker.

    Args:
        quote: the best one.
        marker: of its citation.
        shown: what of the reply was shown.
    """
    block, fence = quote_block(quote, marker), open_fence(shown)
    broken = f"\n{fence}\n\n…" if fence else " …"
    return f"{broken}\n\n{_BROKE_OFF}\n\n{block}" if shown else f"{_FAILED}\n\n{block}"
