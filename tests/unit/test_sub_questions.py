"""The parts of a question that asks for several things, by rules (RET-3)."""

import pytest

from headwater.understanding.question import understand
from headwater.understanding.sub_questions import RuleConcepts, find_parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How do I install it?", ()),
        ("What does https://example.org/?page=2 show? I forgot.", ()),
        ("Why does my VS Code server run even after I've been idle for a long time?", ()),
        ("How do costs differ between plan A and plan B?", ("costs plan A", "costs plan B")),
        ("What is the difference between HNSW and IVFFlat indexes?", ("HNSW", "IVFFlat indexes")),
        ("Compare the download and the wheel", ("download", "wheel")),
        ("Dask versus Argo?", ("Dask", "Argo")),
        ("Dask or Argo, what are the trade-offs?", ("Dask", "Argo")),
        ("Which is better, Dask or Argo?", ("Dask", "Argo")),
        ("How do pods and packs differ?", ("pods", "packs")),
        ("水車と風車は何が違いますか", ("水車", "風車")),
        (
            "How do I start the pump? And how do I start the mill?",
            ("How do I start the pump?", "And how do I start the mill?"),
        ),
        (
            "How do I back up the database? And how do I restore it?",
            ("How do I back up the database?", "And how do I restore it? database"),
        ),
        ("The pump stopped. Where are the logs? Who repairs a pump?", ("Where are the logs?", "Who repairs a pump?")),
    ],
)
def test_each_part_is_searched_for(question: str, parts: tuple[str, ...]) -> None:
    """Each of several questions, and each side of a comparison; a question for one thing has no parts (RET-3)."""
    understanding = understand(question)
    assert find_parts(understanding) == parts
    assert RuleConcepts().find_concepts(understanding).concepts == parts
    assert RuleConcepts().find_concepts(understanding).intent is understanding.intent
