"""What command line and API both do: checked before anything changes (KB-1, KB-2, SRC-10)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from cli.main import main
from headwater.administration.deletion import Doomed, would_delete
from headwater.administration.golden_sets import replace_golden_set
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.administration.knowledge_bases import change_knowledge_base, create_knowledge_base
from headwater.administration.sources import SourceEdit, add_source, change_source
from headwater.administration.sync_requests import request_sync
from headwater.domain.evaluations import GoldenQuestion
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.errors import InvalidConfigurationError, InvalidInputError, SourcePausedError, UnknownModelError
from headwater.store.store import Store
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
MODELS = [{"embedding_model": "nobody/knows"}, {"rerank_model": "nobody/knows"}]


@pytest.mark.parametrize("chosen", MODELS)
def test_a_model_that_nobody_has_is_refused_wherever_settings_come_from(
    store: Store, tmp_path: Path, chosen: dict[str, str]
) -> None:
    """A description that did not come from a file is checked like one that did, and nothing of it is done."""
    settings = KnowledgeBaseSettings.model_validate(chosen)
    source = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(tmp_path)})
    spec = KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=settings, sources=(source,))
    with pytest.raises(UnknownModelError, match="nobody/knows"):
        apply(store, spec)
    with pytest.raises(UnknownModelError, match="nobody/knows"):
        create_knowledge_base(store, "kb", settings=settings)
    assert store.knowledge_bases.all() == []
    made = create_knowledge_base(store, "kb")
    with pytest.raises(UnknownModelError, match="nobody/knows"):
        change_knowledge_base(store, "kb", name="Other", settings=chosen)
    assert store.knowledge_bases.get("kb") == made


def test_applying_changes_nothing_when_one_source_is_wrong(store: Store, tmp_path: Path) -> None:
    """This also holds for the last one, and for descriptions from any origin."""
    good = SourceSpec(slug="docs", kind="markdown_tree", config={"path": str(tmp_path)})
    bad = replace(good, slug="more", config={"paht": str(tmp_path)})
    settings = KnowledgeBaseSettings()
    spec = KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=settings, sources=(good, bad))
    with pytest.raises(InvalidConfigurationError, match="paht"):
        apply(store, spec)
    assert store.knowledge_bases.all() == []


def test_single_settings_are_merged_and_judged_together(store: Store) -> None:
    """Settings that are not given stay; one that does not go with the others is refused."""
    create_knowledge_base(store, "kb", settings=KnowledgeBaseSettings(chunk_max=600, chunk_min=100))
    changed = change_knowledge_base(store, "kb", settings={"top_k": 9})
    assert (changed.settings.chunk_max, changed.settings.top_k, changed.name) == (600, 9, "kb")
    with pytest.raises(ValidationError, match="at most half of chunk_max"):
        change_knowledge_base(store, "kb", settings={"chunk_min": 400})
    assert store.knowledge_bases.get("kb").settings == changed.settings


def test_pausing_a_source_keeps_everything_else_of_it(store: Store, tmp_path: Path) -> None:
    """A paused source is not synced; null takes one setting back (SRC-10)."""
    create_knowledge_base(store, "kb")
    kept = SourceSettings.model_validate({"refresh": "6h", "tags": ["a"]})
    made = add_source(store, "kb", "docs", kind="markdown_tree", config={"path": str(tmp_path)}, settings=kept)
    paused = change_source(store, "kb", "docs", SourceEdit(settings={"paused": True}))
    assert (paused.refresh_seconds, paused.tags, paused.config) == (21_600, ("a",), made.config)
    assert paused.paused_at is not None
    with pytest.raises(SourcePausedError):
        request_sync(store, "kb", [], "api")
    edit = SourceEdit(fields={"path": str(tmp_path / "new")}, settings={"paused": None, "refresh": None})
    resumed = change_source(store, "kb", "docs", edit)
    assert (resumed.paused_at, resumed.refresh_seconds, resumed.tags) == (None, None, ("a",))
    assert resumed.config == {"path": str(tmp_path / "new")}
    assert [source.slug for source in request_sync(store, "kb", [], "api").sources] == ["docs"]


def test_both_doors_refuse_a_sync_of_nothing_in_the_same_words(headwater: Make) -> None:
    """The command line and the API call one function."""
    kb = headwater()
    create_knowledge_base(kb.store, "empty")
    with pytest.raises(InvalidInputError) as refused:
        request_sync(kb.store, "empty", [], "api")
    done = CliRunner().invoke(main, ["sync", "empty"])
    answer = create_app(kb.settings).test_client().post("/api/v1/knowledge-bases/empty/syncs", json={})
    assert (done.exit_code, answer.status_code) == (2, 422)
    assert str(refused.value) in done.stderr
    assert answer.json is not None
    assert answer.json["detail"] == str(refused.value)


def test_what_would_go_is_what_goes(headwater: Make) -> None:
    """The question before a deletion states the correct counts."""
    kb = headwater("docs", "more", files={"docs/a.md": "# A\n\nPump.", "docs/b.md": "# B\n\nWell.", "more/c.md": "# C"})
    kb.sync()
    assert would_delete(kb.store, "kb") == Doomed(sources=2, documents=3)
    assert would_delete(kb.store, "kb", "docs") == Doomed(sources=1, documents=2)
    assert kb.delete("docs").removed["documents"] == 2


def test_a_golden_set_that_is_wrong_in_part_changes_nothing(store: Store) -> None:
    """The message names the question."""
    create_knowledge_base(store, "kb")
    good = GoldenQuestion.model_validate({"question": "Which pump?", "relevant": [{"uri": "a.md"}]})
    assert replace_golden_set(store, "kb", [good]) == {
        "question_count": 1, "added": 1, "changed": 0, "removed": 0, "unchanged": 0,
    }  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"questions\[1\]"):
        replace_golden_set(store, "kb", [good, good.model_copy(update={"question": "x" * 100_000})])
    assert len(store.evaluations.golden_questions(store.knowledge_bases.get("kb"))) == 1
