"""Children, parents and references of passages in what an index publishes (RET-5, SRC-6)."""

from collections.abc import Callable
from typing import Any

import pytest

from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.traversal import traverse
from headwater.store.content.passage_links import PassageLink
from tests.support import Headwater

Make = Callable[..., Headwater]


def _words(topic: str) -> str:
    return " ".join(f"The {topic} is described in sentence {n}, at some length and with care." for n in range(8))


FILES = {
    "guide.md": (
        f"# Guide\n\n{_words('overview')} See [how to install](install.md#on-linux).\n\n"
        f"## Pump\n\n{_words('pump')}\n\n### Gasket\n\n{_words('gasket')} Back to [the overview](#guide).\n\n"
        f"## Wheel\n\n{_words('wheel')} Also [spokes](parts/spokes.md), [gone](gone.md), [web](https://example.org/a).\n"
    ),
    "install.md": (
        f"# Install\n\n{_words('download')}\n\n## On Windows\n\n{_words('installer')}\n\n"
        f"## On Linux\n\n{_words('package')} Read [the guide](guide.md) first.\n"
    ),
    "parts/spokes.md": f"# Spokes\n\n{_words('spoke')} They belong to the [wheel](/guide#wheel).\n",
}


pytestmark = pytest.mark.synced(files=FILES)


def _index(kb: Headwater) -> SearchIndex:
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    return index


def _passage(kb: Headwater, *path: str) -> Passage:
    """The first passage with a breadcrumb."""
    found = [passage for passage in kb.search("the") if passage.breadcrumb == path]
    return min(found, key=lambda passage: passage.position)


def _led(links: list[PassageLink], kind: str) -> list[tuple[str, str]]:
    return [(link.passage.uri, link.passage.breadcrumb[-1]) for link in links if link.kind == kind]


def _follow(kb: Headwater, *passages: Passage, **filters: Any) -> list[PassageLink]:
    return kb.store.passage_links.follow(_index(kb), passages, filters=SearchFilters(**filters))


def test_children_stand_under_their_headings(kb: Headwater) -> None:
    """Directly: a child's own children are not among them, and a leaf has none."""
    assert _led(_follow(kb, _passage(kb, "Guide")), "child") == [("guide.md", "Pump"), ("guide.md", "Wheel")]
    assert _led(_follow(kb, _passage(kb, "Guide", "Pump")), "child") == [("guide.md", "Gasket")]
    assert _led(_follow(kb, _passage(kb, "Guide", "Pump", "Gasket")), "child") == []


def test_parents_stand_above(kb: Headwater) -> None:
    """The nearest heading's; a document's first passage has none."""
    gasket, pump, guide = (
        _passage(kb, "Guide", "Pump", "Gasket"), _passage(kb, "Guide", "Pump"), _passage(kb, "Guide"),
    )  # fmt: skip
    passages = (gasket, pump, guide)
    above = {passage.breadcrumb: kb.store.versions.chunk(passage.chunk_id).parent for passage in passages}
    assert above == {
        ("Guide", "Pump", "Gasket"): pump.chunk_id, ("Guide", "Pump"): guide.chunk_id, ("Guide",): None,
    }  # fmt: skip
    assert pump.chunk_id in kb.store.versions.chunk(guide.chunk_id).children


def test_the_children_of_a_long_section_belong_to_all_of_it(headwater: Make) -> None:
    """Its first chunk and those after it alike."""
    long = "\n\n".join(_words(f"topic {n}") for n in range(4))
    kb = headwater(files={"a.md": f"# Long\n\n{long}\n\n## Below\n\n{_words('below')}\n"})
    kb.sync()
    section = [passage for passage in kb.search("topic") if passage.breadcrumb == ("Long",)]
    assert len(section) > 1
    links = _follow(kb, *section)
    assert [(link.origin, link.passage.breadcrumb) for link in links] == [
        (passage.chunk_id, ("Long", "Below")) for passage in section
    ]


