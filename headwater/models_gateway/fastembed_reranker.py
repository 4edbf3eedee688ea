"""Cross-encoders of fastembed, run on this machine by onnxruntime (RET-6; extra `fastembed`).

Belongs here: question and texts in, scores out. Not here: names and files (`fastembed_files`). Guarantee: a score is
between 0 and 1 and depends only on the question and its text; nothing is downloaded.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import fastembed_files
from headwater.models_gateway.remote_reranker import readable, sigmoid
from headwater.processors import count_processors


class FastembedReranker:
    """Scores texts with one of fastembed's cross-encoders; its files are opened at the first question.

    Each text is scored by itself, in several threads: in a batch, the score of a quantised model would depend on the
    other texts.
    """

    def __init__(self, model: str, folder: Path, threads: int = 0) -> None:
        """Take the model's name.

        Args:
            model: such as `fastembed/Xenova/ms-marco-MiniLM-L-6-v2`.
            folder: HEADWATER_MODELS.
            threads: texts scored at the same time; 0 means one per processor.

        Raises:
            ModelUnavailableError: fastembed is not installed.
            UnknownModelError: fastembed has no such model.
        """
        fastembed_files.description(model, "reranking")
        self.model = model
        self._folder = folder
        self._threads = threads or count_processors()

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts by how well they answer a question.

        Returns:
            Numbers between 0 and 1, in the order of the texts: the logistic function of what the model returns.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        encoder, question_text = self._encoder, readable(question)

        def score_one(text: str) -> float:
            (logit,) = encoder.rerank(question_text, [readable(text)], batch_size=1)
            return sigmoid(float(logit))

        try:
            with ThreadPoolExecutor(max(min(self._threads, len(texts)), 1)) as pool:
                return list(pool.map(score_one, texts))
        except Exception as error:
            raise ModelUnavailableError(f"The model {self.model} cannot score a text: {error}") from error

    @cached_property
    def _encoder(self) -> Any:
        # Two threads may both load it; they get the same model, so that only costs time.
        return fastembed_files.open_model(self.model, "reranking", self._folder)
