"""Names of functions as questions (SRC-5, RET-6)."""

import pytest

from headwater.retrieval.reranking.lexical_reranker import LexicalReranker, score_definitions
from tests.passages import passage

CODE = {
    "def lift(self, litres) -> int": "def lift(self, litres) -> int:\n    return 1\n",
    "class Pump": "class Pump:\n    size = 1\n",
    "func (p *Pump) Drain(litres int)": "func (p *Pump) Drain(litres int) {\n}\n",
    "const fill = async (tank)": "const fill = async (tank) => {\n}\n",
    "public int weigh(Tank tank)": "public int weigh(Tank tank) {\n}\n",
    "class Tank": "    def short(self):\n        lift()\n\n    async def second(self, lift):\n        return 1\n",
}
PASSAGES = [
    passage(text, uri=f"{number}.py", breadcrumb=(f"{number}.py", heading), kind="code")
    for number, (heading, text) in enumerate(CODE.items())
]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("lift", [0]),
        ("lift()", [0]),
        ("Pump.lift", [0]),
        ("Pump", [1]),
        ("Drain", [2]),
        ("fill", [3]),
        ("weigh", [4]),
        ("short", [5]),
        ("second", [5]),
        ("litres", []),
        ("tank", []),
        ("def", []),
        ("how do I lift", []),
        ("lift water", []),
        ("", []),
        ("a.(b", []),
    ],
)
def test_a_name_finds_its_definition(question: str, found: list[int]) -> None:
    """In the heading or in the text; a parameter, a call and a question of several words are none."""
    assert [number for number, score in enumerate(score_definitions(question, PASSAGES)) if score] == found


def test_prose_defines_nothing() -> None:
    """Documentation with the same words keeps its order."""
    assert score_definitions("lift", [passage("def lift(litres):\n", breadcrumb=("A", "def lift"))]) == []


def test_a_definition_comes_before_what_mentions_it_most() -> None:
    """Its scores are the lower ones, because its name is in it only once."""
    mention = passage("lift " * 20, uri="mention", scores={"vector": 0.9, "text": 9.0})
    definition = passage(
        CODE["def lift(self, litres) -> int"], uri="definition", breadcrumb=("a.py", "def lift(self, litres) -> int"),
        kind="code", scores={"vector": 0.4, "text": 4.0},
    )  # fmt: skip
    other = passage("Water.", uri="other", scores={"vector": 0.1, "text": 0.0})
    scores = LexicalReranker().rerank("lift", [mention, definition, other])
    assert scores.index(max(scores)) == 1
    again = LexicalReranker().rerank("how to lift water", [mention, definition, other])
    assert again.index(max(again)) == 0
