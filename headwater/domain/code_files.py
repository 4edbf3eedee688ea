"""Programming languages by the name of a file.

Belongs here: the endings and names of code files, and the interpreters that a first line names. Not here: grammars
(`headwater.chunking.grammars`). Guarantee: pure; an ending belongs to one language.
"""

import re
from pathlib import PurePosixPath

from headwater.domain.media_types import CodeMediaType

PLAIN_CODE: CodeMediaType = "text/x-code"
"""Code of a language without a grammar."""
EXTENSIONS: dict[CodeMediaType, tuple[str, ...]] = {
    "text/x-python": (".py", ".pyi", ".pyw"),
    "text/javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "text/x-typescript": (".ts", ".mts", ".cts"),
    "text/x-tsx": (".tsx",),
    "text/x-go": (".go",),
    "text/x-rust": (".rs",),
    "text/x-java": (".java",),
    "text/x-c": (".c",),
    # A header may be C or C++; the C++ grammar reads nearly all of C.
    "text/x-c++": (".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
    PLAIN_CODE: (
        ".ac", ".am", ".awk", ".bash", ".bat", ".clj", ".cljs", ".cmake", ".cs", ".css", ".dart", ".el", ".elm", ".erl",
        ".ex", ".exs", ".lisp", ".m4", ".nim", ".rkt", ".scm", ".tcl",
        ".f90", ".fish", ".fs", ".gradle", ".graphql", ".groovy", ".hcl", ".hs", ".ini", ".jl", ".json", ".ksh",
        ".kt", ".kts", ".less", ".lua", ".m", ".mk", ".ml", ".mli", ".nix", ".nu", ".php", ".pl", ".pm", ".proto",
        ".ps1", ".r", ".rb", ".sass", ".scala", ".scss", ".sh", ".sql", ".svelte", ".swift", ".tf", ".toml", ".vim",
        ".vue", ".xml", ".yaml", ".yml", ".zig", ".zsh",
    ),
}  # fmt: skip
NAMES = (
    "cmakelists.txt", "dockerfile", "gemfile", "go.mod", "jenkinsfile", "makefile", "rakefile", "vagrantfile",
)  # fmt: skip
"""Names of code files without an ending of their own, in lower case; all are plain code."""
_BY_EXTENSION = {extension: media_type for media_type, endings in EXTENSIONS.items() for extension in endings}
_INTERPRETER = re.compile(rb"#![ \t]*+(?:\S*/)?(?:env[ \t]++(?:-\S*[ \t]++)*+)?(?:[^\s/]*/)*([A-Za-z]++)")
_INTERPRETERS: dict[bytes, CodeMediaType] = {
    b"python": "text/x-python", b"pypy": "text/x-python", b"node": "text/javascript", b"nodejs": "text/javascript",
    b"deno": "text/x-typescript", b"bun": "text/x-typescript",
}  # fmt: skip


def code_media_type(name: str) -> CodeMediaType | None:
    """The media type of a code file, by its name or path; None if it is not code."""
    path = PurePosixPath(name)
    if path.name.lower() in NAMES:
        return PLAIN_CODE
    return _BY_EXTENSION.get(path.suffix.lower())


def script_media_type(head: bytes) -> CodeMediaType | None:
    """The media type of a script, by the interpreter that its first line names; None if it names none."""
    match = _INTERPRETER.match(head[:200])
    return _INTERPRETERS.get(match[1].lower(), PLAIN_CODE) if match else None
