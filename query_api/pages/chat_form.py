"""The form of the chat page: a question, and the settings that count for it.

Belongs here: reading the form, and what it offers. Not here: the page (`chat`), what the settings do
(`headwater.answering.answer_request`). Guarantee: the script and the plain form send the same fields.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from headwater.answering.answer_request import AnswerRequest
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import InvalidInputError
from headwater.store.store import Store
from query_api.routes.answer_requests import QuestionBody

_LISTS = ("sources", "categories", "tags", "authors", "languages", "documents")
_OFFERED = _LISTS[:-1]
_MAX_OFFERED = 200  # values of one filter; a longer list helps nobody


@dataclass(frozen=True, kw_only=True, slots=True)
class Offered:
    """The values of filters that have more than one."""

    sources: Sequence[str]
    categories: Sequence[str]
    tags: Sequence[str]
    authors: Sequence[str]
    languages: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenSettings:
    """What the form says, so that the page can show it again."""

    model: str
    top_k: str
    temperature: str
    mode: str
    sources: Sequence[str]
    categories: Sequence[str]
    tags: Sequence[str]
    authors: Sequence[str]
    languages: Sequence[str]
    documents: Sequence[str]
    """Their URIs; the search page chooses them, this form only lists them."""

    @classmethod
    def of(cls, form: "MultiDict[str, str]") -> "ChosenSettings":
        """Read them from a form."""
        lists = {name: form.getlist(name) for name in _LISTS}
        return cls(
            model=form.get("model", ""),
            top_k=form.get("top_k", ""),
            temperature=form.get("temperature", ""),
            mode=form.get("mode", "hybrid"),
            **lists,
        )


def load_filter_values(store: Store, knowledge_base: KnowledgeBase) -> Offered:
    """The values of filters that the page offers."""
    sources = store.sources.names(knowledge_base.slug)
    index = store.search_indexes.active(knowledge_base.slug)
    values = store.filter_values.of_documents(index) if index else None
    labels = store.filter_values.labels(index, "tag", "author") if index else {"tag": [], "author": []}
    lists = {
        "sources": [source.source for source in sources],
        "categories": values.categories if values else [],
        "tags": list(dict.fromkeys([*sorted(tag for source in sources for tag in source.tags), *labels["tag"]])),
        "authors": labels["author"],
        "languages": values.languages if values else [],
    }
    return Offered(**{name: offered[:_MAX_OFFERED] if len(offered) > 1 else [] for name, offered in lists.items()})


def parse_form(knowledge_base: KnowledgeBase, question: str, form: "MultiDict[str, str]") -> AnswerRequest:
    """The request that a form makes.

    Raises:
        InvalidInputError: a field holds something else than it may. QuestionTooLongError: the question is too long.
    """
    choices = ChosenSettings.of(form)
    values: dict[str, Any] = {
        "question": question,
        "filters": {name: getattr(choices, name) for name in _LISTS},
        "mode": choices.mode,
        **{name: value for name in ("model", "top_k", "temperature") if (value := getattr(choices, name).strip())},
    }
    try:
        return QuestionBody.model_validate(values).to_request(knowledge_base)
    except ValueError as error:
        raise InvalidInputError("One of the settings holds a value that it cannot have. Check them.") from error
