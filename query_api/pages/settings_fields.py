"""The inputs of a knowledge base's settings, in the order and the words of the page.

Belongs here: which setting stands where, its label and its hint; reading the form back. Not here: the settings'
meaning and ranges (`headwater.domain.knowledge_base_settings`), the page (`settings`). Guarantee: every setting has an
input; a new one that has no place of its own stands under "Search, in detail".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, get_args

import yaml

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings, PromptName
from headwater.errors import InvalidInputError
from headwater.models_gateway.chat_registry import EXTRACTIVE, RULES
from headwater.models_gateway.embedder_registry import MODELS
from headwater.parsing.yaml_text import load_yaml, yaml_problem
from query_api.pages.catalogue import N_
from query_api.pages.schema_forms import Field, form_of, values_of

PROMPTS: tuple[str, ...] = get_args(PromptName)
_OFF_IF_EMPTY = ("cheap_model", "judge_model", "summary_model", "question_model", "summary_budget")
"""Settings that an empty input turns off, instead of returning to the default."""
SUGGESTED: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "answer_model": (EXTRACTIVE, "ollama/llama3.2:3b", "openai/gpt-4o-mini"),
    "cheap_model": ("ollama/llama3.2:3b", "openai/gpt-4o-mini"),
    "judge_model": ("ollama/llama3.2:3b", "openai/gpt-4o-mini"),
    "summary_model": (EXTRACTIVE, "ollama/llama3.2:3b", "openai/gpt-4o-mini"),
    "question_model": (RULES, "ollama/llama3.2:3b", "openai/gpt-4o-mini"),
    "embedding_model": (*MODELS, "ollama/bge-m3", "openai/text-embedding-3-small"),
    "rerank_model": ("builtin/lexical", "builtin/cross-encoder", "none"),
})  # fmt: skip
"""Models that the inputs offer; any other name can be entered, too."""
_WORDS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "answer_model": (
        N_("Answer model"),
        N_("builtin/extractive quotes the documents; a chat model, such as openai/gpt-4o-mini, writes from them."),
    ),
    "answer_fallbacks": (N_("Fallback models"),
                         N_("One a line; they are called if the answer model is not available.")),
    "cheap_model": (N_("Model for small tasks"), N_("Reads questions and grades passages; empty: rules do it.")),
    "trust_floor": (N_("Trust floor"), N_("A question without a passage of this trust is refused. 0 to 1.")),
    "top_k": (N_("Passages for an answer"), N_("Also how many documents a search shows.")),
    "quote_when_model_fails": (N_("Quote the documents when the model fails"), ""),
    "temperature": (N_("Temperature"), N_("How freely a chat model chooses its words. 0 to 2.")),
    "embedding_model": (N_("Embedding model"), N_("A change builds a new search index at the next sync.")),
    "rerank_model": (N_("Reranker"), N_("Puts the passages into a better order.")),
    "language": (N_("Language"), N_("Of documents whose own language is unknown.")),
    "summary_model": (N_("Summary model"), N_("Empty: no summaries.")),
    "chunk_summaries": (N_("A sentence about every chunk, too"), ""),
    "summary_budget": (N_("Token budget of a sync"), N_("For summaries and questions; empty: no limit.")),
    "question_model": (N_("Question model"), N_("Empty: readers are offered no questions.")),
    "answer_ahead": (N_("Answers ahead"), N_("How many likely questions are answered before somebody asks.")),
    "answer_ahead_budget": (N_("Budget of answers ahead"), N_("US dollars per day.")),
    "judge_model": (N_("Judge model"),
                    N_("Judges answers to golden questions; empty: the model for small tasks, or rules.")),
    "evaluate_answers": (N_("Evaluate answers after a change"), N_("free: only if it calls no chat model.")),
    "store_questions": (N_("Store questions and answers"), ""),
    "reuse_answers": (N_("Serve the stored answer to a repeated question"), ""),
    "embedding_languages": (N_("Languages of the embedding model"),
                            N_("Codes, one a line; empty: those that it says.")),
    "chunk_max": (N_("Largest chunk"), N_("Characters.")),
    "chunk_min": (N_("Smallest chunk"), N_("Characters.")),
    "chunk_overlap": (N_("Overlap of chunks"), N_("Characters, in plain text.")),
    "answer_tokens": (N_("Longest answer"), N_("Tokens that a chat model may write.")),
    "context_tokens": (N_("Longest context"), N_("Tokens of passages that a chat model gets.")),
    "fusion": (N_("Fusion"), N_("How words and vectors are combined: rrf by ranks, weighted by scores.")),
    "vector_weight": (N_("Weight of vectors"), N_("In a weighted fusion; words get the rest.")),
    "heading_weight": (N_("Weight of headings"), N_("In an rrf fusion; 0: headings alone are not searched.")),
    "traversal_depth": (N_("Links to follow"), N_("How many links a search follows from its hits.")),
    "follow_links": (N_("Follow calls and imports of code"), ""),
    "similarity_threshold": (N_("Least similarity"), N_("Passages with a lower one are dropped. -1 to 1.")),
    "rerank_threshold": (N_("Least score of the reranker"), N_("Passages with a lower one are dropped. 0 to 1.")),
    "summary_tokens": (N_("Length of a summary"), N_("Tokens.")),
    "summary_max": (N_("Length of all summaries"), N_("Tokens; longer ones are grouped and summarized again.")),
    "piece_max": (N_("Largest piece"), N_("Tokens of a document that are summarized at once.")),
    "questions_per_document": (N_("Questions per document"), N_("By rules: for each 10,000 tokens.")),
})  # fmt: skip
PROMPT_NAMES: Mapping[str, str] = MappingProxyType({
    "answer": N_("Answer"), "question": N_("Question"), "follow_up": N_("Follow-up"), "grade": N_("Grade"),
    "judge": N_("Judge"), "golden": N_("Golden question"), "summary": N_("Summary"),
    "sentence": N_("Sentence about a chunk"), "questions": N_("Questions"),
})  # fmt: skip
"""What each prompt is for, as the page calls it."""
_SECTIONS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("answers", N_("Answers"), ("answer_model", "answer_fallbacks", "trust_floor", "top_k", "quote_when_model_fails"),
     ("cheap_model", "temperature", "answer_tokens", "context_tokens")),
    ("search", N_("Search"), ("embedding_model", "rerank_model", "language"), ()),
    ("summaries", N_("Summaries"), ("summary_model", "chunk_summaries", "summary_budget"),
     ("summary_tokens", "summary_max", "piece_max")),
    ("questions", N_("Questions"), ("question_model", "questions_per_document", "answer_ahead",
                                      "answer_ahead_budget"), ()),
    ("evaluation", N_("Evaluation"), ("judge_model", "evaluate_answers"), ()),
    ("privacy", N_("Stored questions"), ("store_questions", "reuse_answers"), ()),
)  # fmt: skip
"""The id and the name of each section, its inputs, and those behind "More"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """Inputs that belong together."""

    id: str
    name: str
    fields: tuple[Field, ...]
    more: tuple[Field, ...]


