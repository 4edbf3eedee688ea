"""A knowledge base's own rules on what counts more or less (RET-6).

Belongs here: what a rule may say, where it applies, what it does. Not here: how settings are stored.
"""

from typing import Any

import pytest
from pydantic import ValidationError

from headwater.domain.knowledge_base_settings import Boost, KnowledgeBaseSettings
from headwater.retrieval.boosts import apply_boosts
from headwater.understanding.code_questions import asks_for_code
from tests.passages import passage

FOUND = [
    passage(uri="guide/pump.md", category="guide", title="The Pump", source="docs", score=0.8, scores={"rerank": 0.8}),
    passage(uri="guide/mill/wheel.md", category="guide/mill", title="Wheel", source="docs", score=0.6),
    passage(uri="index.md", category="guidebook", title="Home", source="site", score=0.5),
]
TAGS = {"docs": ("internal",), "site": ("public", "new")}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"uri": "index.md"}, ["index.md"]),
        ({"uri": "index"}, []),
        ({"uri": "guide/*"}, ["guide/pump.md", "guide/mill/wheel.md"]),
        ({"uri": "*"}, ["guide/pump.md", "guide/mill/wheel.md", "index.md"]),
        ({"category": "guide"}, ["guide/pump.md", "guide/mill/wheel.md"]),
        ({"category": "/guide/mill/"}, ["guide/mill/wheel.md"]),
        ({"source": "site"}, ["index.md"]),
        ({"tag": "new"}, ["index.md"]),
        ({"title": "pump"}, ["guide/pump.md"]),
        ({"title": "p.mp"}, []),
        ({"category": "guide", "title": "wheel"}, ["guide/mill/wheel.md"]),
        ({"category": "guide", "source": "site"}, []),
    ],
)
def test_a_rule_applies_where_all_it_names_agrees(rule: dict[str, Any], expected: list[str]) -> None:
    """By URI or its beginning, category with what is beneath, source, tag, words of the title."""
    boosted = apply_boosts(FOUND, [Boost(**rule, factor=2)], TAGS)
    assert {p.uri for p in boosted if p.scores.boost == 2} == set(expected)
    assert {p.scores.boost for p in boosted} <= {1, 2}


def test_the_home_page_comes_first() -> None:
    """Score and rank change, other scores stay."""
    first, second, third = apply_boosts(FOUND, [Boost(uri="index.md", factor=3)])
    assert (first.uri, first.rank, first.score, first.scores.boost) == ("index.md", 1, 1.5, 3)
    assert (second.uri, second.rank, second.score, second.scores.rerank) == ("guide/pump.md", 2, 0.8, 0.8)
    assert third.rank == 3


def test_factors_are_multiplied_and_a_small_one_is_a_penalty() -> None:
    """The factors of all matching rules are multiplied."""
    rules = [Boost(source="docs", factor=0.5), Boost(title="Pump", factor=0.5)]
    assert [(p.uri, p.scores.boost) for p in apply_boosts(FOUND, rules)] == [
        ("index.md", 1), ("guide/mill/wheel.md", 0.5), ("guide/pump.md", 0.25),
    ]  # fmt: skip


def test_words_of_a_picture_count_less_than_a_text() -> None:
    """Without a rule, too; a rule for pictures is multiplied with it, and among pictures the order stays."""
    screenshots = [passage(uri=f"{name}.PNG", source="docs", score=score) for name, score in (("a", 0.9), ("b", 0.7))]
    ordered = apply_boosts([*screenshots, *FOUND], [Boost(uri="b.PNG", factor=2)])
    assert [(p.uri, p.scores.boost) for p in ordered[3:]] == [("b.PNG", 0.5), ("a.PNG", 0.25)]
    assert [p.uri for p in ordered[:3]] == [p.uri for p in FOUND]


@pytest.mark.parametrize(
    ("uri", "factor", "factor_where_code_is_asked_for"),
    [
        ("src/app.py", 0.5, 1),
        ("tests/server.py", 0.5, 0.5),
        ("src/test_app.py", 0.5, 0.5),
        ("src/algo_test.go", 0.5, 0.5),
        ("web/app.spec.ts", 0.5, 0.5),
        ("src/latest.py", 0.5, 1),
    ],
)
def test_code_counts_less_than_documentation(uri: str, factor: float, factor_where_code_is_asked_for: float) -> None:
    """Unless a question asks for it; tests repeat the words of what they test, and answer nothing (RET-6)."""
    code = passage(uri=uri, source="docs", score=0.9, kind="code")
    for asks, expected in ((False, factor), (True, factor_where_code_is_asked_for)):
        boosted = apply_boosts([code, *FOUND], [], asks_for_code=asks)
        prose_factor = 0.5 if asks else 1
        assert {p.uri: p.scores.boost for p in boosted} == {uri: expected, **{p.uri: prose_factor for p in FOUND}}
        assert {p.scores.boost for p in apply_boosts([code], [], asks_for_code=asks)} == {1}
        assert {p.scores.boost for p in apply_boosts(FOUND, [], asks_for_code=asks)} == {1}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do I test an app?", False),
        ("Which environment variables are there?", False),
        ("Where do I put the configuration?", False),
        ("Where is gzip compression implemented?", True),
        ("where are cookies parsed?", True),
        ("Which class handles connections?", True),
        ("Where are the files stored?", False),
        ("What types of accounts are there?", False),
        ("Which file formats are supported?", False),
        ("What file size may an upload have?", False),
        ("Which file holds the defaults?", True),
        ("Where is the licence explained?", False),
        ("Where is the feed?", False),
        ("Where is the feed parsed?", True),
        ("Why does this fail?\n```py\nx = 1\ny = x +\n```", True),
    ],
)
def test_which_questions_ask_for_code(question: str, expected: bool) -> None:
    """By what only code has, or by the code that they hold (RET-3)."""
    assert asks_for_code(question) is expected


def test_without_rules_nothing_changes() -> None:
    """Neither does a rule on tags, where none are known."""
    expected = [(p.uri, p.score) for p in FOUND]
    assert [(p.uri, p.score) for p in apply_boosts(FOUND, [])] == expected
    assert [(p.uri, p.score) for p in apply_boosts(FOUND, [Boost(tag="new", factor=5)])] == expected


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"factor": 2}, "say what it applies to"),
        ({"uri": None, "factor": 2}, "say what it applies to"),
        ({"uri": "  ", "factor": 2}, "at least 1 character"),
        ({"uri": "a"}, "Field required"),
        ({"uri": "a", "factor": 0}, "greater than or equal to 0.1"),
        ({"uri": "a", "factor": 11}, "less than or equal to 10"),
        ({"uri": "a", "factor": "NaN"}, "finite number"),
        ({"url": "a", "factor": 2}, "no such field. Did you mean `uri`"),
    ],
)
def test_a_wrong_rule_is_refused(rule: dict[str, Any], message: str) -> None:
    """Each for its own reason, as a setting of the knowledge base."""
    with pytest.raises(ValidationError, match=message):
        KnowledgeBaseSettings.model_validate({"boosts": [rule]})


def test_rules_are_limited_in_number() -> None:
    """Fifty rules, each checked for each passage."""
    rule = {"uri": "a", "factor": 2}
    assert len(KnowledgeBaseSettings.model_validate({"boosts": [rule] * 50}).boosts) == 50
    with pytest.raises(ValidationError, match="at most 50"):
        KnowledgeBaseSettings.model_validate({"boosts": [rule] * 51})
