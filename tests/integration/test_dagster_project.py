"""`examples/dagster_project`, in an environment of its own with the two wheels (OPS-6, REL-1).

Belongs here: the project as its owner runs it. Not here: the parts of the component (`test_dagster_headwater.py`).
Guarantee: the wheels are built from copies and installed from files, without an index; the environment borrows the
libraries (not Headwater) of the one that runs the tests.
"""

import fcntl
import json
import os
import runpy
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from headwater.settings import REPOSITORY
from tests.integration.test_dagster_commands import has_dg
from tests.integration.test_wheel import pip
from tests.pages.reading import read_page

_EXAMPLE = REPOSITORY / "examples/dagster_project"
_JUNK = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", ".headwater", "crm.db", "tickets")
pytestmark = pytest.mark.skipif(find_spec("setuptools") is None, reason="setuptools, which builds wheels, is missing")

# Runs of the project in one process: as it is, again, with an edited row, one stage, checks alone, a broken source, and
# a renamed one.
_DRIVER = """
import json, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import dagster as dg

index = dg.AssetKey(["support", "search_index"])
checks = dg.define_asset_job("only_checks", selection=dg.AssetSelection.checks_for_assets(index))
def load():
    return dg.Definitions.merge(
        dg.load_from_defs_folder(path_within_project=Path("src/shop")), dg.Definitions(jobs=[checks])
    )

defs = load()
job = defs.resolve_implicit_global_asset_job_def()
tickets, found = Path("data/tickets.csv"), []

def run(job=job, **chosen):
    done = job.execute_in_process(instance=instance, raise_on_error=False, **chosen)
    made = {
        event.asset_key.to_user_string(): {
            **{name: value.value for name, value in event.materialization.metadata.items()
               if name in ("embedded", "added", "changed", "unchanged", "answer", "origins")},
            "version": event.materialization.tags.get("dagster/data_version"),
            "columns": [each.name for each in event.materialization.metadata["dagster/column_schema"].schema.columns]
                       if "dagster/column_schema" in event.materialization.metadata else None,
        }
        for event in done.get_asset_materialization_events()
    }
    seen = done.get_asset_check_evaluations()
    checks = {f"{one.asset_key.to_user_string()}:{one.check_name}": one.passed for one in seen}
    forms = {one.metadata["form"].value for one in seen if "form" in one.metadata}
    failures = [event.event_specific_data.error_display_string for event in done.get_step_failure_events()]
    why = "".join(failures)
    warned = [entry.user_message for entry in instance.all_logs(done.run_id) if entry.level == 30]
    found.append({"success": done.success, "made": made, "checks": checks, "forms": sorted(forms), "why": why,
                  "warned": warned})

with dg.DagsterInstance.ephemeral() as instance:
    run()
    run(tags={"dagster/schedule_name": "nightly"})
    tickets.write_text(tickets.read_text().replace("Greasing the seal with silicone grease", "Replacing the seal"))
    run()
    run(asset_selection=[dg.AssetKey(["support", "tickets", "chunks"])])
    run(defs.resolve_job_def("only_checks"))
    Path("handbook").rename("gone")
    run()
    listed = Path("src/shop/defs/support/defs.yaml")
    text = listed.read_text().replace("slug: handbook", "slug: pages")
    listed.write_text(text.replace("path: handbook", "path: gone"))
    run(load().resolve_implicit_global_asset_job_def())
print(json.dumps(found))
"""


