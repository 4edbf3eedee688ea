"""What a knowledge base cost: answers, and the summaries and questions of its syncs.

Belongs here: both as one list. Not here: the sums (`headwater.store.work.answers`, `headwater.store.work.sync_usage`).
Guarantee: nothing is written.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.usage import DayUsage
from headwater.store.store import Store


def usage_by_day(store: Store, knowledge_base: KnowledgeBase, days: int) -> list[DayUsage]:
    """What models were paid for in the last days, today (UTC) included, newest first; answers before summaries."""
    usages = [*store.answers.usage(knowledge_base, days), *store.spending.by_day(knowledge_base, days)]
    return sorted(usages, key=lambda usage: usage.day, reverse=True)
