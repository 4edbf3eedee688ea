"""A request for an answer.

Belongs here: what a person or program asks, checked. Not here: making the answer (`making`). Guarantee: a request is
valid once it exists.
"""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from headwater.domain.answers import Turn
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchFilters
from headwater.retrieval.search import check_query


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerRequest:
    """A question to a knowledge base.

    `as_of` is a past time whose documents are used, None for the present. `history` are the earlier turns of a
    conversation, oldest first. `instructions` are wishes about tone, language and form, which a chat model follows as
    far as the rules of answers allow. `is_fresh` means that no stored answer may be served. `id` will be the answer's.
    With `conversation_id` the answer will be a turn of that conversation, after the turn `parent_id`, or at a beginning
    if that is None; `follows_last` means that no other turn may have been asked meanwhile.
    `headwater.answering.conversing` makes such requests.

    Raises:
        InvalidInputError: the question is empty. QuestionTooLongError: it is too long.
    """

    knowledge_base: KnowledgeBase
    question: str
    filters: SearchFilters = field(default_factory=SearchFilters)
    as_of: datetime | None = None
    history: tuple[Turn, ...] = ()
    instructions: str = ""
    is_fresh: bool = False
    conversation_id: UUID | None = None
    parent_id: UUID | None = None
    follows_last: bool = False
    id: UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", check_query(self.question))
