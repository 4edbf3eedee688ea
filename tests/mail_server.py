"""Dovecot on loopback, over TLS, where it is installed, behind a relay that can be made to misbehave.

Belongs here: starting both, filling a mailbox, messages. Not here: what is expected of a source. Guarantee: every
command of a source is noted; the certificate is one of its own; the processes end with the block.
"""

import imaplib
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

import pytest

from headwater.fetching.transport import tls_context
from tests.support import free_port

_CONFIG = """\
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/dovecot.log
protocols = imap
listen = 127.0.0.1
first_valid_uid = 1
mail_location = maildir:{root}/mail/%u
mail_uid = {user}
mail_gid = {user}
default_internal_user = {user}
default_login_user = {user}
ssl = required
ssl_cert = <{root}/cert.pem
ssl_key = <{root}/key.pem
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
passdb {{
  driver = passwd-file
  args = scheme=PLAIN {root}/users
}}
userdb {{
  driver = static
  args = uid={user} gid={user} home={root}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = .
  mailbox Trash {{
    special_use = \\Trash
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {port}
  }}
}}
service stats {{
  unix_listener stats-writer {{
    mode = 0666
  }}
}}
"""
_FIRST_CHANGE = 1_700_000_000  # seconds since 1970
_START_LIMIT = 60.0  # seconds
PASSWORD = "mail-secret-1"
Fault = Callable[[str], bytes | None]
"""What the relay answers to a command itself, before it closes the connection; None leaves it to Dovecot."""


@dataclass
class MailServer:
    """The relay in front, the commands of sources, and a fault."""

    root: Path
    port: int
    inner: int
    certificate: Path
    plain: int
    """A port without a relay, which encrypts when it is asked to."""
    user: str = "ann"
    commands: list[str] = field(default_factory=list)
    fault: Fault = lambda _: None
    _changes: int = _FIRST_CHANGE - 2
    _password: str = ""

    @property
    def url(self) -> str:
        """The address of the relay."""
        return f"imaps://127.0.0.1:{self.port}"

    def asked(self) -> list[str]:
        """The names of commands since the last time."""
        commands, self.commands = self.commands, []
        return [re.sub(r"^(UID )?(\S+).*", r"\1\2", command) for command in commands]

    def set_password(self, password: str) -> None:
        """Change the password of every user; Dovecot looks at the file once a second."""
        if password == self._password:
            return
        self._password = password
        (self.root / "users").write_text("".join(f"user{number}:{password}\n" for number in range(50)))
        (self.root / "users").chmod(0o644)
        self._changes += 2  # Dovecot reads the file again if its time differs by a second
        os.utime(self.root / "users", (self._changes, self._changes))
        time.sleep(1.1 if self._changes > _FIRST_CHANGE else 0)

    def log_in(self) -> imaplib.IMAP4_SSL:
        """A session that may write, past the relay."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        box = imaplib.IMAP4_SSL("127.0.0.1", self.inner, ssl_context=context)
        box.login(self.user, PASSWORD)
        return box


def message(number: int, text: str, *, subject: str = "", answers: int | None = None, **attached: bytes) -> bytes:
    """A message, with attachments by name; `__` stands for the dot of a file's name."""
    written = EmailMessage()
    written["From"], written["To"] = "Ann Miller <ann@example.com>", "team@example.com"
    written["Subject"] = subject or f"Pümp {number}"
    written["Message-ID"] = f"<{number}@example.com>"
    written["Date"] = f"Mon, {number % 28 + 1:02} Jun 2026 10:00:00 +0000"
    if answers is not None:
        written["In-Reply-To"] = written["References"] = f"<{answers}@example.com>"
    written.set_content(text)
    for name, content in attached.items():
        file = name.replace("__", ".")
        written.add_attachment(content, maintype="application", subtype="octet-stream", filename=file)
    return written.as_bytes()


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run Dovecot and the relay for the length of a block."""
    program = shutil.which("dovecot") or "/usr/sbin/dovecot"
    if not Path(program).is_file() or shutil.which("openssl") is None:
        pytest.skip("Dovecot is not installed (Debian's dovecot-imapd, and openssl)")
    if os.getuid() != 0:
        pytest.skip("Dovecot changes to a user of its own, which needs root")
    with tempfile.TemporaryDirectory(prefix="dovecot-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        running = MailServer(root=root, port=0, inner=free_port(), certificate=root / "cert.pem", plain=free_port())
        _configure(running)
        process = subprocess.Popen(
            [program, "-F", "-c", str(root / "dovecot.conf")], start_new_session=True, stderr=subprocess.DEVNULL
        )
        try:
            _await(running.inner, process, root / "dovecot.log")
            with _relay(running):
                yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


@contextmanager
def trusted(certificate: Path) -> Iterator[None]:
    """Trust a certificate for the length of a block."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(certificate)
    tls_context.cache_clear()
    try:
        yield
    finally:
        os.environ.pop("SSL_CERT_FILE")
        if before is not None:
            os.environ["SSL_CERT_FILE"] = before
        tls_context.cache_clear()


def _configure(server: MailServer) -> None:
    root = server.root
    for name in ("run", "state", "mail"):
        (root / name).mkdir(mode=0o755)
    shutil.chown(root / "mail", "mail", "mail")
    server.set_password(PASSWORD)
    (root / "dovecot.conf").write_text(_CONFIG.format(root=root, user="mail", port=server.inner, plain=server.plain))
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*key, "-keyout", root / "key.pem", "-out", server.certificate], check=True, capture_output=True)


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_LIMIT
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert process.poll() is None, log.read_text() if log.is_file() else "Dovecot ended at once"
            assert time.monotonic() < end, "Dovecot did not start"
            time.sleep(0.02)
        else:
            return


@contextmanager
def _relay(server: MailServer) -> Iterator[None]:
    outer = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    outer.load_cert_chain(server.certificate, server.root / "key.pem")
    inner = ssl.create_default_context(cafile=str(server.certificate))
    listening = socket.create_server(("127.0.0.1", 0))
    server.port = listening.getsockname()[1]

    def accept() -> None:
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=relay, args=(plain,), daemon=True).start()

    def relay(plain: socket.socket) -> None:
        with suppress(OSError), ExitStack() as opened:
            client = opened.enter_context(outer.wrap_socket(plain, server_side=True))
            raw = socket.create_connection(("127.0.0.1", server.inner))
            behind = opened.enter_context(inner.wrap_socket(raw, server_hostname="localhost"))
            copying = threading.Thread(target=_copy, args=(behind, client), daemon=True)
            copying.start()
            for line in opened.enter_context(client.makefile("rb")):
                tag, _, command = line.decode("utf-8", "replace").rstrip("\r\n").partition(" ")
                if command:
                    server.commands.append(command)
                    answer = server.fault(command)
                    if answer is not None:
                        client.sendall(answer.replace(b"TAG", tag.encode()))
                        break
                behind.sendall(line)
            for each in (behind, client):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            copying.join(5)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        listening.close()


def _copy(behind: ssl.SSLSocket, client: ssl.SSLSocket) -> None:
    with suppress(OSError, ValueError):
        while data := behind.recv(65_536):
            client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)