class Project:
    """The project in its environment."""

    def __init__(self, folder: Path, python: Path, cache: Path, database_url: str) -> None:
        self.folder = folder
        self.python = python
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAGSTER", "HEADWATER"))}
        # Another Dagster may come first in the path, but not another Headwater.
        given = [each for each in kept.get("PYTHONPATH", "").split(os.pathsep) if each]
        others = [each for each in given if not Path(each, "headwater").is_dir()]
        self.environ = {
            **kept, "HEADWATER_CACHE": str(cache), "SHOP_HEADWATER_DATABASE": database_url, "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": os.pathsep.join([str(folder / "src"), *others]), "DAGSTER_HOME": str(folder / "home"),
        }  # fmt: skip

    def run(self, *arguments: str) -> str:
        """Run its Python; returns what it prints."""
        command = [str(self.python), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environ, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def dg(self, *arguments: str) -> str:
        """Run its `dg`."""
        return self.run("-c", "from dagster_dg_cli.cli import main; main()", *arguments)


@pytest.fixture(scope="session")
def python(cache: Path) -> Path:
    """The Python of an empty environment with the wheels; the first process of a run makes it, the others wait."""
    folder = cache.parent / "wheels"
    folder.mkdir(exist_ok=True)
    with (folder / "making").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            _install(folder)
            (folder / "ready").touch()
    return folder / "venv/bin/python"


def _install(folder: Path) -> None:
    """Build the wheels, and install them into an environment that borrows all else."""
    runpy.run_path(str(REPOSITORY / "packages/kernel_wheel.py"))["write"](folder / "kernel")
    shutil.copytree(REPOSITORY / "packages/dagster_headwater", folder / "component", ignore=_JUNK)
    built = [str(folder / "kernel"), str(folder / "component")]
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), *built)
    venv.create(folder / "venv", with_pip=False)
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    borrowed = {path for path in map(Path, sys.path) if path.name == "site-packages"}
    (packages / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed), encoding="utf-8")
    wheels = map(str, sorted(folder.glob("*.whl")))
    pip("--python", str(folder / "venv/bin/python"), "install", "--no-compile", "--ignore-installed", *wheels)


@pytest.fixture
def project(python: Path, cache: Path, database_url: str, tmp_path: Path) -> Project:
    """A copy of the project."""
    folder = shutil.copytree(_EXAMPLE, tmp_path / "shop", ignore=_JUNK)
    (folder / "home").mkdir()
    return Project(folder, python, cache, database_url)


def test_the_project_syncs_asks_and_traces_to_its_table(project: Project, database_url: str) -> None:
    """A second run embeds nothing and keeps versions; one edited row embeds once; a broken source fails alone."""
    where = project.run("-c", "import headwater, dagster_headwater as d; print(headwater.__file__, d.__file__)")
    assert all(Path(each).is_relative_to(project.python.parents[1]) for each in where.split())
    first, second, edited, stage, checks, broken, renamed = json.loads(project.run("-c", _DRIVER).splitlines()[-1])
    assert first["success"], first["why"]
    assert _embedded(first) == {"handbook": 8, "tickets": 6}
    assert _embedded(second) == {"handbook": 0, "tickets": 0}
    assert _versions(second) == _versions(first)
    assert "silicone grease" in second["made"]["daily_answer"]["answer"]
    assert second["made"]["daily_answer"]["origins"] == [{"document": "1.md", "upstream": ["ticket_texts"]}]
    assert "text_hash" in first["made"]["support/tickets/embeddings"]["columns"]

    assert _embedded(edited) == {"handbook": 0, "tickets": 1}
    assert "Replacing the seal" in edited["made"]["daily_answer"]["answer"]
    assert {key for key, version in _versions(edited).items() if version != _versions(first)[key]} >= {
        "support/tickets/documents", "support/tickets/embeddings", "support/search_index",
    }  # fmt: skip
    names = {"all_documents_read", "gate", "orphans", "duplicates", "retrieval_quality"}
    assert names <= {each.partition(":")[2] for each in edited["checks"]}
    assert all(edited["checks"].values())

    assert (stage["success"], list(stage["made"])) == (True, ["support/tickets/chunks"])
    assert (checks["success"], checks["made"], checks["forms"]) == (True, {}, ["full"])
    assert "support/search_index:orphans" in checks["checks"]

    assert not broken["success"]
    assert "1 of 2 sources failed" in broken["why"]
    assert "support/handbook: " in broken["why"]
    assert "There is no file or folder" in broken["why"]
    assert {"support/tickets/documents", "support/search_index"} <= broken["made"].keys()
    assert not [key for key in broken["made"] if key.startswith("support/handbook/")]
    assert "daily_answer" not in broken["made"], "the page says that Dagster skips what is downstream"
    assert broken["warned"] == []
    assert renamed["success"], renamed["why"]
    assert [text.partition(":")[0] for text in renamed["warned"]] == [
        "support/handbook is no longer in the definitions"
    ]
    _check_rows(database_url)


