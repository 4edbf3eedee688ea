"""The command `headwater`, without importing everything each time.

Belongs here: a process that has imported what commands import and forks a child for each, and its caller. Not here: the
commands: a child runs the real one, with the caller's arguments, folder, environment and files. Guarantee: nothing of
one command reaches the next.

`python -m tests.pages.warm SOCKET` serves; `python -I -S warm.py SOCKET ARGUMENTS…` is the caller, which starts in some
20 ms.
"""

import json
import os
import socket
import sys
from pathlib import Path

_USED_LATER = (
    "headwater.models_gateway.minilm",
    "headwater.retrieval.search",
    "query_api.routes.answer_payloads",
    "query_api.routes.sync_payloads",
    "rich.progress",
)
_NOT_ENGLISH = "Die Pumpe hebt vierzig Liter Wasser in der Minute, und die Winde zieht das Seil. " * 3


def call(path: str, arguments: list[str]) -> int:
    """Run a command in a child of the server; returns its exit status."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(path)
        request = json.dumps(
            {"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        ).encode()
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(request)
        return int(connection.recv(8) or b"70")  # 70: the child died


def serve(path: str) -> None:
    """Serve callers until a signal comes."""
    import importlib
    import signal

    from cli.imports import many_imports
    from cli.processes.fork import import_shared

    # What `headwater up` imports. It also tries a database; each child gets that of its page.
    nowhere = {"HEADWATER_HOME": f"{path}-home", "HEADWATER_DATABASE_URL": "postgresql://127.0.0.1:1/none"}
    import_shared(nowhere, lambda: False)
    with many_imports():
        for name in ("cli.main", *_USED_LATER):
            importlib.import_module(name)
        # Kept in caches that children share; a sync spent a quarter of its processor time on them.
        dict(importlib.import_module("headwater.sources.connector").connectors())
        importlib.import_module("headwater.parsing.language").detect_document_language(_NOT_ENGLISH)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                status = 70
                try:
                    status = _run(connection)
                    connection.sendall(str(status).encode())
                finally:
                    os._exit(status)
            connection.close()


def _run(connection: socket.socket) -> int:
    from cli.main import main

    head, files, _, _ = socket.recv_fds(connection, 8, 3)
    body = b""
    while len(body) < int.from_bytes(head, "big"):
        body += connection.recv(1 << 16)
    request = json.loads(body)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["headwater", *request["arguments"]]
    try:
        main(prog_name="headwater")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    else:
        sys.exit(call(sys.argv[1], sys.argv[2:]))
