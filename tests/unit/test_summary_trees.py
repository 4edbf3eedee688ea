"""Summary trees: which texts are summarised together, and what a change costs (SUM-1, SUM-2)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.summaries import NodeKind
from headwater.domain.usage import Usage
from headwater.identity import content_hash, content_id
from headwater.models_gateway.budget import Budget, BudgetReachedError
from headwater.summaries.group_borders import Sizes, group
from headwater.summaries.tree import (
    GROUPS,
    ChunkInput,
    DocumentInput,
    Node,
    Recipe,
    Top,
    Wanted,
    summarize_all,
    summarize_documents,
)

RECIPE = Recipe(model="counting", prompt_version="1", piece_min=40, piece_max=120, summary_max=480, summary_tokens=20)
TOP = Top(kind=NodeKind.SOURCE, id="1", title="Handbook")
identities = st.lists(st.binary(min_size=1, max_size=8), max_size=200, unique=True)


class Counting:
    """Summarises by the key, and counts what is paid for."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.known: dict[bytes, str] = {}
        self.paid: list[Wanted] = []

    def __call__(self, wanted: Sequence[Wanted]) -> list[str]:
        """Look up, or pay."""
        for one in wanted:
            if one.key not in self.known:
                self.paid.append(one)
                self.known[one.key] = f"{one.key.hex()[:6]} says that " + "much is done here " * 3
        return [self.known[one.key] for one in wanted]

    def cost(self) -> list[NodeKind]:
        """What was paid for since the last time."""
        kinds = [one.kind for one in self.paid]
        self.paid.clear()
        return kinds


def _document(number: int, chunks: int = 8) -> DocumentInput:
    return DocumentInput(
        id=content_id("document", number),
        title=f"Document {number}",
        parts=[
            ChunkInput(
                id=content_id("chunk", number, place),
                text=f"Chunk {place} of document {number} says a few words. " * 3,
                breadcrumb=(f"Heading {place // 3}",),
            )
            for place in range(chunks)
        ],
    )


def _edited(document: DocumentInput, place: int) -> DocumentInput:
    part = document.parts[place]
    changed = replace(part, id=content_id("edit", part.id.hex), text=part.text.replace("few", "new"))
    return replace(document, parts=[*document.parts[:place], changed, *document.parts[place + 1 :]])


# Groups


@given(identities)
def test_groups_tile_the_sequence_and_keep_their_sizes(items: list[bytes]) -> None:
    """Every item is in one group; only the last may be larger, or smaller if it is alone."""
    found = group(items, GROUPS)
    assert [place for one in found for place in one] == list(range(len(items)))
    assert all(GROUPS.least <= len(one) <= GROUPS.most for one in found[:-1])
    assert not found or len(found[-1]) < GROUPS.most + GROUPS.least
    assert len(found) < 2 or len(found[-1]) >= GROUPS.least


@given(identities, st.data())
def test_a_change_leaves_the_groups_away_from_it(items: list[bytes], data: st.DataObject) -> None:
    """Groups before an insert are the same; after it, they are the same from the first common border on."""
    place = data.draw(st.integers(0, len(items)))
    before = [tuple(items[one.start : one.stop]) for one in group(items, GROUPS)]
    changed = [*items[:place], b"a new item of nine", *items[place:]]
    after = [tuple(changed[one.start : one.stop]) for one in group(changed, GROUPS)]
    untouched = [one for one in before[:-1] if set(one) < set(items[: max(0, place - 1)])]
    assert after[: len(untouched)] == untouched
    ends_before, ends_after = {one[-1] for one in before}, {one[-1] for one in after}
    common = [item for item in items[place:] if item in ends_before and item in ends_after]
    if common:
        rest = items[items.index(common[0]) + 1 :]
        assert [one for one in before if set(one) <= set(rest)] == [one for one in after if set(one) <= set(rest)]


def test_groups_by_weight() -> None:
    """An item that is too heavy is alone; what is left at the end joins the group before."""
    sizes = Sizes(least=10, most=20, spread=10**12)  # no border but by size
    items = [bytes([number]) for number in range(6)]
    assert group(items, sizes, [8, 30, 12, 8, 9, 5]) == [range(1), range(1, 2), range(2, 4), range(4, 6)]
    assert group(items, sizes, [8, 8, 8, 8, 2, 2]) == [range(2), range(2, 6)]
    with pytest.raises(ValueError, match="cannot have from 5 to 4"):
        Sizes(least=5, most=4, spread=2)


# Trees


def test_a_document_that_fits_is_summarised_once() -> None:
    """Its summary is a leaf with all its chunks; without pieces, one call."""
    summarize, document = Counting(), _document(1, chunks=2)
    (found,) = summarize_documents([document], RECIPE, summarize)
    assert (found.kind, found.children) == (NodeKind.DOCUMENT, ())
    assert list(found.chunk_ids) == [part.id for part in document.parts]
    assert summarize.cost() == [NodeKind.DOCUMENT]


def test_a_long_document_has_pieces_which_see_the_end_of_the_one_before() -> None:
    """The overlap is shown to the model; it is no text of the piece."""
    summarize, document = Counting(), _document(1)
    (found,) = summarize_documents([document], RECIPE, summarize)
    pieces = [one for one in summarize.paid if one.kind is NodeKind.PIECE]
    assert len(pieces) > 2
    assert pieces[0].before == ""
    for one in pieces[1:]:
        first = next(place for place, part in enumerate(document.parts) if part.text == one.texts[0])
        assert one.before
        assert document.parts[first - 1].text.split()[-3:] == one.before.split()[-3:]
    assert [one.kind for one in found.children] == [NodeKind.PIECE] * len(pieces)
    assert [id_ for child in found.children for id_ in child.chunk_ids] == [part.id for part in document.parts]


