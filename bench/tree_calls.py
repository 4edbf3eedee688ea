"""What a change costs in a summary tree, counted in summaries that are made (SUM-2).

Belongs here: trees of 100 to 10,000 documents, changes one at a time, a model that counts. Not here: storing trees, and
when they are built (`headwater.syncing.summary_tree`). Guarantee: no database, no network; the same every time.

    python -m bench.tree_calls [--sizes 100,1000,10000] [--changes 50] [--json FILE] [--plot FILE.svg]

Each document has four to five pieces, and the source is one of twelve of its knowledge base. `own` are the summaries of
the changed document itself; the other columns count those above documents, up to the knowledge base: the mean of the
changes of a kind, and the most.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from headwater.domain.summaries import NodeKind
from headwater.identity import content_id
from headwater.summaries.tree import (
    ChunkInput,
    DocumentInput,
    Node,
    Recipe,
    Top,
    Wanted,
    summarize_all,
    summarize_documents,
)

_CHUNKS, _WORDS = 24, 220
_RECIPE = Recipe(model="counting", prompt_version="1")
_TOP = Top(kind=NodeKind.SOURCE, id="1", title="handbook")
_WHOLE = Top(kind=NodeKind.KNOWLEDGE_BASE, id="1", title="Machines")
_OTHERS = 11  # sources of the knowledge base
_SEED = 20_261_124
_ABOVE = (NodeKind.GROUP, NodeKind.SOURCE)
_COSTS = ("own", "edit", "insert", "delete")


class Counting:
    """Summarises by the key, and counts what is made."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.known: dict[bytes, str] = {}
        self.made = 0

    def __call__(self, wanted: Sequence[Wanted]) -> list[str]:
        """Look up, or make."""
        for one in wanted:
            if one.key not in self.known:
                self.made += 1
                self.known[one.key] = f"{one.key.hex()} {'word ' * 100}"
        return [self.known[one.key] for one in wanted]

    def cost(self) -> int:
        """How many were made since the last time."""
        made, self.made = self.made, 0
        return made


@dataclass(kw_only=True, slots=True)
class Found:
    """The costs of the changes of a tree."""

    documents: int
    first: int
    levels: int
    own: list[int]
    edit: list[int]
    insert: list[int]
    delete: list[int]

    def figures(self) -> dict[str, Any]:
        """Means and the most, by kind of change."""
        kinds = {name: getattr(self, name) for name in _COSTS}
        costs = {name: {"mean": round(fmean(found), 2), "most": max(found)} for name, found in kinds.items()}
        return {"documents": self.documents, "first": self.first, "levels": self.levels, **costs}


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--sizes", default="100,1000,10000", show_default=True, help="Documents of each tree.")
@click.option("--changes", default=50, show_default=True, help="Changes of each kind.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
@click.option("--plot", type=click.Path(path_type=Path), help="Where to draw them: .svg or .png; wants matplotlib.")
def main(sizes: str, changes: int, json_file: Path | None, plot: Path | None) -> None:
    """Measure, and print a table."""
    found = [measure(int(size), changes).figures() for size in sizes.split(",")]
    print("| documents | first | levels | own | edit | insert | delete |\n|---|---|---|---|---|---|---|")
    for one in found:
        costs = " | ".join(
            f"{one[name]['mean']:.1f} / {one[name]['most']}" for name in ("own", "edit", "insert", "delete")
        )
        print(f"| {one['documents']:,} | {one['first']:,} | {one['levels']} | {costs} |")
    if json_file:
        json_file.write_text(json.dumps(found, indent=2))
    if plot:
        _draw(found, plot)


def measure(size: int, changes: int) -> Found:
    """Build a tree, and change it in each way, one change at a time."""
    summarize, drawn = Counting(), random.Random(_SEED)  # noqa: S311 - documents to change, no secret
    others = [_other(number, summarize) for number in range(_OTHERS)]
    summarize.cost()
    nodes = [_summarized(_document(number), summarize) for number in range(size)]
    root = _whole(nodes, others, summarize)
    found = Found(documents=size, first=summarize.cost(), levels=_levels(root), own=[], edit=[], insert=[], delete=[])

    def cost(changed: Sequence[Node]) -> int:
        _whole(changed, others, summarize)
        return summarize.cost()

    for change in range(changes):
        place = drawn.randrange(size)
        edited = _summarized(_edited(_document(place), drawn.randrange(_CHUNKS), change), summarize)
        found.own.append(summarize.cost())
        found.edit.append(cost([*nodes[:place], edited, *nodes[place + 1 :]]))
        added = _summarized(_document(size + change), summarize)
        summarize.cost()
        found.insert.append(cost([*nodes[:place], added, *nodes[place:]]))
        found.delete.append(cost([*nodes[:place], *nodes[place + 1 :]]))
    return found


def _document(number: int) -> DocumentInput:
    parts = [
        ChunkInput(
            id=content_id("chunk", number, place),
            text=f"Document {number} chunk {place} {'word ' * _WORDS}",
            breadcrumb=(f"Section {place // 6}",),
        )
        for place in range(_CHUNKS)
    ]
    return DocumentInput(id=content_id("document", number), title=f"Document {number}", parts=parts)


def _edited(document: DocumentInput, place: int, change: int) -> DocumentInput:
    part = document.parts[place]
    new = replace(part, id=content_id("edit", part.id.hex, change), text=f"{part.text} edit {change}")
    return replace(document, parts=[*document.parts[:place], new, *document.parts[place + 1 :]])


def _summarized(document: DocumentInput, summarize: Counting) -> Node:
    (node,) = summarize_documents([document], _RECIPE, summarize)
    return replace(node, children=())


def _other(number: int, summarize: Counting) -> Node:
    """Another source, with a single document."""
    node = _summarized(_document(-1 - number), summarize)
    top = Top(kind=NodeKind.SOURCE, id=f"other {number}", title=f"other-{number}")
    return replace(summarize_all([node], top, _RECIPE, summarize), children=())


def _whole(documents: Sequence[Node], others: Sequence[Node], summarize: Counting) -> Node:
    """The knowledge base's summary."""
    source = summarize_all(documents, _TOP, _RECIPE, summarize)
    return summarize_all([source, *others], _WHOLE, _RECIPE, summarize)


def _levels(root: Node) -> int:
    """Levels above the documents."""
    return 1 + max((_levels(child) for child in root.children if child.kind in _ABOVE), default=0)


def _draw(found: Sequence[dict[str, Any]], file: Path) -> None:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise click.ClickException("Drawing wants matplotlib: pip install 'headwater[bench]'.") from error
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    sizes = [one["documents"] for one in found]
    for kind in ("edit", "insert", "delete"):
        axes.plot(sizes, [one[kind]["mean"] for one in found], "o-", label=f"{kind}, mean")
    axes.plot(sizes, [one["levels"] for one in found], ":", color="grey", label="levels")
    axes.set(xscale="log", xlabel="documents", ylabel="summaries made above documents", ylim=(0, None))
    axes.legend(frameon=False)
    figure.savefig(file)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
