"""How whole the paragraphs, list items and code of PDF files are, measured by web pages of the same text.

Belongs here: manuals that were published as both. Not here: scans (`ocr`), how long reading takes (`parse_time`).
Guarantee: one line for each pair; a block of the web pages counts if its beginning or its end is in the PDF file, and
it is whole if one block of the same kind has all its letters in a row. Words that only one of both has, such as the
titles in "see Section 8.1, “Upgrades”", count against a paragraph.

    python -m bench.pdf_text manual.pdf=FOLDER_OF_HTML …
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from headwater.errors import DocumentError
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File
from headwater.parsing.pdf.parser import PdfParser

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]|\(?\w{1,2}[.)])\s+(.*)")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")
_NO_LETTER = re.compile(r"[\W\d_]+")
_SHORTEST = {"paragraph": 60, "item": 25, "code": 20}  # letters
_END = 25  # letters: a beginning or an end that is looked for


def _blocks(markdown: str) -> Iterator[tuple[str, str]]:
    """The kinds and texts of the blocks of a document."""
    fence, lines = "", list[str]()
    for line in [*markdown.split("\n"), ""]:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                yield "code", "\n".join(lines)
                fence, lines = "", []
            else:
                lines.append(line)
            continue
        item = _ITEM.match(line)
        is_apart = bool(mark or item) or not line.strip() or line.startswith(("#", "|"))
        if is_apart and lines:
            yield "paragraph", " ".join(lines)
            lines = []
        if mark:
            fence = mark[1]
        elif item and not item[1].startswith("**"):  # else it is a term, which PDF files have no mark for
            yield "item", item[1]
        elif not is_apart:
            lines.append(line.strip())


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _LINK.sub(r"\1", text).casefold())


def _read_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """The blocks of web pages, each once."""
    seen: set[str] = set()
    for page in sorted(page for page in folder.rglob("*.htm*") if page.is_file()):
        try:
            document = HtmlParser().parse(File(content=page.read_bytes(), uri=f"http://manual/{page.name}"))
        except DocumentError:
            continue
        for kind, text in _blocks(document.text):
            letters = _letters(text)
            if letters not in seen and len(letters) >= _SHORTEST[kind]:
                seen.add(letters)
                yield kind, letters


def _measure(file: Path, folder: Path) -> str:
    document = PdfParser().parse(File(content=file.read_bytes(), uri=file.name))
    by_kind: dict[str, list[str]] = defaultdict(list)
    for kind, text in _blocks(document.text):
        by_kind[kind].append(_letters(text))
    texts = {kind: "\n".join(letters) for kind, letters in by_kind.items()}
    everything = "\n".join(texts.values())
    counts: Counter[str] = Counter()
    whole_counts: Counter[str] = Counter()
    for kind, letters in _read_pages(folder):
        if letters[:_END] in everything or letters[-_END:] in everything:
            counts[kind] += 1
            whole_counts[kind] += letters in texts.get(kind, "")
    return ", ".join(f"{kind} {whole_counts[kind] / counts[kind]:.3f} of {counts[kind]}" for kind in sorted(counts))


def main() -> None:
    """Measure the pairs that are named."""
    for argument in sys.argv[1:]:
        file, _, folder = argument.partition("=")
        print(f"{file}: {_measure(Path(file), Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
