"""Names of Python: modules by path, imports, types as annotations write them, and names that every program has.

Belongs here: reading these texts. Not here: scopes (`python_links`). Guarantee: pure; what cannot be read gives
nothing.
"""

import builtins
import re
import sys
from collections.abc import Iterator

DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
NAME = re.compile(r"[^\W\d]\w*")
LAST_NAME = re.compile(r"\.([^\W\d]\w*)\Z")
BUILTINS = frozenset(dir(builtins))
"""A call of one of these says nothing."""
COMMON_METHODS = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, frozenset) for name in dir(kind)
)
"""Methods of Python's own types: if the object is unknown, a call of one of these says nothing."""
_STANDARD = sys.stdlib_module_names
_ENDING = re.compile(r"\.py[iw]?\Z")
_COMMENT = re.compile(r"#[^\n]*|\\\n")
_FROM = re.compile(r"from\s+(?P<dots>[.\s]*)(?P<module>[\w.]*)\s*import\b(?P<names>[\s\S]*)")
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.*)\]\Z")
_BOUND = re.compile(r"(?<![\w.\])])([^\W\d]\w*)(?![\w.\[(])")
_MADE = re.compile(r"((?:[^\W\d]\w*\.)*_*[A-Z]\w*)\(")


def module_of(uri: str) -> str:
    """The name of a module by its path: `a/b.py` is `a.b`, `a/__init__.py` is `a`."""
    path = _ENDING.sub("", uri).removesuffix("__init__").strip("/")
    return path.replace("/", ".")


def absolute(module: str, own: str) -> tuple[str, ...]:
    """The full names that an absolute import may mean, by path: as it is, or below the folder that holds its package.

    Args:
        module: what is imported, such as `app.models`.
        own: the module that imports it, such as `backend.app.views`: then `backend.app.models` is meant, too.
    """
    first, folders = module.partition(".")[0], own.split(".")[:-1]
    if not folders or first not in folders:
        return (module,) if folders[:1] == ["src"] else (module, f"src.{module}")
    roots = [".".join(folders[:place]) + "." for place, name in enumerate(folders) if name == first and place]
    roots += [] if folders[:1] == ["src"] else ["src."]
    return (module, *(root + module for root in dict.fromkeys(roots)))


def is_standard(target: str) -> bool:
    """Whether a name belongs to Python's standard library, of which no source has the definitions."""
    return target.partition(".")[0] in _STANDARD


def parse_import(text: str, uri: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names that an import binds, each with the names that it may mean; `*` for all of a module.

    Args:
        text: the statement.
        uri: the path of the module that contains it.
    """
    module, text = module_of(uri), _COMMENT.sub(" ", text)
    match = _FROM.match(text)
    if match is None:
        for item in text.removeprefix("import").split(","):
            name, _, alias = (word.strip() for word in item.partition(" as "))
            if DOTTED.fullmatch(name):
                yield (alias, absolute(name, module)) if alias else (name, absolute(name, module))
        return
    dots = match["dots"].count(".")
    if dots:
        folders = module.split(".") if "__init__.py" in uri else module.split(".")[:-1]
        if dots - 1 > len(folders):
            return
        modules: tuple[str, ...] = (".".join([*folders[: len(folders) - dots + 1], *filter(None, [match["module"]])]),)
    else:
        modules = absolute(match["module"], module)
    for item in match["names"].strip(" \n\t()").split(","):
        name, _, alias = (word.strip() for word in item.partition(" as "))
        if name == "*":
            yield "*", modules
        elif NAME.fullmatch(name):
            yield alias or name, tuple(f"{module}.{name}" if module else name for module in modules)


def parse_annotation(written: str) -> str:
    """The class that an annotation names: `Pump`, `"Pump"`, `Pump | None`, `Optional[Pump]`; empty for others."""
    annotation = written.strip().strip("\"'").strip()
    optional = _OPTIONAL.match(annotation)
    alternatives = [alternative.strip() for alternative in (optional[1] if optional else annotation).split("|")]
    classes = [alternative for alternative in alternatives if alternative != "None"]
    return classes[0] if len(classes) == 1 and DOTTED.fullmatch(classes[0]) else ""


def parse_constructor(value: str) -> str:
    """The class that a value is made of: `Pump(…)` is one of `Pump`; empty for anything else."""
    match = _MADE.match(value)
    return match[1] if match and value.endswith(")") and _closes_at_end(value, match.end() - 1) else ""


def _closes_at_end(value: str, opening: int) -> bool:
    depth = 0
    for place in range(opening, len(value)):
        depth += (value[place] == "(") - (value[place] == ")")
        if depth == 0:
            return place == len(value) - 1
    return False


def parse_targets(pattern: str) -> list[str]:
    """The variables that a target of an assignment binds: `a, (b, *c)` binds three, `a.b` and `a[0]` none."""
    if pattern.isidentifier():
        return [pattern]
    return _BOUND.findall(pattern)
