"""The weights of the values that a unit's score is made of.

Belongs here: the weights, and the sum. Not here: the values (`scoring`, `fitting`), how the weights were found
(`bench.answer_weights`). Guarantee: pure; a value without a weight is an error.
"""

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "own": 0.108,
    "topic": 0.08,
    "similarity": 0.118,
    "similarity_above": 0.065,
    "trust": 0.2,
    "passage": 0.077,
    "breadcrumb": 0.0,
    "rank": -0.023,
    "length": 0.02,
    "introduction": -0.025,
    "both": 0.036,
    "lacking": -0.04,
    "heading": 0.091,
    "says_all": 0.12,
    "special": -0.015,
    "headed": -0.047,
    "unheaded_names": -0.25,
    "bare_names": -0.5,
    "shape": 0.215,
    "signed": 0.007,
    "unsigned": -0.88,
    "beside": 0.124,
    "link": -0.134,
    "quoted": -0.2,
    "echo": -0.026,
    "lone_step": -0.2,
    "steps": 0.018,
    "long": -0.007,
    "defines": 0.75,
    "named": 0.5,
    "does": 0.03,
    "opposite": -0.12,
    "no_code": -0.088,
    "output": -0.2,
    "usage": -0.12,
    "command": 0.017,
    "with_code": 0.02,
    "history": -0.15,
    "positive": -0.15,
}


def weighed(values: Mapping[str, float]) -> float:
    """The sum of values by their weights."""
    return sum(WEIGHTS[name] * value for name, value in values.items())
