"""Files of code on their way through a sync (CHK-1, CHK-5)."""

import json
from collections.abc import Callable

import pytest

from headwater.domain.source_settings import SourceSettings
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from query_api.routes.search_payloads import SearchPayload
from tests.support import Headwater


def function(name: str, word: str) -> str:
    body = "".join(f"    level_{number} = measure('{word} {number}')\n" for number in range(12))
    return f"def {name}(pump: Pump) -> int:\n{body}    return level_0\n\n\n"


def write(kb: Headwater, text: str) -> None:
    kb.write("pumps.jsonl", json.dumps({"uri": "src/pumps.py", "title": "src/pumps.py", "text": text}))


def code(headwater: Callable[..., Headwater]) -> Headwater:
    """A knowledge base whose only source says that its texts are Python."""
    kb = headwater()
    config = {"path": str(kb.folder / "docs" / "pumps.jsonl"), "media_type": "text/x-python"}
    kb.store.sources.update(kb.source(), kind="jsonl", config=config, settings=SourceSettings())
    return kb


def test_code_is_cut_at_functions_and_an_edit_embeds_one(headwater: Callable[..., Headwater]) -> None:
    """A jsonl source may say that its texts are code; each function is a chunk under its signature."""
    kb = code(headwater)
    names = ("alpha", "beta", "gamma")
    write(kb, "".join(function(name, "river") for name in names))
    assert kb.sync()["docs"].chunks == 3
    rows = kb.query(
        "SELECT c.kind, c.prose, vc.breadcrumb FROM version_chunks vc JOIN chunks c ON c.id = vc.chunk_id"
        " ORDER BY vc.start_offset"
    )
    assert [row["breadcrumb"] for row in rows] == [["src/pumps.py", f"def {name}(pump: Pump) -> int"] for name in names]
    assert {(row["kind"], row["prose"]) for row in rows} == {("code", None)}
    before = kb.chunk_ids()
    write(kb, "".join(function(name, "lake" if name == "beta" else "river") for name in names))
    assert kb.sync()["docs"].embedded == 1
    assert len(set(kb.chunk_ids()) - set(before)) == 1


@pytest.mark.parametrize("name", ["contained", "_good"])
def test_a_definition_is_found_by_its_name_alone(headwater: Callable[..., Headwater], name: str) -> None:
    """Also if the name is an ordinary word that other code says more often (RET-1); explained, like every word."""
    kb = code(headwater)
    others = [function(f"other_{number}", "contains good") for number in range(8)]
    write(kb, "".join([*others, function(name, "river")]))
    kb.sync()
    for question in (name, f"{name}()"):
        found = search(kb.store, kb.settings, kb.knowledge_base, question, SearchOptions(mode="keyword"))
        assert found.passages[0].breadcrumb[-1] == f"def {name}(pump: Pump) -> int"
        assert {term.lexeme: term.held for term in found.terms}[f"def {name}"] == 1


def test_a_name_of_nothing_is_no_word_of_the_question(headwater: Callable[..., Headwater]) -> None:
    """Whoever asks for one word of prose sees that word explained, not a definition that no code has."""
    kb = code(headwater)
    write(kb, function("lift", "river"))
    kb.sync()
    found = search(kb.store, kb.settings, kb.knowledge_base, "river")
    explained = SearchPayload.of("river", found, explain=True).explanation
    assert explained is not None
    assert [term.lexeme for term in explained.terms] == ["river"]
