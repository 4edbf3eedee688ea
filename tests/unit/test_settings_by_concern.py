"""A knowledge base's settings are grouped by concern, and flat for everyone who writes them (KB-2)."""

import pytest
from pydantic import ValidationError

from headwater.chunking.chunker import chunk_settings
from headwater.domain.knowledge_base_settings import (
    PROMPT_VALUES,
    REMOVED,
    ChunkingSettings,
    KnowledgeBaseSettings,
    PromptName,
)
from headwater.prompts.prompt import fill

CONCERNS = KnowledgeBaseSettings.__bases__
FLAT = {
    "boosts", "chunk_max", "chunk_min", "chunk_overlap", "context_tokens",
    "embedding_languages", "embedding_model", "fusion", "heading_weight", "language", "rerank_model",
    "rerank_threshold", "similarity_threshold", "top_k", "traversal_depth", "trust_floor",
    "follow_links", "vector_weight", "answer_fallbacks", "answer_model", "answer_tokens", "cheap_model", "prompts",
    "quote_when_model_fails", "reuse_answers", "store_questions", "temperature", "judge_model",
    "evaluate_answers",
    "chunk_summaries", "summary_model", "summary_budget", "summary_tokens", "piece_max", "summary_max",
    "question_model", "questions_per_document",
    "answer_ahead", "answer_ahead_budget",
}  # fmt: skip


def test_every_setting_belongs_to_one_concern() -> None:
    """So that there is one place to look for it, and none is declared beside the concerns."""
    names = [name for concern in CONCERNS for name in concern.model_fields]  # type: ignore[attr-defined]
    assert sorted(names) == sorted(KnowledgeBaseSettings.model_fields)


def test_files_rows_and_the_api_have_one_flat_list() -> None:
    """A row that an older release wrote is read, and a name that was given stays where it was."""
    assert set(KnowledgeBaseSettings().model_dump()) == FLAT
    chosen = KnowledgeBaseSettings.model_validate(
        {"chunk_max": 600, "chunk_min": 100, "top_k": 9, "fusion": "weighted"}
    )
    stored = chosen.model_dump(exclude_defaults=True)
    assert stored == {"chunk_max": 600, "chunk_min": 100, "top_k": 9, "fusion": "weighted"}
    assert KnowledgeBaseSettings.model_validate(stored) == chosen


def test_a_setting_that_was_removed_is_read_and_dropped() -> None:
    """A row or a file of an earlier release still opens, with its other settings (KB-2)."""
    old = KnowledgeBaseSettings.model_validate({**dict.fromkeys(REMOVED, 0.3), "top_k": 9})
    assert old == KnowledgeBaseSettings(top_k=9)
    assert not set(REMOVED) & FLAT


@pytest.mark.parametrize("wrong", [{"chunk_min": 600}, {"fusion": "weighted", "heading_weight": 1}, {"topk": 5}])
def test_each_concern_judges_its_own(wrong: dict[str, object]) -> None:
    """Its rules hold for the whole, too, and no unknown name gets by."""
    with pytest.raises(ValidationError):
        KnowledgeBaseSettings.model_validate(wrong)


def test_a_prompt_of_ones_own_names_what_the_model_reads() -> None:
    """Without the passages, a model would answer from elsewhere; the message says what is missing."""
    with pytest.raises(ValidationError, match=r"prompts.answer must contain \$context, where the model reads them"):
        KnowledgeBaseSettings.model_validate({"prompts": {"answer": "Answer $question for $5."}})
    assert KnowledgeBaseSettings.model_validate({"prompts": {"answer": "$context\n${question}"}}).prompts


@pytest.mark.parametrize("name", PROMPT_VALUES)
def test_the_default_prompts_keep_the_rule(name: PromptName) -> None:
    """A knowledge base may start from the words that Headwater ships."""
    words = fill(name, KnowledgeBaseSettings()).text
    assert KnowledgeBaseSettings.model_validate({"prompts": {name: words}}).prompts == {name: words}


def test_a_concern_can_be_given_alone() -> None:
    """Code that splits documents needs no settings of answers."""
    assert chunk_settings(ChunkingSettings()) == chunk_settings(KnowledgeBaseSettings())
