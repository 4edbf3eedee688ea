"""Verdicts on an answer, and the metrics that they make.

Belongs here: what is decided of an answer, and the definition of each answer metric. Not here: deciding (`rule_judge`,
`model_judge`), metrics of a ranking (`metrics`). Guarantee: pure; a metric that cannot be measured is left out, never
0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.evaluations import RelevantDocument
from headwater.evaluation.claims import CitedText, GivenAnswer

ANSWER_METRICS = (
    "faithfulness",
    "citation_precision",
    "citation_recall",
    "relevance",
    "wrong_refusals",
    "unanswerable_refused",
)
"""The metrics of answers; of `wrong_refusals` 0 is the best, of the others 1."""
LOWER_IS_BETTER = frozenset({"wrong_refusals"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """Decisions on an answer.

    They say of each claim whether its citations support it, of each citation whether it leads to a place that states a
    part of the expected answer, and whether the answer gives the expected answer or a main part of it.
    """

    claims: tuple[bool, ...]
    citations: tuple[bool, ...]
    is_relevant: bool

    @property
    def all(self) -> tuple[bool, ...]:
        """All of them in a fixed order."""
        return (*self.claims, *self.citations, self.is_relevant)


def metrics_of(given: GivenAnswer, verdicts: Verdicts | None) -> dict[str, float]:
    """The metrics of one answer.

    Args:
        given: the answer.
        verdicts: on it; None for a refusal, and for an answer that should have been one.
    """
    if given.golden.unanswerable:
        return {"unanswerable_refused": float(given.is_refused)}
    metrics = {"wrong_refusals": float(given.is_refused)}
    if given.is_refused or verdicts is None:
        return metrics
    if verdicts.claims:
        metrics["faithfulness"] = sum(verdicts.claims) / len(verdicts.claims)
    if verdicts.citations:
        metrics["citation_precision"] = sum(verdicts.citations) / len(verdicts.citations)
    metrics["citation_recall"] = _recall(given.golden.relevant, given.citations)
    metrics["relevance"] = float(verdicts.is_relevant)
    return metrics


def leads_to(citation: CitedText, relevant: RelevantDocument) -> bool:
    """Whether a citation leads to a right document, and to its page if one is named."""
    if citation.uri.partition("#page=")[0] != relevant.uri.partition("#page=")[0]:
        return False
    if relevant.page is None or (not citation.pages and "#page=" not in citation.uri):
        return True
    return relevant.page in citation.pages or citation.uri.endswith(f"#page={relevant.page}")


def _recall(relevant: Sequence[RelevantDocument], citations: Sequence[CitedText]) -> float:
    """The share of the right documents that are cited."""
    return sum(any(leads_to(citation, document) for citation in citations) for document in relevant) / len(relevant)
