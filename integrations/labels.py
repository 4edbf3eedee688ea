"""What the label of a link may say.

Belongs here: labels that read as an address. Not here: how a platform writes a link (`dialects`). Guarantee: a reader
who takes a label for an address is shown the one that the link opens.
"""

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

_EXPLICIT = re.compile(r"(?:(?:https?|ftp):)?//[^\s<>()]{1,2000}", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w@./:-])(?:[^\s/@:<>()]{1,64}@)?(?P<host>(?:[^\W_][\w-]{0,62}\.){1,10}(?P<ending>[^\W\d_][\w-]{1,62}))\.?"
    r"(?::\d{1,5})?(?:(?P<path>[/?#][^\s<>()]{0,2000})|(?![\w@.-]))"
)
_ENDINGS = {
    "app", "biz", "club", "cloud", "com", "company", "dev", "edu", "email", "finance", "fun", "gov", "info", "int",
    "link", "live", "mil", "mobi", "name", "net", "news", "online", "org", "page", "pro", "shop", "site", "space",
    "store", "support", "team", "tech", "top", "website", "wiki", "work", "world", "xyz",
}  # fmt: skip
"""Endings of names that everybody takes for an address, beside those of countries, which have two letters."""
_OF_FILES = {"cc", "cs", "go", "hs", "js", "md", "mk", "ml", "pl", "pm", "ps", "py", "rb", "rs", "sh", "so", "ts", "vb"}
"""Endings of files that have two letters as well."""
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff61", "."))


def honest_label(label: str, address: str) -> str:
    """The label of a link; if it names another address, the address that the link opens stands there or behind it.

    Args:
        label: what the link says, as plain text.
        address: what it opens.
    """
    seen = _as_seen(label).strip()
    addresses = [*_find_addresses(seen)]
    other_addresses = [candidate for candidate in addresses if _host(candidate) != _host(address)]
    if addresses and addresses[0].endswith(seen):  # the label is an address, and nothing else
        return address if other_addresses or not _leads_there(addresses[0], address) else label
    return f"{label} ({_host(address) or address})" if other_addresses else label


def _find_addresses(seen: str) -> Iterator[str]:
    """The addresses that a label names; such as have no scheme get `//`."""
    yield from _EXPLICIT.findall(seen)
    for bare in _BARE.finditer(_EXPLICIT.sub(" ", seen)):
        ending = bare["ending"].lower()
        is_domain = len(ending) == 2 or not ending.isascii() or ending.startswith("xn--") or ending in _ENDINGS
        is_www = bare["host"].lower().startswith("www.")
        if (is_domain or is_www or bare["path"]) and ending not in _OF_FILES:
            yield f"//{bare[0]}"


def _as_seen(label: str) -> str:
    """A label without what cannot be seen, and with the letters and dots that look like others as those."""
    normal = unicodedata.normalize("NFKC", label).translate(_DOTS)
    return "".join(character for character in normal if unicodedata.category(character) != "Cf")


def _host(address: str) -> str:
    """The host of an address, or of a mail address."""
    try:
        url_parts = urlsplit(address)
        host = url_parts.path.rpartition("@")[2] if url_parts.scheme.lower() == "mailto" else url_parts.hostname or ""
    except ValueError:  # malformed, so it names nothing that a browser opens
        return ""
    return host.lower().rstrip(".").removeprefix("www.")


def _leads_there(named: str, address: str) -> bool:
    """Whether an address in a label, of the link's own host, is the link's, its beginning, or the host alone."""
    shown_address, target_address = (
        url.partition("//")[2].removeprefix("www.").rstrip("/….") for url in (named, address)
    )
    host, _, path = shown_address.partition("/")
    return "@" not in host and (not path or target_address.startswith(shown_address))
