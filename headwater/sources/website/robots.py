"""What a site allows to be read: robots.txt, and the rules of single pages.

Belongs here: reading these rules. Not here: following them (`page_reader`). Guarantee: a site whose robots.txt cannot
be had is not read.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from headwater.errors import FetchError, FetchRefusedError, SourceError, TooLargeError
from headwater.fetching.http_client import HttpClient

AGENT = "Headwater"
_LIMIT = 500_000  # bytes; RFC 9309 asks for at least 500 KiB
_MAX_DELAY_SECONDS = 60.0  # seconds
_BLOCKED = ("noindex", "none")
_UNLINKED = ("nofollow", "none")


class Robots:
    """The robots.txt of each host that is asked for, fetched once."""

    def __init__(self, client: HttpClient) -> None:
        self.client = client
        self._rules: dict[str, Any] = {}

    def allows(self, url: str) -> bool:
        """Whether an address may be read.

        Raises:
            SourceError: robots.txt cannot be had.
        """
        rules = self._of(url)
        return rules is None or bool(rules.can_fetch(url, AGENT))

    def delay(self, url: str) -> float:
        """The seconds between requests that a host asks for, at most a minute."""
        rules = self._of(url)
        delay = None if rules is None else rules.crawl_delay(AGENT)
        return min(max(float(delay or 0), 0.0), _MAX_DELAY_SECONDS)

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that a host names."""
        rules = self._of(url)
        return () if rules is None else tuple(rules.sitemaps)

    def _of(self, url: str) -> Any:
        url_parts = urlsplit(url)
        site = f"{url_parts.scheme}://{url_parts.netloc}"
        if site not in self._rules:
            self._rules[site] = self._read(f"{site}/robots.txt")
        return self._rules[site]

    def _read(self, address: str) -> Any:
        """The rules at an address, None if there are none."""
        from protego import Protego

        try:
            response = self.client.get(address, limit=_LIMIT)
        except FetchRefusedError:
            raise
        except TooLargeError as error:
            raise SourceError(f"{address} is too large to be a robots.txt, so nothing below it was read.") from error
        except FetchError as error:
            raise SourceError(f"{error} Without it, nothing of the site is read; nothing was changed.") from error
        if response.status == 429 or response.status >= 500:
            raise SourceError(
                f"{address} answers {response.status}. Until it answers, nothing of the site is read; nothing was "
                "changed."
            )
        return Protego.parse(response.content.decode("utf-8", "replace")) if response.status < 300 else None


def page_rules(header: str, metas: Iterable[str]) -> tuple[bool, bool]:
    """Whether a page may become a document, and whether its links may be followed.

    Args:
        header: `X-Robots-Tag` of its response.
        metas: the words of its `meta` element `robots`.
    """
    words = {word.lower() for word in metas}
    for rule in header.lower().split(","):
        agent, separator, rule_words = rule.partition(":")
        if not separator:
            words.add(rule.strip())
        elif agent.strip() == AGENT.lower():
            words.add(rule_words.strip())
    return not words.intersection(_BLOCKED), not words.intersection(_UNLINKED)
