"""Code into chunks.

Belongs here: properties of the code chunker, its paths, and what an edit moves, in every language with a grammar. Not
here: markdown, prose, packing by itself.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_text
from headwater.chunking.code_chunker import FUNCTION_LIMIT
from headwater.chunking.grammars import GRAMMARS
from headwater.chunking.packer import Sizes
from headwater.chunking.syntax import outline
from headwater.domain.code_files import EXTENSIONS, PLAIN_CODE, code_media_type
from headwater.domain.documents import Chunk, ChunkKind
from headwater.domain.media_types import CodeMediaType
from headwater.settings import REPOSITORY

SIZES = Sizes(maximum=1000, minimum=300, overlap=100)
LANGUAGES: tuple[CodeMediaType, ...] = get_args(CodeMediaType)

LINES = st.sampled_from([
    "", "", "class A:", "    def f(self):", "        return 1", "def g(a,", "      b):", "@decorator", "# comment",
    '"""doc', '"""', "function f() {", "}", "};", "export class B {", "  m() {", "  }", "// line", "/* block", "*/",
    "func (s *S) M() {", "impl T for S {", "fn f(&self) {", "#[test]", "public void run() {", "namespace n {",
    "template <typename T>", "struct p", "{", "(", ")", "[", "]", "<", "x = 1; y = 2", "\t\tz", "word " * 60, "x" * 300,
    "'", "`${", "\\", "é = 'ü'", "日本語", "\u2028", "\x00", "\r", "\ud800", "\ufeff", "\U0001f600",
])  # fmt: skip
TEXTS = st.text() | st.lists(LINES, max_size=80).map("\n".join)
SMALL = st.builds(
    lambda maximum, minimum: Sizes(maximum=maximum, minimum=minimum, overlap=50),
    st.integers(200, 600),
    st.integers(1, 100),
)


def cut(
    text: str,
    media_type: str = "text/x-python",
    sizes: Sizes = SIZES,
    before: Sequence[Chunk] = (),
    title: str = "a.py",
) -> list[Chunk]:
    pieces = [chunk.text for chunk in before]
    return chunk_text(text, title=title, media_type=media_type, settings=asdict(sizes), before=pieces)


def check(text: str, chunks: list[Chunk], sizes: Sizes) -> None:
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    for position, chunk in enumerate(chunks):
        assert text[chunk.start : chunk.end] == chunk.text == chunk.prose
        assert chunk.text.strip()
        assert chunk.kind is ChunkKind.CODE
        assert chunk.overlap == 0
        assert chunk.line == text.count("\n", 0, chunk.start) + 1
        assert len(" ".join(chunk.text.split())) <= FUNCTION_LIMIT * sizes.maximum
        assert chunk.parent is None or 0 <= chunk.parent < position
        assert 0 <= chunk.quality <= 1
        assert chunk.token_count > 0
    if len(chunks) > 1 and len(chunks[-1].text) < sizes.minimum:
        assert chunks[-1].end - chunks[-2].start > sizes.maximum


@given(TEXTS, SMALL, st.sampled_from(LANGUAGES))
@example("\n\n" + "x = 1\n" * 100, Sizes(maximum=200, minimum=100, overlap=0), "text/x-python")
def test_chunks_laid_end_to_end_are_the_file(text: str, sizes: Sizes, media_type: str) -> None:
    """Any text in any language gives chunks that tile it, within the sizes, twice the same (CHK-2)."""
    chunks = cut(text, media_type, sizes)
    check(text, chunks, sizes)
    assert cut(text, media_type, sizes) == chunks
    assert cut(text, media_type, sizes, before=chunks) == chunks


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from(LANGUAGES))
def test_whatever_the_edit_the_file_is_tiled(front: str, old: str, new: str, back: str, media_type: str) -> None:
    """Replacing any part by any other loses nothing (CHK-2)."""
    before = cut("\n".join([front, old, back]), media_type)
    after = "\n".join([front, new, back])
    chunks = cut(after, media_type, before=before)
    assert "".join(chunk.text for chunk in chunks) == (after if after.strip() else "")


def function(name: str, lines: int) -> str:
    body = "".join(f"    {name}_{number} = compute({number * 7919 % 997}, {name!r})\n" for number in range(lines))
    return f"def {name}(first: int, second: str) -> int:\n{body}    return {name}_0\n"


def test_functions_stay_whole_and_apart() -> None:
    """Each function between minimum and maximum is a chunk, with title and signature above it (CHK-1)."""
    parts = [function(name, 12) + "\n\n" for name in ("alpha", "beta", "gamma")]
    chunks = cut("".join(parts))
    assert [chunk.text for chunk in chunks] == parts
    assert chunks[1].breadcrumb == ("a.py", "def beta(first: int, second: str) -> int")
    assert [chunk.parent for chunk in chunks] == [None] * 3


def test_a_function_beyond_the_maximum_stays_whole_up_to_its_limit() -> None:
    """A half of a function says less than all of a long one; beyond the limit it is cut at its statements."""
    whole, long = function("whole", 35), function("long", 90)
    assert 1000 < len(whole) < FUNCTION_LIMIT * 900
    assert [chunk.text for chunk in cut(whole)] == [whole]
    chunks = cut(long)
    assert len(chunks) > 3
    assert {chunk.breadcrumb for chunk in chunks} == {("a.py", "def long(first: int, second: str) -> int")}
    assert all(chunk.text.endswith("\n") and len(chunk.text) <= 1000 for chunk in chunks)
    assert [chunk.parent for chunk in chunks[1:]] == [0] * (len(chunks) - 1)


def test_a_large_class_is_cut_into_its_members() -> None:
    """Members stand under the chunk that holds the class's head, each with the class's path (CHK-3)."""
    members = [
        "    @cached\n" + "".join(f"    {line}\n" for line in function(name, 12).splitlines()) + "\n"
        for name in ("alpha", "beta", "gamma")
    ]
    head = 'class Pump(Device):\n    """Moves water.\n\n    And more.\n    """\n\n'
    text = f"import os\n\n\n{head}{''.join(members)}"
    chunks = cut(text)
    assert [chunk.parent for chunk in chunks[1:]] == [0, 0]
    assert chunks[0].text.startswith(f"import os\n\n\n{head}    @cached\n    def alpha")
    assert chunks[1].text == members[1]
    assert chunks[2].breadcrumb == ("a.py", "class Pump(Device)", "def gamma(first: int, second: str) -> int")


@pytest.mark.parametrize(
    ("name", "code", "path"),
    [
        ("a.py", "@wraps(f)\nasync def go(\n    a: int\n):\n    # why\n    go()\n", "async def go( a: int )"),
        ("a.js", "/** Adds. */\nexport const add = async (a) => {\n  return a;\n};\n", "const add = async (a) =>"),
        ("a.jsx", "// Shows.\nexport default function App({ a }) {\n  return <b>{a}</b>;\n}\n", "function App({ a })"),
        ("a.ts", "// It.\nexport interface Shape<T> {\n  area(): number;\n}\n", "interface Shape<T>"),
        ("a.ts", "abstract class A<T> extends B {\n  x = 1;\n}\n", "abstract class A<T> extends B"),
        ("a.tsx", "function App(props: P) {\n  return <b>{props.a}</b>;\n}\n", "function App(props: P)"),
        ("a.go", "// Run runs.\n// It.\nfunc (s *S) Run(a int) {\n\ta()\n}\n", "func (s *S) Run(a int)"),
        ("a.go", "type Server struct {\n\tName string\n}\n", "type Server struct"),
        ("a.rs", "/// Adds.\n#[inline]\npub fn add(a: i32) -> i32 {\n    a\n}\n", "pub fn add(a: i32) -> i32"),
        ("a.rs", "impl<T> Show for Point<T> {\n    const A: i32 = 1;\n}\n", "impl<T> Show for Point<T>"),
        ("A.java", "/** Doc. */\npublic record P(int a) {\n    static int b = 1;\n}\n", "public record P(int a)"),
        ("a.c", "/* Adds. */\nstatic int\nadd(int a,\n    int b)\n{\n    go();\n}\n", "static int add(int a, int b)"),
        ("a.c", "struct point {\n    int x;\n};\n", "struct point"),
        ("a.cpp", "// It.\ntemplate <typename T>\nclass Box : public Base {\n  T a;\n};\n", "class Box : public Base"),
        ("a.h", "namespace geo {\nint area(int a);\n}\n", "namespace geo"),
    ],
)  # fmt: skip
def test_a_definition_has_its_signature_and_its_comments(name: str, code: str, path: str) -> None:
    """In each language, comments, decorators and attributes stay with what they belong to (CHK-1)."""
    media_type = code_media_type(name)
    assert media_type is not None
    (chunk,) = cut(code, media_type, title=name)
    assert chunk.breadcrumb == (name, path)
    first, *_ = outline(f"x;\n\n{code}", media_type).definitions
    assert f"x;\n\n{code}"[first.start :] == code


def test_an_empty_line_parts_a_comment_from_what_follows() -> None:
    """A licence is not part of the first function."""
    code = "# Licence.\n\n# About go.\ndef go():\n    pass\n"
    (found,) = outline(code, "text/x-python").definitions
    assert code[found.start :].startswith("# About go.")


def test_small_functions_join_and_are_named_by_what_is_around_them() -> None:
    """A chunk of several definitions has no signature that would be wrong for the others."""
    text = "class A:\n" + "".join(f"    def f{number}(self):\n        return {number}\n\n" for number in range(60))
    chunks = cut(text)
    assert len(chunks) < 6
    assert {chunk.breadcrumb for chunk in chunks} == {("a.py", "class A")}


def test_a_long_signature_is_shortened() -> None:
    """A breadcrumb stays short."""
    parameters = ", ".join(f"parameter_{number}: int" for number in range(40))
    (chunk,) = cut(f"def f({parameters}):\n    pass\n")
    assert 150 < len(chunk.breadcrumb[1]) <= 200


def test_code_without_a_grammar_is_cut_at_blank_lines() -> None:
    """Blocks stay whole, and small ones join."""
    blocks = [f"def method_{number}\n" + f"  call_{number} :a, :b\n" * 20 + "end\n\n" for number in range(8)]
    chunks = cut("".join(blocks), PLAIN_CODE, title="a.rb")
    assert len(chunks) > 3
    assert all(chunk.text.startswith("def ") and chunk.text.endswith("end\n\n") for chunk in chunks)
    assert {chunk.breadcrumb for chunk in chunks} == {("a.rb",)}


def test_editing_one_function_leaves_the_others_alone() -> None:
    """Only the chunk that holds the edit changes, in a class and outside (CHK-5)."""
    text = (REPOSITORY / "headwater" / "parsing" / "markdown" / "markup.py").read_text(encoding="utf-8")
    old = cut(text)
    known = {chunk.text for chunk in old}
    tried = 0
    for place in [index for index in range(len(text)) if text.startswith("return ", index)]:
        edited = text[:place] + "print('edited')\n        return " + text[place + 7 :]
        new = [chunk for chunk in cut(edited, before=old) if chunk.text not in known]
        assert len(new) <= (1 if sum(len(chunk.text) for chunk in new) <= 1000 else 3)
        assert all(chunk.start < place + 30 and chunk.end > place for chunk in new)
        tried += 1
    assert tried > 20


def test_a_function_put_into_a_file_is_a_chunk() -> None:
    """An edit that changes the structure is cut afresh, and only there."""
    parts = [function(name, 12) + "\n\n" for name in ("alpha", "beta", "gamma")]
    old = cut("".join(parts))
    added = function("added", 12) + "\n\n"
    new = cut(parts[0] + added + "".join(parts[1:]), before=old)
    assert [chunk.text for chunk in new] == [parts[0], added, *parts[1:]]


def test_real_code_is_cut_at_definitions() -> None:
    """In a third of this project's own modules, few chunks are small, and nearly all begin at a statement."""
    sizes, starts = [], []
    for path in sorted((REPOSITORY / "headwater").rglob("*.py"))[::3]:
        text = path.read_text(encoding="utf-8")
        chunks = cut(text, title=path.name)
        check(text, chunks, SIZES)
        borders = {0, *outline(text, "text/x-python").offsets}
        sizes += [len(chunk.text) for chunk in chunks]
        starts += [chunk.start in borders for chunk in chunks]
    assert 400 < sum(sizes) / len(sizes) < 900
    assert sum(size < 150 for size in sizes) < 0.06 * len(sizes)
    assert sum(starts) > 0.95 * len(starts)


