"""What names in code mean, as far as a file says it (GRA-1): nothing is guessed."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_settings, cut_document, find_links
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.links import LinkKind
from headwater.domain.media_types import CodeMediaType
from headwater.linking.document_links import read_links

PYTHON = """import os.path
import shop.prices as costs
from shop.stock import Stock, count as number
from . import local
from ..tools import *

LIMIT = 3


class Base:
    def shared(self): ...


class Till(Base):
    stock: "Stock | None"

    def __init__(self, stock: Stock, other):
        self.box = Stock()
        self.other = other

    def sell(self, stock, typed: Stock):
        self.sell(1, 2)
        self.shared()
        self.stock.take()
        self.box.give()
        self.other.give()
        stock.take()
        typed.take()
        number()
        costs.of(1)
        local.help()
        starred()
        len(self.box)
        made = Stock()
        made.take()
        made.deep.take()
        os.path.join("a")
        [number(x) for number in ()]

    def hidden(self, number):
        number()
        sell()
        super().shared()


def outer():
    def inner(): ...
    inner()
    Till(1, 2).sell()
"""


def called(text: str, uri: str, media_type: CodeMediaType) -> list[tuple[int, str, tuple[str, ...]]]:
    """Each call with its line."""
    links = read_links(find_links(text, media_type), text=text, uri=uri, media_type=media_type)
    return [(line, link.name, link.targets) for link, line in links if link.kind is LinkKind.CALLS]


def test_calls_of_python_mean_what_the_file_says() -> None:
    """Own definitions, imports, classes of annotated and constructed objects; hidden and unknown names mean nothing."""
    lines = {place: text.strip() for place, text in enumerate(PYTHON.split("\n"), 1)}
    found = {lines[line]: targets for line, _, targets in called(PYTHON, "app/shop/till.py", "text/x-python")}
    stock = ("shop.stock.Stock", "app.shop.stock.Stock", "src.shop.stock.Stock")
    assert found == {
        "self.box = Stock()": stock,
        "self.sell(1, 2)": ("app.shop.till.Till.sell", "app.shop.till.Base.sell"),
        "self.shared()": ("app.shop.till.Till.shared", "app.shop.till.Base.shared"),
        "self.stock.take()": tuple(f"{name}.take" for name in stock),
        "self.box.give()": tuple(f"{name}.give" for name in stock),
        "self.other.give()": (),
        "stock.take()": (),
        "costs.of(1)": ("shop.prices.of", "app.shop.prices.of", "src.shop.prices.of"),
        "local.help()": ("app.shop.local.help",),
        "starred()": ("app.tools.starred",),
        "made = Stock()": stock,
        "number()": (),  # a loop and a parameter have this name
        "sell()": ("app.tools.sell",),  # a method is no name of the module
        "super().shared()": ("app.shop.till.Base.shared",),
        "inner()": ("app.shop.till.outer.inner",),
        "Till(1, 2).sell()": ("app.shop.till.Till",),
    }  # the others say the same again within `sell`, which counts once


def test_definitions_and_imports_of_python() -> None:
    """With their lines; what is Python's own is left out."""
    links = read_links(
        find_links(PYTHON, "text/x-python"), text=PYTHON, uri="a/__init__.py", media_type="text/x-python"
    )
    defined = [link.targets[0] for link, _ in links if link.kind is LinkKind.DEFINES]
    assert defined == [
        "a", "a.LIMIT", "a.Base", "a.Base.shared", "a.Till", "a.Till.__init__", "a.Till.sell", "a.Till.hidden",
        "a.outer", "a.outer.inner",
    ]  # fmt: skip
    imports = [(line, link.targets[0]) for link, line in links if link.kind is LinkKind.IMPORTS]
    assert imports == [
        (2, "shop.prices"),
        (3, "shop.stock.Stock"),
        (3, "shop.stock.count"),
        (4, "a.local"),
        (5, "tools"),
    ]


TYPESCRIPT = """import D, {a as b} from "./lib/x";
import * as ns from "../y/index.js";
const z = require("./z");
class K {
  m(p) { this.n(); b(1); ns.go(); p.trim(); q(); D.x(); n(); z.f() }
  n() { return new K() }
}
const q = (f) => f(b);
function over(b) { b() }
"""
GO = """package b
import ("fmt"; x "github.com/a/b/x")
type T struct { n int }
func (s *T) M() { s.N(); fmt.Println(1); helper(2); x.Do() }
func helper(f func()) { f() }
"""
JAVA = """package com.a;
import com.c.Dep;
import static com.c.Util.go;
class B {
  Dep dep;
  int f(Dep d, Other o) { d.run(); this.dep.stop(); g(); go(); o.x(); Sib.y(); unknown(); return 0; }
  void g() { new Dep(); }
}
"""
RUST = """use crate::x::{y, Z as W};
use super::sib;
struct T;
impl T {
    fn go(&self) { self.run(); Self::new(); y(); W::make(); sib::f(); free(); crate::k::g::<u8>(1); run(); other::h() }
    fn run(&self) {}
}
fn free() { let y = 1; y(); T::new(); }
"""
CPP = """#include "k.h"
namespace ns { class K { void inl() { m(); } }; }
void K::m() { this->n(); helper(1); obj.go(); obj->go(); other(1); }
static int helper(int f) { return f(f); }
"""


