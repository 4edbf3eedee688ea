"""The process of a bot.

Belongs here: its log, its signals, and being a module of its own for `headwater up`. Not here: what a bot does
(`integrations`). Guarantee: TERM and Ctrl-C end it; what it has not answered yet stays for the next process.
"""

import logging
import signal
import sys
import threading
import uuid
from contextlib import closing

from headwater.domain.bots import BotPlatform
from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def run_bot(platform: BotPlatform, url: str | None) -> None:
    """Run a bot until a signal comes.

    Args:
        platform: where it answers.
        url: the address of the API; by default that of `headwater up`, or HEADWATER_API_URL.

    Raises:
        InvalidConfigurationError: a token or a package is missing.
        PlatformError: the platform does not accept the bot.
    """
    from cli.processes.up_file import local_urls
    from integrations.api_client import Api

    settings = Settings.from_env()
    local = local_urls(settings.home)
    logging.basicConfig(level=logging.WARNING, format=_FORMAT)
    logging.getLogger("headwater.bots").setLevel(logging.INFO)
    stopping = threading.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: stopping.set())
    address = url or (local[0] if local else settings.api_url)
    with closing(Api(address, settings.bot_key or "", platform=platform, holder=uuid.uuid4())) as api:
        try:
            if platform == "slack":
                from integrations.slack_bot import SlackBot

                SlackBot(settings, api).run(stopping)
            else:
                from integrations.discord_bot import DiscordBot

                DiscordBot(settings, api).run(stopping)
        except ModuleNotFoundError as error:
            raise InvalidConfigurationError(
                f"The bot of {platform} needs a package that is not installed ({error.name}). Run `pip install"
                f" 'headwater[{platform}]'`, or `.venv/bin/pip install -e '.[{platform}]'` in its clone."
            ) from error


if __name__ == "__main__":
    from cli.main import main

    main(["bot", *sys.argv[1:]], prog_name="headwater")
