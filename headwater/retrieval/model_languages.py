"""Which languages a search compares by meaning, and how it handles the others.

Belongs here: whether a model knows the language of a question or a passage, removing similarities that say nothing,
and notes about it. Not here: detecting languages (`headwater.understanding.language_detector`). Guarantee: with a model
that knows every language nothing changes; a passage is kept or named as dropped.

Outside English the built-in model's vectors find next to nothing: MRR@10 of .13 to .17, on questions for which words
alone reach .94. Fused with words, they made hybrid search worse than keyword search.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.languages import language_code, language_name
from headwater.domain.search import Passage
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.embedder_registry import MULTILINGUAL
from headwater.retrieval.fusion import normalize, rank_passages, reciprocal_rank, weigh_scores
from headwater.retrieval.trust import Dropped, is_across
from headwater.understanding.language_detector import is_sure_of, may_be_in
from headwater.understanding.question import Understanding

_TOLD_BY = 5  # passages whose language is used if the question is too short to detect its own


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelLanguages:
    """The languages of a model, with the knowledge base's setting; `model` is None in a keyword search."""

    model: Embedder | None
    languages: tuple[str, ...]

    @classmethod
    def of(cls, knowledge_base: KnowledgeBase, model: Embedder | None) -> "ModelLanguages":
        """For an index's model; the knowledge base's setting overrides what the model declares."""
        languages = knowledge_base.settings.embedding_languages
        return cls(model=model, languages=tuple(map(language_code, languages)))

    def knows(self, tag: str) -> bool:
        """Whether vectors of a language are useful; for an unknown language, yes."""
        code = language_code(tag)
        if self.model is None or not code:
            return True
        return code in self.languages if self.languages else self.model.knows(code)

    def without_similarities(
        self, passages: Sequence[Passage], *, vector_weight: float | None
    ) -> tuple[tuple[Passage, ...], tuple[Dropped, ...]]:
        """Remove the similarities of passages in a language that the model does not know.

        Args:
            passages: the fused results of words and vectors, best first.
            vector_weight: the weight in the fusion; None for reciprocal ranks.

        Returns:
            The passages in their new order, and those that only their vectors had found.
        """
        if all(self.knows(passage.language) for passage in passages):
            return tuple(passages), ()
        shares = normalize(passage.scores.text or 0.0 for passage in passages)
        comparable, dropped = [], []
        for passage, share in zip(passages, shares, strict=True):
            if self.knows(passage.language):
                comparable.append(passage)
                continue
            rank = passage.scores.text_rank
            if rank is None:
                dropped.append(Dropped(passage=passage, reason=self._reason(passage.language)))
                continue
            fused = (
                reciprocal_rank(rank)
                if vector_weight is None
                else weigh_scores(0.0, share, vector_weight=vector_weight)
            )
            scores = replace(passage.scores, vector=None, vector_rank=None, fused=fused)
            comparable.append(replace(passage, score=fused, scores=scores))
        return tuple(rank_passages(comparable)), tuple(dropped)

    def _reason(self, language: str) -> str:
        name = self.model.model if self.model else ""
        return f"It is in {language_name(language)}, which {name} does not know, and has none of the question's words."

    def note(self, language: str, *, is_left_out: bool = True) -> str:
        """A note that a question was searched only by words because of its language, and what would change that."""
        name = self.model.model if self.model else ""
        lead = f"The question is in {language_name(language)}, which the embedding model {name} does not know"
        if not is_left_out:
            return f"{lead}: its vectors say little. Use mode hybrid or keyword. {ADVICE}"
        return f"{lead}, so it was searched for by words alone. {ADVICE}"

    def note_across(self, language: str, passages: Sequence[Passage]) -> tuple[str, ...]:
        """A note that the best passage is in another language than the question, if meaning has found it."""
        best = passages[0] if passages else None
        if best is None or best.scores.vector is None or not is_across(language, best.language):
            return ()
        asked_in, written_in = language_name(language), language_name(best.language)
        return (
            f"The question is in {asked_in} and the best passage in {written_in}: they were compared by meaning alone.",
        )

    def note_of_documents(self, dropped: Sequence[Dropped]) -> str:
        """A note that nothing is left because all vector results are in languages that the model does not know."""
        name = self.model.model if self.model else ""
        document_languages = ", ".join(dict.fromkeys(language_name(item.passage.language) for item in dropped))
        return (
            f"The documents found are in {document_languages}, which the embedding model {name} does not know. {ADVICE}"
        )


ADVICE = (
    f"To find synonyms too, set embedding_model to a multilingual model, such as "
    f"{', '.join(MULTILINGUAL[:-1])} or {MULTILINGUAL[-1]}."
)


def sure_language(understanding: Understanding) -> str:
    """The code of a question's language if it is certain, or that of the passages found; otherwise empty."""
    language = understanding.language
    if language and is_sure_of(understanding.language_text, language):
        return language_code(language)
    return understanding.found_language


def find_language(understanding: Understanding, passages: Sequence[Passage]) -> str:
    """The code of the language in which a question is, by the passages that were found with its words.

    A few words seldom tell their language for certain. Without certainty it is that of most passages found by words,
    unless it is English or the question is rather English. The best passages count most, because a passage in another
    language contains a word by accident.

    Returns:
        Empty if the question's own words tell its language, or nothing does.
    """
    if sure_language(understanding):
        return ""
    counted: Counter[str] = Counter()
    for passage in passages:
        rank, score = passage.scores.text_rank, passage.scores.text
        if rank is not None and rank <= _TOLD_BY:
            counted[language_code(passage.language)] += (score or 0.0) / rank  # type: ignore[assignment]  # floats
    language, weight = counted.most_common(1)[0] if counted else ("", 0.0)
    is_clear = language not in ("", "en") and 2 * weight > sum(counted.values())
    return language if is_clear and may_be_in(understanding.language_text, language) else ""


def reader_language(understanding: Understanding, passages: Sequence[Passage]) -> str:
    """The code of the language in which a reader is answered: the question's, as far as it is known.

    Args:
        understanding: of the question.
        passages: what was found for it, trusted or not.

    Returns:
        Without any other sign that of most passages, if the question may be in it; empty if nothing is known.
    """
    if language := sure_language(understanding):
        return language
    languages = Counter(language_code(passage.language) for passage in passages if passage.language)
    [(language, _count)] = languages.most_common(1) or [("", 0)]
    return language if language and may_be_in(understanding.language_text, language) else ""
