"""What answers a broad question: summaries, the members of a family of documents, what changed (SUM-4).

Belongs here: which nodes of summary trees a question is about, and the chunks that they lead to. Not here: the wordings
(`headwater.understanding`), families (`members`), news (`changes`), SQL (`headwater.store.search.summary_entries`).
Guarantee: a question that is not broad finds nothing, and its passages are the same with and without summaries.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Literal
from uuid import UUID

from headwater.domain.search import Passage
from headwater.domain.summaries import NodeKind, RankedSummary
from headwater.models_gateway.embedder import Vectors
from headwater.retrieval.changes import Changes, find_changes
from headwater.retrieval.finder import Finder
from headwater.retrieval.introductions import Introduction, find_introducing, find_introduction
from headwater.retrieval.members import MAX_NAMES, Family, find_family
from headwater.retrieval.named_documents import NamedDocuments
from headwater.retrieval.parts import Part, find_parts
from headwater.retrieval.section_lists import SectionList, find_sections
from headwater.retrieval.traversal import SHARES
from headwater.understanding.breadth import Breadth, breadth_of, used_thing
from headwater.understanding.change_questions import since_of
from headwater.understanding.inventory import Inventory, inventory_of
from headwater.understanding.question import Understanding, understand
from headwater.understanding.words import content_words

MAX_SUMMARIES = 12
"""How many summaries a broad question gets at most."""
LISTED = 30
"""How many members of a family are listed."""
_CANDIDATES = 40  # summaries that are compared with the question's words
_ABOUT = 4  # summaries of one subject
MIN_SIMILARITY = 0.3
"""The cosine that a summary and a subject need."""
AHEAD = 0.2
"""How far a summary may be behind the nearest one."""
_COMPARISON = re.compile(
    r"compar|diff?[eé]ren|versus|\bvs\b|\bor\b|vergleich|unterschied|verschil|vergelijk|confronto|違い|相違|比較|区别|差异|比较",
    re.IGNORECASE,
)
_SIDE_WORDS = 3
"""How many words a side may have that no document is called: a longer one is a case, so a fact is asked for."""
_PER_NODE = 5  # chunks that a node leads to
_NO_SUMMARIES = "The question asks for an overview, which is best answered from summaries, and {} "
_ADVICE_WITHOUT_MODEL = "has none. Set `summary_model`, such as to builtin/extractive, and sync it."
_ADVICE_DURING_SYNC = "has none yet: its sync is still running, and makes them at its end."
_ADVICE_BEFORE_SYNC = "has none yet. `headwater sync {}` makes them."
_PARTIAL = "The index is large, so only the documents that the search found were looked through for what changed."
_PAST = "A search as of a past time finds no summaries, because only their present state is kept."


Kind = Literal["whole", "subject", "comparison", "list", "count", "changes"]
"""What a broad question wants: everything there is, one thing, two, the members of a family, their number, news."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """The summaries for a question, best first, and notes for its reader; `kind` is None if it is not broad.

    `sides` are the two things of a comparison, each with its summary if a document or source is called so. `family` has
    the members of a list, of which the first ones have summaries; `sections` are what stands below a heading, if no
    documents are meant. `changes` are those since what was asked. Of everything, `parts` are the sources or folders,
    without `image_count` images beside them, `shown` the summaries of the documents that they name, by document, and
    `introduction` says what it is about, or else `introducing` is a document that is called as such.
    """

    kind: Kind | None = None
    summaries: tuple[RankedSummary, ...] = ()
    notes: tuple[str, ...] = ()
    sides: tuple[tuple[str, RankedSummary | None], ...] = ()
    family: Family | None = None
    sections: SectionList | None = None
    changes: Changes | None = None
    parts: tuple[Part, ...] = ()
    image_count: int = 0
    shown: Mapping[UUID, RankedSummary] = field(default_factory=dict)
    introduction: Introduction | None = None
    introducing: RankedSummary | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found that answers."""
        return not (self.summaries or self.changes or self.sides or self.sections)

    def but_for(self, passages: Sequence[Passage], floor: float) -> "Overview":
        """Nothing but the notes, if a trusted passage compares the two sides by itself: that is the better answer."""
        sides = [content_words(side) for side, _ in self.sides]
        if sides and any((passage.scores.trust or 0.0) >= floor and _compares(passage, sides) for passage in passages):
            return Overview(notes=self.notes)
        return self


