"""How the code is named and how large it is, beside other packages: `make house`.

Belongs here: counting names of modules, functions and variables, private names of libraries, and lines. Not here: what
a good name is (CONTRIBUTING.md). Guarantee: it only reads files; `tests/unit/test_house.py` holds what it counts.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from headwater.settings import REPOSITORY


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRODUCT = ("headwater", "assets", "pipelines", "query_api", "integrations", "cli", "packages")
_PEERS = ("httpx", "procrastinate")
# Names that stand for the same part of each kind, format or face, or for one noun in several layers.
PATTERNS = _words(
    "connector config document state parser blocks tables inline lines routes errors payloads messages tools "
    "answers bots conversations deletions documents evaluations feedback files golden_sets indexes keys "
    "knowledge_bases languages links models mcp originals overviews places questions search sources summaries syncs "
    "uploads versions widgets access audit exports usage login deletion chunk_summaries summary_tree index export "
    "context backup worker migrate settings status health housekeeping events headings admission api rows"
)
_VERBS = _words("bring embed exceed feed need ping proceed read seed shed sing speed string succeed")
_NOUNS = _words("beginning embedding ending heading meaning reading setting spelling tuning warning")
_PARTICIPLES = _words(
    "begun born bound bought broken brought built chosen done drawn found given gone grown heard held hidden kept "
    "known laid led left lent lost made meant met paid seen sent shown sold spent spoken sought stood taken thrown "
    "told understood written"
)
VAGUE = _words(
    "found known near one each other others kept chosen shown left rest held taken asked wanted named said given made "
    "done opened changed written begun number before at after above inner below where part parts own piece "
    "whole more"
)
_PRIVATE = re.compile(r"(?<!_)_(?!_)[a-z]\w*")


@dataclass(frozen=True)
class House:
    """The modules of some packages."""

    root: Path
    packages: tuple[str, ...]

    @cached_property
    def files(self) -> list[Path]:
        """Every module, without the ones that only say what a package is."""
        folders = [self.root / package for package in self.packages]
        paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
        return [
            path for path in paths if path.name != "__init__.py" and "build" not in path.relative_to(self.root).parts
        ]

    @cached_property
    def _names(self) -> "_Names":
        """What is named where; the syntax trees of all modules together would take 300 MB."""
        names = _Names()
        for path in self.files:
            names.add(path, ast.parse(path.read_text(encoding="utf-8")), self.packages)
        return names

    def active_modules(self) -> list[str]:
        """Modules that are named by what somebody does: their name has a word that ends in -ing."""
        return [str(path) for path in self.files if any(map(_is_active, path.stem.split("_")))]

    def repeated_names(self) -> list[str]:
        """Names of files that occur more than once, without those of `PATTERNS`."""
        counts = Counter(path.stem for path in self.files if path.stem not in PATTERNS)
        return [str(path) for path in self.files if counts[path.stem] > 1 and path.stem != "__main__"]

    def functions(self) -> list[str]:
        """The name of every function, those within others included."""
        return self._names.functions

    def assigned_names(self) -> list[str]:
        """The name of every variable where it is assigned to, in loops, blocks and comprehensions, too."""
        return self._names.assigned

    def private_uses(self) -> list[str]:
        """Places that name something private of a library: `from library import _name`, `library._name`."""
        return self._names.private

    def lines(self) -> int:
        """Lines of Python."""
        return sum(path.read_text(encoding="utf-8").count("\n") for path in self.files)


@dataclass
class _Names:
    functions: list[str] = field(default_factory=list)
    assigned: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)

    def add(self, path: Path, tree: ast.Module, packages: tuple[str, ...]) -> None:
        """Add those of a module."""
        imports = dict(_foreign_imports(tree, packages))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions.append(node.name)
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    self.assigned.append(node.id)
            elif isinstance(node, ast.ImportFrom):
                if not node.level and _is_foreign(node.module or "", packages):
                    names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                    self.private += [f"{path}:{node.lineno} {name}" for name in names if _PRIVATE.fullmatch(name)]
            elif isinstance(node, ast.Attribute) and _PRIVATE.fullmatch(node.attr):
                first = _first_name(node)
                if first in imports and (first, node.attr) != ("os", "_exit"):  # which is public
                    self.private.append(f"{path}:{node.lineno} {imports[first]}.{node.attr}")


def is_participle(name: str) -> bool:
    """Whether a function's name begins with a participle, such as `joined` or `_missing_key`."""
    if name.startswith("__"):
        return False
    word = name.strip("_").split("_")[0]
    if word in _VERBS or word in _NOUNS:
        return False
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith(("ed", "ing")))


def measure(house: House) -> dict[str, str]:
    """The row of each measure, as the table shows it."""
    functions = list(house.functions())
    names = list(house.assigned_names())
    private = len(list(house.private_uses()))
    return {
        "modules named -ing": _share(len(house.active_modules()), len(house.files)),
        "file names that are used more than once": _share(len(house.repeated_names()), len(house.files)),
        "functions that begin with a participle": _share(sum(map(is_participle, functions)), len(functions)),
        "vague variables": _share(sum(name in VAGUE for name in names), len(names)),
        "places with private names of libraries": f"{private:,}",
        "modules": f"{len(house.files):,}",
        "lines of Python": f"{house.lines():,}",
    }


def main() -> None:
    """Print the table: this tree, then each package that is named and installed."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    options.add_argument("packages", nargs="*", default=_PEERS, help="installed packages, or folders, to show beside")
    houses = {"headwater": House(REPOSITORY, PRODUCT)}
    for name in options.parse_args().packages:
        folder = _find_folder(name)
        if folder is not None:
            houses[folder.name] = House(folder.parent, (folder.name,))
    rows = {name: measure(house) for name, house in houses.items()}
    print("| | " + " | ".join(rows) + " |")
    print("|---" * (len(rows) + 1) + "|")
    for measured in rows["headwater"]:
        print(f"| {measured} | " + " | ".join(row[measured] for row in rows.values()) + " |")


def _find_folder(name: str) -> Path | None:
    if Path(name).is_dir():
        return Path(name).resolve()
    spec = find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _is_active(word: str) -> bool:
    return len(word) > 4 and word.endswith("ing") and word not in _VERBS | _NOUNS


def _is_foreign(module: str, packages: Iterable[str]) -> bool:
    return module.split(".")[0] not in {*packages, "dagster_headwater", "tests", "bench", "__future__"}


def _foreign_imports(tree: ast.Module, packages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The local name of whatever is imported from a library, with its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_foreign(alias.name, packages):
                    yield (alias.asname or alias.name).split(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if _is_foreign(node.module, packages):
                    yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} % ({count:,} of {total:,})" if total else "–"


if __name__ == "__main__":
    main()
