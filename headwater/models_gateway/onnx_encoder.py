"""A local encoder in int8, run by onnxruntime.

Belongs here: caching the built ONNX file, tokens in and vectors out. Not here: the network (`encoder_graph`), and the
files, windows and languages of each model (`minilm`, `e5`). Guarantee: a vector depends only on its text, never on
other texts in the call or on the number of threads; a missing or damaged file raises an error that says what to do.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.encoder_graph import GRAPH_VERSION, HIDDEN, Weights, build_int8
from headwater.models_gateway.late_interaction import TokenEmbeddings
from headwater.processors import count_processors
from headwater.prompts.invisible import without_invisible
from headwater.settings import prepare_onnxruntime

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions
    from tokenizers import Tokenizer


class OnnxEncoder:
    """Turns texts into vectors; the files are opened at the first text, and the ONNX file is built if necessary.

    Texts run one at a time, in several threads. Dynamic quantisation scales activations by the largest of a whole
    batch, so in batches a text's vector depends on its neighbours (cosine down to 0.982 on real documents), and a
    second sync would write different vectors. One at a time costs nothing: on 2 processors MiniLM reads 67 chunks a
    second, compared with 60 for the best batch size, 8.
    """

    model: str
    dimensions: int = HIDDEN
    _sha256: str

    def __init__(self, cache: Path, threads: int = 0) -> None:
        """Take the place of the built file.

        Args:
            cache: folder for the built ONNX file.
            threads: texts encoded at the same time; 0 means one per processor.
        """
        self._cache = cache
        self._threads = threads or count_processors()

    @property
    def onnx_file(self) -> Path:
        """The path of the built file."""
        return name_onnx_file(self._cache, self.model.rpartition("/")[2], self._sha256)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count tokens, including the two that mark start and end; no text has more than the model's window."""
        return [len(ids) for ids in self._tokenise(texts)]

    @abstractmethod
    def _read_weights(self) -> Weights:
        """Read and check the weights.

        Raises:
            ModelUnavailableError: they are missing or damaged.
        """

    @cached_property
    @abstractmethod
    def _tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, which cuts texts to the model's window."""

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
        (vector,) = self._run(token_ids, "sentence_embedding")
        return vector

    def _embed_all_tokens(self, texts: Sequence[str], prefix: str = "") -> list[TokenEmbeddings]:
        """Embed texts and each of their tokens; those that mark the start and the end, and the prefix, are left out."""
        first = len(self._tokenise([prefix.rstrip()])[0]) - 1  # both marks are around the prefix alone, too

        def embed(ids: list[int]) -> TokenEmbeddings:
            vector, tokens = self._run(ids, "sentence_embedding", "token_embeddings")
            return TokenEmbeddings(vector=vector, ids=ids[first:-1], tokens=tokens[first:-1])

        token_ids = self._tokenise([prefix + text for text in texts])
        with ThreadPoolExecutor(max(1, min(self._threads, len(token_ids)))) as pool:
            return list(pool.map(embed, token_ids))

    def _run(self, token_ids: list[int], *outputs: str) -> list[Vectors]:
        tokens = np.array([token_ids], np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        return [output[0] for output in self._session.run(list(outputs), inputs)]

    # Two threads may both compute a cached property; they get the same result, so that only costs time.

    @cached_property
    def _session(self) -> "InferenceSession":
        path = self.onnx_file
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
        """Check the weights and build the ONNX file from them."""
        weights = self._read_weights()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            build_int8(weights, target)
        except OSError as error:
            raise ModelUnavailableError(
                f"{target} cannot be written: {error}. Set HEADWATER_CACHE to a folder with 200 MB of space."
            ) from error


def name_onnx_file(cache: Path, model: str, sha256: str) -> Path:
    """Name an ONNX file after everything that its bytes depend on: weights, graph and the quantiser's version."""
    quantiser = ".".join(_import_onnxruntime().__version__.split(".")[:2])
    return cache / "models" / f"{model}-{sha256[:12]}-graph{GRAPH_VERSION}-ort{quantiser}.onnx"


def find_package(package: str, model: str, install: str) -> Path:
    """Find the folder of an installed package with weights without importing it.

    Raises:
        ModelUnavailableError: it is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailableError(f"The weights of {model} are not installed. {install}")
    return Path(spec.submodule_search_locations[0])


def open_tokenizer(path: Path, window: int, reinstall: str) -> "Tokenizer":
    """Open a tokenizer that cuts texts to a model's window and does not pad them.

    Raises:
        ModelUnavailableError: the file is missing or damaged.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises Exception itself
        raise ModelUnavailableError(f"The tokenizer {path} cannot be read ({error}). {reinstall}") from error
    tokenizer.enable_truncation(window)
    tokenizer.no_padding()
    return tokenizer


def check_weights(path: Path, sha256: str, reinstall: str) -> None:
    """Check a file of weights. Done only before a build: hashing 90 MB takes longer than loading the model.

    Raises:
        ModelUnavailableError: it is missing, damaged or of another model.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailableError(f"The weights {path} cannot be read: {error}. {reinstall}") from error
    if digest != sha256:
        raise ModelUnavailableError(f"{path} is damaged or another model (SHA-256 {digest}). {reinstall}")


def open_session(path: Path, constants: Mapping[str, "OrtValue"] | None = None) -> "InferenceSession":
    """Open an ONNX file; raises what onnxruntime raises, whose errors have no class in common.

    Args:
        path: the file.
        constants: tensors that replace those of the same name in the file. They must live as long as the session.
    """
    runtime = _import_onnxruntime()
    options = session_options()
    for name, value in (constants or {}).items():
        options.add_initializer(name, value)
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def make_ort_values(tensors: Mapping[str, NDArray[Any]]) -> "dict[str, OrtValue]":
    """Give tensors to onnxruntime, for `open_session`."""
    runtime = _import_onnxruntime()
    return {name: runtime.OrtValue.ortvalue_from_numpy(values) for name, values in tensors.items()}


def session_options() -> "SessionOptions":
    """How onnxruntime runs the network."""
    options = _import_onnxruntime().SessionOptions()
    # No threads of its own: they would not survive a fork, and our threads use the processors better.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options


def _import_onnxruntime() -> Any:
    prepare_onnxruntime()
    import onnxruntime

    return onnxruntime
