"""What the structure promises beyond what import-linter checks."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.settings import REPOSITORY

PACKAGES = ("headwater", "assets", "pipelines", "query_api", "integrations", "cli")
HEAVY = (
    "litellm",
    "onnxruntime",
    "trafilatura",
    "yt_dlp",
    "git",
    "tokenizers",
    "charset_normalizer",
    "tree_sitter",
)


def _modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((REPOSITORY / package).rglob("*.py"))]


@pytest.mark.parametrize(
    ("module", "banned"),
    [
        ("cli.main", (*HEAVY, "dagster", "flask", "psycopg", "numpy", "yaml", "pydantic")),
        ("pipelines.definitions", (*HEAVY, "dagster_celery", "dagster_docker", "dagster_k8s")),
        ("query_api.app", (*HEAVY, "dagster", "prometheus_client")),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(module: str, banned: tuple[str, ...]) -> None:
    """Every command, every Dagster process and every worker pays for imports."""
    code = f"import sys, {module}; print(','.join(set(sys.modules) & {set(banned)!r}))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_there_is_one_idf() -> None:
    """Trust, reranking, quoting and past searches count with the same formula: a second one would drift from it."""
    formula = re.compile(r"\blog\(1 \+ \(")
    found = [str(path.relative_to(REPOSITORY)) for path in _modules() if formula.search(path.read_text("utf-8"))]
    assert found == ["headwater/lexical/bm25.py"]


def test_every_module_opens_with_its_charter_and_fits_on_screens() -> None:
    """The charter says what belongs there; at most 320 lines a module, 60 a function."""
    for path in _modules():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 320, path
        tree = ast.parse(text)
        docstring = ast.get_docstring(tree)
        assert docstring, path
        assert "elongs here:" in docstring or path.parent.name == "routes", path
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path}: {node.name}"


def test_only_settings_reads_the_environment() -> None:
    """Elsewhere `os.environ` is passed on or written, for processes to come."""
    readers = [
        path.relative_to(REPOSITORY).as_posix()
        for path in _modules()
        if "os.environ" in path.read_text(encoding="utf-8") or "getenv" in path.read_text(encoding="utf-8")
    ]
    given_on = {
        "cli/processes/supervisor.py",
        "cli/environment.py",
        "cli/dagster_instance.py",  # reads the variable that dagster.yaml names
        "cli/processes/api_server.py",
        "cli/processes/sync_client.py",
        "cli/processes/fork.py",
        "cli/processes/sync_worker.py",
    }
    assert set(readers) <= {"headwater/settings.py", *given_on}


def test_only_the_store_holds_sql() -> None:
    """Statements live in named .sql queries; only the migrations' ledger and locks stand in code.

    The connector of other people's databases has none on ours.
    """
    theirs = REPOSITORY / "headwater" / "sources" / "sql"
    for path in _modules():
        if "store" in path.parts or path.is_relative_to(theirs):
            continue
        text = path.read_text(encoding="utf-8")
        assert "SELECT " not in text, path
        assert "INSERT INTO" not in text, path


def test_rows_leave_the_store_as_objects() -> None:
    """Its public functions return objects with known fields; a row is a dictionary that may contain anything."""
    found = [
        f"{path.relative_to(REPOSITORY)}: {name} returns {ast.unparse(returned)}"
        for path in _modules()
        if "store" in path.parts
        for name, returned in _returned(ast.parse(path.read_text(encoding="utf-8")))
        if _RAW & {node.id for node in ast.walk(returned) if isinstance(node, ast.Name)}
    ]
    assert found == []


def test_only_the_store_knows_rows() -> None:
    """Nobody else imports the type of a row, nor of a transaction that could give one, or asks the database itself."""
    for path in _modules():
        if "store" not in path.parts:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"store\.server\.query_session import", text), path
            assert not re.search(r"\bdatabase\.(rows?|one|run|transaction|read)\(", text), path


_RAW = {"Row", "DictRow", "Cursor"}
_ASKED = {"Database", "Session"}


def _returned(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Public functions with their return annotations; by `_ASKED` the store itself asks Postgres."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in _ASKED:
            yield from _returned(node)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.returns is not None:
            yield node.name, node.returns
