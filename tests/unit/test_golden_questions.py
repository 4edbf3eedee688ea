"""Golden questions that rules make."""

from uuid import UUID

from headwater.evaluation.golden_generator import _by_rules
from headwater.store.work.evaluations import AskableChunk


def _ask(heading: str) -> list[str]:
    text = "Secrets are in the vault of the works, and the code is in its repository."
    chunk = AskableChunk(
        chunk_id=UUID(int=1),
        document_version_id=UUID(int=2),
        uri="a.md",
        title="Works",
        breadcrumb=("Works", heading),
        text=text,
        start=0,
        end=len(text),
        language="en",
    )
    return [written.question for written in _by_rules(chunk)]


def test_a_heading_that_begins_with_a_noun_asks_nothing() -> None:
    """`Access to …` says what there is, not what to do."""
    assert _ask("Access to code and secrets") == []
    assert _ask("Control of access to secrets") == []
    assert _ask("Connect to the vault of secrets") == ["How do I connect to the vault of secrets?"]
