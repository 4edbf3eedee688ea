"""Understanding a question with a model (RET-3).

Belongs here: the role of such a model, and its result. Not here: prompts and calls (the answering package), rules
(`question`), combining the results of each concept (`headwater.retrieval.fusion`). Guarantee: pure.
"""

from dataclasses import dataclass
from typing import Protocol

from headwater.understanding.intents import Intent
from headwater.understanding.question import Understanding


@dataclass(frozen=True, kw_only=True, slots=True)
class Concepts:
    """A question's intent, and its subjects as texts that are searched for one by one."""

    intent: Intent
    concepts: tuple[str, ...]


class ConceptModel(Protocol):
    """Finds a question's intent and concepts; used only if rules are not enough."""

    name: str

    def find_concepts(self, understanding: Understanding) -> Concepts:
        """Read a question.

        Raises:
            ModelUnavailableError: the model does not answer; the search then continues with the question alone.
        """
        ...
