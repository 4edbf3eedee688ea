"""Other users of the machine against the embedded Postgres and the home folder.

Belongs here: what a local user who is neither the owner nor root tries. Not here: HTTP. Guarantee: where the tests run
as root, each attempt is really made by another user (`nobody`).
"""

import multiprocessing
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.backup.backup import back_up
from cli.processes.sync_client import open_listener
from headwater.private_files import close_home, private_folder, private_umask
from headwater.settings import Settings
from headwater.store.server import embedded_access as access
from headwater.store.server import embedded_postgres, postmaster
from tests.support import Headwater

pytestmark = pytest.mark.servers
_LONG = "l" * 60
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def as_stranger(act: Callable[..., Any], *arguments: Any) -> str:
    """Do something as the user `nobody`; returns "done", or the name of what kept it from being done."""
    queue = multiprocessing.get_context("fork").SimpleQueue()

    def run() -> None:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        try:
            act(*arguments)
            queue.put("done")
        except Exception as error:  # noqa: BLE001 - whatever stops the attack
            queue.put(type(error).__name__)
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(30)
    return str(queue.get())


def connect(sockets: str, user: str, database: str) -> None:
    """Connect as a client would."""
    psycopg.connect(host=sockets, user=user, dbname=database, connect_timeout=5).close()


def sockets_of(home: Path) -> str:
    """The folder of the socket of a home's server, as a client finds it."""
    running = postmaster.find_running(home / "postgres")
    assert running is not None
    return str(running.sockets)


@pytest.fixture(scope="module", params=["short", "long"])
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home with a running server, made with no umask at all; a long path leaves no room for a socket in it."""
    top = Path(tempfile.mkdtemp())
    folder = top / (f"{_LONG}/{_LONG}" if request.param == "long" else "h") / "home"
    before = os.umask(0)
    try:
        embedded_postgres.start(folder / "postgres")
    finally:
        os.umask(before)
    yield folder
    embedded_postgres.stop(folder / "postgres")
    shutil.rmtree(top)


@is_root
@pytest.mark.parametrize("database", ["postgres", "template1"])
@pytest.mark.parametrize("user", ["postgres", "root", "nobody", "headwater"])
def test_a_stranger_does_not_connect(home: Path, user: str, database: str) -> None:
    """The socket's folder denies access to others, under any name."""
    assert as_stranger(connect, sockets_of(home), user, database) == "OperationalError"


@is_root
@pytest.mark.parametrize("database", ["postgres", "template1"])
@pytest.mark.parametrize("user", ["postgres", "root", "nobody", "headwater"])
def test_a_stranger_who_reaches_the_socket_is_no_user(home: Path, user: str, database: str) -> None:
    """The kernel says who connects, so an open folder alone gives nothing away."""
    opened = [path for path in (Path(sockets_of(home)), *Path(sockets_of(home)).parents) if not _is_enterable(path)]
    modes = {path: path.stat().st_mode for path in opened}
    opened.append(Path(sockets_of(home)) / ".s.PGSQL.5432")
    modes[opened[-1]] = opened[-1].stat().st_mode
    try:
        for path in opened:
            path.chmod(0o777)
        with pytest.raises(psycopg.OperationalError, match="does-not-exist"):  # the owner gets as far as the server
            connect(sockets_of(home), "postgres", "does-not-exist")
        assert as_stranger(connect, sockets_of(home), user, database) == "OperationalError"
    finally:
        for path, mode in modes.items():
            path.chmod(stat.S_IMODE(mode))


def _is_enterable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXOTH)


@is_root
@pytest.mark.parametrize("path", ["", "postgres", "postgres/postgresql.conf", "postgres/log", "postgres/base"])
def test_a_stranger_reads_nothing_of_a_home(home: Path, path: str) -> None:
    """Neither the home nor what is in it, though it was made without a umask."""
    assert as_stranger(os.listdir if (home / path).is_dir() else Path.read_bytes, home / path) == "PermissionError"


@pytest.mark.parametrize("what", ["folders", "files"])
def test_nothing_of_a_server_is_open(home: Path, what: str) -> None:
    """Folders are 700 and files 600, whatever the umask was."""
    paths = [home, *(home / "postgres").rglob("*"), Path(sockets_of(home))]
    chosen = [path for path in paths if path.is_dir() == (what == "folders")]
    assert chosen
    assert [path for path in chosen if path.lstat().st_mode & 0o077] == []


def test_the_server_listens_on_no_port(home: Path) -> None:
    """A password could be guessed there, from any page of a browser's reach too."""
    with psycopg.connect(embedded_postgres.start(home / "postgres")) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_no_rule_lets_anyone_in_unasked(home: Path) -> None:
    """The rules that the server has read contain `peer` and nothing else."""
    with psycopg.connect(embedded_postgres.start(home / "postgres")) as connection:
        rules = connection.execute("SELECT type, auth_method, error FROM pg_hba_file_rules").fetchall()
    assert rules == [("local", "peer", None)]


