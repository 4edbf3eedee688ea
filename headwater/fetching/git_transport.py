"""How git reaches a host through the gate.

Belongs here: the settings of git that lead it to a checked address, and their form. Not here: fetching
(`git_repository`), what is allowed (`url_guard`). Guarantee: git resolves no name itself; it connects to the addresses
that the gate checked, or to the operator's proxy.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from headwater.errors import SourceError
from headwater.fetching.url_guard import Target, UrlGuard

_PINNING = (2, 37)  # the version of git that learned http.curloptResolve


def reach(gate: UrlGuard, url: str) -> dict[str, str]:
    """The settings with which git reaches the host of an https address.

    Raises:
        FetchRefusedError: the gate refuses the host. SourceError: git is too old to connect to a given address.
    """
    target = gate.check_url(url)
    if not urlsplit(url).netloc.isascii():
        raise SourceError(f"{url} could not be fetched: write its host as {target.host}.")
    if gate.is_proxied(target.host, target.port):
        return {"http.proxy": gate.proxy}
    addresses = gate.addresses(target.host, target.port)
    if target.host in addresses:
        return {}
    from git import Git

    if Git().version_info < _PINNING:
        raise SourceError(f"{url} could not be fetched: git is too old. Install git 2.37 or later.")
    return {"http.curloptResolve": _format_addresses(target, addresses)}


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Git settings as environment variables, where no other user sees them."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for index, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return variables


def _format_addresses(target: Target, addresses: Sequence[str]) -> str:
    """The addresses of a host, as curl takes them."""
    listed = ",".join(f"[{address}]" if ":" in address else address for address in addresses)
    return f"{target.host}:{target.port}:{listed}"
