"""Whether anything is lost, doubled or half visible when parts of an installation are killed while it syncs (REL-1).

    python -m bench.kill_campaign [--kills 30] [--seed 1] [--files 200] [--kinds KIND,…] [--json FILE]

Belongs here: the rounds and the table. Not here: the installation, what is killed, the readers, the comparison
(`bench.kills`). Guarantee: temporary folders, removed afterwards; the same seed changes the same files and kills the
same kinds in the same order, each at a random moment of a sync.

In each round half of the files change, some are deleted and some added, the source is synced by several runs of a
whole `headwater up` with a Postgres, a streaming replica and a model on loopback, and something is killed. Readers look
all the time. When the sync has ended, a second one must write nothing, and the database must have what a fresh one has.
"""

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from bench.kills.fresh_home import FreshHome, fresh_home
from bench.kills.ledger import Ledger
from bench.kills.numbered_files import NumberedFiles
from bench.kills.readers import reading
from bench.kills.replicated_up import SLUG, ReplicatedUp, replicated_up, to_json, wait_for
from bench.kills.victims import FAILOVER, VICTIMS

_MAX_MOMENT_SECONDS = 45.0
_MAX_COMMAND_SECONDS = 600
_RETRY_SECONDS = 0.3
_ENDED = ("ready", "failed", "cancelled")


@dataclass(kw_only=True)
class Round:
    """A sync, and what was killed during it."""

    kinds: Sequence[str]
    victims: dict[str, str] = field(default_factory=dict)
    """What was killed, and how, by kind; empty for what was not there while the source was synced."""
    moments: list[float] = field(default_factory=list)
    """Seconds after the request."""
    sync_seconds: float = 0.0
    states: list[str] = field(default_factory=list)
    """How each sync ended until one was ready."""
    attempts: int = 0
    requested_by: str = ""
    runs: int = 0
    """How many published the new versions: the leading run, its helpers, those that went on after a kill."""
    written_again: int = 0
    """Rows that the second sync wrote."""
    differences: list[str] = field(default_factory=list)
    violations: int = 0
    went_back: int = 0
    """Documents that readers saw older than before, after a promotion."""

    @property
    def is_well(self) -> bool:
        """Whether nothing was lost, doubled or half visible."""
        return not (self.differences or self.violations or self.written_again)


class Campaign:
    """The rounds on one installation."""

    def __init__(self, up: ReplicatedUp, files: NumberedFiles, ledger: Ledger, fresh: FreshHome, seed: int) -> None:
        self._up = up
        self._files = files
        self._ledger = ledger
        self._fresh = fresh
        self._random = random.Random(seed)  # noqa: S311 - moments, no secret
        self._command: subprocess.Popen[bytes] | None = None
        self._began_at: object = datetime.now(UTC)

    def begin(self) -> list[str]:
        """Sync everything for the first time, without a kill; returns what is wrong before anything was killed."""
        self._up.run("sync", SLUG, "--json")
        self._ledger.settle()
        return self._fresh.compare(self._up)

    def kill(self, kinds: Sequence[str], most_seconds: float, ways: Sequence[str] = ("command", "API")) -> Round:
        """Change files, sync, kill something of each kind at a random moment, one after another; look what is left."""
        turn = Round(kinds=kinds)
        violations, went_back = self._ledger.violation_count, self._ledger.counts["went back"]
        self._files.change()
        (self._began_at,) = self._up.query("SELECT clock_timestamp()")[0]
        began = time.monotonic()
        turn.requested_by = self._random.choice(ways)
        sync_id = self._start_command() if turn.requested_by == "command" else self._request()
        wait_for(lambda: self._read(sync_id)["state"] != "pending", "a run", self._up.check)
        for kind in kinds:
            time.sleep(self._random.uniform(0, most_seconds / len(kinds)))
            turn.moments.append(round(time.monotonic() - began, 1))
            turn.victims[kind] = self._kill(kind, sync_id)
        self._finish(turn, sync_id)
        turn.sync_seconds = round(time.monotonic() - began, 1)
        self._ledger.settle()
        self._end_command()
        again = json.loads(self._up.run("sync", SLUG, "--json"))
        turn.written_again = sum(source["rows_written"] for source in again["sources"])
        turn.differences = self._fresh.compare(self._up)
        turn.violations = self._ledger.violation_count - violations
        turn.went_back = self._ledger.counts["went back"] - went_back
        return turn

    def _kill(self, kind: str, sync_id: int) -> str:
        """Kill, as soon as there is something of that kind; empty if the sync ends before."""
        if kind == FAILOVER:
            self._ledger.forget()
        victim = ""
        while not victim and self._read(sync_id)["state"] not in _ENDED:
            victim = VICTIMS[kind](self._up, self._random)
            if not victim:
                time.sleep(_RETRY_SECONDS)
        return victim

    def _finish(self, turn: Round, sync_id: int) -> None:
        """Wait for the end of a sync; sync again until one is ready."""
        for _ in range(5):
            sync = self._wait(sync_id)
            turn.states.append(sync["state"] if sync else "lost")
            if sync:
                turn.attempts += sum(source["attempts"] for source in sync["sources"])
            if sync and sync["state"] == "ready":
                break
            click.echo(f"  sync {sync_id} ended: {to_json(sync)[:600]}", err=True)
            sync_id = self._request()
        else:
            raise click.ClickException(f"No sync became ready: {turn.states}")
        runs = "SELECT count(DISTINCT run_id) FROM published_documents WHERE published_at > %s"
        turn.runs = self._up.query(runs, self._began_at)[0][0]

    def _start_command(self) -> int:
        """Sync by the command; returns the number of its sync."""
        path = f"/syncs?knowledge_base={SLUG}&limit=1"
        newest = self._up.send("GET", path).json()["syncs"][0]["id"]
        self._command = self._up.start_command("sync", SLUG, "--json")
        wait_for(lambda: self._up.send("GET", path).json()["syncs"][0]["id"] > newest, "the command", self._up.check)
        return int(self._up.send("GET", path).json()["syncs"][0]["id"])

    def _end_command(self) -> None:
        """Wait for the command, whose sync another run may have finished."""
        if self._command is not None:
            self._command.wait(_MAX_COMMAND_SECONDS)
            self._command = None

    def _request(self) -> int:
        """Request a sync, once the one that may be running has ended."""
        while True:
            response = self._up.send("POST", f"/knowledge-bases/{SLUG}/syncs", {})
            if response.is_success:
                return int(response.json()["id"])
            if response.json().get("code") != "SYNC_ALREADY_RUNNING":
                raise click.ClickException(response.text)
            time.sleep(_RETRY_SECONDS)

    def _read(self, sync_id: int) -> dict[str, Any]:
        response = self._up.send("GET", f"/syncs/{sync_id}")
        return dict(response.json()) if response.is_success else {"state": "cancelled", "is_lost": True}

    def _wait(self, sync_id: int) -> dict[str, Any] | None:
        """A sync that has ended; None if a promotion has lost it."""
        wait_for(lambda: self._read(sync_id)["state"] in _ENDED, f"sync {sync_id}", self._up.check)
        sync = self._read(sync_id)
        return None if "is_lost" in sync else sync


