"""`make mutate`: apply each mutation to a copy of the tree, run its tests there, and say which survive.

Belongs here: the copy, the runs, the table. Not here: the mutations. Guarantee: the work tree is only read; a mutation
counts as killed when a test fails, not when the tests cannot run; tests that fail without a mutation are an error.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutations import MUTATIONS
from tests.mutations.mutation import Mutation

ROOT = Path(__file__).resolve().parents[2]
_LEFT_OUT = (".git", ".venv", "build", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
_LIMIT = 900  # seconds for the tests of one mutation: one that hangs is noticed too
_LIMIT_OF_ALL = 7200  # seconds for all tests at once
_FAILED = 1  # pytest's exit status when tests ran and some failed


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The result of a mutation: killed, SURVIVED, stale or broken; `detail` says by which test, or why."""

    mutation: Mutation
    state: str
    detail: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutations; returns 0 when every one was killed."""
    parser = argparse.ArgumentParser(description="Apply mutations one by one and say which the tests let live.")
    parser.add_argument("--only", default="", help="only mutations whose file, reason or tests hold this")
    only = parser.parse_args(arguments).only
    chosen = [one for one in MUTATIONS if only in f"{one.name} {' '.join(one.tests)}"]
    if not chosen:
        print(f"No mutation holds {only!r}.")
        return 2
    with tempfile.TemporaryDirectory(prefix="headwater-mutate-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        outcomes = run(chosen, tree)
    return report(outcomes)


def run(mutations: Sequence[Mutation], tree: Path) -> list[Outcome]:
    """Try mutations one after another in a copy of the tree."""
    stale = {one: found for one in mutations if (found := one.problems(tree))}
    fresh = [one for one in mutations if one not in stale]
    outcomes = [Outcome(mutation=one, state="stale", detail="; ".join(found)) for one, found in stale.items()]
    tests = list(dict.fromkeys(test for one in fresh for test in one.tests))
    files = {test for test in tests if "::" not in test}  # pytest would run their tests twice if they were named too
    print(f"{len(fresh)} mutations. First their tests without any, {len(tests)} of them.", flush=True)
    once = [test for test in tests if test in files or test.split("::")[0] not in files]
    state, detail = _pytest(tree, once, _LIMIT_OF_ALL)
    if fresh and state != "SURVIVED":
        print(f"The tests fail without a mutation: {detail}")
        return [*outcomes, *(Outcome(mutation=one, state="broken", detail="its tests fail anyway") for one in fresh)]
    for number, one in enumerate(fresh, start=1):
        started = time.monotonic()
        before = one.apply(tree)
        try:
            state, detail = _pytest(tree, one.tests)
        finally:
            one.write(tree, before)
        print(f"[{number}/{len(fresh)}] {state:<8} {time.monotonic() - started:5.1f} s  {one.name}", flush=True)
        outcomes.append(Outcome(mutation=one, state=state, detail=detail))
    return outcomes


def _pytest(tree: Path, tests: Sequence[str], limit: int = _LIMIT) -> tuple[str, str]:
    """Run tests until the first failure; returns the state that this means for a mutation, and a detail."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}  # before what the editable installation points at
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=line", "-n", "0"]
    command += [f"--basetemp={tree.parent / 'pytest'}", *tests]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "killed", f"no end within {limit} s"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    failed = next((line for line in lines if line.startswith("FAILED")), None)
    if done.returncode == 0:
        return "SURVIVED", lines[-1]
    if done.returncode == _FAILED and failed:  # what fails before a test begins says nothing of the mutation
        return "killed", failed
    return "broken", lines[-1] if lines else f"exit status {done.returncode}"


def report(outcomes: Sequence[Outcome]) -> int:
    """Print what became of each mutation; returns 1 unless all were killed."""
    order = {"killed": 0, "stale": 1, "broken": 2, "SURVIVED": 3}
    print()
    for one in sorted(outcomes, key=lambda outcome: order[outcome.state]):
        detail = "" if one.state == "killed" else f"  ({one.detail}; {' '.join(one.mutation.tests)})"
        print(f"{one.state:<8}  {one.mutation.name}{detail}")
    counts = Counter(one.state for one in outcomes)
    print(f"\n{len(outcomes)} mutations: " + ", ".join(f"{counts[state]} {state}" for state in order if counts[state]))
    return 0 if counts["killed"] == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
