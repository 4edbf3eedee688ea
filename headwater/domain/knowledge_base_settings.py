"""The settings of a knowledge base (KB-2).

Belongs here: the settings, each with its default and range, by concern. Not here: their effects. Guarantee: only
pydantic, `closed_model` and `wrong_fields` are imported; a rule that can never apply is refused.

Each concern is a class, so that code can take just the settings that it reads. Files, the API and the database use one
flat list of names, so a setting can move to another concern.
"""

from collections.abc import Mapping
from string import Template
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from headwater.domain.closed_model import ClosedModel
from headwater.domain.wrong_fields import LANGUAGE_CODE

REMOVED = (
    "complexity_indicators", "drift_limit", "group_by", "piece_min", "piece_overlap", "reuse_similarity",
    "trust_margin",
)  # fmt: skip
"""Settings of earlier releases. Files, rows and requests may still name them; their values have no effect."""

GroupBy = Literal["document", "passage"]
"""What a search counts and shows: documents with their best passages, or single passages."""

Language = Literal[
    "simple", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian",
    "indonesian", "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
]  # fmt: skip
"""The language in which words are stemmed; `simple` stems nothing."""

PromptName = Literal["answer", "question", "follow_up", "grade", "judge", "golden", "summary", "sentence", "questions"]
"""The prompts that a knowledge base may replace; `headwater/prompts/` has the defaults."""

PROMPT_VALUES: Mapping[PromptName, tuple[str, ...]] = {
    "answer": (), "question": ("question",), "follow_up": ("conversation", "question"),
    "grade": ("context", "question"), "judge": ("claims", "context", "question"), "golden": ("passage",),
    "summary": ("texts",), "sentence": ("text",), "questions": ("text",),
}  # fmt: skip
"""The values that each prompt must name, written `$context`; without, the model would not be given them."""
_TOGETHER = ("context", "question")
"""Values that the prompt `answer` names both, or neither: without, it is the system message alone."""

_Prompt = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
_LanguageCode = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=LANGUAGE_CODE)]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class Boost(ClosedModel):
    """A rule that multiplies the score of passages that match all its conditions; a factor below 1 lowers it."""

    model_config = ConfigDict(frozen=True)

    uri: _Text | None = None
    """A document's URI; one that ends in `*` matches every URI with that beginning."""
    category: _Text | None = None
    """A category with everything beneath it."""
    source: _Text | None = None
    """The slug of a source."""
    tag: _Text | None = None
    """A tag of the source."""
    title: _Text | None = None
    """Words in the title, in upper or lower case."""
    factor: float = Field(ge=0.1, le=10, allow_inf_nan=False)

    @model_validator(mode="after")
    def _says_where(self) -> "Boost":
        if not any((self.uri, self.category, self.source, self.tag, self.title)):
            raise ValueError("say what it applies to: uri, category, source, tag or title")
        return self


class _Concern(ClosedModel):
    model_config = ConfigDict(frozen=True)


class ChunkingSettings(_Concern):
    """How documents are split. Sizes are in characters."""

    chunk_max: int = Field(default=1000, ge=200, le=8000)
    chunk_min: int = Field(default=300, ge=1)
    chunk_overlap: int = Field(default=100, ge=0)

    @model_validator(mode="after")
    def _sizes_fit(self) -> "ChunkingSettings":
        if self.chunk_min * 2 > self.chunk_max:
            raise ValueError(f"chunk_min ({self.chunk_min}) must be at most half of chunk_max ({self.chunk_max})")
        if self.chunk_overlap * 2 > self.chunk_max:
            raise ValueError(
                f"chunk_overlap ({self.chunk_overlap}) must be at most half of chunk_max ({self.chunk_max})"
            )
        return self


class EmbeddingSettings(_Concern):
    """How texts are found: by their vectors and their stems."""

    embedding_model: str = "builtin/minilm-int8"
    embedding_languages: tuple[_LanguageCode, ...] = Field(default=(), max_length=200)
    language: Language = "english"


