"""`headwater inspect`: what would become of files.

Belongs here: the rows of files of every kind, and the texts. Not here: parsers. Guarantee: no database is needed.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from cli.main import main
from headwater.parsing.ocr import engine as ocr_engine
from headwater.parsing.ocr.parser import ImageParser
from tests.office_files import xlsx_file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of several kinds."""
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / "home"))
    files = tmp_path / "files"
    (files / "deep" / ".git").mkdir(parents=True)
    (files / ".hidden").write_text("x", encoding="utf-8")
    (files / "deep" / ".git" / "HEAD").write_text("x", encoding="utf-8")
    (files / "deep" / "pumps.md").write_text("# Pumps\n\nPrime them first.\n", encoding="utf-8")
    (files / "blank.txt").write_text(" \n", encoding="utf-8")
    (files / "empty.md").touch()
    (files / "program.bin").write_bytes(bytes(range(256)) * 4)
    return files


def inspected(*arguments: object, status: int = 0) -> Result:
    """Run the command."""
    done = CliRunner().invoke(main, ["inspect", *map(str, arguments)])
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done


def rows(*arguments: object) -> dict[str, dict[str, Any]]:
    """Its rows, by the names of their files."""
    return {Path(row["file"]).name: row for row in json.loads(inspected(*arguments, "--json").stdout)}


def test_every_file_is_a_row(folder: Path) -> None:
    """A file is read, or has an error that says why not; hidden files are counted, and read if they are named."""
    found = rows(folder)
    assert list(found) == ["blank.txt", "empty.md", "program.bin", "pumps.md"]
    pumps = found["pumps.md"]
    assert (pumps["type"], pumps["pages"], pumps["characters"], pumps["error"]) == ("text/markdown", None, 27, None)
    assert set(pumps) == {"file", "type", "pages", "characters", "ms", "error"}
    assert found["blank.txt"]["error"] == "It has no text."
    assert found["empty.md"]["error"] == "It is empty."
    assert found["program.bin"]["error"] == "This file type isn't supported: application/octet-stream."
    assert "2 hidden files or folders" not in inspected(folder / "deep").stdout
    assert "Left out below" in inspected(folder).stderr
    assert ".hidden" in rows(folder / ".hidden")


def test_the_table_and_the_text_are_for_people(folder: Path) -> None:
    """The table has a line per file and the text is shown on request; what is in a file cannot steer the terminal."""
    (folder / "steering.md").write_text("# Bell\x07\n\nRed \x1b[31mtext.\n" + "More. " * 40, encoding="utf-8")
    done = inspected(folder, "--text")
    table = done.stdout.splitlines()[-6:]
    assert table[0].split() == ["file", "type", "pages", "characters", "ms", "error"]
    assert table[2].endswith("It is empty.")
    assert "Prime them first." in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert f"5 files below {folder}; 3 could not be read or have no text." in done.stderr


def test_the_table_fits_into_a_terminal(folder: Path) -> None:
    """Names begin below the folder that all files are in, types are short, long names lose their beginning."""
    deep = folder / ("d" * 40) / ("e" * 40)
    deep.mkdir(parents=True)
    (deep / "last.md").write_text("# Last\n", encoding="utf-8")
    done = inspected(folder)
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert lines["deep/pumps.md"][0] == "markdown"
    assert lines["program.bin"][0] == "octet-stream"
    assert lines["…" + f"{deep}/last.md"[-49:]][0] == "markdown"
    assert f"5 files below {folder}; 3" in done.stderr
    one = inspected(folder / "deep" / "pumps.md")
    assert one.stdout.splitlines()[1].startswith("pumps.md  markdown")
    assert f"1 file below {folder / 'deep'}." in one.stderr
    assert rows(folder)["last.md"]["file"] == str(deep / "last.md")


def test_text_is_in_the_json_too(folder: Path) -> None:
    """With --text, the rows have the title, the text and its places."""
    found = rows(folder / "deep", "--text")["pumps.md"]
    assert (found["title"], found["places"]["kind"]) == ("Pumps", "line")
    assert "Prime them first." in found["text"]


def test_pages_are_counted(folder: Path) -> None:
    """A TIFF has pages, whether they have text or not."""
    page = Image.new("RGB", (20, 20), "white")
    page.save(folder / "scan.tif", save_all=True, append_images=[page])
    found = rows(folder / "scan.tif")["scan.tif"]
    assert (found["type"], found["pages"], found["error"]) == ("image/tiff", 2, "It has no text.")


def test_a_workbook_shows_the_cells_of_its_blocks(folder: Path) -> None:
    """A table is one block; the sheets are counted."""

    def fill(workbook: Any) -> None:
        workbook.active.title = "Prices"
        for row in (["Article", "Price"], ["Bolt", 2], ["Nut", 3], [None, None], [None, None], ["net of tax", None]):
            workbook.active.append(row)
        workbook.create_sheet("Costs")["B2"] = "none"

    (folder / "prices.xlsx").write_bytes(xlsx_file(fill))
    shown = inspected(folder / "prices.xlsx", "--text").stdout
    assert [line for line in shown.splitlines() if line.startswith("[")] == [
        "[Prices!A1]", "[Prices!A1:B3]", "[Prices!A6]", "[Costs!B2]", "[Costs!B2]"
    ]  # fmt: skip
    assert "[Prices!A6]\nnet of tax\n" in shown
    assert rows(folder / "prices.xlsx")["prices.xlsx"]["pages"] == 2


def test_a_missing_extra_is_an_error_of_the_image(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra `ocr`, the row of an image says how to install it, and the other files are read."""
    Image.new("RGB", (20, 20)).save(folder / "photo.png")
    monkeypatch.setattr(ocr_engine, "find_spec", lambda _: None)
    monkeypatch.setattr(ImageParser, "limits", None)  # read here, not in a process that has the extra
    ocr_engine._load_models.cache_clear()
    try:
        found = rows(folder)
    finally:
        ocr_engine._load_models.cache_clear()
    assert "headwater[ocr]" in found["photo.png"]["error"]
    assert found["pumps.md"]["error"] is None


def test_files_that_cannot_be_opened_are_rows(folder: Path) -> None:
    """A pipe, a dangling link and a name that is no text do not stop the others."""
    os.mkfifo(folder / "pipe")
    (folder / "link.md").symlink_to("nowhere.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("# Menu\n", encoding="utf-8")
    found = rows(folder)
    assert found["pipe"]["error"] == "It is not a regular file."
    assert "No such file" in found["link.md"]["error"]
    assert found["caf�.md"]["characters"] == 7


def test_a_path_that_does_not_exist_is_wrong_use(folder: Path) -> None:
    """The exit status is 2."""
    assert "nowhere" in inspected(folder / "nowhere", status=2).stderr
