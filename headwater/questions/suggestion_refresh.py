"""Refreshing the questions that a knowledge base offers its readers (QST-1).

Belongs here: checking questions after a change, and answering some ahead. Not here: the check itself
(`question_checks`), making questions (`headwater.syncing.questions`), Dagster. Guarantee: if no question has to be
checked or answered, nothing is made.
"""

from collections.abc import Callable
from dataclasses import dataclass

from headwater import __version__
from headwater.domain.corpus import Lineage
from headwater.domain.questions import CheckState
from headwater.identity import content_hash
from headwater.questions.advance_answers import Ahead, answer_ahead
from headwater.questions.question_checks import Checked, check_questions
from headwater.settings import Settings
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggested:
    """What a refresh of the suggestions did; `states` counts questions by result, `data_version` identifies both."""

    checked: Checked
    ahead: Ahead
    states: dict[CheckState, int]
    data_version: str


def refresh_suggestions(
    store: Store, settings: Settings, slug: str, run_id: str, tell: Callable[[str], None]
) -> Suggested | None:
    """Check the questions of a knowledge base that need it, and answer the likely ones.

    Returns:
        What was done; None if there was nothing to do.

    Raises:
        NotFoundError: there is no such knowledge base.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed; results so far are kept.
    """
    knowledge_base, by = store.knowledge_bases.get(slug), Lineage(run_id=run_id, code_version=__version__)
    checked = check_questions(store, settings, knowledge_base, by, tell)
    ahead = answer_ahead(store, settings, knowledge_base, by, tell)
    if not (checked.count or ahead.made or ahead.refused):
        return None
    states, digest = store.suggestions.counts(knowledge_base)
    return Suggested(checked=checked, ahead=ahead, states=states, data_version=content_hash(digest).hex())
