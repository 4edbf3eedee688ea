"""Whether the difference between two settings is more than chance.

Belongs here: the paired test, the interval of a difference, the correction for several metrics. Not here: measuring
(`measurement`), which settings (`comparison`, `tuner`). Guarantee: pure; the same figures always give the same result,
because the random numbers start from a fixed seed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.05
"""The chance of calling two equal settings different that is accepted, over all metrics of a comparison."""
ROUNDS = 10_000
"""Random assignments, and random samples of questions."""
_SEED = 20_260_101


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The difference of one metric between two settings on the same questions, the second minus the first.

    `low` and `high` are the 95 % interval of the difference. `p` is the chance of a difference this large if the
    settings were equal, corrected for the number of metrics. `question_count` counts those with both values.
    """

    first: float
    second: float
    low: float
    high: float
    p: float
    question_count: int

    @property
    def difference(self) -> float:
        """By how much the second is higher."""
        return self.second - self.first

    @property
    def is_significant(self) -> bool:
        """Whether so many questions can show that the settings differ."""
        return self.p < LEVEL


def compare_pairs(pairs: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, Difference]:
    """Compare two settings in each metric.

    A paired randomisation test: in every round, each question's two values are swapped or not, by chance. `p` is the
    share of rounds with a mean difference at least as large, in either direction; Holm's method corrects it for the
    number of metrics in which a question differs. The interval is a bootstrap's over the questions.
    Sources: Smucker, Allan and Carterette 2007 (https://doi.org/10.1145/1321440.1321528); Holm 1979
    (https://www.jstor.org/stable/4615733).

    Args:
        pairs: for each metric, the values of both settings for each question.
    """
    differences = {name: _compare_values(np.array(values, float)) for name, values in pairs.items() if len(values)}
    corrected = dict.fromkeys(differences, 1.0) | _holm(
        {name: difference.p for name, difference in differences.items() if difference.low or difference.high}
    )
    return {
        name: Difference(
            first=difference.first,
            second=difference.second,
            low=difference.low,
            high=difference.high,
            p=corrected[name],
            question_count=difference.question_count,
        )
        for name, difference in differences.items()
    }


def _compare_values(values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Difference:
    """Compare values of shape (questions, 2)."""
    random = np.random.default_rng(_SEED)
    differences = values[:, 1] - values[:, 0]
    count, observed = len(differences), abs(differences.mean())
    as_large, means = 0, []
    for _ in range(10):  # in parts, which bounds the memory for many questions
        signs = random.integers(0, 2, (ROUNDS // 10, count), dtype=np.int8) * 2 - 1
        as_large += int((np.abs(signs @ differences / count) >= observed - 1e-12).sum())
        means.append(differences[random.integers(0, count, (ROUNDS // 10, count))].mean(axis=1))
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    return Difference(
        first=float(values[:, 0].mean()),
        second=float(values[:, 1].mean()),
        low=float(low),
        high=float(high),
        p=(as_large + 1) / (ROUNDS + 1),
        question_count=count,
    )


def _holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Correct chances for their number: the smallest is multiplied by it, the next by one less, and so on."""
    corrected, highest = {}, 0.0
    for place, name in enumerate(sorted(chances, key=lambda name: chances[name])):
        highest = min(1.0, max(highest, chances[name] * (len(chances) - place)))
        corrected[name] = highest
    return corrected
