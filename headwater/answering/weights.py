"""The weights of the values that a unit's score is made of.

Belongs here: the weights, and the sum. Not here: the values (`scoring`, `fitting`), how the weights were found
(`bench.answer_weights`). Guarantee: pure; a value without a weight is an error.
"""

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "own": 0.35,
    "topic": 0.25,
    "similarity": 0.3,
    "similarity_above": 0.0,
    "trust": 0.3,
    "passage": 0.0,
    "breadcrumb": 0.0,
    "rank": -0.02,
    "lacking": -0.1,
    "heading": 0.0,
    "says_all": 0.12,
    "special": -0.06,
    "headed": 0.25,
    "unheaded_names": -0.25,
    "bare_names": -0.5,
    "shape": 1.0,
    "signed": 0.04,
    "unsigned": -1.0,
    "beside": 0.15,
    "link": -0.12,
    "echo": -0.2,
    "lone_step": -0.3,
    "steps": 0.12,
    "long": -0.05,
    "defines": 1.0,
    "named": 1.0,
    "does": 0.05,
    "opposite": -0.12,
    "no_code": -0.03,
    "output": -0.2,
    "usage": -0.12,
    "command": 0.05,
    "with_code": 0.06,
    "history": -0.15,
    "positive": -0.15,
}


def weighed(values: Mapping[str, float]) -> float:
    """The sum of values by their weights."""
    return sum(WEIGHTS[name] * value for name, value in values.items())
