"""How much work a piece of code does, counted, so that no test need look at a clock.

Belongs here: counting calls of functions, and the steps of regular expressions by a plain backtracking matcher over
Python's own parse tree. Not here: what may be how much. Guarantee: the same count on every machine, however busy;
results are those of the real expressions; what the matcher does not know is an error, not nothing.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import pytest

_parser: Any = importlib.import_module("re._parser")
_op: Any = importlib.import_module("re._constants")
_Then = Callable[[int], bool]
_Node = Callable[[int, _Then], bool]
_RECURSION = 200_000  # the matcher goes one level deeper with every repetition of a group


class Work:
    """Steps so far: calls of functions and steps of expressions."""

    def __init__(self) -> None:
        self.calls = 0
        self.steps = 0

    @property
    def total(self) -> int:
        """Both."""
        return self.calls + self.steps


@contextmanager
def counted(*modules: ModuleType) -> Iterator[Work]:
    """Count the work of a block.

    Args:
        modules: those whose regular expressions count, also what they compile meanwhile.
    """
    work, before = Work(), sys.getrecursionlimit()

    def profile(_frame: object, event: str, _argument: object) -> None:
        work.calls += event in ("call", "c_call")

    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            for name, value in vars(module).copy().items():
                if isinstance(value, re.Pattern | tuple | list | dict):
                    patch.setattr(module, name, _wrapped(value, work))
            if vars(module).get("re") is re:
                patch.setattr(module, "re", _Re(work))
        sys.setrecursionlimit(_RECURSION)
        sys.setprofile(profile)
        try:
            yield work
        finally:
            sys.setprofile(None)
            sys.setrecursionlimit(before)


def _wrapped(value: Any, work: Work) -> Any:
    """Expressions, alone or in a table, as such that count."""
    if isinstance(value, re.Pattern):
        return _Counting(value, work)
    if type(value) in (tuple, list):
        return type(value)(_wrapped(each, work) for each in value)
    if type(value) is dict:
        return {name: _wrapped(each, work) for name, each in value.items()}
    return value


class _Re:
    """The module `re`, whose expressions count."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def compile(self, pattern: str, flags: int = 0) -> "_Counting":
        return _Counting(re.compile(pattern, flags), self._work)

    def __getattr__(self, name: str) -> Any:
        return getattr(re, name)


class _Counting:
    """An expression that records how many steps a plain matcher takes for each match."""

    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self._pattern = pattern
        self._work = work

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _count(self, text: str, starts: range, end: int | None = None) -> None:
        profile = sys.getprofile()
        sys.setprofile(None)  # the matcher's own calls are not the code's
        try:
            matcher = _matcher(self._pattern)
            matcher.read(text, end)
            for start in starts:
                matcher.matches(start)
            self._work.steps += matcher.steps
        finally:
            sys.setprofile(profile)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        found = self._pattern.search(text, pos, endpos)
        self._count(text, range(pos, (found.start() if found else min(endpos, len(text))) + 1), endpos)
        return found

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._count(text, range(pos, pos + 1), endpos)
        return self._pattern.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._count(text, range(pos, pos + 1), endpos)
        return self._pattern.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[str]]:
        begin = pos
        for found in self._pattern.finditer(text, pos, endpos):
            self._count(text, range(begin, found.start() + 1), endpos)
            begin = found.end()
            yield found
        self._count(text, range(begin, min(endpos, len(text)) + 1), endpos)

    def _count_all(self, text: str, *bounds: int) -> None:
        for _ in self.finditer(text, *bounds):
            pass

    def findall(self, text: str, *bounds: int) -> list[Any]:
        self._count_all(text, *bounds)
        return self._pattern.findall(text, *bounds)

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        self._count_all(text)
        return self._pattern.split(text, maxsplit)

    def sub(self, new: Any, text: str, count: int = 0) -> str:
        self._count_all(text)
        return self._pattern.sub(new, text, count)

    def subn(self, new: Any, text: str, count: int = 0) -> tuple[str, int]:
        self._count_all(text)
        return self._pattern.subn(new, text, count)