HOSTILE = {
    "brackets": "(" * 5_000,
    "braces on lines": "{\n" * 3_000,
    "closed brackets": "f(" * 5_000 + ")" * 5_000,
    "nested blocks": "".join(" " * depth + "if x:\n" for depth in range(700)),
    "nested classes": "".join("  " * depth + f"class A{depth}:\n" for depth in range(300)),
    "one long line": "a=1;" * 50_000,
    "one long word": "w" * 400_000,
    "bytes": bytes(index * index * 7919 % 251 for index in range(30_000)).decode("latin-1"),
    "half a file": (Path(__file__).read_text(encoding="utf-8") * 3)[7_000:45_001],
    "open comments": "..\n/*class " * 2_000,
    "types or operators": "a<b<" * 4_000,
    "lost parser": "<template =>" * 6_000,
    "blank": "x" + " \n" * 5_000 + "x",
    "equal lines": "the_same(line)\n" * 5_000,
    "surrogates": "\ud800 \udfff" * 4_000,
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", HOSTILE)
def test_odd_texts_are_cut_in_seconds(name: str) -> None:
    """Whatever the text is, no grammar crashes or hangs on it, and nothing is lost (CHK-2)."""
    for media_type in LANGUAGES if len(HOSTILE[name]) < 50_000 else LANGUAGES[::4]:
        begun = time.thread_time()
        chunks = cut(HOSTILE[name], media_type)
        assert time.thread_time() - begun < 3
        assert "".join(chunk.text for chunk in chunks) == HOSTILE[name]


# Languages


def test_every_media_type_of_code_has_a_grammar_or_is_plain() -> None:
    """The table and the types that a document may have are the same."""
    assert {*GRAMMARS, PLAIN_CODE} == set(LANGUAGES)
    extensions = [extension for endings in EXTENSIONS.values() for extension in endings]
    assert len(extensions) == len(set(extensions))


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("src/a.py", "text/x-python"),
        ("a.test.TSX", "text/x-tsx"),
        ("include/a.h", "text/x-c++"),
        ("lib/a.rb", "text/x-code"),
        ("Makefile", "text/x-code"),
        ("deploy/Dockerfile", "text/x-code"),
        ("README.md", None),
        ("notes.txt", None),
        ("py", None),
    ],
)
def test_a_file_name_tells_the_language(name: str, media_type: str | None) -> None:
    """By its extension, or by its name; what is no code has none."""
    assert code_media_type(name) == media_type


@pytest.mark.parametrize("media_type", GRAMMARS)
def test_every_grammar_loads(media_type: CodeMediaType) -> None:
    """Each wheel fits the version of tree-sitter that is installed."""
    borders = outline("a;\nb;\n\nc;\n", media_type).offsets
    assert all(first < second for first, second in pairwise(borders))
    assert borders