@pytest.mark.parametrize("mode", [0o700, 0o711, 0o750, 0o755])
def test_folders_above_a_home_keep_their_modes(tmp_path: Path, mode: int) -> None:
    """Also where the server runs as a user who may not enter them."""
    above = tmp_path / "above"
    (above / "more").mkdir(parents=True)
    (above / "more").chmod(mode)
    above.chmod(mode)
    before = {path: path.stat().st_mode for path in (tmp_path, above, above / "more")}
    folder = above / "more" / "home" / "postgres"
    try:
        with psycopg.connect(embedded_postgres.start(folder)) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert {path: path.stat().st_mode for path in before} == before
    finally:
        embedded_postgres.stop(folder)


@pytest.mark.parametrize("is_up", [True, False], ids=["running", "stopped"])
@pytest.mark.parametrize("is_long", [True, False], ids=["long", "short"])
def test_a_home_of_an_earlier_release_is_closed(is_up: bool, is_long: bool) -> None:
    """It trusted everyone, with a socket in a folder for all when its path was long; its data is still there."""
    top = Path(tempfile.mkdtemp())
    folder = top / (f"{_LONG}/{_LONG}" if is_long else "h") / "postgres"
    folder.parent.mkdir(parents=True)
    code = (
        "import embedded_postgres, pathlib, sys\n"
        "server = embedded_postgres.get_server(pathlib.Path(sys.argv[1]), cleanup_mode=None)\n"
        "server.psql('CREATE TABLE kept AS SELECT 7 AS n')\n"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, capture_output=True)
    try:
        if not is_up:
            embedded_postgres.stop(folder)
        assert any("every local user" in door for door in embedded_postgres.open_doors(folder))
        with psycopg.connect(embedded_postgres.start(folder)) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (7,)
            assert connection.execute("SELECT auth_method FROM pg_hba_file_rules").fetchall() == [("peer",)]
        assert embedded_postgres.open_doors(folder) == []
        if os.geteuid() == 0:
            assert as_stranger(connect, sockets_of(folder.parent), "postgres", "postgres") == "OperationalError"
    finally:
        embedded_postgres.stop(folder)
        shutil.rmtree(top)


@pytest.mark.parametrize("rule", ["local all all trust", "host all all 0.0.0.0/0 trust", ""])
def test_rules_that_someone_changed_are_put_right(home: Path, rule: str) -> None:
    """While the server runs, the next command writes the files again and reloads them; the changed ones are kept."""
    folder = home / "postgres"
    file = folder / "pg_hba.conf"
    file.write_text(f"{rule}\n")
    assert embedded_postgres.open_doors(folder) == ["it lets every local user connect (pg_hba.conf)"]
    with psycopg.connect(embedded_postgres.start(folder)) as connection:
        assert connection.execute("SELECT auth_method FROM pg_hba_file_rules").fetchall() == [("peer",)]
    assert (folder / "pg_hba.conf.before").read_text() == f"{rule}\n"
    assert embedded_postgres.open_doors(folder) == []


@pytest.mark.parametrize("name", ["pg_hba.conf", "pg_ident.conf"])
def test_a_link_of_the_servers_user_is_not_read(tmp_path: Path, name: str) -> None:
    """If a rules file is a link, its target is not copied to where the server's user can read it."""
    secret = tmp_path / "secret"
    secret.write_text("root's own")
    folder = tmp_path / "postgres"
    folder.mkdir()
    (folder / name).symlink_to(secret)
    access.write_rules(folder, None)
    assert not (folder / name).is_symlink()
    assert secret.read_text() == "root's own"
    assert all("root's own" not in file.read_text() for file in folder.iterdir())


@pytest.mark.parametrize("planted", ["folder", "link", "file", "open folder"])
def test_a_planted_socket_folder_is_not_used(tmp_path: Path, planted: str) -> None:
    """The name of a folder under a shared one is known after the first start; another's folder of that name is not."""
    folder = tmp_path / _LONG / _LONG / "postgres"
    private_folder(folder)
    place = Path(tempfile.mkdtemp(prefix="headwater-"))
    (folder / "socket_folder").write_text(str(place))
    place.rmdir()
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    runs_as = access.account(folder)
    if planted == "link":
        place.symlink_to(other)
    elif planted == "file":
        place.touch()
    else:
        place.mkdir(mode=0o700)
        place.chmod(0o777 if planted == "open folder" else 0o700)
        if os.geteuid() == 0:
            os.chown(place, pwd.getpwnam("nobody").pw_uid, -1)
        elif planted == "folder":
            pytest.skip("only root can make a folder of another user")
    chosen = Path(access.socket_folder(folder, runs_as))
    try:
        assert chosen != place
        assert access.is_private(chosen)
    finally:
        chosen.rmdir()
        place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def test_the_server_knows_no_secret_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs on after the command that started it, maybe as another user: keys are not in its environment."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_GITHUB", "geheim")
    monkeypatch.setenv("OPENAI_API_KEY", "geheim")
    folder = tmp_path / "postgres"
    embedded_postgres.start(folder)
    try:
        pid = (folder / "postmaster.pid").read_text().split()[0]
        assert b"geheim" not in Path(f"/proc/{pid}/environ").read_bytes()
    finally:
        embedded_postgres.stop(folder)


