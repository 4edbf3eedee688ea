"""A search from question to passages, over a synced knowledge base (RET-1, RET-3, RET-5, RET-6, RET-8).

Belongs here: the steps together, with their settings. Not here: each step's rules (tests/unit), HTTP.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import ValidationError

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchFilters
from headwater.errors import ModelUnavailableError
from headwater.retrieval.context_builder import gather
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult
from headwater.understanding.concepts import ConceptModel, Concepts
from headwater.understanding.intents import Intent
from headwater.understanding.question import Understanding
from tests.support import Headwater

Make = Callable[..., Headwater]


def _about(topic: str) -> str:
    return " ".join(f"The {topic} is described in sentence {n}, at some length and with care." for n in range(8))


FILES = {
    "guide.md": (
        f"# Guide\n\n{_about('overview')} See [how to install](install.md#on-linux).\n\n"
        f"## Pump\n\n{_about('pump')}\n\n### Gasket\n\n{_about('gasket')}\n\n"
        f"```\nreplace --gasket\nrestart --pump\n```\n\n## Wheel\n\n{_about('wheel')}\n"
    ),
    "install.md": f"# Install\n\n{_about('download')}\n\n## On Linux\n\n{_about('package')}\n",
    "news/pump.md": f"# Pump news\n\n{_about('pump')} The pump won a prize.\n",
}


pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def kb(shared: Headwater) -> Headwater:
    """Pages with headings and links, one of them in another category; nobody writes."""
    return shared


def _search(
    kb: Headwater,
    query: str,
    *,
    chosen: dict[str, Any] | None = None,
    concept_model: ConceptModel | None = None,
    **options: Any,
) -> SearchResult:
    """Search as if the knowledge base had other settings."""
    knowledge_base = kb.knowledge_base
    settings = KnowledgeBaseSettings.model_validate({**knowledge_base.settings.model_dump(), **(chosen or {})})
    changed = replace(knowledge_base, settings=settings)
    return search(
        kb.store,
        kb.settings,
        changed,
        query,
        SearchOptions(**{"group_by": "passage", **options}),
        concept_model=concept_model,
    )


def _places(found: SearchResult) -> list[str]:
    return [" > ".join((passage.uri, *passage.breadcrumb)) for passage in found.passages]


def test_every_passage_is_returned_or_named_as_dropped(kb: Headwater) -> None:
    """Passages left out by a threshold or the limit are named with the reason (RET-8)."""
    every = {passage.chunk_id for passage in _search(kb, "gasket of the pump", top_k=50).passages}
    found = _search(kb, "gasket of the pump", top_k=2)
    returned, dropped = {p.chunk_id for p in found.passages}, {d.passage.chunk_id for d in found.dropped}
    assert len(found.passages) == 2
    assert returned | dropped == every
    assert not returned & dropped
    assert found.dropped[0].reason == "It has rank 3, but 2 were requested."


def test_documents_are_counted_until_there_are_as_many_as_were_wanted(headwater: Make) -> None:
    """Even if one document has more matching passages than a search usually considers (RET-6)."""
    section = "## Step {}\n\nThe gasket of the pump is changed in this step, and oiled, and the gasket is pressed home."
    manual = "# Gaskets\n\n" + "\n\n".join(section.format(n) + " The gasket." * 20 for n in range(80))
    kb = headwater(files={"manual.md": manual, "a.md": "# A\n\nThe gasket lies here.", "b.md": "# B\n\nA gasket."})
    kb.sync()
    found = _search(kb, "gasket of the pump", top_k=3, group_by="document")
    assert {group[0].uri for group in found.groups} == {"manual.md", "a.md", "b.md"}
    assert {d.passage.chunk_id for d in found.dropped}.isdisjoint(p.chunk_id for p in found.passages)


def test_each_mode_asks_its_legs(kb: Headwater) -> None:
    """By words nothing is embedded, by vector no word counts, and a hybrid search knows both ranks (RET-1)."""
    words, vectors = (_search(kb, "gasket", mode=mode, top_k=50) for mode in ("keyword", "vector"))
    assert words.embedder is None
    assert {p.scores.vector for p in words.passages} == {None}
    assert all("gasket" in p.text.casefold() or "Gasket" in p.breadcrumb for p in words.passages)
    assert {p.scores.text_rank for p in vectors.passages} == {None}
    assert len(vectors.passages) > len(words.passages)
    best = _search(kb, "gasket").passages[0]
    assert (best.breadcrumb[-1], best.scores.text_rank, best.scores.vector_rank) == ("Gasket", 1, 1)
    assert best.scores.rerank is not None


def test_weights_decide_between_words_and_vectors(kb: Headwater) -> None:
    """With all weight on one leg, its order comes out; by ranks both count (RET-1)."""
    plain = {"rerank_model": "none", "fusion": "weighted"}
    by_words = _search(kb, "pump prize", chosen={**plain, "vector_weight": 0.0}, top_k=50)
    by_vector = _search(kb, "pump prize", chosen={**plain, "vector_weight": 1.0}, top_k=50)
    text_ranks = [p.scores.text_rank for p in by_words.passages if p.scores.text_rank]
    assert text_ranks == sorted(text_ranks) != []
    vector_ranks = [p.scores.vector_rank for p in by_vector.passages if p.scores.vector_rank]
    assert vector_ranks == sorted(vector_ranks) != []


def test_a_legs_only_hit_has_all_of_its_weight(kb: Headwater) -> None:
    """A single match by words counts as the best of its leg; a leg asked alone has its own order (RET-1)."""
    weighted = {"rerank_model": "none", "fusion": "weighted", "vector_weight": 0.5}
    found = _search(kb, "prize", chosen=weighted, top_k=50)
    (hit,) = [p for p in found.passages if p.scores.text_rank]
    assert hit.score >= 0.5
    by_words = _search(kb, "pump prize", chosen={**weighted, "vector_weight": 1.0}, mode="keyword", top_k=50)
    assert [p.scores.text_rank for p in by_words.passages] == list(range(1, len(by_words.passages) + 1))


def test_thresholds_drop_and_say_so(kb: Headwater) -> None:
    """A passage under the similarity or the rerank threshold is not returned (RET-1, RET-6)."""
    found = _search(kb, "gasket", chosen={"similarity_threshold": 0.3}, top_k=50)
    assert found.passages
    assert all((p.scores.vector or 0) >= 0.3 for p in found.passages)
    assert any("below the threshold, 0.30" in dropped.reason for dropped in found.dropped)
    found = _search(kb, "gasket", chosen={"rerank_threshold": 0.5}, top_k=50)
    assert all(p.score >= 0.5 for p in found.passages)
    assert {dropped.reason for dropped in found.dropped} == {"The reranker's score is below the threshold, 0.50."}


def test_boosts_move_what_they_name(kb: Headwater) -> None:
    """A rule for a URI brings its passages up or down, and the factor is shown (RET-6)."""
    assert _search(kb, "pump").passages[0].uri == "news/pump.md"
    down = _search(kb, "pump", chosen={"boosts": [{"uri": "news/*", "factor": 0.3}]})
    assert down.passages[0].uri == "guide.md"
    assert {p.scores.boost for p in down.passages if p.uri == "news/pump.md"} <= {0.3}


def test_headings_are_a_leg_where_they_weigh(kb: Headwater) -> None:
    """With a weight, the headings nearest to a question count, and show their rank (RET-5)."""
    assert {p.scores.heading_rank for p in _search(kb, "Guide Wheel", top_k=50).passages} == {None}
    found = _search(kb, "Guide Wheel", chosen={"heading_weight": 1.0}, top_k=50)
    assert [p.breadcrumb for p in found.passages if p.scores.heading_rank == 1] == [("Guide", "Wheel")]
    with pytest.raises(ValidationError, match="fusion: rrf"):
        KnowledgeBaseSettings(heading_weight=1.0, fusion="weighted")


def test_links_are_followed_as_far_as_asked(kb: Headwater) -> None:
    """Children come at three quarters and references at half of what leads to them, once each (RET-5)."""
    plain = _search(kb, "overview", top_k=1)
    found = _search(kb, "overview", top_k=50, traversal_depth=1)
    via = {" > ".join(p.breadcrumb): p for p in found.passages if p.scores.via}
    best = plain.passages[0]
    assert via["Install > On Linux"].scores.via == f"reference of {best.chunk_id}"
    assert via["Install > On Linux"].score == pytest.approx(best.score * 0.5)
    assert via["Guide > Wheel"].score == pytest.approx(best.score * 0.75)
    assert len({p.chunk_id for p in found.passages}) == len(found.passages)
    narrowed = _search(kb, "overview", top_k=50, traversal_depth=1, filters=SearchFilters(documents=("guide.md",)))
    assert {p.uri for p in narrowed.passages} == {"guide.md"}
    assert _search(kb, "overview", chosen={"traversal_depth": 1}, top_k=50).passages == found.passages


def test_what_is_followed_obeys_the_rules(kb: Headwater) -> None:
    """A link does not bring back a passage below a threshold, and penalties apply to linked passages (RET-5, RET-6)."""
    strict = _search(kb, "overview", chosen={"similarity_threshold": 0.3}, top_k=50, traversal_depth=2)
    returned = {p.chunk_id for p in strict.passages}
    assert returned
    assert strict.dropped
    assert not returned & {dropped.passage.chunk_id for dropped in strict.dropped}
    assert all((p.scores.vector or 0) >= 0.3 for p in strict.passages)
    rule = {"uri": "install.md", "factor": 0.1}
    found = _search(kb, "overview", chosen={"boosts": [rule]}, top_k=50, traversal_depth=1)
    (linked,) = [p for p in found.passages if p.breadcrumb == ("Install", "On Linux")]
    assert linked.scores.boost == 0.1
    assert found.passages[0].uri == "guide.md"


def test_links_are_not_followed_into_the_present_from_the_past(kb: Headwater) -> None:
    """As of a past time nothing is followed, and a note says so."""
    found = _search(kb, "overview", as_of=kb.now(), traversal_depth=2)
    assert found.passages
    assert found.notes == ("A search as of a past time follows no children and links.",)


def test_neighbours_are_merged_into_longer_passages(kb: Headwater) -> None:
    """A hit grows by the chunks beside it, and is the document's own text (RET-6)."""
    (alone,) = _search(kb, "gasket", top_k=1).passages
    (grown,) = _search(kb, "gasket", top_k=1, with_neighbours=True).passages
    assert grown.chunk_id == alone.chunk_id
    assert (grown.start, grown.end) == (0, len(FILES["guide.md"]))
    assert grown.text == FILES["guide.md"]
    assert grown.scores == alone.scores


