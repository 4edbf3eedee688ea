"""Models are loaded once per process (EMB-1).

Belongs here: which settings make another copy of a model. Not here: what models do. Guarantee: no weights are needed.
"""

from dataclasses import replace
from pathlib import Path

from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.reranking.reranker_registry import load_reranker
from headwater.settings import Settings


def test_settings_that_a_model_does_not_depend_on_load_no_second_copy(tmp_path: Path) -> None:
    """A home or a database of another name; another folder is another model."""
    settings = Settings(home=tmp_path / "one", cache=tmp_path, database_url="postgresql://one")
    other = replace(settings, home=tmp_path / "two", database_url="postgresql://two")
    for load, model in ((load_embedder, "builtin/hash"), (load_reranker, "builtin/lexical")):
        loaded = load(model, settings)
        assert load(model, other) is loaded
        assert load(model, replace(settings, cache=tmp_path / "elsewhere")) is not loaded
    assert load_embedder("openai/any", settings) is load_embedder("openai/any", other)