class Matcher:
    """Tries an expression at places of a text, as a backtracking matcher without shortcuts does; counts its steps."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.steps = 0
        self._text = ""
        self._end = 0
        self._held: dict[int | None, str | None] = {}
        tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE | re.UNICODE)
        self._root = self._sequence(tree, pattern.flags)

    def read(self, text: str, end: int | None = None) -> None:
        """Turn to another text; the count begins anew."""
        self.steps = 0
        self._text = text
        self._end = len(text) if end is None else min(end, len(text))

    def matches(self, start: int) -> bool:
        """Whether the expression fits at a place."""
        self._held.clear()
        return self._root(start, lambda _: True)

    def _sequence(self, items: Any, flags: int) -> _Node:
        nodes = [self._node(code, argument, flags) for code, argument in items]
        if not nodes:
            return lambda place, then: then(place)
        run = nodes.pop()
        while nodes:
            run = _chained(nodes.pop(), run)
        return run

    def _node(self, code: Any, argument: Any, flags: int) -> _Node:
        made: dict[Any, Callable[[Any, int], _Node]] = {
            _op.SUBPATTERN: lambda a, f: self._group(a[0], self._sequence(a[3], (f | a[1]) & ~a[2])),
            _op.GROUPREF: lambda a, _: self._again(a),
            _op.ATOMIC_GROUP: lambda a, f: self._atomic(self._sequence(a, f)),
            _op.BRANCH: lambda a, f: self._branch([self._sequence(each, f) for each in a[1]]),
            _op.MAX_REPEAT: lambda a, f: self._repeat(a, f, is_greedy=True),
            _op.MIN_REPEAT: lambda a, f: self._repeat(a, f, is_greedy=False),
            _op.POSSESSIVE_REPEAT: lambda a, f: self._atomic(self._repeat(a, f, is_greedy=True)),
            _op.ASSERT: lambda a, f: self._look(a, f, wanted=True),
            _op.ASSERT_NOT: lambda a, f: self._look(a, f, wanted=False),
            _op.AT: self._edge,
        }
        return made[code](argument, flags) if code in made else self._one(code, argument, flags)

    def _one(self, code: Any, argument: Any, flags: int) -> _Node:
        """One character; asked of the real engine, which knows classes and case."""
        if code not in (_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN):
            raise NotImplementedError(f"{code} is not counted")
        state = _parser.State()
        state.flags, state.str = flags, ""
        tree = _parser.SubPattern(state, [(code, argument)])
        compiler: Any = importlib.import_module("re._compiler")
        single = compiler.compile(tree, flags)
        fits: dict[str, bool] = {}

        def run(place: int, then: _Then) -> bool:
            self.steps += 1
            if place >= self._end:
                return False
            letter = self._text[place]
            if letter not in fits:
                fits[letter] = single.match(letter) is not None
            return fits[letter] and then(place + 1)

        return run

    def _group(self, number: int | None, inner: _Node) -> _Node:
        def run(place: int, then: _Then) -> bool:
            def close(at: int) -> bool:
                before = self._held.get(number)
                self._held[number] = self._text[place:at]
                if then(at):
                    return True
                self._held[number] = before
                return False

            return inner(place, close)

        return run if number is not None else inner

    def _again(self, number: int) -> _Node:
        def run(place: int, then: _Then) -> bool:
            held = self._held.get(number)
            self.steps += len(held or "x")
            return held is not None and self._text.startswith(held, place, self._end) and then(place + len(held))

        return run

    def _atomic(self, inner: _Node) -> _Node:
        def run(place: int, then: _Then) -> bool:
            ends: list[int] = []

            def end(at: int) -> bool:
                ends.append(at)
                return True

            return inner(place, end) and then(ends[0])

        return run

    def _branch(self, choices: list[_Node]) -> _Node:
        return lambda place, then: any(choice(place, then) for choice in choices)

    def _repeat(self, argument: Any, flags: int, *, is_greedy: bool) -> _Node:
        least, most, items = argument
        most = sys.maxsize if most is _op.MAXREPEAT else most
        inner = self._sequence(items, flags)
        if len(items) == 1 and items[0][0] in (_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN) and is_greedy:
            code, single = items[0]
            return self._run_of_characters(self._one(code, single, flags), least, most)

        def attempt(place: int, done: int, then: _Then) -> bool:
            self.steps += 1

            def more() -> bool:
                def again(at: int) -> bool:
                    return (at > place or done < least) and attempt(at, done + 1, then)

                return done < most and inner(place, again)

            if done < least:
                return more()
            return more() or then(place) if is_greedy else then(place) or more()

        return lambda place, then: attempt(place, 0, then)

    def _run_of_characters(self, one: _Node, least: int, most: int) -> _Node:
        def run(place: int, then: _Then) -> bool:
            at = place
            while at - place < most and one(at, lambda _: True):
                at += 1
            while at - place >= least:
                self.steps += 1
                if then(at):
                    return True
                at -= 1
            return False

        return run

    def _look(self, argument: Any, flags: int, *, wanted: bool) -> _Node:
        direction, items = argument
        inner = self._sequence(items, flags)
        width = items.getwidth()[0] if direction < 0 else 0

        def run(place: int, then: _Then) -> bool:
            found = place >= width and inner(place - width, lambda at: direction > 0 or at == place)
            return found is wanted and then(place)

        return run

    def _edge(self, where: Any, flags: int) -> _Node:
        names = {
            _op.AT_BEGINNING: "^",
            _op.AT_BEGINNING_STRING: r"\A",
            _op.AT_END: "$",
            _op.AT_END_STRING: r"\Z",
            _op.AT_BOUNDARY: r"\b",
            _op.AT_NON_BOUNDARY: r"\B",
        }
        edge = re.compile(names[where], flags & (re.MULTILINE | re.ASCII))

        def run(place: int, then: _Then) -> bool:
            self.steps += 1
            return edge.match(self._text, place, self._end) is not None and then(place)

        return run


@cache
def _matcher(pattern: re.Pattern[str]) -> Matcher:
    """The matcher of an expression, built once, because that takes longer than most matches."""
    return Matcher(pattern)


def _chained(first: _Node, rest: _Node) -> _Node:
    return lambda place, then: first(place, lambda at: rest(at, then))
