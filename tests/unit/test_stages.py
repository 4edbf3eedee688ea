"""The chain's stages: each says everything about itself, and nobody else names it (OPS-1)."""

import ast
import inspect

import pytest

from headwater.settings import REPOSITORY
from headwater.syncing.stage import ROOT, Stage
from headwater.syncing.stages import STAGES

_NAMES = [stage.name for stage in STAGES]
_OTHER_MEANINGS = {
    ("assets/search_index.py", "documents"),  # how many documents an index serves
    ("assets/checks.py", "links"),  # the check of links has the name of what it checks
    ("assets/evaluation.py", "questions"),  # how many golden questions there are
    ("assets/knowledge_base_summary.py", "summary_tree"),  # the table that holds its node too
}


def test_a_stage_comes_after_the_one_that_it_builds_on() -> None:
    """So that one loop, in order, is enough; no name is there twice."""
    known = {ROOT}
    for stage in STAGES:
        assert stage.parent in known
        assert stage.name not in known
        known.add(stage.name)


@pytest.mark.parametrize("stage", STAGES, ids=_NAMES)
def test_a_stage_is_one_module_of_its_name(stage: Stage) -> None:
    """The module of a stage's work has its name, and contains what people see of it."""
    assert inspect.getmodule(stage.work).__name__ == f"headwater.syncing.{stage.name}"  # type: ignore[union-attr]
    assert all((stage.doing, stage.description, stage.columns, stage.code_version))


def test_the_adapters_name_no_stage() -> None:
    """Assets, jobs and progress are made from the list of stages, so a new stage changes none of them."""
    files = [*(REPOSITORY / "assets").glob("*.py"), *(REPOSITORY / "pipelines").glob("*.py")]
    files += [REPOSITORY / "cli" / "progress.py", REPOSITORY / "headwater" / "syncing" / "flow.py"]
    named = {
        (str(file.relative_to(REPOSITORY)), node.value)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in _NAMES
    }
    assert named == _OTHER_MEANINGS
