"""What a reader gets if a chat model finds no answer, or fails.

Belongs here: what is said around the quote that stands in for a reply, when such a quote is an answer. Not here: the
sentences (`headwater.understanding.model_texts`), the quote (`headwater.quote`), the events (`generative_answerer`),
the failure (`models_gateway.model_failures`). Guarantee: a quote is never passed off as the model's answer; a refusal
names the passage that came closest.
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
from headwater.understanding.model_texts import BROKE_OFF, CLOSEST_IN, DECLINED, FAILED, SAYS, UNSUPPORTED
from headwater.understanding.reader_texts import ends_sentence, reader_text


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
        reason = DECLINED if reading.has_declined else UNSUPPORTED
        return Declined(text=_lead_in(reason, evidence.language), quote=quotes[0])
    refused = refusal_text(evidence)
    if not evidence.passages:  # the model was given summaries alone
        return Declined(text=refused)
    closest = quotes[0].passage if quotes else evidence.passages[0]
    location = reader_text(CLOSEST_IN, evidence.language, document=document_name(closest))
    return Declined(text=f"{refused}{_gap(evidence.language)}{location}")


def stand_in(quote: Quote, marker: str, language: str, *, shown: str) -> str:
    """The quote that follows what came of a reply, with its marker.

    Args:
        quote: the best one.
        marker: of its citation.
        language: the code of the reader's; empty if it is not known.
        shown: what of the reply was shown.
    """
    block, fence = quote_block(quote, marker), open_fence(shown)
    broken = f"\n{fence}\n\n…" if fence else " …"
    words = _lead_in(BROKE_OFF if shown else FAILED, language)
    return f"{broken}\n\n{words}\n\n{block}" if shown else f"{words}\n\n{block}"


def _lead_in(reason: str, language: str) -> str:
    """Why there is a quote instead of a reply, and that it is one."""
    return f"{reader_text(reason, language)}{_gap(language)}{reader_text(SAYS, language)}"


def _gap(language: str) -> str:
    """What stands between two sentences."""
    return "" if ends_sentence(language) == "。" else " "
