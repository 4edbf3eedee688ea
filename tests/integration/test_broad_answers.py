"""Broad questions answered from names, parts, summaries and changes, without a model (SUM-4, ANS-4)."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.domain.search import Passage, SearchFilters
from headwater.store.search.summary_entries import SummaryEntryStore
from query_api.pages.turns import turn_of_answer
from tests.chat_server import MODEL, ChatRequest, ChatServer, Says
from tests.support import Headwater

_VERBS = (
    "add", "bake", "cut", "dry", "empty", "fill", "grind", "heat", "idle", "join", "keep", "lift", "mix", "nail",
    "open", "pack", "quit", "roll", "sift", "turn", "undo", "vent", "weigh", "xray", "yield", "zip", "blow", "cool",
    "drain", "feed", "glue", "hang", "iron",
)  # fmt: skip
_COMMANDS = [f"mill {verb}" for verb in _VERBS]
_CHANGES = """# Release notes

## 2024-05-01

The mill grinds oats as well.

## 2023/11/20

The mill has a bell.

## 2023-02-03

The mill turns left.
"""
_STORE = "# Store\n\nThe store keeps flour.\n\nAdded in: v2.3.0\n\n## Sacks\n\nAdded in: v2.5.0\n\nSacks of jute."
FILES = {
    "docs/index.md": "# The mill handbook\n\nThe mill handbook is a guide to the machines of the mill.",
    "docs/releases.md": _CHANGES,
    "docs/store.md": _STORE,
    **{
        f"docs/commands/{name[5:]}.md": f"# {name}\n\nThe command `{name}` lets the mill {name[5:]} flour."
        for name in _COMMANDS
    },
    **{
        f"docs/guides/{name}.md": f"# Import from {name}\n\nBring your grain from {name} with the hopper of the mill."
        for name in ("Ashby", "Birch", "Corby")
    },
}
pytestmark = pytest.mark.synced("docs", files=FILES, summary_model="builtin/extractive")


def _ask(kb: Headwater, question: str) -> AssembledAnswer:
    """An answer that is not stored: `shared` refuses writes."""
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=question)
    answerer = choose_answerer(kb.store, kb.settings, kb.knowledge_base.settings)
    return fold(AnswerMaker(kb.store, kb.settings, request, answerer).events())


def _publish_after_reading(patch: pytest.MonkeyPatch, kb: Headwater, file: str, versions: list[str]) -> None:
    """Have a sync publish other texts of a file between the look for sentences and that for their chunks."""
    texts = SummaryEntryStore.texts

    def sync_afterwards(*arguments: Any, **values: Any) -> dict[UUID, str]:
        read_texts = texts(*arguments, **values)
        while versions:
            kb.write(file, versions.pop())
            kb.sync()
        return read_texts

    patch.setattr(SummaryEntryStore, "texts", sync_afterwards)


def _uris(answer: AssembledAnswer) -> list[str]:
    return [citation.uri for citation in answer.citations]


def test_a_home_of_today_gets_its_tree_with_the_next_sync(headwater: Callable[..., Headwater]) -> None:
    """Although no document changed; nothing was stale before it, and no answer is stale after it."""
    kb = headwater("docs", files=FILES, summary_model=None)
    kb.sync()
    answer = kb.ask("Which grain does the mill grind as well?")
    assert not kb.store.summaries.counts(kb.source("docs"))
    kb.query("UPDATE knowledge_bases SET settings = settings - 'summary_model' RETURNING 1")  # as of before
    assert kb.knowledge_base.settings.summary_model == "builtin/extractive"
    assert not kb.store.answers.get(answer.id).changed_sources
    done = kb.sync()["docs"]
    assert (done.state, done.embedded) == ("ready", 0)
    nodes = kb.store.summaries.nodes(kb.source("docs"), depth=9, limit=999)
    assert {node.model for node in nodes} == {"builtin/extractive"}
    assert len([node for node in nodes if node.document_id]) == len(FILES)
    assert not kb.store.answers.get(answer.id).changed_sources


def test_each_document_below_a_summary_has_its_own_address(headwater: Callable[..., Headwater]) -> None:
    """Its card on the page leads to it, and not to another document behind the same marker; the marker to the first."""
    guides = {name: text for name, text in FILES.items() if "/guides/" in name}
    kb = headwater("docs", files=guides, summary_model="builtin/extractive")
    kb.sync()
    answer = kb.ask("What is this about?")
    versions = {one.uri: str(one.document_version_id) for one in answer.citations}
    assert len(versions) == 3
    turn = turn_of_answer(kb.store.answers.get(answer.id))
    assert [versions[one.uri] in one.url for one in turn.sources] == [True] * len(turn.sources)
    for marker, url in turn.citations.items():
        first = next(one for one in answer.citations if one.marker == marker)
        assert str(first.document_version_id) in url


def test_the_readme_of_a_part_does_not_introduce_everything(headwater: Callable[..., Headwater]) -> None:
    """It stands below most documents; one above them does, although its first sentence begins with "This"."""
    parts = {
        f"docs/{part}/README.md": f"# {part}\n\nGrease for the {part} of it."
        for part in ("axle", "door", "roof", "wheel")
    }
    files = {"docs/axle/deep/README.md": "# Grease\n\nGrease for the axle alone.", **parts}
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    assert _ask(kb, "What is this about?").text.startswith("5 documents")
    kb.write(
        "README.md", "This is a handbook of an old mill.\n\n## Licence\n\nCopies of the handbook of the mill are free."
    )
    kb.sync()
    assert _ask(kb, "What is this about?").text.startswith("This is a handbook of an old mill.")


def test_the_introduction_is_in_the_language_of_the_question(headwater: Callable[..., Headwater]) -> None:
    """If there is one, whichever file comes first."""
    files = {
        "README.fr.md": "# Moulin\n\nLe moulin est un lieu qui moud le grain avec la force de la rivière.",
        "README.md": "# Moulin\n\nThe moulin is a place that grinds the grain with the force of the river.",
    }
    kb = headwater(slug="moulin", files=files, summary_model="builtin/extractive")
    kb.sync()
    assert _ask(kb, "What is this about?").text.startswith("The moulin is a place")
    assert _ask(kb, "De quoi s'agit-il ?").text.startswith("Le moulin est un lieu")


def test_a_page_of_a_wiki_is_listed_as_it_is_called(headwater: Callable[..., Headwater]) -> None:
    """Without the marks of its link."""
    text = "# Mill\n\n## Dials\n\n- [[Speed]]\n- [[Gauges/Heat|Heat]]\n- [Noise](noise.md)\n"
    kb = headwater("docs", files={"docs/mill.md": text}, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "Which dials are there?").text
    assert re.findall(r"^- (\w+) \[\d\]", answer, re.MULTILINE) == ["Speed", "Heat", "Noise"]


def test_the_introduction_to_a_thing_is_about_it(headwater: Callable[..., Headwater]) -> None:
    """Words such as "introduction", and those of the knowledge base's name, tell no document from another."""
    page = "The {title} says how it is used in the mill every day.\n"
    titles = ("Quick grinding", "Quick sifting", "Introduction to kb grinding", "Introduction to kb sifting")
    files = {f"docs/{title}.md": page.format(title=title) for title in titles}
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "What is the difference between grinding and sifting?")
    assert _uris(answer) == ["Introduction to kb grinding.md", "Introduction to kb sifting.md"]


