"""Replacing a knowledge base's golden set (EVL-1).

Belongs here: the checks before the set changes. Not here: reading the file, evaluating (`headwater.evaluation`).
Guarantee: a set with any error changes nothing.
"""

from collections.abc import Sequence

from headwater.domain.evaluations import GoldenQuestion
from headwater.evaluation.golden import check_golden_set
from headwater.store.store import Store


def replace_golden_set(store: Store, knowledge_base: str, questions: Sequence[GoldenQuestion]) -> dict[str, int]:
    """Replace the whole golden set; an empty one removes it.

    Returns:
        `question_count`, and how many questions were added, changed, removed and left unchanged.

    Raises:
        InvalidInputError: a question is empty or too long.
        NotFoundError: there is no such knowledge base.
    """
    checked = check_golden_set(questions)
    counts = store.evaluations.replace_golden_questions(knowledge_base, checked)
    return {"question_count": len(checked), **counts}