def sections() -> list[Section]:
    """The sections of the form."""
    fields = {field.name: _name_field(field) for field in form_of(KnowledgeBaseSettings.model_json_schema()).fields}
    placed = {name for _, _, first, further in _SECTIONS for name in (*first, *further)}
    remaining = tuple(form_field for name, form_field in fields.items() if name not in placed)
    all_sections = []
    for section, name, first, further in _SECTIONS:
        further_fields = tuple(fields[field_name] for field_name in further) if section != "search" else remaining
        all_sections.append(
            Section(
                id=section, name=name, fields=tuple(fields[field_name] for field_name in first), more=further_fields
            )
        )
    return all_sections


def _name_field(form_field: Field) -> Field:
    label, hint = _WORDS.get(form_field.name, (form_field.label, form_field.hint))
    return replace(form_field, label=label, hint=hint, is_required=form_field.kind == "choice")


def label_of(name: str) -> str:
    """The label of a setting."""
    return _WORDS.get(name, (name.replace("_", " ").capitalize(), ""))[0]


def texts_of(settings: KnowledgeBaseSettings) -> dict[str, str]:
    """The texts of the inputs for some settings."""
    values = settings.model_dump(mode="json")
    prompts, boosts = values.pop("prompts"), values.pop("boosts")
    texts = {name: _text(value) for name, value in values.items()}
    texts |= {f"prompt-{name}": prompts.get(name, "") for name in PROMPTS}
    boost_values = [{name: value for name, value in boost.items() if value is not None} for boost in boosts]
    texts["boosts"] = yaml.safe_dump(boost_values, sort_keys=False, allow_unicode=True) if boost_values else ""
    return texts


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return "\n".join(value) if isinstance(value, list) else "" if value is None else str(value)


def read_settings(given: Mapping[str, str]) -> dict[str, Any]:
    """The settings that were entered; those that are as by default are left out.

    Raises:
        InvalidInputError: the boosts are not YAML.
    """
    values = values_of(_all_fields(), given)
    values |= {name: None for name in _OFF_IF_EMPTY if not given.get(name, "").strip()}
    values["prompts"] = {name: words for name in PROMPTS if (words := given.get(f"prompt-{name}", "").strip())}
    try:
        values["boosts"] = load_yaml(given.get("boosts", "")) or []
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"boosts: not YAML: {yaml_problem(error)}") from error
    return values


def _all_fields() -> Iterable[Field]:
    return [form_field for section in sections() for form_field in (*section.fields, *section.more)]
