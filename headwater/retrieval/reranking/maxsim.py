"""Reranking with the local model's tokens: each token of the question finds its nearest token in the passage.

Belongs here: MaxSim, and combining it with the lexical evidence. Not here: the model
(`headwater.models_gateway.minilm_tokens`). Guarantee: the same question and passages give the same scores.

Khattab and Zaharia, ColBERT (https://arxiv.org/abs/2004.12832). This model was trained for whole texts, so its tokens
only support other evidence: nDCG@10 of 50 candidates goes from .777 to .793 on northwind's questions, from .982 to .986
on xquad's, from .539 to .555 on headings, and from .444 to .439 on cranfield's. It reads the passages again at each
search, about 10 ms of processor time each; the lexical reranker reads all 50 in less.
"""

from collections.abc import Sequence

from headwater.domain.search import Passage
from headwater.models_gateway.minilm_tokens import MiniLmTokens
from headwater.retrieval.fusion import stretched
from headwater.retrieval.reranking.lexical import LexicalReranker, heading_of

TOKENS = 0.5
"""The weight of the tokens; the lexical evidence has weight 1."""


class MaxSimReranker:
    """Scores passages by the nearest tokens and by the lexical evidence together."""

    name: str = "builtin/maxsim"

    def __init__(self, model: MiniLmTokens) -> None:
        """Take the model whose tokens are compared."""
        self._model = model
        self._lexical = LexicalReranker()

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages by comparing them with each other.

        Raises:
            ModelUnavailableError: the model is not installed.
        """
        if not passages:
            return []
        asked, *read = self._model.embed_tokens(
            [question, *(f"{heading_of(passage)}\n\n{passage.text}" for passage in passages)]
        )
        nearest = stretched(
            float((asked @ tokens.T).max(axis=1).mean()) if len(tokens) and len(asked) else 0.0 for tokens in read
        )
        lexical = self._lexical.rerank(question, passages)
        return [
            round((by_words + TOKENS * near) / (1 + TOKENS), 6) for by_words, near in zip(lexical, nearest, strict=True)
        ]