def test_a_folder_with_an_article_and_without_accents_is_called_so(headwater: Callable[..., Headwater]) -> None:
    """`les-metiers-du-sucre` are the "métiers du sucre" that are asked for; a folder's own page is one of them."""
    page = "# {title}\n\nLe {title} est dans l'atelier."
    titles = ("Chocolatier", "Confiseur", "Glacier")
    files = {f"docs/les-metiers-du-sucre/{title}.md": page.format(title=title) for title in titles}
    files["docs/les-metiers-du-sucre/README.md"] = "# Les métiers du sucre\n\nVoici les métiers."
    files["docs/les-metiers-du-sucre/patissier/README.md"] = page.format(title="Pâtissier")
    files["docs/les-metiers-du-sucre/patissier/outils.md"] = "# Outils\n\nUn fouet et un moule."
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "Quels sont les métiers du sucre ?")
    assert answer.text.startswith("**Documents : 4** – les-metiers-du-sucre:\n")
    assert "- Pâtissier [" in answer.text


def test_a_folder_has_one_page_among_the_members_of_the_folder_above(headwater: Callable[..., Headwater]) -> None:
    """If several pages could stand for it, one does; none if a page beside the folder is called like it."""
    page = "# {title}\n\nThe {title} says how the part of the mill is used every day."
    files = {
        f"docs/guides/{part}/{name}.md": page.format(title=f"{part.title()} {name}")
        for part in ("axle", "pump", "roof", "wheel")
        for name in ("index", "overview", "usage")
    }
    files["docs/guides/wheel.md"] = page.format(title="The wheel")
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    answer = _ask(kb, "Which guides are there?").text
    assert answer.startswith("**4 documents** in guides:\n")
    assert [line.rpartition(" ")[0] for line in answer.splitlines()[2:]] == [
        "- Axle index",
        "- Pump index",
        "- Roof index",
        "- The wheel",
    ]


