"""The vector of a turn of a conversation."""

import numpy as np

from headwater.models_gateway.embedder import Vectors
from headwater.retrieval.finder import lean


def test_a_vector_leans_to_a_turns_own_words() -> None:
    """It stays a unit vector and comes nearer to the own words, but not as near as they are themselves (RET-4)."""
    whole: Vectors = np.array([1.0, 0.0], dtype=np.float32)
    own: Vectors = np.array([0.0, 1.0], dtype=np.float32)
    leaning = lean(whole, own)
    assert leaning.dtype == whole.dtype
    assert np.isclose(np.linalg.norm(leaning), 1.0)
    assert 0.0 < float(leaning @ own) < float(leaning @ whole)
    assert np.allclose(lean(whole, whole), whole)
