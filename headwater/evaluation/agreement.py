"""How far two judges agree.

Belongs here: Cohen's kappa. Not here: the judges (`rule_judge`, `model_judge`). Guarantee: pure.
"""

from collections.abc import Sequence


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
