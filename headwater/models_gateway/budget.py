"""The budget of a run: how many tokens its summaries and its questions may take.

Belongs here: counting them, and when to stop. Not here: calls (`result_cache`), the tokens that the run took before
(`headwater.store.work.sync_usage`). Guarantee: no call begins once the budget is spent, so at most the calls that are
under way go beyond it; a budget lets at least one call of each run happen.

It is in tokens, not in money: a model on one's own machine, or one that litellm has no price of, has no cost to count.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.domain.usage import Usage


class BudgetReachedError(Exception):
    """The budget of the run is spent; the results that were paid for are stored, and the next run goes on with them."""


@dataclass(kw_only=True, slots=True)
class Budget:
    """The tokens that a run may still take for a knowledge base; `limit` is None without one."""

    limit: int | None
    spent: int = 0

    def affordable(self, expected: Iterable[Usage]) -> int:
        """How many of some calls, the first ones, may begin at once; one that takes nothing always may.

        Args:
            expected: the most that each call will take.

        Raises:
            BudgetReachedError: none.
        """
        if self.limit is None:
            return sum(1 for _ in expected)
        count, token_count = 0, self.spent
        for usage in expected:
            if token_count >= self.limit and usage.tokens:
                break
            token_count += usage.tokens
            count += 1
        if not count:
            raise BudgetReachedError
        return count

    def note(self, usage: Usage) -> None:
        """Count a call."""
        self.spent += usage.tokens
