"""How languages name modules and what their imports mean.

Belongs here: the rules of each language, as functions of texts. Not here: scopes (`code_links`). Guarantee: pure;
an import whose file the text does not name has no targets.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Imported = tuple[str, tuple[str, ...], str]
"""The name that an import binds (empty for none), what it may mean, and its last part."""

_SCRIPT_ENDING = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)\Z")
_FROM = re.compile(r"""(?:\bfrom\s*|^import\s*)["']([^"']+)["']""")
_NAMED = re.compile(r"\{([^}]*)\}")
_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from\b)")
_ALL = re.compile(r"\*\s*as\s+([\w$]+)")
_REQUIRE = re.compile(r"""require\(\s*["']([^"']+)["']\s*\)""")
_WORD = re.compile(r"[\w$]+")
_JAVA_IMPORT = re.compile(r"import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;")
_GO_IMPORT = re.compile(r"""(?:([\w.]+)\s+)?["`]([^"`]+)["`]""")
_RUST_ROOT = re.compile(r"(?:.*/)?src(?=/)|^(?!.*/src/)")


def _none(*_: str) -> Iterator[Imported]:
    return iter(())


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """The rules of a language."""

    module: Callable[[str, str], str]
    """The name of the module in a file, from its path and the package that it declares; names in it begin with that."""
    imported: Callable[[str, str], Iterator[Imported]]
    """The names that an import binds, from its text and the file's path."""
    elsewhere: Callable[[str, str, Sequence[str]], Sequence[str]]
    """What a name may mean that the file does not bind, from its path, its module and the parts of the name."""
    file_symbol: Callable[[str], str] = lambda _: ""
    """The symbol by which other files import this one; empty if they import what is in it."""
    required: Callable[[str, str, str], Iterator[Imported]] = _none
    """The names that a variable gets from an import in its value, from the value, the variable and the path."""
    receiver: Callable[[str], str] = lambda _: ""
    """The type that a method belongs to, from the text of its receiver."""


def _script_module(uri: str, _: str = "") -> str:
    """Its path without the ending; a folder's `index` has the name of the folder."""
    return _SCRIPT_ENDING.sub("", uri).removesuffix("/index")


def _script_files(written: str, uri: str) -> tuple[str, ...]:
    """The modules that a relative import may mean; none for a package."""
    if not written.startswith("."):
        return ()
    return (_script_module(posixpath.normpath(posixpath.join(posixpath.dirname(uri), written))),)


def _script_imports(text: str, uri: str) -> Iterator[Imported]:
    source = _FROM.search(text)
    if source is None:
        return
    files = _script_files(source[1], uri)
    last = posixpath.basename(files[0] if files else source[1])
    yield "", files, last
    head = text[: source.start()]
    if (default := _DEFAULT.match(text)) and default[1] != "type":
        yield default[1], tuple(f"{file}.{default[1]}" for file in files), default[1]
    if everything := _ALL.search(head):
        yield everything[1], files, last
    for specifier in (braces[1] if (braces := _NAMED.search(head)) else "").split(","):
        words = [word for word in _WORD.findall(specifier) if word not in ("type", "as")]
        if words:
            yield words[-1], tuple(f"{file}.{words[0]}" for file in files), words[0]


def _script_required(value: str, name: str, uri: str) -> Iterator[Imported]:
    match = _REQUIRE.fullmatch(value.strip()) if value.startswith("require") else None
    if match is not None and _WORD.fullmatch(name):
        files = _script_files(match[1], uri)
        yield name, files, posixpath.basename(files[0] if files else match[1])


def _name_nothing(_: str, __: str, ___: Sequence[str]) -> Sequence[str]:
    return ()


def _go_module(uri: str, _: str) -> str:
    return posixpath.dirname(uri) or "."


def _go_imports(text: str, _: str) -> Iterator[Imported]:
    # A path names a module by its address; which folder of this source that is, only go.mod says.
    match = _GO_IMPORT.search(text)
    if match is not None:
        yield "", (), posixpath.basename(match[2])


def _go_elsewhere(_: str, module: str, parts: Sequence[str]) -> Sequence[str]:
    """Files in a folder are one package."""
    return [".".join([module, *parts])] if len(parts) == 1 and parts[0] else ()