def test_a_context_holds_what_is_trusted_and_what_stands_beside_it(kb: Headwater) -> None:
    """Code is put back, no text is there twice, the budget holds, and nothing comes of nothing (RET-5, CHK-4)."""
    found = _search(kb, "How is the gasket described?")
    gathered = gather(kb.store, kb.knowledge_base, found)
    context = gathered.context
    assert "restart --pump" in context.text
    guide = next(part for part in context.parts if part.passages[0].uri == "guide.md")
    assert guide.text == FILES["guide.md"][guide.start : guide.end]
    assert len(guide.passages) > 1
    used = [passage.chunk_id for part in context.parts for passage in part.passages]
    assert len(set(used)) == len(used)
    assert {dropped.passage.chunk_id for dropped in gathered.dropped} <= {p.chunk_id for p in found.passages}
    assert all("trust" in dropped.reason for dropped in gathered.dropped)
    small = replace(kb.knowledge_base, settings=KnowledgeBaseSettings(context_tokens=120))
    assert gather(kb.store, small, found).context.token_count <= 120 < context.token_count
    nothing = gather(kb.store, kb.knowledge_base, _search(kb, "sourdough bread"))
    assert nothing.context.parts == ()
    assert nothing.dropped


@dataclass
class _Model:
    """A concept model that was told what to say."""

    concepts: Sequence[str]
    name: str = "told"
    asked: list[str] = field(default_factory=list)

    def find_concepts(self, understanding: Understanding) -> Concepts:
        self.asked.append(understanding.question)
        if not self.concepts:
            raise ModelUnavailableError("It is not there.")
        return Concepts(intent=Intent.COMPARISON, concepts=tuple(self.concepts))