@pytest.mark.parametrize("name", ["up.pid", "logs/api.log", "dagster/dagster.yaml", "sources/1/repository/HEAD"])
def test_an_open_file_of_a_home_is_closed(tmp_path: Path, name: str) -> None:
    """Files that an earlier release left readable are closed with the home, executable or not."""
    home = tmp_path / "home"
    path = home / name
    path.parent.mkdir(parents=True)
    path.write_text("private")
    for each in (path, *path.relative_to(tmp_path).parents):
        (tmp_path / each).chmod(0o777)
    assert close_home(home).still_open == []
    assert stat.S_IMODE(path.stat().st_mode) in (0o600, 0o700)
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in path.parents if folder.is_relative_to(home)] == [
        0o700 for folder in path.parents if folder.is_relative_to(home)
    ]


def test_the_socket_of_up_is_no_strangers_file(tmp_path: Path) -> None:
    """A home that holds it is closed like any other, and one that it is the first thing in is made closed."""
    home = tmp_path / "above" / "home"
    with open_listener(home):
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        home.chmod(0o755)
        assert close_home(home).still_open == []
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["symbolic link", "hard link", "link to a folder"])
def test_closing_a_home_changes_nothing_outside(tmp_path: Path, kind: str) -> None:
    """A link that someone put into an open home does not lead its closing elsewhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "passwd").write_text("root:x:0:0")
    (outside / "passwd").chmod(0o644)
    outside.chmod(0o755)
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    if kind == "symbolic link":
        (logs / "api.log").symlink_to(outside / "passwd")
    elif kind == "hard link":
        (logs / "api.log").hardlink_to(outside / "passwd")
    else:
        (logs / "more").symlink_to(outside)
    close_home(tmp_path / "home", thoroughly=True)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (outside, outside / "passwd")] == [0o755, 0o644]


def test_a_home_that_is_someones_folder_is_left_as_it_is(tmp_path: Path) -> None:
    """Closing `/srv` or a project's folder would break what else is in it; what is ours there is closed."""
    home = tmp_path / "project"
    (home / "logs").mkdir(parents=True)
    (home / "logs" / "api.log").touch()
    script = home / "run.sh"
    script.touch()
    for path in (home, script, home / "logs", home / "logs" / "api.log"):
        path.chmod(0o755)
    closed = close_home(home)
    assert "run.sh" in closed.still_open[0]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (home, script, home / "logs")] == [0o755, 0o755, 0o700]


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022])
def test_files_of_a_command_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    """The command and all that it starts write for their owner."""
    home = tmp_path / "home"
    environ = {**os.environ, "HEADWATER_HOME": str(home), "HEADWATER_DATABASE_URL": "nonsense"}
    command = [sys.executable, "-m", "cli.main", "up", "--port", "18399", "--dagster-port", "18398"]
    done = subprocess.run(command, env=environ, umask=umask, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert home.is_dir()
    assert [path for path in (home, *home.rglob("*")) if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("planted", ["nothing", "readable file", "link", "part"])
def test_a_backup_is_its_owners_alone(headwater: Callable[..., Headwater], tmp_path: Path, planted: str) -> None:
    """It holds every document, so nothing that someone put in its place beforehand lets them read it."""
    headwater()
    shared = tmp_path / "shared"
    shared.mkdir()
    file, elsewhere = shared / "backup.tar", tmp_path / "elsewhere"
    if planted == "readable file":
        file.touch()
        file.chmod(0o666)
    elif planted == "link":
        file.symlink_to(elsewhere)
    elif planted == "part":
        (shared / "backup.tar.part").symlink_to(elsewhere)
    before = os.umask(0)
    try:
        made = back_up(file, force=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path(made["file"]).stat().st_mode) == 0o600
    assert planted != "part" or not elsewhere.exists()


@is_root
@pytest.mark.parametrize("owner", ["nobody"])
def test_root_runs_a_users_server_as_that_user(tmp_path: Path, owner: str) -> None:
    """Root who looks into a user's home neither takes it over nor opens it."""
    folder = tmp_path / "home" / "postgres"
    folder.mkdir(parents=True)
    entry = pwd.getpwnam(owner)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    try:
        embedded_postgres.start(folder)
        assert {path.owner() for path in folder.rglob("*") if path.name != "socket_folder"} == {owner}
    finally:
        embedded_postgres.stop(folder)


def test_the_umask_of_a_process_is_made_private() -> None:
    """Files that it writes from then on are readable only by its owner."""
    before = os.umask(0)
    try:
        private_umask()
        assert os.umask(0) == 0o077
    finally:
        os.umask(before)


def test_settings_hide_the_address_of_a_server() -> None:
    """The password of HEADWATER_DATABASE_URL shows in no log of the settings."""
    settings = Settings.from_env({"HEADWATER_DATABASE_URL": "postgresql://u:geheim@h/d"})
    assert "geheim" not in repr(settings)
