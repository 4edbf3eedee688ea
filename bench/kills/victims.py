"""What the campaign kills, and what an operator, or what watches the servers, does about it afterwards.

Belongs here: finding the processes of each kind of victim, killing them with signal 9, and starting again what nothing
else starts. Not here: when (`bench.kill_campaign`). Guarantee: only processes of the installation are killed.

A run is found by the lock that it holds: the port of the lock's connection is that of its process.
"""

import os
import random
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import psutil

from bench.kills.replicated_up import ReplicatedUp, load_record

FAILOVER = "primary"
"""The kind after which a replica is promoted, and readers may see what was not replicated undone."""
_AWAY_SECONDS = 3.0  # that a server stays dead
_HOLDER = """
SELECT DISTINCT a.client_port
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
 WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
   AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(%s, 0)
"""
_BACKENDS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
_WORKING = "SELECT id FROM sync_shares WHERE state IN ('working', 'finishing')"

Victim = Callable[[ReplicatedUp, random.Random], str]
"""Kills something, and says what; empty if it is not there now."""


def kill_helper(up: ReplicatedUp, chance: random.Random) -> str:
    """A run that works on a share of the source."""
    holders = [process for (share,) in up.query(_WORKING) for process in _find_holders(up, f"share:{share}")]
    return _kill_one(holders, chance)


def kill_leading_run(up: ReplicatedUp, chance: random.Random) -> str:
    """The run that holds the list of documents."""
    return _kill_one(_find_holders(up, "source:1"), chance)


def kill_daemon(up: ReplicatedUp, chance: random.Random) -> str:
    """Dagster's daemon."""
    return _kill_service(up, "dagster-daemon", chance)


def kill_code_server(up: ReplicatedUp, chance: random.Random) -> str:
    """Dagster's code server, alone or with the runs that it started."""
    return _kill_service(up, "code-server", chance)


def kill_api(up: ReplicatedUp, chance: random.Random) -> str:
    """The process of the API."""
    return _kill_service(up, "api", chance)


def kill_backend(up: ReplicatedUp, chance: random.Random) -> str:
    """A process of the first server that serves a connection, whereupon Postgres ends all others and recovers."""
    pids = [pid for (pid,) in up.query(_BACKENDS)]
    return _kill_one([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], chance)


def kill_walreceiver(up: ReplicatedUp, chance: random.Random) -> str:
    """The process of the replica that receives the log."""
    return _kill_one([child for child in up.second.processes() if "walreceiver" in _title(child)], chance)


def kill_replica(up: ReplicatedUp, _: random.Random) -> str:
    """The replica; it is started again after a while."""
    up.second.kill()
    time.sleep(_AWAY_SECONDS)
    up.second.start()
    return "server"


def kill_primary(up: ReplicatedUp, _: random.Random) -> str:
    """The first server; the replica is promoted after a while, and gets a replica of its own."""
    up.first.kill()
    time.sleep(_AWAY_SECONDS)
    up.change_roles()
    return "server"


def kill_up(up: ReplicatedUp, _: random.Random) -> str:
    """`headwater up` itself, which is started again and ends what the killed one left."""
    if up.process is None:
        return ""
    up.process.kill()
    up.process.wait()
    up.start()
    return "process"


VICTIMS: Mapping[str, Victim] = {
    "helper": kill_helper,
    "leading run": kill_leading_run,
    "daemon": kill_daemon,
    "code server": kill_code_server,
    "API": kill_api,
    "Postgres backend": kill_backend,
    "walreceiver": kill_walreceiver,
    "replica": kill_replica,
    FAILOVER: kill_primary,
    "headwater up": kill_up,
}


def _find_holders(up: ReplicatedUp, lock: str) -> list[psutil.Process]:
    ports = {port for (port,) in up.query(_HOLDER, lock)}
    pids = {
        connection.pid
        for connection in psutil.net_connections("tcp")
        if connection.pid
        and getattr(connection.laddr, "port", None) in ports
        and getattr(connection.raddr, "port", None) == up.first.port  # without a peer it is an empty tuple
    }
    return [psutil.Process(pid) for pid in sorted(pids)]


def _kill_service(up: ReplicatedUp, name: str, chance: random.Random) -> str:
    process = load_record(up.home / "home", name)
    if process is None:
        return ""
    if chance.random() < 0.5:
        return _kill_one([process], chance)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # a service leads a group
    return "with its children"


def _kill_one(processes: Sequence[psutil.Process], chance: random.Random) -> str:
    if not processes:
        return ""
    try:
        chance.choice(processes).kill()
    except psutil.NoSuchProcess:
        return ""
    return "alone"


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
