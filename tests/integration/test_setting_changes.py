"""Trying a model, what a change of settings costs, and a knowledge base as a file (KB-2, KB-4)."""

import re
from pathlib import Path
from typing import Any

import pytest

from headwater.administration.change_cost import ChangeCost, cost_of_change
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import read_file
from headwater.administration.knowledge_base_yaml import knowledge_base_yaml
from headwater.administration.knowledge_bases import change_knowledge_base, merge_settings
from headwater.administration.model_trial import try_model
from headwater.administration.sources import SourceEdit, change_source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from query_api.pages.settings_fields import read_settings, sections, texts_of
from tests.chat_server import MODEL, ChatServer, Says
from tests.support import Headwater

_IN_TIME = r"Answers in (?!0\.00).*\d\.\d\d s"

pytestmark = pytest.mark.synced(
    "docs", files={"pump.md": "# Pump\n\nThe pump lifts water.\n", "mill.md": "# Mill\n\nThe mill grinds wheat.\n"}
)


def _cost(kb: Headwater, **settings: Any) -> ChangeCost:
    return cost_of_change(kb.store, kb.knowledge_base, merge_settings(kb.knowledge_base.settings, settings))


def test_a_change_says_what_the_next_sync_does(kb: Headwater) -> None:
    """Texts that have no vector of the new model, calls of a chat model, and nothing for what counts at once."""
    nothing = _cost(kb, trust_floor=0.6)
    assert ([one.name for one in nothing.changes], nothing.needs_sync, nothing.texts) == (["trust_floor"], False, 0)
    local = _cost(kb, embedding_model="builtin/minilm-int8")
    assert (local.rebuilds_index, local.texts, local.is_exact, local.embedding_cost) == (True, 2, True, 0.0)
    paid = _cost(kb, embedding_model="openai/text-embedding-3-small")
    assert paid.embedding_cost is not None
    assert 0 < paid.embedding_cost < 0.01
    assert _cost(kb, embedding_model="openai/of-nobody").embedding_cost is None
    split = _cost(kb, chunk_max=500, chunk_min=100)
    assert (split.is_exact, split.rebuilds_index) == (False, True)
    summaries = _cost(kb, summary_model="openai/gpt-4o-mini")
    assert summaries.calls >= 3  # a document each, and the source
    assert summaries.needs_sync
    assert summaries.calls_cost
    assert _cost(kb, summary_model=None).calls == 0


@pytest.mark.parametrize(
    ("setting", "model", "is_usable", "words"),
    [
        (
            "embedding_model",
            "builtin/hash",
            True,
            rf"{_IN_TIME} with \d+ dimensions\. It knows English",
        ),
        ("embedding_model", "builtin/has", False, "There is no embedding model"),
        ("rerank_model", "builtin/lexical", True, rf"{_IN_TIME}\."),
        ("rerank_model", "none", True, "No model reranks"),
        ("answer_model", "builtin/extractive", True, "Built in"),
        ("question_model", "builtin/rules", True, "Built in"),
        ("answer_model", "nobody/model", False, "There is no chat model"),
        ("answer_model", MODEL, True, r"Answers in \d+\.\d s: “Ready\.”"),
    ],
)
def test_a_model_is_tried(
    kb: Headwater, chat: ChatServer, setting: str, model: str, is_usable: bool, words: str
) -> None:
    """It gets a few words of ours; how it answers, or why it does not, is a sentence."""
    chat.otherwise = "Ready."
    trial = try_model(kb.store, kb.settings, kb.knowledge_base, setting, model)
    assert (trial.is_usable, bool(re.match(words, trial.words))) == (is_usable, True), trial.words


def test_a_model_that_fails_is_no_error(kb: Headwater, chat: ChatServer) -> None:
    """The sentence says why."""
    chat.otherwise = lambda _: Says("", ending="error")
    trial = try_model(kb.store, kb.settings, kb.knowledge_base, "cheap_model", MODEL)
    assert (trial.is_usable, MODEL in trial.words) == (False, True)


def test_a_knowledge_base_is_the_file_that_makes_it(kb: Headwater, tmp_path: Path) -> None:
    """Applying it changes nothing; defaults are left out."""
    boosts = [{"category": "guides", "factor": 1.5}]
    change_knowledge_base(
        kb.store, "kb", name="Pümps: #1", description="Of water.", settings={"top_k": 7, "boosts": boosts}
    )
    change_source(kb.store, "kb", "docs", SourceEdit(settings={"refresh": 21_600, "tags": ("staff",)}))
    owner = kb.store.knowledge_bases.get("kb")
    text = knowledge_base_yaml(kb.store, owner, owner.settings)
    (tmp_path / "kb.yaml").write_text(text, encoding="utf-8")
    applied = apply(kb.store, read_file(tmp_path / "kb.yaml"))
    assert (applied.knowledge_base, applied.unchanged, applied.changed) == ("unchanged", ["docs"], [])
    assert "trust_floor" not in text
    assert "refresh: 6h" in text


def test_every_setting_has_an_input_that_keeps_its_value() -> None:
    """The form reads back what it shows, whatever is set."""
    shown = {one.name for section in sections() for one in (*section.fields, *section.more)}
    assert shown | {"prompts", "boosts"} == KnowledgeBaseSettings.model_fields.keys()
    for settings in (
        KnowledgeBaseSettings(),
        KnowledgeBaseSettings(
            summary_model=None, chunk_summaries=False, top_k=7, answer_fallbacks=("openai/a", "openai/b"),
            prompts={"golden": "Ask about $passage."}, boosts=({"tag": "a", "factor": 2.0},),
            store_questions=False, temperature=0.3, embedding_languages=("en", "de"),
        ),
    ):  # fmt: skip
        assert KnowledgeBaseSettings.model_validate(read_settings(texts_of(settings))) == settings
