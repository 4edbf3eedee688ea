"""The time that parsing and chunking take, by kind of file.

Belongs here: a table of measurements, each with its limit. Not here: the time of a whole sync (`bench.ingest`).
Guarantee: a parser's process is started before its file is measured; a measurement whose files are not there is left
out and named.

    python -m bench.parse_time DATA [--json FILE]

DATA is a folder with real files: `pdf/`, `office/` and `images/`. Of three runs, the quickest counts. The folder of
markdown is generated.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.domain.knowledge_base_settings import ChunkingSettings
from headwater.errors import DocumentError
from headwater.parsing.ocr.parser import ImageParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_of_name

RUNS = 3
PDF_LIMIT = 1.3  # times pypdf's plain text
OFFICE_LIMIT = 1.0
IMAGE_LIMIT = 5.0
MARKDOWN_LIMIT = 5.0
SENTENCE = "The pump lifts water from the deep well, and somebody greases its winch once a month. "


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


def office(data: Path, *, suffix: str) -> Iterator[Measured]:
    """The office file of a kind that gives the most chunks."""
    chunks: dict[Path, int] = {}
    for path in (data / "office").rglob(f"*{suffix}"):
        with suppress(DocumentError):
            chunks[path] = parse_and_chunk(path)
    if chunks:
        path, count = max(chunks.items(), key=lambda item: item[1])
        taken = quickest(lambda: parse_and_chunk(path))
        yield Measured(name=suffix, what=f"{path.name}, {count} chunks", seconds=round(taken, 3), limit=OFFICE_LIMIT)


def images(data: Path) -> Iterator[Measured]:
    """The image that takes longest."""
    taken: dict[Path, float] = {}
    for path in sorted((data / "images").rglob("*.*")):
        if path.suffix.lower() in ImageParser.suffixes:
            with suppress(DocumentError):
                taken[path] = quickest(partial(parse_and_chunk, path))
    if taken:
        path, seconds = max(taken.items(), key=lambda item: item[1])
        what = f"{path.name}, the slowest of {len(taken)}"
        yield Measured(name="image", what=what, seconds=round(seconds, 3), limit=IMAGE_LIMIT)


def markdown(_: Path) -> Iterator[Measured]:
    """A thousand files of 5 KB: reading, parsing, chunking."""
    with TemporaryDirectory() as folder:
        text = "".join(f"## Part {n}\n\n{SENTENCE * 5}\n\n" for n in range(11))
        paths = [Path(folder) / f"{n}.md" for n in range(1000)]
        for n, path in enumerate(paths):
            path.write_text(f"# Page {n}\n\n{text}", encoding="utf-8")
        taken = quickest(lambda: [parse_and_chunk(path) for path in paths])
        size = paths[0].stat().st_size
    yield Measured(
        name="markdown", what=f"1,000 files of {size:,} bytes", seconds=round(taken, 3), limit=MARKDOWN_LIMIT
    )


MEASUREMENTS: dict[str, Callable[[Path], Iterator[Measured]]] = {
    "pdf": pdf,
    ".pptx": partial(office, suffix=".pptx"),
    ".docx": partial(office, suffix=".docx"),
    "image": images,
    "markdown": markdown,
}
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
