"""How much of the text in images is read, and how long it takes.

Belongs here: images with their text beside them, recall of words, times. Not here: targets. Guarantee: the order of
words does not count; one image at a time.

    python -m bench.ocr --data FOLDER [--json FILE]
"""

import json
import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from headwater.parsing.ocr.parser import ImageParser
from headwater.parsing.ocr.recognition import prepare_reading, read_image

_DIVIDED = re.compile(r"(\w)-\n\s*([a-z])")


def words(text: str) -> Counter[str]:
    """Lower-cased words without punctuation and symbols."""
    plain = ("".join(c for c in word if unicodedata.category(c)[0] not in "PS") for word in text.lower().split())
    return Counter(word for word in plain if word)


def folded(text: str) -> str:
    """A text without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def recall(truth: str, text: str) -> float:
    """The share of a text's words that was found."""
    wanted = words(truth)
    return sum((wanted & words(text)).values()) / max(1, sum(wanted.values()))


def cases(folder: Path) -> Iterator[tuple[str, list[bytes], str]]:
    """Files that have their text beside them: the name, the pictures, the text."""
    for path in sorted(folder.rglob("*")):
        beside = path.with_suffix(".txt")
        if path.suffix in ImageParser.suffixes and beside.exists():
            yield path.name, [path.read_bytes()], beside.read_text(encoding="utf-8")
        elif path.suffix == ".pdf" and beside.exists():
            yield path.name, list(_pictures(path)), beside.read_text(encoding="utf-8")


def _pictures(path: Path) -> Iterator[bytes]:
    from pypdf import PdfReader

    for page in PdfReader(path).pages:
        yield from (image.data for image in page.images)


def measure(name: str, pictures: list[bytes], truth: str) -> dict[str, Any]:
    """Read the pictures of a file, and compare."""
    began, used = time.perf_counter(), _processor_seconds()
    text = "\n\n".join(read_image(picture) for picture in pictures)
    seconds, busy = time.perf_counter() - began, _processor_seconds() - used
    return {
        "file": name,
        "images": len(pictures),
        "words": sum(words(truth).values()),
        "recall": round(recall(truth, text), 3),
        "recall_folded": round(recall(folded(truth), folded(text)), 3),
        "recall_joined": round(recall(_DIVIDED.sub(r"\1\2", truth), text), 3),
        "processor_seconds_per_image": round(busy / len(pictures), 2),
        "seconds_per_image": round(seconds / len(pictures), 2),
    }


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "target", type=click.Path(path_type=Path), help="Write the figures into this file.")
def main(data: Path, target: Path | None) -> None:
    """Read every image below a folder that has its text beside it."""
    prepare_reading()
    rows = [measure(*case) for case in cases(data)]
    if not rows:
        raise click.ClickException(f"No image below {data} has its text beside it, as page.tif and page.txt.")
    names = list(rows[0])
    print("| " + " | ".join(names).replace("_", " ") + " |\n|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(str(row[name]) for name in names) + " |")
    if target is not None:
        target.write_text(json.dumps(rows, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
