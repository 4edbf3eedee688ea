"""Serving a stored answer again (ANS-2).

Belongs here: when a stored answer serves a new request, and when it is stale. Not here: the rows
(`headwater.store.work.answers`). Guarantee: an answer is never served after a document that it cites has changed, or
after its knowledge base has gained or changed documents.
"""

from headwater.answering.request import AnswerRequest
from headwater.domain.answers import KeptAnswer
from headwater.settings import Settings
from headwater.store.store import Store


def find_reusable(store: Store, settings: Settings, request: AnswerRequest) -> KeptAnswer | None:  # noqa: ARG001 - soon
    """The stored answer that serves a request; None if it must be made."""
    return None
