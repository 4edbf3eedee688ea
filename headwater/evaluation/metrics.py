"""Metrics of a ranking, with binary relevance, and of the agreement of two judges.

Belongs here: the definitions. Not here: what is relevant (`golden_set`), searching (`evaluator`), the judges
(`rule_judge`, `model_judge`). Guarantee: pure; each figure of a ranking is between 0 and 1, and 1 is the best.

A ranking is a list of booleans, best rank first: whether the document at that rank is relevant.
"""

import math
from collections.abc import Sequence


def ndcg_at(depth: int, ranking: Sequence[bool], relevant_count: int) -> float:
    """Normalised discounted cumulative gain: a relevant document counts more the higher it ranks.

    A hit at rank r is worth 1 / log2(r + 1); the sum over the first ranks is divided by the sum for the best ranking.
    Source: Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques
    (https://doi.org/10.1145/582415.582418), with the discount that trec_eval uses.

    Args:
        depth: how many ranks count.
        ranking: whether each rank's document is relevant.
        relevant_count: how many relevant documents there are, found or not; at least 1.
    """
    gain = sum(_discount(rank) for rank, is_hit in enumerate(ranking[:depth], start=1) if is_hit)
    return gain / sum(_discount(rank) for rank in range(1, min(depth, relevant_count) + 1))


def recall_at(depth: int, ranking: Sequence[bool], relevant_count: int) -> float:
    """The share of the relevant documents in the first ranks.

    Source: Manning, Raghavan and Schütze 2008, Introduction to Information Retrieval, section 8.3
    (https://nlp.stanford.edu/IR-book/html/htmledition/evaluation-of-unranked-retrieval-sets-1.html).

    Args:
        depth: how many ranks count.
        ranking: whether each rank's document is relevant.
        relevant_count: how many relevant documents there are, found or not; at least 1.
    """
    return sum(ranking[:depth]) / relevant_count


def reciprocal_rank(ranking: Sequence[bool]) -> float:
    """1 / the rank of the first relevant document, 0 if there is none; its mean over questions is the MRR.

    Source: Voorhees 1999, The TREC-8 question answering track report
    (https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf).
    """
    return next((1 / rank for rank, is_hit in enumerate(ranking, start=1) if is_hit), 0.0)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Agreement beyond chance: 1 if two judges always agree, 0 if as often as by chance, negative if less.

    It is (p - c) / (1 - c), where p is the share of equal verdicts, and c the share that is expected if both judges
    decided independently, each as often in favour as they did.
    Source: Cohen 1960, A coefficient of agreement for nominal scales (https://doi.org/10.1177/001316446002000104).

    Returns:
        None if it is not defined: there are no verdicts, or both judges always decided the same way.
    """
    if len(first) != len(second):
        raise ValueError("Both judges must decide on the same things.")
    if not first:
        return None
    mine, theirs = sum(first) / len(first), sum(second) / len(second)
    chance = mine * theirs + (1 - mine) * (1 - theirs)
    if chance == 1:
        return None
    agreed = sum(
        first_verdict is second_verdict
        for first_verdict, second_verdict in zip(map(bool, first), map(bool, second), strict=True)
    ) / len(first)
    return (agreed - chance) / (1 - chance)