@contextmanager
def campaign(files: int, seed: int, *, workers: int, delay: float, readers: int) -> Iterator[tuple[Campaign, Ledger]]:
    """A campaign whose installation is synced for the first time, and its ledger, for the length of a block.

    Raises:
        ClickException: something is wrong before anything was killed.
    """
    with tempfile.TemporaryDirectory(prefix="headwater-kills-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        for folder in ("documents", "up", "fresh"):
            (home / folder).mkdir()
        numbered = NumberedFiles(home / "documents", files, seed)
        ledger = Ledger(numbered.histories)
        with (
            replicated_up(home / "up", numbered.folder, workers=workers) as up,
            fresh_home(home / "fresh", numbered.folder) as fresh,
        ):
            rounds = Campaign(up, numbered, ledger, fresh, seed)
            if defects := rounds.begin():
                raise click.ClickException(f"Wrong before any kill: {defects}")
            up.delay = delay
            with reading(up.api, ledger, readers, seed):
                yield rounds, ledger


def plan_kills(count: int, kinds: Sequence[str], at_once: int, seed: int) -> list[list[str]]:
    """Which kinds are killed in each round: all equally often, in a random order, none twice in one round.

    A helper comes after a while, so it is killed last.
    """
    chance = random.Random(seed)  # noqa: S311 - an order, no secret
    order: list[str] = []
    while len(order) < count:
        order += chance.sample(kinds, len(kinds))
    turns = [order[first : first + at_once] for first in range(0, count, at_once)]
    return [sorted(dict.fromkeys(turn), key=lambda kind: kind == "helper") for turn in turns]


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--kills", default=30, show_default=True, help="How many.")
@click.option("--at-once", default=2, show_default=True, help="Of these, how many during one sync.")
@click.option("--seed", default=1, show_default=True, help="Of the files, the order and the moments.")
@click.option("--files", default=200, show_default=True, help="Markdown files of eight sections.")
@click.option("--workers", default=3, show_default=True, help="Runs that may work on the source.")
@click.option("--delay", default=3.0, show_default=True, help="Seconds that the model takes for a request.")
@click.option("--kinds", default=",".join(VICTIMS), show_default=True, help="What is killed.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Also write every round to this file.")
def main(
    kills: int, at_once: int, seed: int, files: int, workers: int, delay: float, kinds: str, json_file: Path | None
) -> None:
    """Kill, and print a table."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end what was started
    rounds: list[Round] = []
    names = [name for name in VICTIMS if name in kinds.split(",")]
    with campaign(files, seed, workers=workers, delay=delay, readers=3) as (killing, ledger):
        for turn in plan_kills(kills, names, at_once, seed):
            rounds.append(killing.kill(turn, _MAX_MOMENT_SECONDS))
            click.echo(to_json(asdict(rounds[-1])), err=True)
            if json_file is not None:
                report = {"rounds": [asdict(each) for each in rounds], "violations": ledger.violations}
                json_file.write_text(json.dumps({**report, "looks": ledger.counts}, indent=1) + "\n", encoding="utf-8")
    for line in draw_table(rounds):
        click.echo(line)
    click.echo(f"Looks: {to_json(ledger.counts)}")
    for violation in ledger.violations:
        click.echo(f"Violation: {violation}")
    if not all(turn.is_well for turn in rounds):
        raise click.ClickException("Something was lost, doubled or half visible.")


def draw_table(rounds: Sequence[Round]) -> Iterator[str]:
    """The rounds by kind, as markdown; what a round shows counts for each kind that was killed in it."""
    columns = (
        "killed", "times", "not there", "lost workers", "syncs that were not ready", "rows written again", "went back",
        "violations", "differences",
    )  # fmt: skip
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for kind in VICTIMS:
        mine = [turn for turn in rounds if kind in turn.kinds]
        if mine:
            cells = (
                sum(bool(turn.victims[kind]) for turn in mine),
                sum(not turn.victims[kind] for turn in mine),
                sum(turn.attempts for turn in mine),
                sum(len(turn.states) - 1 for turn in mine),
                sum(turn.written_again for turn in mine),
                sum(turn.went_back for turn in mine),
                sum(turn.violations for turn in mine),
                sum(len(turn.differences) for turn in mine),
            )
            yield f"| {kind} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
