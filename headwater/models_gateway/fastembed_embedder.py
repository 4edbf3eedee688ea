"""Embedding models of fastembed, run on this machine by onnxruntime (EMB-1; extra `fastembed`).

Belongs here: the words that a model wants before a text, the languages it knows, texts in and vectors out. Not here:
names and files (`fastembed_files`). Guarantee: a vector depends only on its text, never on other texts in the call or
on the number of threads; nothing is downloaded.
"""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from headwater.domain.languages import CODES, language_code, language_name
from headwater.errors import ModelUnavailableError
from headwater.models_gateway import fastembed_files
from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.models_gateway.remote_embedder import RELEVANCE_FLOOR
from headwater.processors import count_processors
from headwater.prompts.invisible import without_invisible

_PART = 64  # texts whose vectors are stored together in a sync
_RETRIEVAL = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_WORDS_BEFORE = {
    "BAAI/bge-small-zh": ("为这个句子生成表示以用于检索相关文章：", ""),
    "BAAI/bge-": (_RETRIEVAL, ""),
    "mixedbread-ai/mxbai-embed": (_RETRIEVAL, ""),
    "snowflake/snowflake-arctic-embed": (_RETRIEVAL, ""),
    "nomic-ai/nomic-embed": ("search_query: ", "search_document: "),
    "intfloat/multilingual-e5": ("query: ", "passage: "),
    "google/embeddinggemma": ("task: search result | query: ", "title: none | text: "),
    "Qwen/Qwen3-Embedding": (_INSTRUCTION, ""),
}
"""What models were trained to see before a question and before a passage, by the beginning of their names, from their
cards at Hugging Face; fastembed adds none of it. A change changes vectors that are stored under the same name."""

_LANGUAGE_NAMES = {name: code for code in CODES if len(name := language_name(code)) > 3}


class FastembedEmbedder:
    """Embeds with one of fastembed's models; its files are opened at the first text.

    Texts run one at a time, in several threads, as for `MiniLmEmbedder`: many of the models are quantised, so in a
    batch a text's vector would depend on its neighbours.
    """

    relevance_floor: float = RELEVANCE_FLOOR

    def __init__(self, model: str, folder: Path, threads: int = 0) -> None:
        """Take the model's name.

        Args:
            model: such as `fastembed/BAAI/bge-small-en-v1.5`.
            folder: HEADWATER_MODELS.
            threads: texts embedded at the same time; 0 means one per processor.

        Raises:
            ModelUnavailableError: fastembed is not installed.
            UnknownModelError: fastembed has no such model.
        """
        self.model = model
        details = fastembed_files.description(model, "embedding")
        self.dimensions = int(details["dim"])
        self._languages = _languages(str(details["description"]))
        self._folder = folder
        self._threads = threads or count_processors()
        name = model.removeprefix(fastembed_files.PREFIX)
        words = (words for start, words in _WORDS_BEFORE.items() if name.startswith(start))
        self._before_question, self._before_passage = next(words, ("", ""))

    def knows(self, language: str) -> bool:
        """Whether fastembed's description of the model names the language, or no language at all."""
        return not self._languages or not language or language_code(language) in self._languages

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; text beyond the model's window is ignored.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        return self._embed([f"{self._before_question}{text}" for text in texts], self._model.query_embed)

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed passages, 64 in a part.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        for start in range(0, len(texts), _PART):
            batch = [f"{self._before_passage}{text}" for text in texts[start : start + _PART]]
            vectors = self._embed(batch, self._model.passage_embed)
            counts = [int(self._model.token_count([_readable(text)])) for text in batch]
            yield Embedded(start=start, vectors=vectors, token_counts=counts, cost_usd=0.0)

    def _embed(self, texts: Sequence[str], compute: Any) -> Vectors:
        def embed_one(text: str) -> Vectors:
            try:
                (vector,) = compute([_readable(text)])
            except Exception as error:
                raise ModelUnavailableError(f"The model {self.model} cannot embed a text: {error}") from error
            return np.asarray(vector, np.float32)

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        with ThreadPoolExecutor(max(min(self._threads, len(texts)), 1)) as pool:
            for row, vector in enumerate(pool.map(embed_one, texts)):
                vectors[row] = vector
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)  # some models leave this to us
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise ModelUnavailableError(f"The model {self.model} cannot be used: a vector has no direction.")
        unit: Vectors = vectors / lengths
        return unit

    @cached_property
    def _model(self) -> Any:
        # Two threads may both load it; they get the same model, so that only costs time.
        return fastembed_files.open_model(self.model, "embedding", self._folder)


def _readable(text: str) -> str:
    """Without what nobody sees, and without half of a surrogate pair: the tokenizer needs UTF-8, which has none."""
    return without_invisible(text).encode("utf-8", "replace").decode()


def _languages(description: str) -> frozenset[str]:
    """The languages that fastembed's description names; none for a multilingual model."""
    return frozenset(_LANGUAGE_NAMES[word] for word in re.findall(r"\w+", description) if word in _LANGUAGE_NAMES)
