"""Unknown fields, and the names that were perhaps meant (KB-2, API-1)."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError, field_validator

from headwater.administration.knowledge_base_file import read_file
from headwater.domain import closed_model
from headwater.domain.closed_model import ClosedModel, did_you_mean, nearest
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import InvalidConfigurationError, InvalidInputError
from headwater.evaluation.golden_set import read_golden_set
from query_api.request_shapes import Filters, NewKnowledgeBase, SearchBody
from query_api.routes.answer_requests import QuestionBody


@pytest.mark.parametrize(
    ("body", "values", "field", "meant"),
    [
        (SearchBody, {"query": "a", "topk": 3}, ("topk",), "top_k"),
        (SearchBody, {"query": "a", "filters": {"tag": ["x"]}}, ("filters", "tag"), "tags"),
        (QuestionBody, {"question": "a", "asof": "2026-01-01"}, ("asof",), "as_of"),
        (NewKnowledgeBase, {"slug": "a", "settings": {"Top_K": 3}}, ("settings", "Top_K"), "top_k"),
        (KnowledgeBaseSettings, {"boosts": [{"url": "a", "factor": 2}]}, ("boosts", 0, "url"), "uri"),
    ],
)
def test_an_unknown_field_suggests_the_one_meant(
    body: type[Any], values: Mapping[str, Any], field: tuple[Any, ...], meant: str
) -> None:
    """In a body, in its filters and in settings, at the place of the field."""
    with pytest.raises(ValidationError) as caught:
        body.model_validate(values)
    (error,) = caught.value.errors()
    assert error["loc"] == field
    assert error["msg"] == f"there is no such field. Did you mean `{meant}`?"


def test_other_errors_stay_as_they_are() -> None:
    """An error beside an unknown field keeps its words and its place, braces included."""
    with pytest.raises(ValidationError) as caught:
        SearchBody.model_validate({"query": "a", "top_k": 0, "{odd}": 1})
    messages = {error["loc"]: error["msg"] for error in caught.value.errors()}
    assert messages[("top_k",)] == "it must be 1 or more."
    assert messages[("{odd}",)].startswith("there is no such field. There are: as_of, context, explain")
    assert all(name in messages[("{odd}",)] for name in SearchBody.model_fields)


class _Path(ClosedModel):
    path: str

    @field_validator("path")
    @classmethod
    def _has_a_name(cls, path: str) -> str:
        if "{name}" not in path:
            raise ValueError("it must hold {name}")
        return path


def test_braces_stay_single_beside_an_unknown_field() -> None:
    """Those in the words of another error."""
    with pytest.raises(ValidationError) as caught:
        _Path.model_validate({"path": "a", "{odd}": 1})
    wrong, unknown = (error["msg"] for error in caught.value.errors())
    assert wrong.endswith("it must hold {name}")
    assert unknown == "there is no such field. There are: path."


@pytest.mark.parametrize(
    ("source", "meant"),
    [("kind: markdown_tree, pth: docs", "path"), ("kind: markdown_tree, path: docs, catgory: a", "category")],
)
def test_an_unknown_field_of_a_file_suggests_the_one_meant(tmp_path: Path, source: str, meant: str) -> None:
    """Those of the source's kind, and those of every source (KB-4)."""
    file = tmp_path / "kb.yaml"
    file.write_text(f"knowledge_base: {{slug: kb}}\nsources:\n  - {{slug: docs, {source}}}\n", encoding="utf-8")
    with pytest.raises(InvalidConfigurationError, match=rf"kb.yaml:3: .*Did you mean `{meant}`\?"):
        read_file(file)