def _embedded(run: dict[str, Any]) -> dict[str, int]:
    made = run["made"]
    return {each: made[f"support/{each}/embeddings"]["embedded"] for each in ("handbook", "tickets")}


def _versions(run: dict[str, Any]) -> dict[str, str]:
    return {key: made["version"] for key, made in run["made"].items() if key.startswith("support/")}


def _check_rows(database_url: str) -> None:
    """The rows are managed; only runs that wrote are kept, each with the asset that it was made of."""
    with psycopg.connect(database_url) as connection:
        managers = connection.execute("SELECT managed_by FROM knowledge_bases UNION SELECT managed_by FROM sources")
        assert managers.fetchall() == [("shop",)]
        origins = connection.execute("SELECT DISTINCT origin FROM syncs ORDER BY origin").fetchall()
        assert origins == [("dagster",), ("schedule",)], "the second run was that of a schedule"
        rows = connection.execute(
            "SELECT s.slug, upstream FROM outside_runs r JOIN sources s ON s.id = r.source_id ORDER BY s.slug, began_at"
        ).fetchall()
    assert [(slug, [each["asset"] for each in upstream]) for slug, upstream in rows] == [
        ("handbook", []), ("pages", []), ("tickets", ["ticket_texts"]), ("tickets", ["ticket_texts"]),
    ]  # fmt: skip
    [asset] = rows[-1][1]
    assert asset["run_id"]
    assert asset["materialized_at"]


def test_the_page_shows_the_files_of_the_project() -> None:
    """What a reader copies from the page is what the tests run."""
    shown = {block.text: block.body for block in read_page(REPOSITORY / "docs/your-dagster-project.md")
             if block.rule == "file"}  # fmt: skip
    assert shown.pop("sources.csv"), "another way to write what the project has in its defs.yaml"
    assert len(shown) == 5
    for name, body in shown.items():
        assert body == (_EXAMPLE / name).read_text(encoding="utf-8"), name


def test_the_page_brings_each_folder_and_keeps_runs() -> None:
    """A newcomer who types the page has the folders of its sources, `dg`, and runs that Dagster remembers."""
    page = read_page(REPOSITORY / "docs/your-dagster-project.md")
    commands = "".join(block.body for block in page if block.language == "sh")
    sources = yaml.safe_load((_EXAMPLE / "src/shop/defs/support/defs.yaml").read_text(encoding="utf-8"))
    folders = {source["config"]["path"] for source in sources["attributes"]["sources"] if "deps" not in source}
    assert folders == {"handbook"}
    for folder in folders:
        assert f"cp -r ../headwater/examples/dagster_project/{folder} ." in commands
        assert any((_EXAMPLE / folder).iterdir())
    assert "dagster-dg-cli" in commands.partition("dg scaffold")[0]
    assert "export DAGSTER_HOME=" in commands.partition("dg launch")[0]


def test_an_asset_asks_where_the_component_syncs(project: Project) -> None:
    """The embedded Postgres of both is in the project, whatever folder a command is typed in."""
    load = "import dagster as dg; defs = dg.load_from_defs_folder(path_within_project=Path('src/shop').resolve())"
    show = "os.chdir('src'); print(Path(defs.resources['headwater'].home).resolve())"
    home = project.run("-c", f"import os; from pathlib import Path; {load}; {show}").splitlines()[-1]
    assert Path(home) == (project.folder / ".headwater").resolve()


@has_dg
def test_a_scaffolded_knowledge_base_passes_the_checks(project: Project) -> None:
    """`dg scaffold defs` writes what `dg check defs` accepts."""
    shutil.rmtree(project.folder / "src/shop/defs/support")
    component = "dagster_headwater.KnowledgeBaseComponent"
    written = ("--slug", "support", "--path", "data/tickets", "--upstream", "ticket_texts")
    project.dg("scaffold", "defs", component, "support", *written)
    file = project.folder / "src/shop/defs/support/defs.yaml"
    written_file = file.read_text(encoding="utf-8")
    assert "- ticket_texts" in written_file
    assert "- slug: tickets" in written_file, "as on the page: a source that is renamed leaves its documents behind"
    assert "loaded successfully" in project.dg("check", "defs")
