"""The lists of mutations stay true of the code: `make mutate` itself takes minutes, this a moment."""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutations import MUTATIONS
from tests.mutations.mutation import Mutation
from tests.mutations.run import Outcome, report

ROOT = Path(__file__).resolve().parents[2]


def test_every_mutation_can_be_applied() -> None:
    """Its snippet is in its file exactly once, and the tests that must notice it exist."""
    assert {one.name: problems for one in MUTATIONS if (problems := one.problems(ROOT))} == {}


def test_no_mutation_is_there_twice() -> None:
    """Each has a name and a change of its own."""
    assert [name for name, count in Counter(one.name for one in MUTATIONS).items() if count > 1] == []
    assert len({(one.file, one.old, one.new) for one in MUTATIONS}) == len(MUTATIONS)


def test_a_stale_mutation_is_named(tmp_path: Path) -> None:
    """A snippet that is gone or there twice, a file and a test that are gone, a change that changes nothing."""
    (tmp_path / "a.py").write_text("x = 1\ny = 1\n")
    (tmp_path / "test_a.py").write_text("def test_one() -> None:\n    pass\n")

    def problems(old: str, new: str = "z", file: str = "a.py", test: str = "test_a.py::test_one") -> list[str]:
        return Mutation(file=file, old=old, new=new, tests=(test,), why="it breaks").problems(tmp_path)

    assert problems("x = 1") == problems("x = 1", test="test_a.py") == []
    assert problems("= 1") == ["'= 1' is 2 times in a.py, not once"]
    assert problems("x = 2") == ["'x = 2' is 0 times in a.py, not once"]
    assert problems("x = 1", new="x = 1") == ["'x = 1' is changed to itself"]
    assert problems("x", file="b.py") == ["b.py is not there"]
    for test in ("test_a.py::test_o", "test_a.py::test_two", "test_b.py"):
        assert problems("x = 1", test=test) == [f"there is no test {test}"]


def test_what_is_applied_can_be_taken_back(tmp_path: Path) -> None:
    """And no bytecode of the other text is left."""
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "__pycache__").mkdir()
    mutation = Mutation(file="a.py", old="1", new="2", tests=(), why="it counts wrongly")
    before = mutation.apply(tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
    assert not (tmp_path / "__pycache__").exists()
    mutation.write(tmp_path, before)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(("state", "status"), [("killed", 0), ("SURVIVED", 1), ("stale", 1), ("broken", 1)])
def test_only_killed_mutations_are_well(state: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status says so, and the last line counts them."""
    mutation = Mutation(file="a.py", old="1", new="2", tests=("test_a.py",), why="it counts wrongly")
    well = Outcome(mutation=mutation, state="killed", detail="")
    assert report([well, Outcome(mutation=mutation, state=state, detail="so it is")]) == status
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 mutations: ")
