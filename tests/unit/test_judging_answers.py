"""Judging answers by rule, agreement, and differences of settings (EVL-1)."""

import numpy as np
import pytest

from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.domain.places import PlaceKind, PlaceRange
from headwater.evaluation.claims import CitedText, GivenAnswer, claims_of
from headwater.evaluation.metrics import cohen_kappa
from headwater.evaluation.rule_judge import judge_by_rule, numbers
from headwater.evaluation.significance import compare_pairs
from headwater.evaluation.verdicts import Verdicts, metrics_of

PUMP = "The pump lifts forty litres of water per minute. The pump must not run dry."
GOLDEN = GoldenQuestion(
    question="How many litres does the pump lift?",
    relevant=(RelevantDocument(uri="pump.pdf", page=3), RelevantDocument(uri="faq.md")),
    answer="It lifts 40 litres of water per minute.",
)


def _cited(text: str = PUMP, uri: str = "pump.pdf", page: int | None = 3, marker: str = "[1]") -> CitedText:
    place = None if page is None else PlaceRange(kind=PlaceKind.PAGE, first=page, last=page)
    return CitedText(marker=marker, uri=uri, place=place, heading="Pump", text=text)


def _given(text: str, *citations: CitedText, golden: GoldenQuestion = GOLDEN, refused: bool = False) -> GivenAnswer:
    claims = () if refused else claims_of(text, "en")
    return GivenAnswer(golden=golden, text=text, is_refused=refused, claims=claims, citations=citations, language="en")


def test_an_answer_is_cut_into_claims_with_their_markers() -> None:
    """A marker stands for the claims before it; headings and lead-ins claim nothing; code is one claim."""
    text = (
        "# Pump\n\nTo start the pump:\n\n- Open the inlet valve.\n- Press the green button.\n\n[1]\n\n"
        "```sh\npump start --now\npump status --all\n```\n\n[2]\n\nIt stops at 90 degrees. [1] Nobody knows the colour."
    )
    assert [(claim.text.splitlines()[0], claim.markers) for claim in claims_of(text)] == [
        ("Open the inlet valve.", ("[1]",)),
        ("Press the green button.", ("[1]",)),
        ("```sh", ("[2]",)),
        ("It stops at 90 degrees.", ("[1]",)),
        ("Nobody knows the colour.", ()),
    ]


@pytest.mark.parametrize(
    ("said", "is_supported"),
    [
        ("The pump lifts forty litres per minute [1].", True),
        ("The pump lifts 40 litres of water every minute [1].", True),
        ("The pump lifts fifty litres per minute [1].", False),
        ("The pump by Siemens lifts forty litres of water [1].", False),
        ("The pump must run dry [1].", False),
        ("The pump must not run dry [1].", True),
        ("The colour of the housing is a dark green [1].", False),
        ("The pump lifts forty litres per minute.", False),
        ("The pump lifts forty litres per minute [2].", False),
    ],
)
def test_a_claim_needs_its_numbers_names_words_and_negation(said: str, is_supported: bool) -> None:
    """In the text that it cites itself."""
    (verdict,) = judge_by_rule(_given(said, _cited())).claims
    assert verdict is is_supported


@pytest.mark.parametrize(
    ("cited", "is_right"),
    [
        (_cited(), True),
        (_cited("The lid of the box is made of oak."), False),
        (_cited("The lid of the box is made of oak.", uri="lid.pdf"), False),
        (_cited(uri="copy.pdf"), True),
    ],
)
def test_a_citation_is_right_where_the_expected_answer_stands(cited: CitedText, is_right: bool) -> None:
    """The right document alone does not do; another place with the answer does."""
    assert judge_by_rule(_given("The pump lifts forty litres [1].", cited)).citations == (is_right,)


def test_without_a_known_answer_the_place_decides() -> None:
    """By document and page; a document without pages is right as a whole."""
    golden = GOLDEN.model_copy(update={"answer": None})
    places = [_cited(), _cited(page=4), _cited(uri="faq.md", page=None), _cited(uri="lid.md", page=None)]
    found = [judge_by_rule(_given("The pump lifts water [1].", one, golden=golden)).citations for one in places]
    assert found == [(True,), (False,), (True,), (False,)]


@pytest.mark.parametrize(
    ("said", "is_relevant"),
    [
        ("Forty litres of water per minute [1].", True),
        ("40 litres [1].", True),
        ("Fifty litres of water per minute [1].", False),
        ("The pump is green, and the key hangs in the shed [1].", False),
    ],
)
def test_an_answer_is_relevant_if_it_gives_the_expected_one(said: str, is_relevant: bool) -> None:
    """The number counts if the question asks for one."""
    assert judge_by_rule(_given(said, _cited())).is_relevant is is_relevant


def test_numbers_are_equal_however_they_are_written() -> None:
    """Separators of thousands and English numerals."""
    assert numbers("1,000 files, 2.5 days, three wheels") == {"1000", "2.5", "3"}


def test_metrics_of_an_answer() -> None:
    """Shares of verdicts; recall counts the right documents that are cited; a refusal has no other metric."""
    given = _given(
        "Forty litres [1]. The lid is made of oak [2].", _cited(), _cited("Oak.", uri="lid.md", marker="[2]")
    )
    verdicts = Verdicts(claims=(True, False), citations=(True, False), is_relevant=True)
    assert metrics_of(given, verdicts) == {
        "wrong_refusals": 0.0,
        "faithfulness": 0.5,
        "citation_precision": 0.5,
        "citation_recall": 0.5,
        "relevance": 1.0,
    }
    assert metrics_of(_given("No.", refused=True), None) == {"wrong_refusals": 1.0}
    hopeless = GoldenQuestion(question="Who?", unanswerable=True)
    assert metrics_of(_given("No.", golden=hopeless, refused=True), None) == {"unanswerable_refused": 1.0}
    assert metrics_of(_given("Me [1].", _cited(), golden=hopeless), None) == {"unanswerable_refused": 0.0}


def test_kappa_is_agreement_beyond_chance() -> None:
    """Cohen's own example has 200 verdicts; here the textbook's 50: 20 + 15 agree, kappa .4."""
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert cohen_kappa([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(0.4)
    assert cohen_kappa([True, False], [True, False]) == 1
    assert cohen_kappa([], []) is None
    assert cohen_kappa([True, True], [True, True]) is None
    with pytest.raises(ValueError, match="same things"):
        cohen_kappa([True], [])


def test_equal_settings_are_called_equal_in_19_of_20_resamplings() -> None:
    """Three correlated metrics of 60 questions, whose noise is the same for both sides, 100 times."""
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(100):
        hard = random.random(60)
        sides = [np.clip(hard + random.normal(0, 0.2, 60), 0, 1) for _ in range(2)]
        metrics = {
            name: list(zip(*(side**power for side in sides), strict=True))
            for name, power in (("a", 1), ("b", 2), ("c", 3))
        }
        wrong += any(one.is_significant for one in compare_pairs(metrics).values())
    assert wrong <= 5


def test_a_real_difference_is_shown_and_few_questions_show_none() -> None:
    """The same gain is significant with 80 questions, and not with 4; the result is repeatable."""
    random = np.random.default_rng(3)
    pairs = [(value, value + 0.1 + 0.1 * random.normal()) for value in random.random(80)]
    found = compare_pairs({"m": pairs})["m"]
    assert found.is_significant
    assert found.low < found.difference < found.high
    assert compare_pairs({"m": pairs})["m"] == found
    assert not compare_pairs({"m": pairs[:4]})["m"].is_significant
    assert compare_pairs({"m": [(0.5, 0.5)] * 80})["m"].p == 1
