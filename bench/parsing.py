"""The time that parsing and chunking take, by kind of file.

Belongs here: a table of measurements, each with its limit. Not here: the time of a whole sync (`bench.ingest`).
Guarantee: a parser's process is started before its file is measured; a measurement whose files are not there is left
out and named.

    python -m bench.parsing DATA [--json FILE]

DATA is a folder with real files: `pdf/` with PDF files. Of three runs, the quickest counts.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.domain.knowledge_base_settings import ChunkingSettings
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_of_name

RUNS = 3
PDF_LIMIT = 1.3  # times pypdf's plain text


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What one kind of file took; `limit` is the most it may take, in seconds."""

    name: str
    what: str
    seconds: float
    limit: float


def pdf(data: Path) -> Iterator[Measured]:
    """The PDF file with the most pages, against pypdf's plain text of every page."""
    from pypdf import PdfReader

    files = {path: _pages(path) for path in (data / "pdf").rglob("*.pdf")}
    if not any(files.values()):
        return
    path, pages = max(files.items(), key=lambda item: item[1])
    plain = quickest(lambda: [page.extract_text() for page in PdfReader(path).pages])
    taken = quickest(lambda: parse_and_chunk(path))
    what = f"{pages} pages, {taken / plain:.2f} times pypdf's {plain:.2f} s"
    yield Measured(name="pdf", what=what, seconds=round(taken, 3), limit=round(PDF_LIMIT * plain, 3))


def _pages(path: Path) -> int:
    """How many pages a file has; 0 if it cannot be opened."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        return len(PdfReader(path).pages)
    except PyPdfError:
        return 0


MEASUREMENTS: dict[str, Callable[[Path], Iterator[Measured]]] = {"pdf": pdf}
"""By the name of what they measure."""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(data: Path, json_file: Path | None) -> None:
    """Measure every kind of file, and print a table."""
    found: list[Measured] = []
    click.echo(f"{'':<12}{'seconds':>9}{'limit':>9}")
    for name, measure in MEASUREMENTS.items():
        rows = list(measure(data))
        for row in rows:
            click.echo(f"{row.name:<12}{row.seconds:>9.2f}{row.limit:>9.2f}  {row.what}")
        if not rows:
            click.echo(f"{name:<12}  no files in {data}")
        found += rows
    if json_file:
        json_file.write_text(json.dumps([asdict(row) for row in found], indent=2) + "\n", encoding="utf-8")


def parse_and_chunk(path: Path) -> int:
    """Parse and chunk a file as a sync does; returns the number of chunks."""
    parsed = parse_file(parser_of_name(path.name), File(content=path.read_bytes(), uri=path.name))
    settings = chunk_settings(ChunkingSettings())
    return len(chunk_text(parsed.text, title=parsed.title, media_type=parsed.media_type, settings=settings))


def quickest(run: Callable[[], object]) -> float:
    """The seconds of the quickest run; the first one also starts what it needs."""
    taken = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    return min(taken)


if __name__ == "__main__":
    main()
