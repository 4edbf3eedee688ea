"""Messages and the situations they come from.

Belongs here: causing a message by a command, a request, bytes on the wire or a call, and keeping it. Not here: the
situations. Guarantee: every message comes from the product; a message without a code or without words fails.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.errors import HeadwaterError

KB = "/api/v1/knowledge-bases"


@dataclass(frozen=True, kw_only=True)
class Message:
    """A situation, the code of its error, and the text."""

    situation: str
    code: str
    text: str


@dataclass
class Collected:
    """The messages so far."""

    messages: list[Message] = field(default_factory=list)

    @property
    def codes(self) -> set[str]:
        """Their codes."""
        return {message.code for message in self.messages}

    def add(self, situation: str, code: str, text: str) -> None:
        """Keep a message."""
        assert code, situation
        assert len(text.split()) > 1, (situation, text)
        assert "Traceback" not in text, situation
        self.messages.append(Message(situation=situation, code=code, text=text.strip()))

    def command(self, situation: str, *arguments: str, code: str | None = None) -> None:
        """Run a command that fails, with `--json`; with a code, run it without `--json` and keep its output."""
        done = CliRunner().invoke(main, [*arguments, *(["--json"] if code is None else [])])
        shown = f"{situation}: `headwater {' '.join(_short(argument) for argument in arguments)}`"
        if code is not None:
            self.add(shown, code, done.output)
            return
        assert done.exit_code != 0, (situation, done.output)
        assert done.stdout, (situation, done.stderr)
        error = json.loads(done.stdout)["error"]
        self.add(shown, error["code"], error["message"])

    def http(self, situation: str, client: FlaskClient, method: str, path: str, **given: Any) -> None:
        """Send a request that is refused."""
        headers = {"Host": "127.0.0.1", **given.pop("headers", {})}
        response = client.open(path, method=method, headers=headers, **given)
        assert response.status_code >= 400, (situation, response.text)
        problem = response.json
        assert problem is not None
        self.add(f"{situation}: `{method} {path}` ({response.status_code})", problem["code"], problem["detail"])

    def call(self, situation: str, error: type[HeadwaterError], call: Callable[[], object]) -> None:
        """Call a function that raises an error of Headwater."""
        try:
            call()
        except error as raised:
            self.add(situation, raised.code, str(raised))
            return
        raise AssertionError(f"{situation}: nothing was wrong")

    def write(self, path: Path, folder: Path) -> None:
        """Write them as a list for a reader; folders of the tests are shortened."""
        lines = ["# Messages and the situations they come from", ""]
        for number, message in enumerate(self.messages, start=1):
            text = message.text.replace(str(folder), "/srv")
            quoted = "\n".join(f"    {line}" for line in text.splitlines())
            lines += [f"## {number}. {message.situation.replace(str(folder), '/srv')}", "", f"Code: {message.code}", ""]
            lines += [quoted, ""]
        path.write_text("\n".join(lines), encoding="utf-8")


def _short(argument: str) -> str:
    plain = argument if len(argument) < 60 else f"{argument[:40]}…"
    return f"'{plain}'" if " " in plain or not plain else plain
