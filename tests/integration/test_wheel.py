"""The wheel, installed where there is no clone.

Belongs here: what it holds, and that the command works from it. Not here: what commands do. Guarantee: it is built from
a copy, so the repository stays as it is, and nothing is downloaded: setuptools builds it here, and the environment that
it is installed into borrows the libraries (not Headwater) of the one that runs the tests.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import headwater
from headwater.settings import REPOSITORY

PACKAGES = ("headwater", "assets", "pipelines", "query_api", "integrations", "cli")
_BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "dagster.yaml", "workspace.yaml")
_JUNK = shutil.ignore_patterns("__pycache__", "*.pyc")


def pip(*arguments: str) -> None:
    """Run pip of this environment, without its index."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments, "--no-deps"]
    subprocess.run([*command, "--no-index"], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    for package in PACKAGES:
        shutil.copytree(REPOSITORY / package, folder / "copy" / package, symlinks=True, ignore=_JUNK)
    for file in _BUILT_FROM:
        shutil.copy(REPOSITORY / file, folder / "copy")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(folder / "copy"))
    (built,) = folder.glob("headwater-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an empty environment that the wheel is installed into."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    # A folder that a .pth names is searched, but its own .pth files are not read: the editable Headwater stays unseen.
    borrowed = {path for path in map(Path, sys.path) if path.name == "site-packages"}
    (packages / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed), encoding="utf-8")
    pip("--python", str(folder / "bin" / "python"), "install", "--no-compile", "--ignore-installed", str(wheel))
    return folder / "bin"


def files_of(package: str) -> set[str]:
    """What a package's folder holds."""
    found = (path for path in (REPOSITORY / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(REPOSITORY).as_posix() for path in found}


def test_the_wheel_holds_every_file_of_every_package(wheel: Path) -> None:
    """Modules of subpackages, the queries in .sql, the migrations, and what Dagster's processes start with."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == set().union(*map(files_of, PACKAGES))
    reader = "headwater/models_gateway/answer_reader.safetensors"
    assert {"headwater/store/schema.sql", "pipelines/dagster.yaml", "pipelines/workspace.yaml", reader} <= held


def test_a_question_is_answered_from_the_wheel(installed: Path, database_url: str, cache: Path, tmp_path: Path) -> None:
    """In an environment without the clone, commands migrate, apply, sync, ask and trace."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "backups.md").write_text("# Backups\n\nBackups are made every night at two.\n", encoding="utf-8")
    file = tmp_path / "notes.yaml"
    file.write_text(
        "knowledge_base: {slug: notes}\nsources: [{slug: folder, kind: markdown_tree, path: ./notes}]\n",
        encoding="utf-8",
    )
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "DAGSTER"))}
    environ |= {
        "HEADWATER_HOME": str(tmp_path / "home"),
        "HEADWATER_CACHE": str(cache),
        "HEADWATER_DATABASE_URL": database_url,
    }

    def run(*command: str) -> str:
        program = [str(installed / command[0]), *command[1:]]
        done = subprocess.run(program, cwd=tmp_path, env=environ, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = Path(run("python", "-c", "import headwater; print(headwater.__file__)").strip())
    assert where.is_relative_to(installed.parent)
    assert where != Path(headwater.__file__)
    run("headwater", "migrate")
    run("headwater", "apply", str(file))
    run("headwater", "sync", "notes")
    answer = json.loads(run("headwater", "ask", "notes", "When are backups made?", "--json"))
    assert "every night at two" in answer["answer"]
    assert answer["id"] in run("headwater", "trace", answer["id"], "--json")
