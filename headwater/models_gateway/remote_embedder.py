"""Embedding models on a server: any that litellm supports (EMB-1).

Belongs here: requests of a size that every server accepts, and checking responses. Not here: errors and retries
(`litellm_client`), requests beside each other (`parallel_requests`). Guarantee: it returns only finite unit vectors of
one length; vectors that were computed before an outage, or during it, are returned before the error.
"""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, pairwise
from types import ModuleType
from typing import Any

import numpy as np

from headwater.domain.plurals import pluralize
from headwater.errors import ModelUnavailableError
from headwater.models_gateway import litellm_client
from headwater.models_gateway.call_limits import CallBounds
from headwater.models_gateway.cost_meter import note_cost
from headwater.models_gateway.embedder import Embedded, Vectors
from headwater.models_gateway.model_failures import QUESTION, SYNC, Failure
from headwater.models_gateway.parallel_requests import ParallelRequests, RequestPace
from headwater.prompts.invisible import without_invisible

RELEVANCE_FLOOR = 0.3
"""The floor for every remote model, because none is calibrated. It is that of the built-in model; many others find
unrelated texts more similar, so it refuses fewer questions, and the shared words decide more."""

_TEXTS = 32  # per request: Hugging Face's server takes no more by default
_CHARACTERS = 40_000  # per request: about 10,000 tokens of English; Vertex AI takes 20,000, Mistral 16,000
_MAX_DIMENSIONS = 4000  # dimensions that an HNSW index of half-precision vectors supports
_EMPTY = "-"  # some servers refuse an empty text
_OTHER_TOKENS = 0.75  # share of a limit to use if another tokenizer counted: the model may make a third more tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """The texts of one request; `start` is the place of the first among all texts."""

    start: int
    texts: list[str]


class RemoteEmbedder:
    """Embeds by requests to a server; litellm's own environment variables hold its address and key."""

    relevance_floor: float = RELEVANCE_FLOOR

    def __init__(self, model: str, bounds: CallBounds | None = None) -> None:
        """Take a model's name, and the bounds of the requests of syncs."""
        self.model = model
        self._dimensions = 0
        self._pace = RequestPace()
        self._bounds = bounds or CallBounds(concurrency=0, per_minute=0)

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 until the model has answered once."""
        return self._dimensions

    def knows(self, language: str) -> bool:  # noqa: ARG002 - the role's
        """True: nothing says which languages it knows. The knowledge base's `embedding_languages` overrides this."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts for someone who waits: an outage is reported after seconds.

        Raises:
            ModelUnavailableError: the server does not answer, refuses, or returns something other than vectors.
        """
        vectors = []
        for batch in self._split(texts):
            response = litellm_client.call(self.model, QUESTION, partial(self._request, batch.texts))
            embedded = self._read(batch, response)
            note_cost(embedded.cost_usd)
            vectors.append(embedded.vectors)
        return np.concatenate(vectors) if vectors else np.empty((0, self._dimensions), np.float32)

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts for a sync, one part per request, several beside each other: a short outage is waited out.

        Raises:
            ModelUnavailableError: as for `embed`, after half a minute.
        """
        yield from ParallelRequests(
            self.model, self._split(texts), self._embed_once, patience=SYNC, pace=self._pace, bounds=self._bounds
        )

    def _embed_once(self, batch: _Batch) -> Embedded | Failure:
        """One attempt of a sync; what the server sent is checked before others are sent more."""
        response = litellm_client.attempt_call(self.model, SYNC.timeout, partial(self._request, batch.texts))
        return response if isinstance(response, Failure) else self._read(batch, response)

    def _read(self, batch: _Batch, response: Any) -> Embedded:
        vectors = self._check_response(response, len(batch.texts))
        counts = _token_counts(batch.texts, int(getattr(response.usage, "prompt_tokens", 0) or 0))
        price = litellm_client.price_per_token(self.model)
        cost = None if price is None else price * sum(counts)
        return Embedded(start=batch.start, vectors=vectors, token_counts=counts, cost_usd=cost)

    def _request(self, texts: list[str], litellm: ModuleType, timeout: float) -> Any:
        key = litellm_client.own_key(self.model)
        return litellm.embedding(model=self.model, input=texts, encoding_format="float", timeout=timeout, **key)

    def _split(self, texts: Sequence[str]) -> Iterator[_Batch]:
        """Texts in requests, in order; a text larger than a request may be is a request of its own."""
        batch, size = _Batch(start=0, texts=[]), 0
        for place, text in enumerate(map(self._readable, texts)):
            if batch.texts and (len(batch.texts) == _TEXTS or size + len(text) > _CHARACTERS):
                yield batch
                batch, size = _Batch(start=place, texts=[]), 0
            batch.texts.append(text)
            size += len(text)
        if batch.texts:
            yield batch

    def _readable(self, text: str) -> str:
        """The text in a form that a server accepts: valid, not empty, and within the limit if that is known."""
        # Half of a surrogate pair is legal in a str but not in UTF-8.
        encoded = without_invisible(text).encode("utf-8", "replace")
        readable = encoded.decode() if encoded.strip() else _EMPTY
        if self._limit is None or len(encoded) <= self._limit:  # no tokenizer makes more tokens than bytes
            return readable
        encoding = litellm_client.load_litellm().encoding
        tokens = encoding.encode(readable, disallowed_special=())
        if len(tokens) <= self._limit:
            return readable
        return str(encoding.decode(tokens[: self._limit])).rstrip("\ufffd")

    @cached_property
    def _limit(self) -> int | None:
        """A number of tokens of one text, as OpenAI counts them, that certainly fits."""
        limit = litellm_client.token_limit(self.model)
        is_same_tokenizer = self.model.startswith(("openai/", "azure/"))
        return limit if limit is None or is_same_tokenizer else int(limit * _OTHER_TOKENS)

    def _check_response(self, response: Any, count: int) -> Vectors:
        """The vectors of a response, in the order of the texts, scaled to unit length."""
        try:
            items = sorted(response.data, key=lambda item: item["index"])
            indexes = [item["index"] for item in items]
            vectors = np.array([_numbers(item["embedding"]) for item in items], np.float32)
        except (TypeError, ValueError, KeyError, AttributeError):
            raise self._wrong("something other than vectors. Is it an embedding model?") from None
        if indexes != list(range(count)) or vectors.ndim != 2:
            raise self._wrong(f"{pluralize(len(indexes), 'vector')} for {pluralize(count, 'text')}")
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise self._wrong("a vector without a direction (zeros, infinite, or not numbers)")
        if not 0 < vectors.shape[1] <= _MAX_DIMENSIONS:
            raise self._wrong(
                f"vectors of {vectors.shape[1]} dimensions; a search index supports at most {_MAX_DIMENSIONS}"
            )
        if self._dimensions not in (0, vectors.shape[1]):
            raise self._wrong(f"vectors of {vectors.shape[1]} dimensions, but earlier of {self._dimensions}")
        self._dimensions = vectors.shape[1]
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    def _wrong(self, what: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"The model {self.model} cannot be used: the server answered with {what}.")


def _numbers(embedding: Any) -> Any:
    """A vector from a response: numbers, or their bytes in base64, which some servers send unasked."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    return embedding


def _token_counts(texts: Sequence[str], total: int) -> list[int]:
    """A request's tokens, divided among its texts by length; a quarter of the bytes if the server reports none."""
    sizes = [len(text.encode()) for text in texts]
    total = total or -(-sum(sizes) // 4)
    borders = [round(total * running_sum / sum(sizes)) for running_sum in accumulate(sizes, initial=0)]
    return [end - start for start, end in pairwise(borders)]