def test_everything_there_is(kb: Headwater) -> None:
    """The sentence that introduces it, quoted from its place; the parts with their numbers; at most 150 words."""
    kb.store.knowledge_bases.update(kb.slug, name="Mill handbook")
    answer = _ask(kb, "What is this about?")
    assert answer.reason is None
    assert answer.text.startswith("The mill handbook is a guide to the machines of the mill. [1]")
    quote = answer.citations[0]
    version = kb.query("SELECT text FROM document_versions WHERE id = %s", quote.document_version_id)[0]["text"]
    assert version[quote.start : quote.end] == "The mill handbook is a guide to the machines of the mill."
    assert f"{len(FILES)} documents" in answer.text
    assert f"**commands** ({len(_COMMANDS)})" in answer.text
    assert "**guides** (3): Import from Ashby" in answer.text
    assert len(answer.text.split()) <= 150
    assert _ask(kb, "what is the mill?").text == answer.text
    assert _ask(kb, "what is a mill?").text != answer.text


def test_the_introduction_is_cited_by_its_own_chunk(headwater: Callable[..., Headwater]) -> None:
    """With the headings above it and its line, wherever in its document it stands."""
    talk = "## Before\n\n" + "Wear shoes and a hat in each of the rooms. " * 60
    said = "The kb is a guide to the machines of the mill."
    index = f"# Start\n\n{talk}\n\n## About\n\n{said}\n"
    files = {"docs/index.md": index, "docs/oats.md": "# Oats\n\nOats are ground."}
    kb = headwater("docs", files=files, summary_model="builtin/extractive")
    kb.sync()
    answer = kb.ask("What is this about?")
    assert answer.answer.startswith(said)
    first = answer.citations[0]
    (row,) = kb.query("SELECT text FROM chunks WHERE id = %s", first.chunk_id)
    assert said in row["text"]
    assert (first.breadcrumb, first.place and first.place.label) == (("Start", "About"), "L9")


def test_an_introduction_that_was_replaced_meanwhile_is_not_cited(
    headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync publishes another text between the look for the sentence and that for its chunk, where another stands."""
    sentence = "The kb is a guide to the machines of the mill."
    kb = headwater("docs", files={"docs/index.md": f"# Start\n\n{sentence}\n"}, summary_model="builtin/extractive")
    kb.sync()
    versions = [f"# Start\n\nWear shoes and a hat in the rooms, please.\n\n{sentence}\n"]
    _publish_after_reading(monkeypatch, kb, "index.md", versions)
    answer = kb.ask("What is this about?")
    assert versions == []
    for citation in answer.citations if sentence in answer.answer else ():
        (row,) = kb.query("SELECT text FROM document_versions WHERE id = %s", citation.document_version_id)
        assert sentence in row["text"][citation.start : citation.end]
    assert sentence in kb.ask("What is this about?").answer


def test_of_large_members_only_the_beginning_is_read(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each document that is looked through, however large it is."""
    texts, sizes = SummaryEntryStore.texts, list[int]()

    def count(*arguments: Any, **values: Any) -> dict[UUID, str]:
        read_texts = texts(*arguments, **values)
        sizes.extend(map(len, read_texts.values()))
        return read_texts

    monkeypatch.setattr(SummaryEntryStore, "texts", count)
    kb.query("UPDATE document_versions SET text = text || repeat(' flour', 100000) RETURNING 1")
    _ask(kb, "Which flour commands are documented?")
    assert sizes
    assert max(sizes) <= 20_000


def test_the_folder_of_a_family_on_a_site_is_named_without_the_host(kb: Headwater) -> None:
    """As on a page of the site, and not as `https:/docs.example.com/commands`."""
    kb.query("UPDATE documents SET uri = 'https://docs.example.com/' || uri RETURNING 1")
    assert _ask(kb, "Which commands are there?").text.startswith(f"**{len(_COMMANDS)} documents** in commands:")


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("Welche commands gibt es?", (f"**Dokumente: {len(_COMMANDS)}** – commands:\n", "\n\nund 3 weitere.")),
        ("de qué trata esto", (f"\n\nDocumentos: {len(FILES)}, en estas partes [", "**commands** (33)")),
    ],
)
def test_the_words_between_titles_are_in_the_reader_s_language(
    shared: Headwater, question: str, phrases: tuple[str, ...]
) -> None:
    """Titles and sentences stay those of the documents."""
    text = _ask(shared, question).text
    for phrase in phrases:
        assert phrase in text


