"""What summaries without a model say: of a document, of a group, of sources (SUM-1)."""

from uuid import uuid4

import pytest

from headwater.domain.summaries import NodeKind
from headwater.summaries.central import choose_leading_sentences
from headwater.summaries.extractive import find_shared_words, summarize
from headwater.summaries.headings import headings_of, sections_of
from headwater.summaries.tree import ChunkInput, DocumentInput, Recipe, Top, Wanted, summarize_all, summarize_documents

RECIPE = Recipe(model="builtin/extractive", prompt_version="1")
PUMP = """# Pump

![The pump. It is blue.](pump.png)

> This page is new.

The pump lifts [water](water.md) from the well to the hall. It has two valves.

## Care

- Oil it.

## Repairs

Only two people may repair it.
"""


def _of_document(text: str, title: str = "Pump", **changed: object) -> str:
    wanted = Wanted(kind=NodeKind.DOCUMENT, key=b"", texts=[text], title=title, headings=headings_of([text]))
    return summarize(wanted, tokens=int(str(changed.get("tokens", 150))))


def test_a_document_is_its_title_what_it_is_for_and_its_sections() -> None:
    """The first sentences that say what it is about; no image, no list, no markup of links."""
    assert _of_document(PUMP) == (
        "Pump: The pump lifts water from the well to the hall. It has two valves. Sections: Care; Repairs."
    )


def test_a_sentence_that_leans_on_another_does_not_lead() -> None:
    """However early it stands; of others, the one that says the title's words."""
    text = "However, it may rain. Many things stand in the yard. The crane lifts wood in the yard."
    assert choose_leading_sentences([text], title="Crane", tokens=20)[0] == "The crane lifts wood in the yard."


def test_a_sentence_begins_like_one() -> None:
    """With a letter, and not with a small one if there is another."""
    text = "please write to us about the pump. (~91 cm) of pipe are there. Anybody may use the hose."
    assert choose_leading_sentences([text], title="Yard", tokens=8) == ["Anybody may use the hose."]


def test_a_document_without_a_sentence_has_its_sections_or_its_beginning() -> None:
    """A list or a table says something, too."""
    assert _of_document("# Hose\n\n## Red\n\n- a\n\n## Blue\n\n- b", "Hose") == "Hose: Sections: Red; Blue."
    assert _of_document("# Hose\n\n- red ones\n- blue ones", "Hose").startswith("Hose: - red ones")
    assert _of_document("# Hose\n\n[#yard](yard) #water\n\n- red ones", "Hose") == "Hose: - red ones"
    table = "# Hose\n\n| Colour | |\n| --- | --- |\n| red | 3 m |"
    assert _of_document(table, "Hose") == "Hose: Colour red – 3 m"


def test_few_sections_name_those_below_them() -> None:
    """Many do not; what stands in a block of code is no heading."""
    text = "# A\n\n## One\n\n### Left\n\n### Right\n\n```sh\n# no heading\n```\n\n## Two\n"
    assert sections_of(headings_of([text]), "A") == ["One (Left, Right)", "Two"]
    many = "\n\n".join(f"## Part {number}\n\n### Below {number}" for number in range(5))
    assert sections_of(headings_of([many]), "A") == [f"Part {number}" for number in range(5)]


@pytest.mark.parametrize("tokens", [50, 80, 150])
def test_a_summary_keeps_its_length(tokens: int) -> None:
    """It says how many sections it leaves out."""
    text = "# Long\n\n" + "\n\n".join(f"## The section number {number} of many\n\nIt is long." for number in range(60))
    said = _of_document(text, "Long", tokens=tokens)
    assert "more." in said
    assert len(said.split()) <= tokens


def test_a_group_says_what_its_members_are_called_and_share() -> None:
    """And how many they are."""
    titles = ["Import from Chrome", "Import from Safari", "Import from 1Password", "Export"]
    assert find_shared_words(titles) == ["import"]
    wanted = Wanted(kind=NodeKind.GROUP, key=b"", texts=["…"] * 4, title="docs", titles=titles)
    assert summarize(wanted, tokens=150) == (
        "4 documents with “import” in their titles: "
        "Import from Chrome; Import from 1Password; Import from Safari; Export."
    )


def test_an_edit_within_a_document_changes_no_summary_above_it() -> None:
    """Groups are made of titles, so what is above them stands, too."""

    def tree(said: str) -> str:
        documents = [
            DocumentInput(
                id=uuid4(), title=f"Page {n}", parts=[ChunkInput(id=uuid4(), text=f"The page {n} says {said} now.")]
            )
            for n in range(30)
        ]
        nodes = summarize_documents(documents, RECIPE, lambda all_: [summarize(one, tokens=150) for one in all_])
        top = Top(kind=NodeKind.SOURCE, id="1", title="docs")
        return summarize_all(nodes, top, RECIPE, lambda all_: [summarize(one, tokens=150) for one in all_]).text

    assert tree("this") == tree("that")
    assert tree("this").startswith("docs: 30 documents with “page” in their titles: Page 0; ")


@pytest.mark.parametrize(("is_code", "expected"), [(False, "Sections: Ports; Limits."), (True, "")])
def test_comments_of_code_are_no_sections(is_code: bool, expected: str) -> None:
    """`# Ports` is a heading of markdown, and a comment in settings and in Python."""
    text = "# Ports\n\nlisten 80\n\n# Limits\n\nworkers 4\n"
    document = DocumentInput(id=uuid4(), title="pump.conf", parts=[ChunkInput(id=uuid4(), text=text, is_code=is_code)])
    (node,) = summarize_documents([document], RECIPE, lambda every: [summarize(wanted, tokens=150) for wanted in every])
    assert node.text.partition("Sections: ")[1:] == tuple(expected.partition("Sections: ")[1:])


def test_a_long_document_is_introduced_by_its_beginning() -> None:
    """However many pieces and groups of pieces lie between."""
    later = "The pump of the pump house pumps what the pump pumps. " + "Water runs. " * 60
    parts = ["# Pump\n\nThe pump lifts water from the well. " + "It turns. " * 60, *[later] * 80]
    chunks = [ChunkInput(id=uuid4(), text=f"{text}{number}") for number, text in enumerate(parts)]
    document = DocumentInput(id=uuid4(), title="Pump", parts=chunks)
    recipe = Recipe(model="builtin/extractive", prompt_version="1", piece_min=100, piece_max=400, summary_max=300)
    (node,) = summarize_documents([document], recipe, lambda wanted: [summarize(one, tokens=60) for one in wanted])
    assert any(below.kind is NodeKind.GROUP for below in node.walk())
    assert node.text.startswith("Pump: The pump lifts water from the well.")


def test_a_sentence_right_below_a_heading_is_one() -> None:
    """Markdown needs no blank line between them."""
    sentences = choose_leading_sentences(["## Data\nThis is a list of mills."], title="Mills", tokens=100)
    assert sentences == ["This is a list of mills."]
