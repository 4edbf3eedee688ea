"""A parser that a file has taken over, and what it can reach by native code (SEC-1).

Belongs here: each attack of `native_attacks`, against a process that runs as root, as root with packages that everybody
may read, and as a user without any right. Not here: what Python code is refused (`test_parser_process`). Guarantee: the
attacked process is a real one with a secret, sockets and files; each attack is one case.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from headwater.confinement.permissions import call_filter, file_rules
from headwater.settings import REPOSITORY
from tests.native_attacks import ATTACKS, SECRET

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are the Linux kernel's")
_USER = "4242"
# Makes folders reachable for everybody, whatever is above them, in a mount namespace that ends with the process.
_OPENED = """
set -e
umask 022
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /mnt
count=$1; shift
for number in $(seq $count); do
    eval folder=\\${$number}
    mkdir /mnt/$number; mount --rbind "$folder" /mnt/$number
done
for number in $(seq $count); do
    eval folder=\\${$number}
    above=
    for name in $(dirname "$folder" | tr / ' '); do
        above=$above/$name
        [ -d "$above" ] || break
        case $(stat -c %a "$above") in *[1357]) ;; *) mount -t tmpfs -o mode=755 tmpfs "$above"; break ;; esac
    done
done
for number in $(seq $count); do
    eval folder=\\${$number}
    mkdir -p "$folder"; mount --rbind /mnt/$number "$folder"
done
shift $count
exec "$@"
"""
_FILES = {"read a secret", "list the home", "read the user's keys", "write to the home", "move a file into the home",
          "plant a file in /tmp", "shared memory by name"}  # fmt: skip
_REACHED = {"environment of the parent", "environment of any process", "memory of the parent",
            "memory of the parent by call", "trace the parent", "files of the parent", "signal the parent",
            "network of the parent", "tcp", "abstract socket"}  # fmt: skip
WHO = ("root", "nobody", "user")


@cache
def results(who: str, without: str) -> dict[str, str]:
    """What each attack got."""
    if (os.getuid() == 0) != (who != "user") and os.getuid():
        pytest.skip("only root can be attacked as root")
    with TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        for path in (Path(folder), home):
            path.chmod(0o777)
        command = [*_as(who, folder), sys.executable, "-m", "tests.attacked_parent", str(home), without]
        environ = {**os.environ, "HEADWATER_CREDENTIAL_PUMP": SECRET, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        completed = subprocess.run(
            command, capture_output=True, text=True, cwd=REPOSITORY, env=environ, timeout=120, check=False
        )
    assert completed.returncode == 0, completed.stderr
    found: dict[str, str] = json.loads(completed.stdout)
    assert found.pop("user") == str(0 if who in ("root", "nobody") else os.getuid() or _USER)
    return found


def _as(who: str, folder: str) -> list[str]:
    if who == "root" or os.getuid():
        return []
    folders = [str(REPOSITORY), sys.prefix, sys.base_prefix, folder]
    opened = ["unshare", "--mount", "sh", "-c", _OPENED, "sh", str(len(folders)), *folders]
    setpriv = ["setpriv", "--reuid", _USER, "--regid", _USER, "--clear-groups", "--inh-caps=-all"]
    return [*opened, *(setpriv if who == "user" else [])]


@pytest.fixture(autouse=True)
def _kernel(tmp_path: Path) -> None:
    rules = file_rules(str(tmp_path), ())
    if rules is None or not call_filter():
        pytest.skip("this kernel has no Landlock, or this processor no filter")
    rules.close()


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("attack", ATTACKS)
def test_native_code_stays_in_its_process(attack: str, who: str) -> None:
    """No network, socket, process, file, program or right is in reach of native code, whoever runs Headwater."""
    assert results(who, "neither")[attack] == ""


@pytest.mark.parametrize("who", WHO)
def test_the_attacks_find_all_of_them(who: str) -> None:
    """A list that lost an attack would say nothing of it."""
    assert set(results(who, "neither")) == set(ATTACKS)


@pytest.mark.parametrize("who", WHO)
def test_without_landlock_only_files_are_in_reach(who: str) -> None:
    """docs/formats.md says so: then files count that the process's user can open."""
    through = {attack for attack, got in results(who, "landlock").items() if got}
    assert through <= _FILES


@pytest.mark.parametrize("who", WHO)
def test_without_seccomp_processes_are_out_of_reach(who: str) -> None:
    """docs/formats.md says so: secrets, memory and networks of others stay closed, and files too."""
    found = results(who, "seccomp")
    assert {attack for attack in (_REACHED | _FILES) if found[attack]} == set()
