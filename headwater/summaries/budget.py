"""The budget of a run: how many tokens its summaries may take.

Belongs here: counting them, and when to stop. Not here: calls, what is left. Guarantee: no call begins once the budget
is spent, so at most the calls that are under way go beyond it; a budget lets at least one call of each run happen.

It is in tokens, not in money: a model on one's own machine, or one that litellm has no price of, has no cost to count.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headwater.domain.usage import Usage
from headwater.summaries.tree import Wanted


class BudgetReachedError(Exception):
    """The budget of the run is spent; the summaries that were made are stored, and the next run goes on with them."""


@dataclass(kw_only=True, slots=True)
class Budget:
    """The tokens that a run may still take for the summaries of a knowledge base; `limit` is None without one."""

    limit: int | None
    spent: int = 0
    estimate: Callable[[Wanted], Usage] = lambda _: Usage()
    """The most tokens that a call will take."""

    def affordable(self, wanted: Sequence[Wanted]) -> int:
        """How many of some summaries, the first ones, may be asked for at once.

        Raises:
            BudgetReachedError: none.
        """
        if self.limit is None:
            return len(wanted)
        begun, expected = 0, self.spent
        while begun < len(wanted) and expected < self.limit:
            expected += _tokens(self.estimate(wanted[begun]))
            begun += 1
        if not begun:
            raise BudgetReachedError
        return begun

    def note(self, usage: Usage) -> None:
        """Count a call."""
        self.spent += _tokens(usage)


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens
