"""The local model token by token: a vector for each token of a text, before they are averaged.

Belongs here: running the network up to its last layer. Not here: the comparison of the vectors
(`headwater.retrieval.reranking.maxsim`). Guarantee: as with the model, a text's vectors depend only on that text.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from headwater.models_gateway.encoder_graph import last_layer
from headwater.models_gateway.minilm import LAYERS, MiniLmEmbedder
from headwater.models_gateway.onnx_encoder import session_options
from headwater.models_gateway.onnx_file import with_output

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

TokenVectors = NDArray[np.float32]
_LAST_LAYER = last_layer(LAYERS)


class MiniLmTokens(MiniLmEmbedder):
    """The same model, with access to its last layer."""

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Embed the tokens of texts; text beyond 256 tokens is ignored.

        Returns:
            Unit vectors of each text, shape (tokens, dimensions), without those of its start and end.

        Raises:
            ModelUnavailableError: the files are missing or damaged.
        """
        token_ids = self._tokenise(texts)
        if len(token_ids) < 2:
            return [self._states(ids) for ids in token_ids]
        with ThreadPoolExecutor(min(self._threads, len(token_ids))) as pool:
            return list(pool.map(self._states, token_ids))

    def _states(self, token_ids: list[int]) -> TokenVectors:
        tokens = np.array([token_ids], np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        states: TokenVectors = self._layer_session.run([_LAST_LAYER], inputs)[0][0][1:-1]
        unit: TokenVectors = states / np.linalg.norm(states, axis=1, keepdims=True)
        return unit

    @cached_property
    def _layer_session(self) -> "InferenceSession":
        """The cached file returns only vectors of texts; in memory, the last layer becomes an output too."""
        import onnxruntime

        self._session  # noqa: B018 -- builds the file where it is missing or damaged
        model = with_output(self.onnx_file.read_bytes(), _LAST_LAYER)
        return onnxruntime.InferenceSession(model, session_options(), providers=["CPUExecutionProvider"])