@pytest.mark.parametrize(
    ("media_type", "uri", "text", "targets"),
    [
        ("text/x-typescript", "web/src/a.ts", TYPESCRIPT,
         {"web/src/a.K.n", "web/src/lib/x.a", "web/y.go", "web/src/a.q", "web/src/lib/x.D.x", "web/src/a.K",
          "web/src/z.f"}),
        ("text/x-go", "a/b/c.go", GO, {"a/b.T.N", "a/b.helper"}),
        ("text/x-java", "src/main/java/a/B.java", JAVA,
         {"com.c.Dep.run", "com.c.Dep.stop", "com.a.B.g", "com.c.Util.go", "com.a.Other.x", "com.a.Sib.y",
          "com.c.Dep"}),
        ("text/x-rust", "crates/core/src/a/b.rs", RUST,
         {"crates/core/src/a/b.T.run", "crates/core/src/a/b.T.new", "crates/core/src/x/y", "crates/core/src/x/Z.make",
          "crates/core/src/a/sib.f", "crates/core/src/a/b.free", "crates/core/src/k/g"}),
        ("text/x-c++", "src/k.cpp", CPP, {"ns.K.m", "K.n", "helper", "K.other"}),
    ],
    ids=["typescript", "go", "java", "rust", "c++"],
)  # fmt: skip
def test_calls_of_other_languages(media_type: CodeMediaType, uri: str, text: str, targets: set[str]) -> None:
    """Own definitions, imports and declared types; every other call has no target."""
    assert {found[0] for _, _, found in called(text, uri, media_type) if found} == targets


@pytest.mark.parametrize(
    ("media_type", "uri", "text"),
    [
        ("text/javascript", "a/index.js", "export function f() {}"),
        ("text/x-c", "b/c.h", "int f(void);"),
        ("text/x-rust", "src/lib.rs", "pub fn f() {}"),
    ],
)
def test_files_that_others_import_are_symbols(media_type: CodeMediaType, uri: str, text: str) -> None:
    """An import of a file leads to its beginning."""
    (first, line), *_ = read_links(find_links(text, media_type), text=text, uri=uri, media_type=media_type)
    names = {"a/index.js": "a", "b/c.h": "b/c.h", "src/lib.rs": "src"}
    assert (first.kind, first.targets, line) == (LinkKind.DEFINES, (names[uri],), 1)


def test_splitting_finds_the_same_without_a_second_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of a file is parsed once for its chunks and its links (CHK-1)."""
    from headwater.chunking import syntax

    parsed = []
    parse = syntax._parse

    def counted(*given: Any) -> Any:
        parsed.append(1)
        return parse(*given)

    monkeypatch.setattr(syntax, "_parse", counted)
    settings = chunk_settings(KnowledgeBaseSettings())
    done = cut_document(PYTHON, title="", media_type="text/x-python", settings=settings)
    assert (len(parsed), done.found) == (1, find_links(PYTHON, "text/x-python"))


@given(
    st.text(alphabet="abdefgir.,:()[]{}=*\n \"'#<>;&", max_size=200), st.sampled_from(["a/b.py", "b.rs", "é/x.go", ""])
)
def test_any_text_has_links_within_itself(text: str, uri: str) -> None:
    """Broken code too; each offset is a place in the text."""
    for media_type in ("text/x-python", "text/x-rust", "text/x-c++", "text/x-typescript"):
        for link, line in read_links(find_links(text, media_type), text=text, uri=uri, media_type=media_type):
            assert 0 <= link.offset <= len(text)
            assert 1 <= line <= text.count("\n") + 1


@pytest.mark.attacks
@pytest.mark.parametrize(
    "text",
    ["f(" * 20_000, "a." * 30_000 + "b()", "x = Optional[" * 5_000, "import a" + ".b" * 20_000, "class A:\n" * 2_000,
     "from . import " + "a, " * 20_000, "def f(a):\n " * 3_000, "f()()" * 10_000, "A(" * 30_000 + ")" * 30_000],
)  # fmt: skip
def test_odd_code_takes_no_longer(text: str) -> None:
    """The work grows with the text, and nothing recurses."""
    begun = time.thread_time()
    read_links(find_links(text, "text/x-python"), text=text, uri="a.py", media_type="text/x-python")
    assert time.thread_time() - begun < 8
