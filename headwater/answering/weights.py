"""The weights of the values that a unit's score is made of.

Belongs here: the weights, and the sum. Not here: the values (`scoring`, `fitting`), how the weights were found
(`bench.answer_weights`). Guarantee: pure; a value without a weight is an error.
"""

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "own": 0.13,
    "topic": 0.073,
    "similarity": 0.11,
    "similarity_above": 0.069,
    "trust": 0.202,
    "passage": 0.078,
    "breadcrumb": 0.0,
    "rank": -0.023,
    "length": 0.007,
    "introduction": -0.027,
    "both": 0.034,
    "lacking": -0.039,
    "heading": 0.09,
    "says_all": 0.121,
    "special": -0.014,
    "headed": -0.051,
    "unheaded_names": -0.25,
    "bare_names": -0.5,
    "shape": 0.214,
    "signed": 0.008,
    "unsigned": -0.885,
    "beside": 0.126,
    "link": -0.133,
    "quoted": -0.29,
    "echo": -0.03,
    "lone_step": -0.2,
    "steps": 0.022,
    "long": -0.01,
    "defines": 0.749,
    "named": 0.5,
    "does": 0.03,
    "opposite": -0.12,
    "no_code": -0.086,
    "output": -0.2,
    "usage": -0.12,
    "command": 0.016,
    "with_code": 0.02,
    "history": -0.15,
    "positive": -0.15,
}


def weighed(values: Mapping[str, float]) -> float:
    """The sum of values by their weights."""
    return sum(WEIGHTS[name] * value for name, value in values.items())