def find_overview(finder: Finder, understanding: Understanding, passages: Sequence[Passage]) -> Overview:
    """Find what a broad question asks for; nothing if it is not broad.

    Args:
        finder: of the search.
        understanding: of the question.
        passages: what the search found, best first.

    Raises:
        InvalidInputError: a filter names an unknown source.
    """
    text = understanding.language_text
    breadth, since = breadth_of(text), since_of(text)
    if understanding.code and breadth is not None and breadth.is_whole:
        return Overview()  # "What is this?" and a line of a log
    if _is_everything(finder, used_thing(text)):
        breadth = Breadth()
    inventory = inventory_of(text) if breadth is None and since is None else None
    if breadth is None and since is None and inventory is None:
        return Overview()
    if finder.options.as_of is not None:
        is_kept_out = inventory is None and finder.store.summary_entries.has_any(finder.index)
        return Overview(notes=(_PAST,) if is_kept_out else ())
    if since is not None and since.scope != "since" and finder.index.shard:
        return Overview()  # "in room 101" is worded alike, and a large index would take seconds to look through
    if since is not None:
        changes = find_changes(finder, since, passages)
        finder.clock.lap("summaries")
        is_told = changes.later or since.scope == "since"
        notes = (_PARTIAL,) if changes.is_partial else ()
        if is_told or breadth is None:
            return Overview(kind="changes", changes=changes, notes=notes) if is_told else Overview()
    if not finder.store.summary_entries.has_any(finder.index):
        return Overview(notes=() if inventory or (breadth and breadth.sides) else (_advise_on_summaries(finder),))
    language = understanding.language
    overview = (
        _list_members(finder, inventory, passages)
        if inventory
        else _find_overview(finder, breadth or Breadth(), language)
    )
    finder.clock.lap("summaries")
    return overview


def _advise_on_summaries(finder: Finder) -> str:
    """Why there are no summaries, and what makes them."""
    slug = finder.knowledge_base.slug
    if finder.knowledge_base.settings.summary_model is None:
        advice = _ADVICE_WITHOUT_MODEL
    elif any(source.has_open_sync for source in finder.store.readiness.of(finder.knowledge_base)):
        advice = _ADVICE_DURING_SYNC
    else:
        advice = _ADVICE_BEFORE_SYNC
    return (_NO_SUMMARIES + advice).format(slug, slug)


def _is_everything(finder: Finder, thing: str) -> bool:
    """Whether a thing is what the knowledge base is called, or its only source."""
    thing_words = content_words(thing)
    return bool(thing_words) and thing_words <= finder.owner_words


def chunks_of(finder: Finder, summaries: Sequence[RankedSummary], vector: Vectors | None, best: float) -> list[Passage]:
    """The chunks below summaries that are nearest to a question, as passages that traversal reached.

    Args:
        finder: of the search.
        summaries: where to begin.
        vector: the question's; without one, nothing is reached.
        best: the score of the best passage.
    """
    if vector is None or not summaries:
        return []
    passages_by_node = finder.store.summary_entries.chunks_below(
        finder.index, [summary.id for summary in summaries], vector, filters=finder.options.filters, limit=_PER_NODE
    )
    reached: dict[UUID, Passage] = {}
    for node_id, passages in passages_by_node.items():
        for passage in passages:
            scores = replace(passage.scores, via=f"child of {node_id}")
            reached.setdefault(passage.chunk_id, replace(passage, score=best * SHARES["child"], scores=scores))
    return list(reached.values())


def _compares(passage: Passage, sides: Sequence[set[str]]) -> bool:
    """Whether a passage stands below a heading that promises a comparison, and it or the heading names both sides."""
    headings = " ".join(passage.breadcrumb[-2:])
    if not _COMPARISON.search(headings):
        return False
    passage_words = content_words(f"{headings}\n{passage.text}")
    return all(side <= passage_words for side in sides)


def _list_members(finder: Finder, inventory: Inventory, passages: Sequence[Passage]) -> Overview:
    """The members of the family that is meant, the first ones with their summaries; else what a heading has below.

    What is below a heading is not counted: "How many vacation days are there?" asks for no number of sections.
    """
    kind: Kind = "count" if inventory.is_count else "list"
    family = find_family(finder, inventory, passages)
    if family is None:
        sections = None if inventory.is_count else find_sections(finder, inventory, passages, most=LISTED)
        return Overview(kind=kind, sections=sections) if sections else Overview()
    ids = [member.document_id for member in family.members[:LISTED]]
    summaries = finder.store.summary_entries.of_documents(finder.index, ids)
    return Overview(kind=kind, summaries=tuple(summaries), family=family)


