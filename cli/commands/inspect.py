"""The command `inspect`: what Headwater makes of files, without a database.

Belongs here: its arguments, walking folders, the table. Not here: reading files (`headwater.parsing`). Guarantee: as
for every command (`main`); a file that cannot be read is a row with its error, and the others are read all the same.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.output import explain_error, json_option, note, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.domain.documents import ParsedDocument

_MAX_FILE_BYTES = 100_000_000  # bytes, as in a source
_COLUMNS = ("file", "type", "pages", "characters", "ms", "error")
_RIGHT = {"pages", "characters", "ms"}
_MAX_NAME_CHARS = 50  # characters of the file's column, so that a line fits into a terminal
_OFFICE = "application/vnd.openxmlformats-officedocument."
_SHORT_TYPES = {
    _OFFICE + "wordprocessingml.document": "docx",
    _OFFICE + "presentationml.presentation": "pptx",
    _OFFICE + "spreadsheetml.sheet": "xlsx",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsm",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "message/rfc822": "e-mail",
}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(exists=True, path_type=Path))
@click.option("--text", "with_text", is_flag=True, help="Show the text of each file as well, with its places.")
@json_option
@reports_errors
def inspect(paths: tuple[Path, ...], with_text: bool, as_json: bool) -> None:
    """Read files, and those in folders, and show what a document of each would be; no database is needed.

    The exit status is 0 also if some of the files cannot be read; their errors are in the table.
    """
    files = [file for path in paths for file in _files(path)]
    with _progress(len(files)) as tell:
        inspections = [_inspect_file(file, tell) for file in files]
    if as_json:
        click.echo(
            json.dumps(
                [inspection.row(with_text=with_text) for inspection in inspections], ensure_ascii=False, indent=2
            )
        )
        return
    for inspection in inspections if with_text else ():
        click.echo(_text(inspection))
    folder = _common_folder([inspection.file for inspection in inspections])
    click.echo(_table([inspection.row() for inspection in inspections], folder))
    refused = sum(bool(inspection.error) for inspection in inspections)
    read = pluralize(len(inspections), "file") + (f" below {plain(folder)}" if folder else "")
    note(f"{read}; {refused} could not be read or have no text." if refused else f"{read}.")


@dataclass(kw_only=True)
class _Inspected:
    """A file, and what reading it gave."""

    file: str
    media_type: str = ""
    milliseconds: int = 0
    error: str = ""
    document: "ParsedDocument | None" = field(default=None, repr=False)

    def row(self, *, with_text: bool = False) -> dict[str, Any]:
        """JSON values of the columns; with its text, the title and the places too."""
        document = self.document
        row: dict[str, Any] = {
            "file": self.file,
            "type": self.media_type or None,
            "pages": _pages(document) if document else None,
            "characters": len(document.text) if document else 0,
            "ms": self.milliseconds,
            "error": self.error or None,
        }
        if with_text:
            row["title"] = document.title if document else None
            row["text"] = document.text if document else None
            row["places"] = document.places.to_json() if document and document.places else None
        return row


def _pages(document: "ParsedDocument") -> int | None:
    """The number of its pages, slides or sheets."""
    stated = document.metadata.get("pages")
    if isinstance(stated, int):
        return stated
    if document.places is None or document.places.kind not in ("page", "slide", "sheet", "cell"):
        return None
    if document.places.kind == "cell":
        return len({str(mark.first).rpartition("!")[0] for mark in document.places.marks})
    last = [mark.last for mark in document.places.marks]
    return max((page for page in last if isinstance(page, int)), default=len(set(last)))


def _files(path: Path) -> Iterator[Path]:
    """A file, or the files below a folder by name; hidden ones are left out and counted."""
    if not path.is_dir():
        yield path
        return
    hidden = 0
    for folder, folders, names in os.walk(path):
        hidden += sum(name.startswith(".") for name in (*folders, *names))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))
    if hidden:
        note(f"Left out below {path}: {hidden} hidden files or folders. Name a file to read it all the same.")


def _inspect_file(path: Path, tell: "Tell") -> _Inspected:
    inspection = _Inspected(file=os.fsencode(path).decode(errors="replace"))
    tell(inspection.file)
    start = time.monotonic()
    try:
        _read(path, inspection)
    except (HeadwaterError, OSError) as error:
        inspection.error = str(error) if isinstance(error, HeadwaterError) else f"{error.strerror or error}."
    except Exception as error:  # noqa: BLE001 - whatever a file makes a library raise concerns that file only
        inspection.error = str(explain_error(error))
    inspection.milliseconds = round((time.monotonic() - start) * 1000)
    return inspection


def _read(path: Path, inspection: _Inspected) -> None:
    from headwater.parsing.file_types import media_type_of
    from headwater.parsing.parser import File
    from headwater.parsing.registry import find_parser, parse_file

    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        inspection.error = "It is not a regular file."
        return
    if state.st_size > _MAX_FILE_BYTES:
        inspection.error = (
            f"It has {state.st_size / 1e6:,.0f} MB; the limit is {_MAX_FILE_BYTES / 1e6:,.0f} MB. Divide it."
        )
        return
    content = path.read_bytes()
    inspection.media_type = media_type_of(content, path.name)
    if not content:
        inspection.error = "It is empty."
        return
    parser = find_parser(inspection.media_type, path.name)
    if parser is None:
        inspection.error = f"This file type isn't supported: {inspection.media_type}."
        return
    inspection.document = parse_file(parser, File(content=content, uri=path.name, media_type=inspection.media_type))
    inspection.error = "" if inspection.document.text.strip() else "It has no text."


class Tell:
    """Says which file is being read; by itself, to nobody."""

    def __call__(self, file: str) -> None:
        """Report the next file."""


class _Bar(Tell):
    def __init__(self, progress: Any, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total)
        self._started = -1

    def __call__(self, file: str) -> None:
        self._started += 1
        self._progress.update(self._task, description=plain(file)[-60:], completed=self._started)


@contextmanager
def _progress(total: int) -> Iterator[Tell]:
    """Draw which file is being read, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Tell()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, total)