@pytest.mark.parametrize("question", ["Which commands are there?", "How many commands are there?"])
def test_the_members_of_a_family(shared: Headwater, question: str) -> None:
    """Their number, thirty of them with a citation each, and how many more."""
    answer = _ask(shared, question)
    assert answer.text.startswith(f"**{len(_COMMANDS)} documents** in commands:")
    assert answer.text.endswith(f"and {len(_COMMANDS) - 30} more.")
    assert answer.text.count("\n- mill ") == 30
    assert len({uri for uri in _uris(answer) if uri.startswith("commands/")}) == 30


def test_members_with_the_same_title_are_told_apart_by_their_files(kb: Headwater) -> None:
    """As forms are, which differ by their year or language."""
    for name in ("2023/list-de", "2023/list-en", "2024/list-en"):
        kb.write(f"docs/checklists/{name}.md", f"# Official *checklist*\n\nWhat to check in {name}, item by item.")
    kb.sync()
    text = _ask(kb, "Which checklists are there?").text
    for ending in ("list-de.md", "2023/list-en.md", "2024/list-en.md"):
        assert f"\n- Official checklist ({ending}) [" in text


def test_a_family_by_the_names_of_its_members(shared: Headwater) -> None:
    """Complete if it is small."""
    answer = _ask(shared, "Which import guides are there?")
    assert answer.text.startswith("**3 documents**")
    assert _uris(answer) == ["guides/Ashby.md", "guides/Birch.md", "guides/Corby.md"]


@pytest.mark.parametrize(
    "question",
    [
        "Which flour commands are there on Sundays?",
        "How many bells are there?",
        "Which machines are there in the yard?",
    ],
)
def test_a_question_with_more_words_than_a_family_has_is_not_broad(shared: Headwater, question: str) -> None:
    """What the family's name does not say decides nothing; it is answered as ever."""
    assert "documents**" not in _ask(shared, question).text


def test_both_sides_of_a_comparison(shared: Headwater) -> None:
    """Each with its citation."""
    answer = _ask(shared, "What is the difference between mill bake and mill heat?")
    assert _uris(answer) == ["commands/bake.md", "commands/heat.md"]
    assert answer.text.index("**mill bake**") < answer.text.index("[1]") < answer.text.index("**mill heat**")


def test_a_document_that_compares_both_is_quoted(kb: Headwater) -> None:
    """If only its title names them: it says itself what is different."""
    choice = "Choose the first one for bread, and the second one for tea. Both grind flour."
    kb.write("docs/choice.md", f"---\ntitle: Whether to mill bake or mill heat\n---\n\n{choice}")
    kb.sync()
    answer = _ask(kb, "What is the difference between mill bake and mill heat?")
    assert _uris(answer) == ["choice.md"]
    assert "Choose the first one for bread" in answer.text


def test_what_everything_is_about_is_no_side(headwater: Callable[..., Headwater]) -> None:
    """Its summary names documents, which says nothing about a difference; a passage that says it is quoted."""
    files = {
        "README.md": "# Gristly – a mill for oats\n\nGristly is a mill for oats and rye.",
        "other.md": "# Other mills\n\nUnlike Stonely, gm needs no water: it has a motor.",
        "hunk.md": "# Tools\n\nThe gm-hunk is a tool for the bell.",
    }
    kb = headwater(slug="gm", files=files, summary_model="builtin/extractive")
    kb.sync()
    compared = _ask(kb, "What is the difference between gm and Stonely?")
    assert "it has a motor" in compared.text
    assert "documents" not in compared.text
    for question in ("What is this?", "What is gm?"):
        assert _ask(kb, question).text.startswith("Gristly is a mill for oats and rye. [1]")


