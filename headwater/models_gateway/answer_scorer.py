"""A cross-encoder that reads a question and a text together and says whether the text answers it.

Belongs here: the scorer's role, merging the adapter into the local model's weights, running the result. Not here: the
network (`minilm_graph`), how the adapter was trained (`bench.answer_scorer`), which texts are scored
(`headwater.quote`). Guarantee: a score depends only on the question and its text, never on other texts in the call; the
default install needs no torch and downloads nothing.

The weights are those of all-MiniLM-L6-v2, which is installed anyway, plus a low-rank adapter for each linear layer (Hu
et al. 2021, https://arxiv.org/abs/2106.09685) that is part of this package. An embedding sees a text before it knows
the question; a cross-encoder compares each word of both (Nogueira and Cho 2019, https://arxiv.org/abs/1901.04085).
"""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.minilm import (
    REINSTALL,
    WEIGHTS_SHA256,
    check_weights,
    find_weights,
    open_session,
)
from headwater.models_gateway.minilm_graph import GRAPH_VERSION, Weights, build_graph, read_weights, remove_leftovers

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

WINDOW_TOKENS = 144
"""Of a question and a text together, as in training."""
_ADAPTER = "answer_scorer.safetensors"

Scores = NDArray[np.float32]


class AnswerScorer(Protocol):
    """Says which texts answer a question."""

    model: str
    """Its name, `builtin/…`."""

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Score texts.

        Args:
            question: the question as it was asked.
            texts: candidates, each with the headings above it.

        Returns:
            The log-odds that each text answers the question, shape (texts,).

        Raises:
            ModelUnavailableError: the model cannot be loaded.
        """
        ...


class MiniLmAnswerScorer:
    """Scores with the adapted local model; the file is built and opened at the first question."""

    model: str = "builtin/answer-scorer"

    def __init__(self, cache: Path, threads: int) -> None:
        """Find the weights.

        Args:
            cache: folder for the built ONNX file.
            threads: texts scored at the same time; 0 means one per processor.

        Raises:
            ModelUnavailableError: the package with the weights is not installed.
        """
        self._folder = find_weights()
        self._cache = cache
        self._threads = threads or os.cpu_count() or 1

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Score texts; what is beyond 144 tokens of question and text is ignored."""
        pairs = [(_readable(question), _readable(text)) for text in texts]
        token_ids = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(pairs)]
        self._session  # noqa: B018 -- two threads would both build it
        with ThreadPoolExecutor(min(self._threads, len(token_ids) or 1)) as pool:
            vectors = np.array(list(pool.map(self._read, token_ids)), np.float32).reshape(len(texts), -1)
        adapter = self._adapter
        return (
            (vectors @ adapter["head"] + adapter["bias"]).astype(np.float32) if len(texts) else np.empty(0, np.float32)
        )

    def _read(self, token_ids: list[int]) -> NDArray[np.float32]:
        tokens = np.array([token_ids], np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        vector: NDArray[np.float32] = self._session.run(["sentence_embedding"], inputs)[0][0]
        return vector

    @cached_property
    def _adapter(self) -> Weights:
        from safetensors.numpy import load

        return {name: tensor.astype(np.float32) for name, tensor in load(_adapter_bytes()).items()}

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        except Exception as error:  # the library raises Exception itself
            raise ModelUnavailableError(
                f"The tokenizer of {self.model} cannot be read ({error}). {REINSTALL}"
            ) from error
        tokenizer.enable_truncation(WINDOW_TOKENS, strategy="only_second")
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> "InferenceSession":
        path = scorer_file(self._cache)
        if not path.exists():
            self._build(path)
        try:
            return open_session(path)
        except Exception:  # noqa: BLE001 -- onnxruntime's errors have no class in common; a second one is raised
            self._build(path)
        try:
            return open_session(path)
        except Exception as error:
            raise ModelUnavailableError(f"onnxruntime cannot load {path}, which was just built: {error}") from error

    def _build(self, target: Path) -> None:
        """Write the quantised graph of the merged weights; takes about a second."""
        weights = self._folder / "model.safetensors"
        check_weights(weights)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            remove_leftovers(target)
            with tempfile.TemporaryDirectory(prefix=f"{target.name}.", dir=target.parent) as folder:
                draft = Path(folder, "int8.onnx")
                merged = merge(read_weights(weights), self._adapter)
                draft.write_bytes(build_graph(merged, layers=layer_count(self._adapter)))
                draft.replace(target)
        except OSError as error:
            raise ModelUnavailableError(
                f"{target} cannot be written: {error}. Set HEADWATER_CACHE to a folder with 100 MB of space."
            ) from error


def merge(weights: Weights, adapter: Weights) -> Weights:
    """Add an adapter to the weights that it was trained on.

    Args:
        weights: of the model, by the names of its file.
        adapter: `NAME.down` (rank × inputs) and `NAME.up` (outputs × rank) for each adapted layer NAME, and others.
    """
    merged = dict(weights)
    for name, down in adapter.items():
        if name.endswith(".down"):
            layer = name.removesuffix(".down")
            merged[f"{layer}.weight"] = weights[f"{layer}.weight"] + adapter[f"{layer}.up"] @ down
    return merged


def layer_count(adapter: Weights) -> int:
    """How many layers of the network an adapter was trained for; the ones above are left out."""
    return 1 + max(int(name.split(".")[2]) for name in adapter if name.startswith("encoder.layer."))


def scorer_file(cache: Path) -> Path:
    """Name the ONNX file after everything that its bytes depend on."""
    import onnxruntime

    quantiser = ".".join(onnxruntime.__version__.split(".")[:2])
    adapter = hashlib.sha256(_adapter_bytes()).hexdigest()[:12]
    name = f"answer-scorer-int8-{WEIGHTS_SHA256[:12]}-{adapter}-graph{GRAPH_VERSION}-ort{quantiser}.onnx"
    return cache / "models" / name


def _adapter_bytes() -> bytes:
    return files("headwater.models_gateway").joinpath(_ADAPTER).read_bytes()


def _readable(text: str) -> str:
    """Half of a surrogate pair is legal in a str but not in UTF-8, which the tokenizer needs."""
    return text.encode("utf-8", "replace").decode()
