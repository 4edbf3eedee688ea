"""What a model makes of a question (RET-3).

Belongs here: the role of such a model, and what it gives. Not here: prompts and calls (the answering package), rules
(`question`), putting together what each concept found (`headwater.retrieval.fusion`). Guarantee: pure.
"""

from dataclasses import dataclass
from typing import Protocol

from headwater.retrieval.understanding.intents import Intent
from headwater.retrieval.understanding.question import Understanding


@dataclass(frozen=True, kw_only=True, slots=True)
class Concepts:
    """A question's intent, and what it is about as texts that are searched for one by one."""

    intent: Intent
    concepts: tuple[str, ...]


class ConceptModel(Protocol):
    """Finds a question's intent and concepts; asked only where rules do not suffice."""

    name: str

    def find_concepts(self, understanding: Understanding) -> Concepts:
        """Read a question.

        Raises:
            ModelUnavailableError: the model does not answer; a search then goes on with the question alone.
        """
        ...