def _table(rows: Sequence[Mapping[str, Any]], folder: str) -> str:
    short_rows = [{**row, "file": _short_name(row["file"], folder), "type": _short_type(row["type"])} for row in rows]
    cells = [list(_COLUMNS), *([_cell(row[name]) for name in _COLUMNS] for row in short_rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_COLUMNS))]
    return "\n".join(_line(line, widths) for line in cells)


def _common_folder(files: Sequence[str]) -> str:
    """The folder that all files are in; none, if they are in the working folder or have nothing in common."""
    folders = [Path(file).parent for file in files]
    if len({folder.is_absolute() for folder in folders}) != 1:
        return ""
    common = os.path.commonpath(folders)
    return "" if common in (".", "/") else common


def _short_name(file: str, folder: str) -> str:
    """Its path below the folder; the beginning of a long one is cut off, because its end says which file it is."""
    name = file.removeprefix(f"{folder}/") if folder else file
    return name if len(name) <= _MAX_NAME_CHARS else "…" + name[1 - _MAX_NAME_CHARS :]


def _short_type(media_type: str | None) -> str | None:
    """What people call it: `docx` instead of eighty characters, `markdown` instead of `text/markdown`."""
    if media_type is None:
        return None
    short = media_type.removeprefix("text/").removeprefix("application/").removeprefix("x-").partition("+")[0]
    return _SHORT_TYPES.get(media_type.lower(), short)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else " ".join(plain(value).split())


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    aligned = (
        cell.rjust(width) if name in _RIGHT else cell.ljust(width)
        for name, cell, width in zip(_COLUMNS, cells, widths, strict=True)
    )
    return "  ".join(aligned).rstrip()


def _text(inspection: _Inspected) -> str:
    """The text of a file, with the label of a place where it begins."""
    if inspection.document is None:
        return f"=== {plain(inspection.file)}\n{plain(inspection.error)}\n"
    document, line = inspection.document, 1
    texts = [f"=== {plain(inspection.file)} ({plain(document.title) or 'no title'})"]
    starts = sorted({0, *_list_starts(document)})
    for start, end in pairwise([*starts, len(document.text)]):
        section = document.text[start:end]
        place = document.places and document.places.between(start, end, text=section, offset=start, line=line)
        texts += [f"[{place.label}]"] if place and place.kind != "line" and place.label else []
        texts += ["\n".join(map(plain, section.strip("\n").split("\n")))] if section.strip("\n") else []
        line += section.count("\n")
    return "\n".join(texts) + "\n"


def _list_starts(document: "ParsedDocument") -> Iterator[int]:
    """The offsets where a place begins; within a table of a sheet there is none."""
    places = document.places
    for mark in places.marks if places and places.kind != "line" else ():
        if places and (places.kind != "cell" or document.text[max(0, mark.offset - 2) : mark.offset] in ("", "\n\n")):
            yield mark.offset
