"""Results that a model is paid for: looking up, calling, storing, within a budget.

Belongs here: calls beside each other, and counting them. Not here: what is made of which text (`headwater.summaries`,
`headwater.questions`), the tables. Guarantee: a result that was paid for is stored before more are asked for, so a
crash pays for at most a batch again; no call begins once the budget is spent.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from headwater.domain.usage import ModelResult, Usage
from headwater.models_gateway.budget import Budget

TOGETHER = 8
"""Calls beside each other; the model's own bounds may allow fewer."""
Wanted = TypeVar("Wanted")
Value = TypeVar("Value")


@dataclass(kw_only=True, slots=True)
class ResultCache(Generic[Wanted, Value]):
    """Looks results up by their keys, and makes those that do not exist.

    `made` and `reused` count them, `dropped` those of `made` whose reply was of no use; `usage` sums up the cost.
    """

    make: Callable[[Wanted], ModelResult[Value]]
    known: Callable[[Sequence[bytes]], Mapping[bytes, Value]]
    """Returns those that are stored."""
    store: Callable[[Sequence[ModelResult[Value]]], None]
    expected: Callable[[Wanted], Usage]
    """The most that a call will take."""
    budget: Budget
    batch: int = 0
    """How many are made before they are stored: 0 for `TOGETHER`; more only if making one costs nothing."""
    made: int = 0
    reused: int = 0
    dropped: int = 0
    usage: Usage = field(default_factory=Usage)

    def __call__(self, wanted: Mapping[bytes, Wanted]) -> dict[bytes, Value]:
        """The results by key.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer; what it had made is stored.
            BudgetReachedError: the budget is spent; what was made is stored.
        """
        values = dict(self.known(list(wanted)))
        self.reused += len(values)
        missing = [item for key, item in wanted.items() if key not in values]
        with ThreadPoolExecutor(TOGETHER, "paid calls") as pool:
            while missing:
                count = self.budget.affordable(map(self.expected, missing[: self.batch or TOGETHER]))
                values |= {result.key: result.value for result in self._make_results(pool, missing[:count])}
                del missing[:count]
        return values

    def _make_results(self, pool: ThreadPoolExecutor, wanted: Sequence[Wanted]) -> list[ModelResult[Value]]:
        """Make some beside each other, and store all that succeed, even if one fails."""
        futures = [pool.submit(self.make, item) for item in wanted]
        errors = [error for error in (future.exception() for future in futures) if error is not None]
        results = [future.result() for future in futures if future.exception() is None]
        self.store(results)
        self.made += len(results)
        for result in results:
            self.dropped += result.is_dropped
            self.usage += result.usage
            self.budget.note(result.usage)
        if errors:
            raise errors[0]
        return results