def _go_receiver(text: str) -> str:
    words = text.strip("()").split()
    return words[-1].lstrip("*").partition("[")[0] if words else ""


def _java_module(_: str, package: str) -> str:
    return package.removeprefix("package").strip(" ;\n\t")


def _java_imports(text: str, _: str) -> Iterator[Imported]:
    match = _JAVA_IMPORT.search(text)
    if match is not None and not match[3]:
        last = match[2].rpartition(".")[2]
        yield last, (match[2],), last


def _java_elsewhere(_: str, module: str, parts: Sequence[str]) -> Sequence[str]:
    """Classes of a package need no import; names in lower case are members, perhaps inherited."""
    return [".".join([module, *parts]) if module else ".".join(parts)] if parts[0][:1].isupper() else ()


def _rust_root(uri: str) -> str:
    match = _RUST_ROOT.match(uri)
    return match[0] if match else ""


def _rust_module(uri: str, _: str = "") -> str:
    path = uri.removesuffix(".rs")
    for name in ("/mod", "/lib", "/main"):
        path = path.removesuffix(name)
    return path


def _rust_paths(parts: Sequence[str], uri: str) -> tuple[str, ...]:
    """What a path may mean: the last names are in the file that the first ones name."""
    module, first, path = _rust_module(uri), parts[0], list(parts[1:])
    if first == "crate":
        base = _rust_root(uri)
    elif first == "self":
        base = module
    elif first == "super":
        base = posixpath.dirname(module)
    else:
        return ()
    if not base or not path:
        return ()
    return tuple(".".join(["/".join([base, *path[:count]]), *path[count:]]) for count in range(len(path), -1, -1))


def _rust_imports(text: str, uri: str) -> Iterator[Imported]:
    for path, alias in _use_tree(re.sub(r"\s+", " ", text.partition("use ")[2].strip(" ;")), 0):
        names = [name for name in path.split("::") if name]
        if names and names[-1] == "self":
            names = names[:-1]
        if names and names[-1] != "*":
            yield alias or names[-1], _rust_paths(names, uri), names[-1]


def _use_tree(text: str, depth: int) -> Iterator[tuple[str, str]]:
    """The paths of a `use`: `a::{b, c as d}` has two."""
    opening = text.find("{")
    if opening < 0 or depth > 10:
        path, _, alias = text.partition(" as ")
        yield path.strip(), alias.strip()
        return
    branches, level, begin = text[opening + 1 : text.rfind("}")], 0, 0
    for place, sign in enumerate(f"{branches},"):
        level += (sign == "{") - (sign == "}")
        if sign == "," and level == 0:
            branch, begin = branches[begin:place].strip(), place + 1
            if branch:
                yield from ((text[:opening] + path, alias) for path, alias in _use_tree(branch, depth + 1))


def _rust_elsewhere(uri: str, _: str, parts: Sequence[str]) -> Sequence[str]:
    if len(parts) > 1 and parts[0] in ("crate", "self", "super"):
        return _rust_paths(parts, uri)
    return ()


def _c_imports(text: str, uri: str) -> Iterator[Imported]:
    path = text.strip('"<>')
    relative = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))
    targets = (relative, path, f"include/{path}", f"src/{path}") if text.startswith('"') else ()
    yield "", tuple(dict.fromkeys(targets)), posixpath.basename(path)


def _c_elsewhere(_: str, __: str, parts: Sequence[str]) -> Sequence[str]:
    """A function is visible in all files; an object's members are not known."""
    return [".".join(parts)] if parts[0] else ()


RULES: Mapping[str, Rules] = {
    "javascript": Rules(
        module=_script_module,
        imported=_script_imports,
        elsewhere=_name_nothing,
        file_symbol=_script_module,
        required=_script_required,
    ),
    "go": Rules(module=_go_module, imported=_go_imports, elsewhere=_go_elsewhere, receiver=_go_receiver),
    "java": Rules(module=_java_module, imported=_java_imports, elsewhere=_java_elsewhere),
    "rust": Rules(module=_rust_module, imported=_rust_imports, elsewhere=_rust_elsewhere, file_symbol=_rust_module),
    "c": Rules(module=lambda _, __: "", imported=_c_imports, elsewhere=_c_elsewhere, file_symbol=lambda uri: uri),
}
"""By family of languages."""
