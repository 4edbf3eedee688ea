"""Building summary trees: which summaries there are, and what each one summarises (SUM-1, SUM-2).

Belongs here: pieces of documents, the levels above them, keys. Not here: where groups end (`group_borders`), writing a
summary (`extractive`), storing trees. Guarantee: pure but for the summaries that it asks for; every chunk is below
exactly one leaf; a summary's key depends only on the texts that it summarises and on the recipe, so where a new summary
says what the old one said, nothing above it changes.

    chunks → pieces → document summary → groups → source summary

A document that fits is summarised once, without pieces. The levels rise until what is left fits; the last summary is of
all of it. A node with a single child has its child's text, which costs nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from uuid import UUID

from headwater.domain.summaries import NodeKind
from headwater.identity import content_hash
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.summaries.group_borders import Sizes, group
from headwater.summaries.headings import Heading, headings_of

GROUPS = Sizes(least=4, most=16, spread=5)
"""How many summaries are summarised together: eight in the middle."""
_SPREAD = 4  # chunks: a piece that is large enough ends after one in four
_BETWEEN = "\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How summaries are made. Sizes are in tokens, as `estimate_tokens` counts them.

    `piece_min` and `piece_max` bound a piece of a document; `piece_overlap` is how much of the piece before a model
    sees; `summary_max` bounds what is summarised at once above the pieces; `summary_tokens` bounds a summary.
    """

    model: str
    prompt_version: str
    piece_min: int = 500
    piece_max: int = 2_000
    piece_overlap: int = 100
    summary_max: int = 4_000
    summary_tokens: int = 150

    @property
    def hash(self) -> bytes:
        """What identifies the recipe: with another one, everything is looked at again."""
        return content_hash(asdict(self))

    @property
    def is_extractive(self) -> bool:
        """Whether summaries are made of headings and titles too; a chat model gets the texts alone."""
        return self.model == EXTRACTIVE

    def key(self, kind: NodeKind, texts: Sequence[str], names: Sequence[str] = ()) -> bytes:
        """The key of a summary: equal keys, equal summaries. `names` are the headings or titles that it is made of."""
        name_lists = [list(names)] if names else []
        return content_hash(self.model, self.prompt_version, self.summary_tokens, kind.value, list(texts), *name_lists)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkInput:
    """A chunk of a document, to be summarised, with the headings above it. Code has none: `#` begins a comment."""

    id: UUID
    text: str
    breadcrumb: Sequence[str] = ()
    is_code: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentInput:
    """A document's chunks in their order, below its title."""

    id: UUID
    title: str
    parts: Sequence[ChunkInput]
    language: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A summary that a tree needs: its key, the texts that it summarises, and what came before them.

    `headings` are those of the document or the piece, `titles` those of the documents below a group or a source.
    """

    kind: NodeKind
    key: bytes
    texts: Sequence[str]
    title: str = ""
    before: str = ""
    language: str = ""
    headings: Sequence[Heading] = ()
    titles: Sequence[str] = ()
    is_within_document: bool = False
    """Whether it is of pieces of one document."""


Summarize = Callable[[Sequence[Wanted]], Sequence[str]]
"""Returns the texts of summaries, in order; it looks up those that exist and pays for the others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Top:
    """What a tree is of; `id` is that of the document or the source. A document has headings and a language."""

    kind: NodeKind
    id: str
    title: str
    headings: Sequence[Heading] = ()
    language: str = ""

    @property
    def identity(self) -> bytes:
        """The identity of its summary, whatever is below."""
        return content_hash(self.kind.value, self.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A summary in a tree.

    `identity` stays the same when its text changes. Its `children` are nodes, or else it is a leaf with the chunks in
    `chunk_ids`. `titles` are those of the documents below it.
    """

    identity: bytes
    kind: NodeKind
    key: bytes
    text: str
    children: Sequence["Node"] = ()
    chunk_ids: Sequence[UUID] = field(default=(), repr=False)
    titles: Sequence[str] = field(default=(), repr=False)

    def walk(self) -> Iterator["Node"]:
        """This node and all below it, each after the nodes below it."""
        for child in self.children:
            yield from child.walk()
        yield self


def summarize_documents(documents: Sequence[DocumentInput], recipe: Recipe, summarize: Summarize) -> list[Node]:
    """Summarise documents, each by itself.

    Args:
        documents: each with at least one chunk.
        recipe: how.
        summarize: is called once for all pieces, and once for each level above them.

    Returns:
        The document summaries, in order.
    """
    tops = [_top_of(document, recipe) for document in documents]
    leaves = [_leaves(document, top, recipe) for document, top in zip(documents, tops, strict=True)]
    texts = iter(summarize([wanted_summary for of_document in leaves for *_, wanted_summary in of_document]))
    rows = [
        [
            Node(
                identity=identity,
                kind=wanted_summary.kind,
                key=wanted_summary.key,
                text=next(texts),
                chunk_ids=chunk_ids,
                titles=[wanted_summary.title] if wanted_summary.kind is NodeKind.DOCUMENT else (),
            )
            for identity, chunk_ids, wanted_summary in of_document
        ]
        for of_document in leaves
    ]
    return _raise_levels(rows, tops, recipe, summarize)


def summarize_all(nodes: Sequence[Node], top: Top, recipe: Recipe, summarize: Summarize) -> Node:
    """Summarise the document summaries of a source.

    Args:
        nodes: at least one, in an order that a change of one does not change.
        top: what the result is of.
        recipe: how.
        summarize: is called once for each level.
    """
    (root,) = _raise_levels([nodes], [top], recipe, summarize)
    return root


def _top_of(document: DocumentInput, recipe: Recipe) -> Top:
    texts = [chunk.text for chunk in document.parts if not chunk.is_code]
    headings = headings_of(texts) if recipe.is_extractive else ()
    kind, language = NodeKind.DOCUMENT, document.language
    return Top(kind=kind, id=str(document.id), title=document.title, headings=headings, language=language)


_Leaf = tuple[bytes, Sequence[UUID], Wanted]  # its identity, its chunks, its summary


def _leaves(document: DocumentInput, top: Top, recipe: Recipe) -> list[_Leaf]:
    """The pieces of a document, or all of it if it fits."""
    sizes = [estimate_tokens(chunk.text) for chunk in document.parts]
    if sum(sizes) <= recipe.piece_max:
        all_places = range(len(sizes))
        return [(top.identity, *_summarize_piece(document, all_places, NodeKind.DOCUMENT, recipe))]
    bounds = Sizes(least=recipe.piece_min, most=recipe.piece_max, spread=_SPREAD)
    identities = _identities(document, top)
    return [
        (content_hash(NodeKind.PIECE.value, identities[places[-1]].hex()),
         *_summarize_piece(document, places, NodeKind.PIECE, recipe))
        for places in group(identities, bounds, sizes)
    ]  # fmt: skip


def _identities(document: DocumentInput, top: Top) -> list[bytes]:
    """What each chunk is: its number below its headings, so that an edit moves no border.

    Without headings it is the chunk itself: then a new one at the beginning would change every number.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    identities = []
    for chunk in document.parts:
        path = tuple(chunk.breadcrumb)
        identities.append(content_hash(top.id, path, counts[path] if path else chunk.id.hex))
        counts[path] += 1
    return identities


def _summarize_piece(
    document: DocumentInput, piece: range, kind: NodeKind, recipe: Recipe
) -> tuple[Sequence[UUID], Wanted]:
    chunks = [document.parts[place] for place in piece]
    texts = [chunk.text for chunk in chunks]
    previous_text = document.parts[piece.start - 1].text if piece.start else ""
    wanted_summary = Wanted(
        kind=kind,
        key=recipe.key(kind, [document.title, *texts]),
        texts=texts,
        title=document.title,
        before=_end_of(previous_text, recipe.piece_overlap),
        language=document.language,
        headings=headings_of([chunk.text for chunk in chunks if not chunk.is_code]) if recipe.is_extractive else (),
    )
    return [chunk.id for chunk in chunks], wanted_summary


def _raise_levels(
    rows: Sequence[Sequence[Node]], tops: Sequence[Top], recipe: Recipe, summarize: Summarize
) -> list[Node]:
    """Summarise each row of nodes until its top is left, all rows together, level by level."""
    rising = [list(row) for row in rows]
    level = 0
    while waiting := [place for place, row in enumerate(rising) if len(row) > 1 or row[0].kind is not tops[place].kind]:
        level += 1
        steps = [(place, [_Step(members, tops[place], level, recipe, is_last=len(groups) == 1) for members in groups])
                 for place in waiting for groups in [_groups(rising[place], recipe)]]  # fmt: skip
        texts = iter(
            summarize([step.wanted for _, level_steps in steps for step in level_steps if len(step.below) > 1])
        )
        for place, level_steps in steps:
            rising[place] = [step.node(texts) for step in level_steps]
    return [row[0] for row in rising]


def _groups(row: Sequence[Node], recipe: Recipe) -> list[Sequence[Node]]:
    """What is summarised together on the next level: all of a row if that fits, else its groups."""
    if sum(estimate_tokens(node.text) for node in row) <= recipe.summary_max:
        return [row]
    # As many as fit, by their greatest length: if it were by their texts, an edit could move every border.
    most = max(GROUPS.least, min(GROUPS.most, 2 * recipe.summary_max // (3 * recipe.summary_tokens)))
    ranges = group([node.identity for node in row], replace(GROUPS, most=most))
    return [row[span.start : span.stop] for span in ranges]


class _Step:
    """The summary of some nodes."""

    def __init__(self, below: Sequence[Node], top: Top, level: int, recipe: Recipe, *, is_last: bool) -> None:
        self.below = below
        kind = top.kind if is_last else NodeKind.GROUP
        texts = [node.text for node in below]
        is_document = top.kind is NodeKind.DOCUMENT
        self._titles = [top.title] if is_document else [title for node in below for title in node.titles]
        headings, titles = (top.headings, () if is_document else self._titles) if recipe.is_extractive else ((), ())
        self.wanted = Wanted(
            kind=kind,
            key=recipe.key(kind, [top.title, *texts], [*(heading.words for heading in headings), *titles]),
            texts=texts,
            title=top.title,
            language=top.language,
            headings=headings,
            titles=titles,
            is_within_document=is_document,
        )
        self._identity = top.identity if is_last else content_hash(kind.value, level, below[-1].identity.hex())

    def node(self, texts: Iterator[str]) -> Node:
        """The node; a single node below lends it its key and its text."""
        only = self.below[0] if len(self.below) == 1 else None
        return Node(
            identity=self._identity,
            kind=self.wanted.kind,
            key=only.key if only else self.wanted.key,
            text=only.text if only else next(texts),
            children=self.below,
            titles=self._titles,
        )


def _end_of(text: str, tokens: int) -> str:
    """The last words of a text, about as many as so many tokens."""
    last_words: list[str] = []
    for word in reversed(text.split()):
        tokens -= estimate_tokens(word)
        if tokens < 0:
            break
        last_words.append(word)
    return " ".join(reversed(last_words))