def _find_overview(finder: Finder, breadth: Breadth, language: str) -> Overview:
    store, filters = finder.store.summary_entries, finder.options.filters
    if breadth.is_whole:
        return _whole(finder, store.highest(finder.index, filters=filters, limit=MAX_SUMMARIES), language)
    names = NamedDocuments(finder)
    if breadth.sides:
        sides = tuple((side, names.find_side(side, breadth.sides)) for side in breadth.sides)
        called = {summary.id: summary for _, summary in sides if summary is not None}
        is_one = len(called) == 1 and all(summary for _, summary in sides)
        is_long = any(summary is None and len(content_words(side)) > _SIDE_WORDS for side, summary in sides)
        if is_one or is_long or any(_is_everything(finder, side) for side in breadth.sides):
            return Overview()
        return Overview(kind="comparison", summaries=tuple(called.values()), sides=sides)
    summary = names.find(breadth.subject)
    summaries = [summary] if summary else _about(breadth.subject, _near(finder, breadth.subject))
    return Overview(kind="subject", summaries=tuple(summaries))


def _whole(finder: Finder, highest: Sequence[RankedSummary], language: str) -> Overview:
    """The summaries of all there is, its parts, and the documents that these name."""
    store = finder.store.summary_entries
    every = store.names(finder.index, filters=finder.options.filters, limit=MAX_NAMES)
    names = [name for name in every if not name.is_image] or every
    sections, first = find_parts(names), find_introduction(finder, names, language)
    introducing = find_introducing(names) if first is None else None
    called = introducing.document_id if introducing else None
    ids = dict.fromkeys([*([called] if called else []), *(id_ for section in sections for id_ in section.shown)])
    shown_summaries = {
        summary.documents[0].document_id: summary for summary in store.of_documents(finder.index, list(ids))
    }
    return Overview(
        kind="whole",
        summaries=tuple(highest),
        parts=sections,
        image_count=len(every) - len(names),
        shown=shown_summaries,
        introduction=first,
        introducing=shown_summaries.get(called) if called else None,
    )


def _near(finder: Finder, text: str) -> list[RankedSummary]:
    """The summaries nearest to a text; without vectors those of the documents of which the chunks are nearest."""
    if finder.embedder is None:
        return []
    store, filters = finder.store.summary_entries, finder.options.filters
    vector = finder.check_dimensions(finder.embedder.embed([text])[0])
    if store.has_vectors(finder.index):
        return store.near(finder.index, vector, filters=filters, limit=_CANDIDATES)
    best: dict[UUID, float] = {}
    for passage in finder.find(understand(text), vector).passages:
        if passage.scores.vector is not None:
            best[passage.document_id] = max(best.get(passage.document_id, -1.0), passage.scores.vector)
    ids = sorted(best, key=lambda id_: -best[id_])[:_CANDIDATES]
    summaries = store.of_documents(finder.index, ids)
    return [replace(summary, similarity=best[summary.documents[0].document_id]) for summary in summaries]


def _name(summary: RankedSummary) -> set[str]:
    uri = PurePosixPath(summary.documents[0].uri).stem.replace("_", " ").replace("-", " ") if summary.documents else ""
    return content_words(f"{summary.title} {uri}")


def _about(subject: str, summaries: Sequence[RankedSummary]) -> list[RankedSummary]:
    """The documents and groups whose summaries are about a subject: near to it, and with most of its words."""
    subject_words = content_words(subject)
    fitting = [
        summary
        for summary in summaries
        if summary.kind is not NodeKind.SOURCE
        and (summary.similarity or 0.0) >= max(MIN_SIMILARITY, (summaries[0].similarity or 0.0) - AHEAD)
        and 2 * len(subject_words & (content_words(summary.text) | _name(summary))) >= len(subject_words) + 1
    ]
    return _apart(fitting)[:_ABOUT]


def _apart(summaries: Sequence[RankedSummary]) -> list[RankedSummary]:
    """Those of which none is above another: the nearer one counts."""
    distinct_summaries: list[RankedSummary] = []
    for summary in summaries:
        document_ids = {document.document_id for document in summary.documents}
        if not any(
            document_ids & {document.document_id for document in earlier.documents} for earlier in distinct_summaries
        ):
            distinct_summaries.append(summary)
    return distinct_summaries
