"""Compute the centre of multilingual-e5-small's vectors, for `headwater/models_gateway/e5_centre.py`.

Belongs here: the texts whose vectors are averaged. Not here: what the centre is for (`headwater.models_gateway.e5`).
Guarantee: English counts as much as all other languages together, each of which counts the same.

    python -m bench.e5_centre

Prints the constants. A change of them changes vectors that are stored under the model's name.
"""

import base64
import json
from pathlib import Path

import numpy as np

from bench.language_quality import read_sets
from headwater.models_gateway.e5 import E5Embedder
from headwater.models_gateway.embedder import Vectors
from headwater.settings import Settings

BENCH = Path(__file__).parent
_LEAST_LETTERS = 200  # of a paragraph


def main() -> None:
    """Embed the texts and print."""
    embedder = E5Embedder(Settings.from_env().cache, threads=0)
    for name, prefix, texts in (("PASSAGES", "passage", _passages()), ("QUESTIONS", "query", _questions())):
        centre = _centre(embedder, [[f"{prefix}: {text}" for text in own] for own in texts])
        encoded = base64.b64encode(centre.astype("<f2").tobytes()).decode()
        print(f"{name} = {encoded}")


def _centre(embedder: E5Embedder, languages: list[list[str]]) -> Vectors:
    """The mean of the first language's mean and the mean of the others' means."""
    first, *others = (embedder.embed_raw(texts).mean(axis=0) for texts in languages)
    centre: Vectors = (first + np.mean(others, axis=0)) / 2
    return centre


def _passages() -> list[list[str]]:
    pages = sorted((BENCH.parent / "docs").glob("*.md"))
    paragraphs = [one for page in pages for one in page.read_text(encoding="utf-8").split("\n\n")]
    english = [paragraph for paragraph in paragraphs if len(paragraph) > _LEAST_LETTERS and paragraph[0].isalpha()]
    sets = read_sets().values()
    return [
        english[::4],
        *([f"{document['title']}\n\n{document['text']}" for document in each["documents"]] for each in sets),
    ]


def _questions() -> list[list[str]]:
    lines = (BENCH / "asked_answers.jsonl").read_text(encoding="utf-8").splitlines()
    sets = read_sets().values()
    return [[json.loads(line)["question"] for line in lines], *([one for one, _ in each["questions"]] for each in sets)]


if __name__ == "__main__":
    main()