def test_a_missing_field_comes_after_an_unknown_one(tmp_path: Path) -> None:
    """It is often that one, misspelt; a line of a golden set also gets an example (EVL-1)."""
    file = tmp_path / "golden.jsonl"
    file.write_text('{"question": "Which oil?", "relevnt": []}\n', encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        read_golden_set(file)
    assert "golden.jsonl:1: relevnt: there is no such field. Did you mean `relevant`?" in str(caught.value)
    assert 'A line looks like this: {"question": ' in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "knowledge_base: {slug: my notes}",
            ":1: knowledge_base.slug: use at most 64 lower-case letters, digits, - and _",
        ),
        ("knowledge_base: {slug: my notes, nam: a}", ":1: knowledge_base.nam: there is no such field"),
        ("knowledge_base: {name: a}", ":1: knowledge_base: `slug` is missing."),
        ("sources: []", ":1: file: `knowledge_base` is missing."),
        ("knowledge_base: {slug: a}\nsources:\n- {slug: b}", ":3: sources[0]: `kind` is missing."),
        ("knowledge_base: {slug: a}\nsources:\n- {slug: b, kind: jsonl}", ":3: sources[0]: `path` is missing."),
        (
            "knowledge_base: [",
            ":1: not YAML: a value or a closing bracket is missing; the parser found the end of the text",
        ),
    ],
)
def test_errors_of_a_file_are_in_words(tmp_path: Path, text: str, message: str) -> None:
    """No regular expression, and no word of the library that checks (KB-4)."""
    file = tmp_path / "kb.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfigurationError, match=re.escape(f"kb.yaml{message}")):
        read_file(file)


def test_every_pattern_has_words() -> None:
    """A pattern of a field is never shown, not even beside an unknown field."""
    wrong = {"tags": ["A b"], "category": "a\nb", "catgory": "x"}
    with pytest.raises(ValidationError) as caught:
        SourceSettings.model_validate(wrong)
    messages = {field.location[0]: field.message for field in wrong_fields(caught.value)}
    assert next(iter(messages)) == "catgory"
    assert messages["tags"].startswith("use at most 64 lower-case letters")
    assert messages["category"].startswith("it contains a control character")


def test_without_a_name_like_it_all_are_named() -> None:
    """A word that is like none of them gets the list; case does not matter."""
    assert nearest("Paht", ["path", "url"]) == "path"
    assert did_you_mean("colour", ["url", "path"]) == "There are: path, url."
    assert did_you_mean("colour", []) == "There are none."


def test_of_many_names_ten_are_shown() -> None:
    """The others are counted: a knowledge base may have thousands of categories."""
    names = [f"{number:05}" for number in range(20_000)]
    shown = ", ".join(names[:10])
    assert did_you_mean("colour", names) == f"There are: {shown}, and 19990 more."
    assert did_you_mean("colour", names[:10]) == f"There are: {shown}."


def test_among_too_many_names_only_the_case_is_forgiven() -> None:
    """Comparing a word with each of thousands would take too long."""
    names = [f"guides/{number}" for number in range(1001)]
    assert nearest("guide/7", names[:1000]) == "guides/7"
    assert nearest("guide/7", names) is None
    assert nearest("Guides/7", names) == "guides/7"


def test_only_the_first_unknown_fields_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an error, but a body with a hundred thousand costs no more advice than one with ten (API-1)."""
    compared: list[str] = []

    def noting(word: str, *args: Any, **options: Any) -> list[str]:
        compared.append(word)
        return get_close_matches(word, *args, **options)

    monkeypatch.setattr(closed_model, "get_close_matches", noting)
    with pytest.raises(ValidationError) as caught:
        SearchBody.model_validate({"query": "a", **{f"topk{number}": 1 for number in range(500)}})
    messages = [error["msg"] for error in caught.value.errors()]
    assert len(compared) == 10
    assert messages == [
        *["there is no such field. Did you mean `top_k`?"] * 10,
        *["there is no such field."] * 490,
    ]


@pytest.mark.parametrize("name", ["categories", "tags", "languages", "sources", "documents"])
def test_a_list_of_filters_has_a_limit(name: str) -> None:
    """Each value costs a comparison with every document (API-1)."""
    most = 1000 if name in ("sources", "documents") else 100
    assert len(getattr(Filters(**{name: ["a"] * most}), name)) == most
    with pytest.raises(ValidationError, match=f"at most {most} items"):
        Filters(**{name: ["a"] * (most + 1)})
