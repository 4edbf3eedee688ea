"""Both bots and visitors of a widget beside 20 readers of streams: how long a search takes meanwhile.

Belongs here: the API as `headwater serve` runs it, the bots as processes, visitors of a page on another origin, stubs
of Slack, Discord and a chat model. Not here: streams alone (`answer_streams`). Guarantee: every question to a bot, and
every visitor's, is answered, or the measurement fails.

    python -m bench.bot_load [--json FILE]

Times are by the clock, so they mean something on an idle machine only.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from pathlib import Path

import click

from bench.answer_streams import _QUESTION, CLIENTS, Api, _first_token, _p95, _prepare, _search, _stub
from bench.end_to_end import served
from bench.throwaway import throwaway_home
from headwater.settings import REPOSITORY
from tests import discord_server as discord
from tests import slack_server as slack
from tests.aiohttp_server import until

_QUESTIONS, _VISITORS = 1, 2  # to each bot, and of the widget: with the readers, as many answers as are made at once
_SITE = "https://docs.example.com"


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """Milliseconds of searches, and how many were measured."""

    search_p95: float
    search_alone_p95: float
    searches: int
    bot_answers: int
    widget_answers: int


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write the figures here.")
def main(file: Path | None) -> None:
    """Measure, and print the figures."""
    with throwaway_home() as home, _stub():
        _prepare(home)
        with served() as port, slack.slack_server() as first, discord.discord_server() as second:
            tokens = _configure()
            with _bots(port, first, second):
                found = _measured(Api(port), port, tokens, first, second)
    click.echo(json.dumps(asdict(found), indent=2))
    if file is not None:
        file.write_text(json.dumps(asdict(found)), encoding="utf-8")


def _configure() -> list[str]:
    """Let both bots answer, and make a widget; returns a token for each of its visitors."""
    from cli.environment import environment
    from headwater.administration.bots import put_channel
    from headwater.administration.visitors import begin_session
    from headwater.administration.widgets import create_widget

    with environment() as env:
        put_channel(env.store, "slack", slack.TEAM, slack.CHANNEL, "slow")
        put_channel(env.store, "discord", discord.GUILD, discord.CHANNEL, "slow")
        widget = create_widget(env.store, "slow", "site", {"origins": [_SITE]})
        return [begin_session(widget, _SITE) for _ in range(_VISITORS)]


def _visit(port: int, token: str) -> str:
    """Ask as a visitor of the widget; the text of the stream."""
    headers = {"Origin": _SITE, "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/widget/v1/ask", json.dumps({"question": _QUESTION}), headers)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


@contextmanager
def _bots(port: int, first: slack.SlackServer, second: discord.DiscordServer) -> Iterator[None]:
    """Both bots, connected, for the length of a block."""
    told = {
        "HEADWATER_SLACK_BOT_TOKEN": slack.BOT_TOKEN, "HEADWATER_SLACK_APP_TOKEN": slack.APP_TOKEN,
        "HEADWATER_SLACK_API_URL": first.url, "HEADWATER_DISCORD_TOKEN": discord.TOKEN,
        "HEADWATER_DISCORD_API_URL": second.url,
    }  # fmt: skip
    with ExitStack() as running:
        for platform in ("slack", "discord"):
            command = [sys.executable, "-m", "cli.main", "bot", platform, "--url", f"http://127.0.0.1:{port}"]
            bot = running.enter_context(
                subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, **told}, stderr=subprocess.DEVNULL)
            )
            running.callback(bot.kill)
        until(lambda: first.sockets and second.sockets)
        yield


def _measured(
    api: Api, port: int, tokens: Sequence[str], first: slack.SlackServer, second: discord.DiscordServer
) -> Beside:
    alone = [_search(api, number) for number in range(100)]
    is_over = threading.Event()
    meanwhile: list[float] = []

    def search() -> None:
        while not is_over.is_set():
            meanwhile.append(_search(api, len(meanwhile)))

    with ThreadPoolExecutor(CLIENTS + _VISITORS + 1) as pool:
        searching = pool.submit(search)
        try:
            asked = [first.say(f"<@{slack.BOT}> {_QUESTION}") for _ in range(_QUESTIONS)]
            told = [second.say(f"<@{discord.BOT}> {_QUESTION}") for _ in range(_QUESTIONS)]
            visits = [pool.submit(_visit, port, token) for token in tokens]
            list(pool.map(lambda _: _first_token(api), range(CLIENTS)))
            until(lambda: all(map(first.is_answered, asked)) and all(map(second.is_answered, told)))
        finally:
            is_over.set()
        searching.result()
    texts = [server.text(one) for server, ones in ((first, asked), (second, told)) for one in ones]
    if wrong := [text for text in texts if "lifts water" not in text]:
        raise click.ClickException(f"A bot gave another answer than the model's: {wrong[0][:300]}")
    if wrong := [text for visit in visits if "event: done" not in (text := visit.result())]:
        raise click.ClickException(f"A visitor of the widget got no whole answer: {wrong[0][:300]}")
    return Beside(
        search_p95=_p95(meanwhile),
        search_alone_p95=_p95(alone),
        searches=len(meanwhile),
        bot_answers=len(asked) + len(told),
        widget_answers=len(visits),
    )


if __name__ == "__main__":
    main()