def test_a_model_is_asked_only_where_rules_do_not_suffice(kb: Headwater) -> None:
    """The score shortcut spares the model; a complex question is searched for by each of its concepts (RET-3)."""
    model = _Model(concepts=["gasket", "package"])
    simple = _search(kb, "gasket", concept_model=model)
    assert (simple.is_sure, simple.concepts, model.asked) == (True, (), [])
    found = _search(kb, "Compare the download and the wheel", concept_model=model, top_k=50)
    assert (found.is_sure, found.concepts) == (False, ("gasket", "package"))
    assert model.asked == ["Compare the download and the wheel"]
    assert found.understanding.intent is Intent.COMPARISON
    assert {"guide.md > Guide > Pump > Gasket", "install.md > Install > On Linux"} <= set(_places(found))


def test_a_model_that_does_not_answer_changes_nothing_but_a_note(kb: Headwater) -> None:
    """The search continues with the unchanged question (RET-3)."""
    query = "Compare the download and the wheel"
    found = _search(kb, query, concept_model=_Model(concepts=[]))
    assert found.passages == _search(kb, query).passages
    assert found.notes == ("The question was searched without concepts: It is not there.",)


def test_code_is_split_off_before_a_question_is_embedded(kb: Headwater) -> None:
    """The words of the code still count; the vector is the language's alone (RET-3)."""
    found = _search(kb, "Which part does this restart?\n\n```\nrestart --pump\n```")
    assert found.understanding.code == ("restart --pump",)
    assert found.understanding.search_text == "Which part does this restart?"
    assert {term.lexeme for term in found.terms} >= {"restart", "pump"}


def test_a_search_for_documents_agrees_with_one_for_passages(headwater: Make) -> None:
    """One long document takes all first candidates: a wider search adds others behind, and changes no order."""
    long = "".join(
        f"# Valve {number}\n\nThe red valve no. {number} of the pump opens at {number} bar.{' It is checked.' * 12}\n\n"
        for number in range(70)
    )
    kb = headwater(files={"long.md": long, "wheel.md": "# Wheel\n\nThe wheel of the pump turns nine times.\n"})
    kb.sync()
    for query in ("at how many bar does the red valve no. 7 of the pump open", "checked valve"):
        passages = _search(kb, query, top_k=8).passages
        documents = _search(kb, query, top_k=8, group_by="document")
        assert [one.chunk_id for one in documents.passages[:8]] == [one.chunk_id for one in passages]
        assert documents.groups[0][0].chunk_id == passages[0].chunk_id
        assert [group[0].uri for group in documents.groups] == ["long.md", "wheel.md"]
        scores = [one.score for one in documents.passages]
        assert scores == sorted(scores, reverse=True)