def _built(documents: Sequence[DocumentInput], summarize: Counting) -> tuple[Node, list[Node]]:
    nodes = summarize_documents(documents, RECIPE, summarize)
    return summarize_all(nodes, TOP, RECIPE, summarize), nodes


def _chunks(root: Node) -> Iterator[UUID]:
    return (chunk_id for node in root.walk() for chunk_id in node.chunk_ids)


def _levels(root: Node) -> int:
    return 1 + max((_levels(one) for one in root.children if one.kind is NodeKind.GROUP), default=0)


@pytest.mark.parametrize("count", [1, 3, 40, 150])
def test_every_chunk_is_under_exactly_one_path(count: int) -> None:
    """The root is the source's; no chunk is twice or missing; the same again costs nothing."""
    summarize, documents = Counting(), [_document(number, chunks=1 + number % 9) for number in range(count)]
    root, _ = _built(documents, summarize)
    assert root.kind is NodeKind.SOURCE
    assert list(_chunks(root)) == [part.id for document in documents for part in document.parts]
    summarize.cost()
    assert _built(documents, summarize)[0] == root
    assert summarize.cost() == []


def test_a_single_document_lends_its_summary_to_its_source() -> None:
    """Without a call."""
    summarize = Counting()
    root, (only,) = _built([_document(1)], summarize)
    assert (root.text, root.key, root.children) == (only.text, only.key, [only])
    assert NodeKind.SOURCE not in summarize.cost()


def test_a_change_costs_its_path() -> None:
    """An edit: its piece, its document, one a level. An insert or delete of a document: two a level on average."""
    summarize, documents = Counting(), [_document(number) for number in range(120)]
    root, nodes = _built(documents, summarize)
    levels = _levels(root)
    summarize.cost()
    inserted, deleted = [], []
    for number in range(30):
        place = int.from_bytes(content_hash("place", number)[:2]) % len(documents)
        (edited,) = summarize_documents([_edited(documents[place], number % 8)], RECIPE, summarize)
        assert summarize.cost() == [NodeKind.PIECE, NodeKind.DOCUMENT]
        summarize_all([*nodes[:place], edited, *nodes[place + 1 :]], TOP, RECIPE, summarize)
        assert len(summarize.cost()) <= levels
        (new,) = summarize_documents([_document(1_000 + number)], RECIPE, summarize)
        summarize.cost()
        summarize_all([*nodes[:place], new, *nodes[place:]], TOP, RECIPE, summarize)
        inserted.append(len(summarize.cost()))
        summarize_all([*nodes[:place], *nodes[place + 1 :]], TOP, RECIPE, summarize)
        deleted.append(len(summarize.cost()))
    for costs in (inserted, deleted):
        assert sum(costs) / len(costs) <= 2 * levels
        assert max(costs) <= 3 * levels + 5


def test_after_many_changes_a_tree_is_the_one_built_from_nothing() -> None:
    """Summaries that were known do not decide where groups end."""
    summarize, documents = Counting(), [_document(number) for number in range(60)]
    for number in range(200):
        place = int.from_bytes(content_hash("change", number)[:2]) % len(documents)
        match number % 3:
            case 0:
                documents[place] = _edited(documents[place], number % 8)
            case 1:
                documents.insert(place, _document(1_000 + number))
            case _:
                del documents[place]
        if number % 20 == 19:
            assert _built(documents, summarize)[0] == _built(documents, Counting())[0]


def test_a_summary_that_says_the_same_stops_the_work_above_it() -> None:
    """The piece is summarised again, and nothing else."""
    summarize, document = Counting(), _document(1)
    _built([document, _document(2)], summarize)
    summarize.cost()
    edited = _edited(document, 3)
    (new,) = (one for one in _asked(edited) if one.key not in summarize.known)
    (old,) = (one for one in _asked(document) if one.key not in {again.key for again in _asked(edited)})
    summarize.known[new.key] = summarize.known[old.key]
    _built([edited, _document(2)], summarize)
    assert summarize.cost() == []


def _asked(document: DocumentInput) -> list[Wanted]:
    """The pieces of a document."""
    summarize = Counting()
    summarize_documents([document], RECIPE, summarize)
    return [one for one in summarize.paid if one.kind is NodeKind.PIECE]


def test_a_budget_that_is_spent_lets_no_call_begin() -> None:
    """Calls begin while what is spent, and what those under way may take, is below it; one token more is enough."""
    wanted = [Usage(prompt_tokens=300, completion_tokens=100)] * 5
    budget = Budget(limit=1_000)
    assert budget.affordable(wanted) == 3
    budget.note(Usage(prompt_tokens=900, completion_tokens=99))
    assert budget.affordable(wanted) == 1
    budget.note(Usage(prompt_tokens=1))
    with pytest.raises(BudgetReachedError):
        budget.affordable(wanted)
    assert budget.affordable([Usage()] * 5) == 5  # rules and quotes take nothing
    assert Budget(limit=None, spent=10**9).affordable(wanted) == 5
