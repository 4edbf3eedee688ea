"""The memory needed to read and split a document, for shapes that nobody writes.

Belongs here: hostile documents and the bound that they are measured against. Not here: speed. Guarantee: each shape is
measured in a process of its own, above the same process with a short document; `tests/unit/test_memory.py` runs a part.

    .venv/bin/python -m bench.memory 7 table    # megabytes, and a part of the names
"""

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count, takewhile

BASE = 64 * 2**20
FACTOR = 40
"""A document may take `BASE + FACTOR * bytes` above the idle process."""

_MEDIA_TYPES = {
    "md": "text/markdown",
    "mdx": "text/markdown",
    "txt": "text/plain",
    "py": "text/x-python",
    "js": "text/javascript",
    "c": "text/x-c",
    "code": "text/x-code",
}


def _numbered(line: Callable[[int], str]) -> Callable[[int], str]:
    def text(size: int) -> str:
        lengths = 0

        def fits(part: str) -> bool:
            nonlocal lengths
            lengths += len(part)
            return lengths < size

        parts: Iterator[str] = map(line, count())
        return "".join(takewhile(fits, parts))

    return text


def _repeated(part: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + (part * (size // len(part) + 1))[:size] + after


SHAPES: dict[str, Callable[[int], str]] = {
    "md/table": _repeated("| 1 |\n| x |\n", "| a | b |\n|---|---|\n"),
    "md/bare table": _repeated("1|2 |3\n", "a|b\n-|-\n"),
    "md/one line": _repeated("word "),
    "md/one word": _repeated("x"),
    "md/headings": _repeated("# a\n"),
    "md/numbered headings": _numbered("# {}\n".format),
    "md/nested headings": _repeated("# a\n## b\n### c\n#### d\n##### e\n###### f\n"),
    "md/underlined headings": _repeated("a\n=\n"),
    "md/links": _repeated("[a](b) "),
    "md/definitions": _numbered("[a{0}]: b{0}\n".format),
    "md/references": _repeated("[a] ", "[a]: b\n\n"),
    "md/addresses": _repeated("<a:b> "),
    "md/items": _repeated("- a\n"),
    "md/loose items": _repeated("- a\n\n"),
    "md/nested items": _repeated("- a\n  - b\n    - c\n"),
    "md/deep items": _numbered(lambda number: "  " * (number % 2000) + "- a\n"),
    "md/items on a line": _repeated("- "),
    "md/quotations": _repeated(">" * 5000 + " a\n\n"),
    "md/code": _repeated("x = 1\n", "```\n", "\n```\n"),
    "md/fences": _repeated("```\na\nb\n```\n"),
    "md/indented code": _repeated("    a\n\nb\n\n"),
    "md/brackets": _repeated("[", "[a](b) "),
    "md/ticks": _repeated("` ", "[a](b) "),
    "md/growing ticks": _numbered(lambda number: "`" * (number % 50 + 1) + "a"),
    "md/paragraphs": _repeated("a\n\n"),
    "md/lines": _repeated("a\n"),
    "md/newlines": _repeated("\n", after="a"),
    "md/long address": _repeated("x", "[a](", ")"),
    "md/address of parts": _repeated("(x)", "[a](", ")"),
    "md/long heading": _repeated("*a* ", "# ", "\n"),
    "md/spaces": _repeated(" \n", "a\n\n", "a"),
    "md/rules": _repeated("***\n"),
    "md/sentences": _repeated("Ab. "),
    "md/entities": _repeated("&nbsp;&lt;"),
    "mdx/tags": _repeated("<A>", after="x"),
    "mdx/lines of tags": _repeated("<A b={1}/>\n", after="x"),
    "mdx/attributes": _repeated('b="c" ', "<A "),
    "mdx/braces": _repeated("{"),
    "mdx/expressions": _repeated("{a}"),
    "mdx/nested": _repeated("<A>\n    text\n</A>\n"),
    "mdx/deep items": _numbered(lambda number: " " * (number % 3000) + "- a\n"),
    "txt/lines": _repeated("a\n"),
    "txt/paragraphs": _repeated("a\n\n"),
    "txt/newlines": _repeated("\n", "a", "a"),
    "txt/sentences": _repeated("Ab. "),
    "txt/chinese": lambda size: ("漢字。" * (size // 9 + 1))[: size // 3],
    "txt/fences": _repeated("```\na\nb\nc\n```\n"),
    "txt/indented code": _repeated("    a = 1;\n    b();\n\n"),
    "py/brackets": _repeated("[", "x = "),
    "py/lines": _repeated("x\n"),
    "py/newlines": _repeated("\n", "a", "a"),
    "py/statements": _repeated("x;"),
    "py/list": _repeated("1,\n", "x = [", "]"),
    "py/functions": _numbered(lambda number: f"def f{number}():\n    return {number}\n"),
    "py/short functions": _repeated("def f():0\n"),
    "py/string": _repeated("a\n", "x = '''", "'''"),
    "py/comments": _repeated("#\n"),
    "js/braces": _repeated("{"),
    "js/lines of braces": _repeated("{\n"),
    "js/functions": _repeated("function f(){}\n"),
    "js/data": _repeated("{a:[1,\n2]},", "x = [", "]"),
    "c/parentheses": _repeated("("),
    "c/definitions": _repeated("#define A\n"),
    "code/lines": _repeated("a\n"),
    "code/paragraphs": _repeated("a\n\n"),
}


def measure(name: str, size: int) -> tuple[int, int, str]:
    """Read and cut a document of a shape in another process.

    Returns:
        The bytes it took, those it may take, and why it was refused, or nothing.
    """
    command = [sys.executable, "-m", "bench.memory", "--child", name, str(size)]
    completed = subprocess.run(command, capture_output=True, text=True, check=True)
    taken, allowed, reason = completed.stdout.strip().split("\t")
    return int(taken), int(allowed), reason.strip("-")


def _child(name: str, size: int) -> None:
    from headwater.errors import DocumentError

    kind = name.partition("/")[0]
    _process(kind, "a\n")
    text = SHAPES[name](size)
    length = len(text.encode())
    before = _peak()
    reason = "-"
    try:
        _process(kind, text)
    except DocumentError as error:
        reason = str(error)
    print(_peak() - before, BASE + FACTOR * length, reason, sep="\t")


def _process(kind: str, text: str) -> None:
    from headwater.chunking.anchors import chunk_anchors
    from headwater.chunking.chunker import chunk_settings, chunk_text
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
    from headwater.parsing.markdown.parser import parse_markdown
    from headwater.parsing.memory_limit import require_bounds

    media_type = _MEDIA_TYPES[kind]
    if media_type == "text/markdown":
        text = parse_markdown(text, uri=f"a.{kind}").text
    require_bounds(text, media_type)
    settings = chunk_settings(KnowledgeBaseSettings())
    chunks = chunk_text(text, title="", media_type=media_type, settings=settings)
    if media_type == "text/markdown":
        chunk_anchors(text, chunks)
    before = [chunk.text[chunk.overlap :] for chunk in chunks]
    chunk_text(f"Changed. {text}", title="", media_type=media_type, settings=settings, before=before)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Measure the shapes that the command line names."""
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2], int(sys.argv[3]))
        return
    size = int(float(sys.argv[1]) * 1_000_000) if len(sys.argv) > 1 else 1_000_000
    for name in SHAPES:
        if any(part in name for part in sys.argv[2:] or [""]):
            taken, allowed, reason = measure(name, size)
            mark = "refused" if reason else "TOO MUCH" if taken > allowed else ""
            print(f"{name:24} {taken / 2**20:7.0f} MB of {allowed / 2**20:.0f} MB  {mark}", flush=True)


if __name__ == "__main__":
    main()