def test_a_side_that_is_missing_is_named(shared: Headwater) -> None:
    """Nothing is invented about it."""
    answer = _ask(shared, "Compare mill bake and zebra crossings")
    assert _uris(answer) == ["commands/bake.md"]
    assert "Nothing in these documents is about “zebra crossings”." in answer.text


def test_what_changed_since_a_date(shared: Headwater) -> None:
    """The headings with a later date, the latest first; no earlier one."""
    answer = _ask(shared, "What changed since March 2023?")
    assert answer.text.index("**2024-05-01**: The mill grinds oats as well. [1]") < answer.text.index("**2023/11/20**")
    assert "2023-02-03" not in answer.text
    assert set(_uris(answer)) == {"releases.md"}


def test_what_changed_since_a_version(shared: Headwater) -> None:
    """By the marks in the text, each with the heading that it stands below; or else the newest that is known."""
    answer = _ask(shared, "What changed since v2.4?")
    assert "**v2.5.0**: Sacks [1]" in answer.text
    assert "2.3.0" not in answer.text
    late = _ask(shared, "What changed since v9?")
    assert late.text == "No heading or mark in these documents names a version after v9. The newest is v2.5.0."


def test_of_many_dated_passages_the_first_are_read(shared: Headwater) -> None:
    """By the addresses of their documents, so that the same question has the same answer."""
    index = shared.store.search_indexes.active(shared.knowledge_base.slug)
    assert index is not None
    found = [
        [
            passage.uri
            for passage in shared.store.summary_entries.find_dated(
                index, in_text="command", in_heading="^$", filters=SearchFilters(), most=most, limit=limit
            )
        ]
        for most, limit in ((99, 2), (2, 40), (99, 40))
    ]
    assert found[0] == found[1] == ["commands/add.md", "commands/bake.md"] == found[2][:2]