def test_links_lead_to_the_section_that_they_name(kb: Headwater) -> None:
    """An anchor leads to the chunk with that heading; a file, to its first; endings may be left out."""
    assert _led(_follow(kb, _passage(kb, "Guide")), "reference") == [("install.md", "On Linux")]
    assert _led(_follow(kb, _passage(kb, "Install", "On Linux")), "reference") == [("guide.md", "Guide")]
    assert _led(_follow(kb, _passage(kb, "Spokes")), "reference") == [("guide.md", "Wheel")]
    assert _led(_follow(kb, _passage(kb, "Guide", "Pump", "Gasket")), "reference") == [("guide.md", "Guide")]


def test_links_to_what_is_not_there_lead_nowhere(kb: Headwater) -> None:
    """Neither out of the source, nor to a file that never was or is deleted since."""
    wheel = _passage(kb, "Guide", "Wheel")
    assert _led(_follow(kb, wheel), "reference") == [("parts/spokes.md", "Spokes")]
    kb.remove("parts/spokes.md")
    kb.sync()
    assert _follow(kb, wheel) == []
    kb.write("guide.md", "# Guide\n\nAll of it was rewritten.\n")
    kb.sync()
    assert _follow(kb, wheel) == []  # nor does a passage that is not published any more


def test_an_anchor_that_is_not_there_leads_to_the_page(kb: Headwater) -> None:
    """As in a browser."""
    kb.write("install.md", FILES["install.md"].replace("## On Linux", "## On Debian"))
    kb.sync()
    assert _led(_follow(kb, _passage(kb, "Guide")), "reference") == [("install.md", "Install")]


def test_filters_hold_for_what_is_followed(kb: Headwater) -> None:
    """A search in one document returns nothing from another (RET-2)."""
    guide = _passage(kb, "Guide")
    links = _follow(kb, guide, documents=("guide.md",))
    assert {link.passage.uri for link in links} == {"guide.md"}
    assert _led(links, "reference") == []
    assert "install.md" in {link.passage.uri for link in _follow(kb, guide, documents=("guide.md", "install.md"))}


def test_links_of_one_source_do_not_lead_into_another(headwater: Make) -> None:
    """A file of the same name there is another file."""
    kb = headwater(
        "docs", "more", files={"docs/a.md": f"# A\n\n{_words('a')} [b](b.md)\n", "more/b.md": "# B\n\nWords."}
    )
    kb.sync()
    assert _follow(kb, *kb.search("words")) == []


def test_traversal_over_a_real_tree(kb: Headwater) -> None:
    """Circles end, each passage is kept once, and says how it was reached; the question's vector grades it (RET-8)."""
    index = _index(kb)
    vector = load_embedder(index.model, kb.settings).embed(["overview"])[0]
    guide = _passage(kb, "Guide")
    calls = []

    def load(passages: object) -> list[PassageLink]:
        calls.append(passages)
        return kb.store.passage_links.follow(index, passages, vector=vector)  # type: ignore[arg-type]  # a sequence

    found = traverse([guide], load, depth=3)
    shares = {(passage.uri, passage.breadcrumb[-1]): passage.score / guide.score for passage in found}
    assert shares == {
        ("guide.md", "Guide"): 1.0,
        ("guide.md", "Pump"): 0.75,
        ("guide.md", "Wheel"): 0.75,
        ("guide.md", "Gasket"): pytest.approx(0.5625),
        ("install.md", "On Linux"): 0.5,
        ("parts/spokes.md", "Spokes"): 0.375,
    }
    assert len(calls) == 3
    by_name = {passage.breadcrumb[-1]: passage for passage in found}
    assert by_name["On Linux"].scores.via == f"reference of {guide.chunk_id}"
    assert by_name["Gasket"].scores.via == f"child of {by_name['Pump'].chunk_id}"
    assert all(passage.scores.vector is not None for passage in found)
    assert [passage.rank for passage in found] == [1, 2, 3, 4, 5, 6]
