"""Recognising websites and single files on servers by their addresses.

Belongs here: what an http address looks like. Not here: reading it; whether a sitemap or a feed is there, which a sync
sees from its content. Guarantee: nothing is fetched.
"""

import posixpath
from urllib.parse import SplitResult, unquote

from headwater.sources.guesses import Address, Guess

_FILES = {
    ".pdf", ".doc", ".docx", ".pptx", ".xlsx", ".xls", ".rtf", ".msg", ".odt", ".odp", ".ods", ".epub", ".csv", ".tsv",
    ".ipynb", ".md", ".rst", ".txt", ".eml", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp",
}  # fmt: skip
_FEEDS = {"feed", "rss", "atom", "feed.xml", "rss.xml", "atom.xml", "index.xml", "feed.atom", "index.rss"}


def guess_website(address: Address) -> Guess | None:
    """A website: everything below an address that ends with a slash, a sitemap, a feed, or one page."""
    url = _page(address)
    if url is None:
        return None
    name = posixpath.basename(url.path.rstrip("/")).lower()
    config = {"url": address.text}
    host = (url.hostname or "").removeprefix("www.")
    if name.startswith("sitemap") and name.endswith((".xml", ".xml.gz", ".txt")):
        return Guess(config=config, words=f"the pages that the sitemap of {host} lists", score=0.6, slug=host)
    if name in _FEEDS or name.endswith((".rss", ".atom")):
        return Guess(config=config, words=f"the pages that a feed of {host} lists", score=0.6, slug=f"{host}-feed")
    if (url.path or "/").endswith("/"):
        path = url.path.strip("/")
        words = f"all pages of {host}" + (f" below /{path}/" if path else "")
        return Guess(config=config, words=words, score=0.5, slug=f"{host}-{path}" if path else host)
    words = f"one page of {host}; end its address with / for all pages below it"
    return Guess(config=config, words=words, score=0.5, slug=f"{host}-{posixpath.splitext(name)[0]}")


def guess_file(address: Address) -> Guess | None:
    """A single file on a server, by the ending of its name."""
    url = _page(address)
    if url is None:
        return None
    stem, ending = posixpath.splitext(unquote(posixpath.basename(url.path)))
    if ending.lower() not in _FILES:
        return None
    message = f"the file {stem}{ending} of {url.hostname}"
    return Guess(config={"files": [{"url": address.text}]}, words=message, score=0.8, slug=stem)


def _page(address: Address) -> SplitResult | None:
    url = address.url
    return url if url is not None and url.scheme in ("http", "https") and url.hostname else None
