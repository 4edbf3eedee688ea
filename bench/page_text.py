"""How much of the text of web pages is read, and how much beside it.

Belongs here: two public collections of pages whose text people marked: `article-extraction-benchmark` (Scrapinghub) and
the tests of `readability` (Mozilla). Not here: whole sites (`website`). Guarantee: one line for each collection; the
share of the marked text that is read, and of what is read that is marked, both by four words in a row, in the mean of
all pages.

    python -m bench.page_text article-extraction-benchmark=FOLDER readability=FOLDER
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import lxml.html

from headwater.errors import DocumentError
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File

_IN_A_ROW = 4
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|[`*#>|\\\[\]]")


class Page(NamedTuple):
    """A page and the text that people found in it."""

    content: bytes
    address: str
    text: str


def _read_articles(folder: Path) -> Iterator[Page]:
    for name, truth in json.loads((folder / "ground-truth.json").read_text()).items():
        yield Page(gzip.decompress((folder / f"html/{name}.html.gz").read_bytes()), truth["url"], truth["articleBody"])


def _read_readability(folder: Path) -> Iterator[Page]:
    for page in sorted((folder / "test/test-pages").iterdir()):
        marked = lxml.html.fromstring((page / "expected.html").read_text())
        yield Page((page / "source.html").read_bytes(), "http://fakehost/test/page.html", " ".join(marked.itertext()))


_COLLECTIONS: dict[str, Callable[[Path], Iterator[Page]]] = {
    "article-extraction-benchmark": _read_articles,
    "readability": _read_readability,
}


def _parse(page: Page) -> str:
    try:
        document = HtmlParser().parse(File(content=page.content, uri=page.address, media_type="text/html"))
    except DocumentError:
        return ""
    return _MARKUP.sub("", document.text)


def _count_rows(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(zip(*(words[start:] for start in range(_IN_A_ROW)), strict=False))


def _measure(pages: Iterator[Page]) -> str:
    shares = []
    for page in pages:
        read, marked = _count_rows(_parse(page)), _count_rows(page.text)
        common = (read & marked).total()
        shares.append((common / max(marked.total(), 1), common / max(read.total(), 1)))
    read_share, marked_share = (sum(column) / len(shares) for column in zip(*shares, strict=True))
    return f"{len(shares)} pages, {read_share:.3f} of the marked text is read, {marked_share:.3f} of the read is marked"


def main() -> None:
    """Measure the collections that are named."""
    for argument in sys.argv[1:]:
        name, _, folder = argument.partition("=")
        print(f"{name}: {_measure(_COLLECTIONS[name](Path(folder)))}")


if __name__ == "__main__":
    main()
