"""A process with everything to lose, whose parser attacks it: `python -m tests.attacked_parent HOME WITHOUT`.

Belongs here: what is attacked, and telling what came of it. Not here: the attacks (`native_attacks`), tests, the user
that it runs as. Guarantee: it writes one JSON object: by attack, what it got; empty for nothing.
"""

import json
import os
import socket
import sys
from pathlib import Path

from headwater.confinement import process
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file
from tests.native_attacks import ATTACKS, SECRET, TakenOver


def main(home: Path, without: str) -> None:
    """Be attacked in every way, and say what got through."""
    if without == "landlock":
        vars(process)["file_rules"] = lambda *_: None
    elif without == "seccomp":
        vars(process)["call_filter"] = lambda: b""
    assert SECRET in os.environ.values()
    (home / "secret").write_text(SECRET)
    (home / "secret").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as worker:
        worker.bind(str(home / "socket"))
        worker.listen(64)
        with socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind("\0" + str(home))
            abstract.listen(64)
            port = server.getsockname()[1]
            sys.stdout.write(
                json.dumps({"user": str(os.getuid()), **{name: attack(name, home, port) for name in ATTACKS}})
            )


def attack(name: str, home: Path, port: int) -> str:
    """What one attack got; an attack that ends its process got nothing."""
    try:
        return parse_file(TakenOver(), File(content=f"{name}|{home}|{port}".encode(), uri="a")).text
    except DocumentError as error:
        return "" if error.code == "PARSER_CRASHED" else f"{error.code}: {error}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