def test_of_a_large_index_the_documents_that_the_search_found_are_looked_through(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For what changed; the answer is the same, and says that it was not looked for everywhere."""
    question = "What changed since v2.4?"
    of_all = _ask(kb, question)
    index = kb.store.search_indexes.active(kb.knowledge_base.slug)
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    looked: list[set[UUID]] = []
    find_dated = SummaryEntryStore.find_dated

    def watch(*arguments: Any, **values: Any) -> list[Passage]:
        looked.append(values["document_ids"])
        return find_dated(*arguments, **values)

    monkeypatch.setattr(SummaryEntryStore, "find_dated", watch)
    request = AnswerRequest(knowledge_base=kb.knowledge_base, question=question)
    making = AnswerMaker(
        kb.store, kb.settings, request, choose_answerer(kb.store, kb.settings, kb.knowledge_base.settings)
    )
    assert fold(making.events()).text == of_all.text
    assert making.evidence is not None
    assert [note for note in making.evidence.found.notes if "index is large" in note]
    assert len(looked) == 1
    uris = kb.query("SELECT uri FROM documents WHERE id = ANY(%s)", list(looked[0]))
    assert {"uri": "store.md"} in uris
    values: dict[str, Any] = {
        "in_text": "flour",
        "in_heading": "^$",
        "filters": SearchFilters(),
        "most": 99,
        "limit": 99,
    }
    ids = [row["id"] for row in kb.query("SELECT id FROM documents WHERE uri = 'store.md'")]
    passages = find_dated(kb.store.summary_entries, index, **values, document_ids=ids)
    assert {passage.uri for passage in passages} == {"store.md"}


def test_the_documents_about_something_are_listed(headwater: Callable[..., Headwater]) -> None:
    """By their names; what all files are called names them, and those that are called otherwise are none of them.

    A name that begins with a number opens no list in its item.
    """
    titles = (
        "Oat flour",
        "Rye flour by hand",
        "3. Barley flour",
        "A bell for the mill",
        "Flour sacks by hand",
        "Sieves",
    )
    files = {f"mip-{number:04}.md": f"# {title}\n\nThe mill does it." for number, title in enumerate(titles, 1)}
    kb = headwater(
        slug="mips", files={**files, "rules.md": "# Rules\n\nWash hands."}, summary_model="builtin/extractive"
    )
    kb.sync()
    flour = [name for name, title in zip(files, titles, strict=True) if "lour" in title]
    assert _uris(_ask(kb, "Which MIPs are about flour?")) == _uris(_ask(kb, "which pages deal with flour")) == flour
    count = _ask(kb, "How many MIPs are there?").text
    assert count.startswith("**6 documents**")
    assert "\n- 3\\. Barley flour [" in count
    assert "documents**" not in _ask(kb, "Which MIPs are about flour by hand?").text
    both = _ask(kb, "Compare MIP 1 and MIP 4")
    assert {"mip-0001.md", "mip-0004.md"} == set(_uris(both))


_MANUAL = """# Miller

Miller (the large mill) is a machine.

## Available dials

### Speed dial

How fast it turns.

### Depth dial

How deep it grinds.

### Noise dial

How loud it rings.

## Dial repair

### Screws

### Springs

### Wires

## Features

- Grinds oats, see [grain](grain.md).
- Rings a bell.
  - Twice.
- Turns left.
"""
_NEWS = """# News

## Miller 3.1

- Added: oats.
- Fixed: the bell.

## Miller 3.0.2

- Removed: the left turn.

## Miller 3.0

- Added: the bell.
"""
_NEEDS = "# Needs\n\n## Postgres 18.2\n\nThe large mill keeps its flour there."


@pytest.fixture
def miller(headwater: Callable[..., Headwater]) -> Headwater:
    """A manual with headings and a list, a list of releases, and a heading with the version of something else."""
    files = {"manual.md": _MANUAL, "news.md": _NEWS, "needs.md": _NEEDS}
    kb = headwater(slug="miller", files=files, summary_model="builtin/extractive")
    kb.sync()
    return kb


@pytest.mark.parametrize("question", ["Which dials are there?", "which dials can i use"])
def test_the_sections_below_a_heading_are_listed(miller: Headwater, question: str) -> None:
    """Those of the heading that has the asked word as it was asked, each with the citation of its own section."""
    answer = _ask(miller, question)
    lines = answer.text.splitlines()
    assert lines[0] == "**3 sections** in Miller › Available dials:"
    assert [line for line in lines if line.startswith("- ")] == [
        "- Speed dial [1]",
        "- Depth dial [2]",
        "- Noise dial [3]",
    ]
    document = miller.query("SELECT text FROM document_versions WHERE title = 'Miller'")[0]["text"]
    cited_texts = [document[citation.start : citation.end] for citation in answer.citations]
    assert [text.split("\n")[0] for text in cited_texts] == ["### Speed dial", "### Depth dial", "### Noise dial"]


def test_the_items_below_a_heading_are_listed(miller: Headwater) -> None:
    """Without sections, the items of its list, but not those below an item; links are plain text."""
    answer = _ask(miller, "What are the main features?")
    assert answer.text.splitlines()[0] == "**3 items** in Miller › Features:"
    assert "- Grinds oats, see grain. [1]" in answer.text
    assert "Twice" not in answer.text.split("Rings a bell.")[0]


def test_a_list_of_something_else_is_not_listed(headwater: Callable[..., Headwater]) -> None:
    """Behind several paragraphs, a list is of what the last of them says."""
    items = "* its number\n* its bed\n* its age\n"
    text = f"# Tools\n\n## Levers\n\nLevers move stones.\n\nA stone is named by one of:\n\n{items}"
    kb = headwater(slug="lists", files={"tools.md": text}, summary_model="builtin/extractive")
    kb.sync()
    assert "items" not in _ask(kb, "Which levers are there?").text
    kb.write("docs/tools.md", text.replace("A stone is named by", "The levers are"))
    kb.sync()
    assert _ask(kb, "Which levers are there?").text.startswith("**3 items**")


def test_a_heading_without_the_asked_word_lists_nothing(miller: Headwater) -> None:
    """`Dial repair` has sections, but none of them is a repair; a number of sections is no number of dials."""
    for question in ("Which repairs are there?", "Which dial should I use?", "How many dials are there?"):
        assert " in Miller › " not in _ask(miller, question).text, question


def test_sections_of_a_version_that_was_replaced_meanwhile_are_not_cited(
    miller: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync publishes another text between the look for headings and that for their chunks, where others stand."""
    versions = [_MANUAL.replace("is a machine.", "is a machine. It has dials, and more words than before.")]
    _publish_after_reading(monkeypatch, miller, "manual.md", versions)
    assert " in Miller › " not in _ask(miller, "Which dials are there?").text
    assert versions == []
    assert " in Miller › " in _ask(miller, "Which dials are there?").text


def test_what_changed_in_the_newest_version_and_in_a_named_one(miller: Headwater) -> None:
    """Headings of a product count if several name its versions, so another product's version is not the newest."""
    newest = _ask(miller, "What changed in the latest version?").text
    assert newest.startswith("The newest that these documents name is Miller 3.1:")
    assert "Added: oats.; Fixed: the bell. [1]" in newest
    named = _ask(miller, "what's new in version 3.0?").text
    assert "left turn" in named
    assert "oats" not in named
    since = _ask(miller, "What changed since 2.9?").text
    assert since.index("Miller 3.1") < since.index("Miller 3.0.2") < since.index("Miller 3.0**")
    assert "18.2" not in since


@pytest.mark.parametrize(
    ("changelog", "since_march", "since_version"),
    [
        (
            (
                "# Änderungen\n\n## Version 2.5 (12. März 2024)\n\nDie Mühle mahlt jetzt auch Hafer.\n\n"
                "## Version 2.4 (3. Dezember 2023)\n\nDie Glocke läutet wieder.\n"
            ),
            "Was wurde seit Januar 2024 geändert?",
            "Was hat sich seit Version 2.4 geändert?",
        ),
        (
            (
                "# Nouveautés\n\n## 2.5 (12 mars 2024)\n\nLe moulin moud maintenant l'avoine (Hafer).\n\n"
                "## 2.4 (1er décembre 2023)\n\nLa cloche sonne de nouveau (Glocke).\n"
            ),
            "Qu'est-ce qui a changé depuis janvier 2024 ?",
            "Quelles sont les nouveautés depuis la version 2.4 ?",
        ),
        (
            (
                "# 変更履歴\n\n## バージョン2.5 (2024年3月12日)\n\n製粉機はHaferも挽けます。\n\n"
                "## バージョン2.4 (2023年12月1日)\n\n鐘(Glocke)がまた鳴ります。\n"
            ),
            "2024年1月以降の変更点を教えてください",
            "バージョン2.4以降に何が変わりましたか？",
        ),
    ],
)
def test_what_changed_is_asked_in_other_languages(
    headwater: Callable[..., Headwater], changelog: str, since_march: str, since_version: str
) -> None:
    """With the names of their months, in questions and headings."""
    kb = headwater(slug="noted", files={"news.md": changelog}, summary_model="builtin/extractive")
    kb.sync()
    for question in (since_march, since_version):
        text = _ask(kb, question).text
        assert "Hafer" in text
        assert "Glocke" not in text


def test_the_items_of_a_change_log_are_whole(headwater: Callable[..., Headwater]) -> None:
    """In their lines, below a version that is a link; who contributed is no change."""
    changes = """# Changes

## [2.5.0](https://mill.example/2.5.0) - 2024-03-12

### Highlights

* The mill grinds oats
  and rye.
  * Rye takes longer.

* It has a second bell, thanks to @ada

```sh
# not a heading
```

### Deprecations

* Barley is deprecated.

### Contributors

Thanks to all of them!

* Ada Miller (@ada)
* Bo Baker (@bo)

## [2.4.0] - 2023-12-01

### Removed

None.

### Fixed

* The bell rings
  again.

[2.4.0]: https://mill.example/2.4.0
"""
    kb = headwater(slug="noted", files={"changes.md": changes}, summary_model="builtin/extractive")
    kb.sync()
    named = _ask(kb, "What changed in 2.5?").text
    assert named.startswith("About 2.5, these documents say:\n\n- **2.5.0 - 2024-03-12**: ")
    assert "The mill grinds oats and rye.; It has a second bell, thanks to @ada [1]; Barley" in named
    assert "Ada" not in named
    deprecated = _ask(kb, "What was deprecated in 2.5?").text
    assert "Barley is deprecated." in deprecated
    removed = _ask(kb, "What was removed in 2.4?").text
    assert removed == "About 2.4, these documents say:\n\n- **2.4.0 - 2023-12-01**: None. [1]"
    released = _ask(kb, "When was 2.4 released?").text
    assert released == "About 2.4, these documents say:\n\n- **2.4.0 - 2023-12-01**: The bell rings again. [1]"
    since = _ask(kb, "What changed since 2.3?").text
    assert since.count("**2.5.0 - 2024-03-12**") == 1
    assert "**2.4.0 - 2023-12-01**: The bell rings again. [" in since


def test_changes_below_labels_are_listed(headwater: Callable[..., Headwater]) -> None:
    """A label such as "Bug fixing" is no change; what an item explains below it is none either."""
    changes = (
        "# Changes\n\n## 2.5\n\n* Features\n\t* Oats are ground,\n\t\tand rye\n\t\t* Not wet ones\n"
        "\t* The wheel turns left\n* Fixes\n\t* The bell\n* The door opens by itself now\n\t* Nobody is inside\n\n"
        "## 2.4\n\n* It runs\n"
    )
    kb = headwater(slug="labelled", files={"changes.md": changes}, summary_model="builtin/extractive")
    kb.sync()
    expected = "Oats are ground, and rye; The wheel turns left; Fixes: The bell; The door opens by itself now [1]"
    assert expected in _ask(kb, "What changed in 2.5?").text


def test_changes_in_a_large_document_are_cited_by_their_lines(headwater: Callable[..., Headwater]) -> None:
    """Its places are not read with each passage."""
    versions = "\n".join(
        f"## 2.{number}.0\n\n<!-- {'x' * (number * number % 91)}\n{'y' * (number % 7)} -->\n\n* Wheel {number} turns.\n"
        for number in range(300, 0, -1)
    )
    kb = headwater(slug="large", files={"changes.md": f"# Changes\n\n{versions}"}, summary_model="builtin/extractive")
    kb.sync()
    (citation,) = _ask(kb, "What changed in 2.40.0?").citations
    lines = f"# Changes\n\n{versions}".splitlines()
    assert citation.place is not None
    first, last = map(int, citation.place.label.replace("L", "").split("–"))
    assert "* Wheel 40 turns." in lines[first - 1 : last]
    assert last - first < 30


def test_numbered_sections_are_no_versions(headwater: Callable[..., Headwater]) -> None:
    """Their numbers rise from the top of a document to its end; those of releases fall."""
    sections = "\n\n".join(f"## {number}.{part} Repair\n\nTurn it." for number in (1, 2, 14) for part in (1, 2))
    releases = "# News\n\n## 2.5 Oats\n\nIt grinds oats.\n\n## 2.4 Bell\n\nIt rings.\n"
    files = {"manual.md": f"# Manual\n\n{sections}", "news.md": releases}
    kb = headwater(slug="numbered", files=files, summary_model="builtin/extractive")
    kb.sync()
    newest = _ask(kb, "What changed in the latest version?").text
    assert newest.startswith("The newest that these documents name is 2.5 Oats:")
    since = _ask(kb, "What changed since 2.4?").text
    assert "2.5 Oats" in since
    assert "14.2" not in since


def test_an_image_is_no_side_and_no_part(miller: Headwater) -> None:
    """Its name does not say what it shows."""
    assert "**Needs**" in _ask(miller, "Compare needs and news").text
    miller.query("UPDATE document_versions SET original_media_type = 'image/png' WHERE title = 'Needs' RETURNING id")
    assert "**Needs**" not in _ask(miller, "Compare needs and news").text
    everything = _ask(miller, "What is this about?").text
    assert everything.startswith("Miller (the large mill) is a machine. [1]")
    assert "2 documents and 1 image" in everything


def test_a_document_is_summarised(shared: Headwater) -> None:
    """In its own words, with its sections."""
    answer = _ask(shared, "Summarise the store")
    assert answer.text.startswith("**Store**\n\nThe store keeps flour.")
    assert set(_uris(answer)) == {"store.md"}


def test_a_model_gets_the_same_passages(kb: Headwater, chat: ChatServer) -> None:
    """The members with their number; what changed; each as what it is."""
    prompts: list[str] = []

    def reply(request: ChatRequest) -> Says:
        prompts.append(request.prompt)
        return Says("There are many [1].")

    chat.otherwise = reply
    settings: Any = kb.knowledge_base.settings.model_copy(update={"answer_model": MODEL, "context_tokens": 9_000})
    kb.store.knowledge_bases.update(kb.slug, settings=settings)
    _ask(kb, "Which commands are there?")
    assert f"Summary of the document “mill add”, one of {len(_COMMANDS)} documents commands, not a quote" in prompts[-1]
    _ask(kb, "What changed since March 2023?")
    assert "The mill grinds oats as well." in prompts[-1]
    count = len(prompts)
    assert _ask(kb, "What changed since 2031?").text.startswith("No heading or mark")
    assert len(prompts) == count  # nothing is left to tell