class RetrievalSettings(_Concern):
    """How passages are found and ranked."""

    top_k: int = Field(default=5, ge=1, le=50)
    fusion: Literal["rrf", "weighted"] = "rrf"
    vector_weight: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    heading_weight: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    traversal_depth: int = Field(default=0, ge=0, le=3)
    follow_links: bool = False
    similarity_threshold: float = Field(default=-1.0, ge=-1, le=1, allow_inf_nan=False)
    rerank_model: str = "builtin/lexical"
    rerank_threshold: float = Field(default=0.0, ge=0, le=1, allow_inf_nan=False)
    boosts: tuple[Boost, ...] = Field(default=(), max_length=50)

    @model_validator(mode="after")
    def _headings_have_ranks(self) -> "RetrievalSettings":
        if self.heading_weight and self.fusion != "rrf":
            raise ValueError("heading_weight uses the ranks of headings, so it needs fusion: rrf")
        return self


class AnsweringSettings(_Concern):
    """Which passages an answer may use, which models make it, and whether it is served again."""

    trust_floor: float = Field(default=0.5, ge=0, le=1)
    context_tokens: int = Field(default=4000, ge=100, le=1_000_000)
    answer_model: str = "builtin/extractive"
    answer_fallbacks: tuple[str, ...] = Field(default=(), max_length=5)
    answer_tokens: int = Field(default=1000, ge=50, le=100_000)
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    cheap_model: str | None = None
    prompts: dict[PromptName, _Prompt] = Field(default={})
    quote_when_model_fails: bool = True
    store_questions: bool = True
    reuse_answers: bool = True

    @model_validator(mode="after")
    def _prompts_name_their_values(self) -> "AnsweringSettings":
        for name, words in self.prompts.items():
            identifiers = Template(words).get_identifiers()
            is_whole = name == "answer" and any(value in identifiers for value in _TOGETHER)
            missing = [
                f"${value}" for value in (_TOGETHER if is_whole else PROMPT_VALUES[name]) if value not in identifiers
            ]
            if missing:
                raise ValueError(f"prompts.{name} must contain {' and '.join(missing)}, where the model reads them")
        return self


class EvaluationSettings(_Concern):
    """How answers to golden questions are judged, and whether they are made after every change."""

    judge_model: str | None = None
    evaluate_answers: Literal["free", "always", "never"] = "free"


class SummarySettings(_Concern):
    """What summarises documents and sources, if anything, and how long texts and summaries are, in tokens.

    With `chunk_summaries` each chunk has one of a sentence, too. `summary_budget` bounds the tokens of a run's
    summaries and questions, because a model may have no price.
    """

    summary_model: str | None = "builtin/extractive"
    chunk_summaries: bool = False
    summary_budget: int | None = Field(default=None, ge=1_000)
    summary_tokens: int = Field(default=150, ge=50, le=2_000)
    piece_max: int = Field(default=2_000, ge=200, le=100_000)
    summary_max: int = Field(default=4_000, ge=600, le=200_000)

    @property
    def has_written_summaries(self) -> bool:
        """Whether a chat model writes the summaries: one that quotes says less of a text than the text itself."""
        return self.summary_model not in (None, "builtin/extractive")

    @model_validator(mode="after")
    def _has_a_model(self) -> "SummarySettings":
        if self.chunk_summaries and self.summary_model is None:
            raise ValueError("chunk_summaries are made by the summary_model, so they need one")
        return self

    @model_validator(mode="after")
    def _summaries_fit(self) -> "SummarySettings":
        if self.summary_tokens * 12 > self.summary_max:
            raise ValueError(
                f"summary_tokens ({self.summary_tokens}) must be at most a twelfth of summary_max ({self.summary_max})"
            )
        return self


class QuestionSettings(_Concern):
    """What makes questions of documents, if anything, and which of them are answered before somebody asks."""

    question_model: str | None = None
    questions_per_document: int = Field(default=5, ge=1, le=20)
    answer_ahead: int = Field(default=0, ge=0, le=100)
    answer_ahead_budget: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)

    @model_validator(mode="after")
    def _has_questions_to_answer(self) -> "QuestionSettings":
        if self.answer_ahead and self.question_model is None:
            raise ValueError("answer_ahead answers questions that are made of documents, so it needs a question_model")
        return self


class KnowledgeBaseSettings(
    QuestionSettings,
    SummarySettings,
    EvaluationSettings,
    AnsweringSettings,
    RetrievalSettings,
    EmbeddingSettings,
    ChunkingSettings,
):
    """All settings of a knowledge base; a new concern is one more base class."""

    @model_validator(mode="before")
    @classmethod
    def _drop_removed(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or not any(name in values for name in REMOVED):
            return values
        return {name: value for name, value in values.items() if name not in REMOVED}
