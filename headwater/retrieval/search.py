"""The steps of a search, in order.

Belongs here: understanding, finding, reranking, boosts, traversal, grading, and what each step dropped. Not here: the
steps themselves (their modules). Guarantee: a knowledge base without an index returns no passages, not an error; every
passage found is either returned or named as dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.as_of import past_time, retention_notes
from headwater.retrieval.boosts import favour
from headwater.retrieval.broad_summaries import Overview, chunks_of, find_overview
from headwater.retrieval.filter_advice import filter_notes
from headwater.retrieval.finder import WIDER, Clock, Finder, Mode, SearchOptions
from headwater.retrieval.model_languages import find_language, sure_language
from headwater.retrieval.neighbours import CLOSEST, merge_neighbours
from headwater.retrieval.next_results import further
from headwater.retrieval.passage_places import load_places
from headwater.retrieval.query import check_query
from headwater.retrieval.reranking.reranker_registry import RERANKERS
from headwater.retrieval.result_groups import is_short, select_visible
from headwater.retrieval.result_order import RankedPassages, boost_passages, fuse_searches, nearest_first, order, unite
from headwater.retrieval.result_trust import add_trust
from headwater.retrieval.search_result import SearchResult
from headwater.retrieval.similar_documents import Aboutnesses, add_passages, inherit, read_aboutnesses
from headwater.retrieval.traversal import traverse
from headwater.retrieval.trust import Dropped
from headwater.settings import Settings
from headwater.spans import root_span
from headwater.store.content.passage_links import PassageLink
from headwater.store.search.passage_search import WORDS_FIRST, Candidates
from headwater.store.store import Store
from headwater.understanding.accent_restoration import restore_accents
from headwater.understanding.concepts import ConceptModel
from headwater.understanding.question import Understanding, is_sure, understand
from headwater.understanding.spelling import respelt, spelling_notes

_NOT_WEIGHED = (
    "An older release made this index, so keyword search does not work yet. Sync a source, or start `headwater up`."
)
_WORDS_FIRST = f"The index by vector is not built yet, so only the {WORDS_FIRST:,} best matches by words were compared."


def search(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    query: str,
    options: SearchOptions | None = None,
    *,
    index: SearchIndex | None = None,
    vector: Vectors | None = None,
    concept_model: ConceptModel | None = None,
) -> SearchResult:
    """Find the passages that match a query best.

    Args:
        store: the store of the index.
        settings: says where the models are.
        knowledge_base: the knowledge base to search.
        query: words or a question, at most `QUERY_LIMIT` characters.
        options: how to search; by default as set in the knowledge base.
        index: one of its indexes; by default the active one.
        vector: the query's vector, shape (dimensions,), if the caller has already computed it with the index's model.
        concept_model: reads the question if rules are not enough; then each concept is searched for, too.

    Raises:
        InvalidInputError: the query is empty, a filter names an unknown source, or the time is in the future.
        QuestionTooLongError: the query is too long.
        ModelUnavailableError: the index's model cannot be loaded or does not answer.
    """
    options = options or SearchOptions()
    if options.as_of is not None:
        options = replace(options, as_of=past_time(options.as_of))
    understanding = understand(check_query(query))
    index = index or store.search_indexes.active(knowledge_base.slug)
    if index is None or not index.dimensions:  # no vector was ever stored, so there is nothing to find
        return SearchResult(passages=(), embedder=None, timings_ms={}, understanding=understanding, as_of=options.as_of)
    embedder = None if options.mode == "keyword" else load_embedder(index.model, settings)
    finder = Finder(
        store=store, knowledge_base=knowledge_base, index=index, embedder=embedder, options=options, clock=Clock()
    )
    with root_span(settings, "search", knowledge_base=knowledge_base.slug, mode=options.mode or "default"):
        return _Search(settings=settings, finder=finder, understanding=understanding).run(vector, concept_model)


@dataclass(kw_only=True, slots=True)
class _Search:
    """One search, step by step."""

    settings: Settings
    finder: Finder
    understanding: Understanding
    concepts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    nearest: frozenset[UUID] = frozenset()
    """The documents of the first candidates, if a wider search had to add others; none if it had not."""
    is_by_words: bool = False
    about: Aboutnesses = field(default_factory=Aboutnesses)
    overview: Overview = field(default_factory=Overview)

    def run(self, vector: Vectors | None, concept_model: ConceptModel | None) -> SearchResult:
        """All of it."""
        finder = self.finder
        vector = self._vector(vector)
        candidates, vector = self._respelt(*self._find_candidates(vector))
        self.overview = find_overview(finder, self.understanding, candidates.passages)
        ordered = self._order_candidates(candidates.passages)
        sure = is_sure(self.understanding, ordered.passages)
        if concept_model is not None and not sure:
            ordered = self._by_concepts(concept_model, ordered)
        ordered = self._follow_links(ordered, vector)
        finder.clock.lap("rerank")
        passages = add_trust(
            self.understanding, self._select_visible(ordered), finder, candidates.terms, ordered.passages
        )
        overview = self.overview.but_for(passages, finder.knowledge_base.settings.trust_floor)
        if finder.options.with_neighbours:
            nearby = finder.store.passage_links.nearby(passages, reach=CLOSEST)
            passages = tuple(merge_neighbours(passages, nearby))
        passages = load_places(finder.store, passages)
        finder.clock.lap("grade")
        as_of = finder.options.as_of
        past = () if as_of is None else retention_notes(self.settings, finder.knowledge_base, as_of)
        return SearchResult(
            passages=passages,
            embedder=finder.embedder,
            timings_ms=finder.clock.laps,
            understanding=self.understanding,
            ordered=ordered.passages,
            limit=finder.limit,
            group_by=finder.group_by,
            kept_out=(*ordered.dropped, *self.dropped),
            terms=candidates.terms,
            is_sure=sure,
            concepts=self.concepts,
            as_of=as_of,
            is_by_words=self.is_by_words,
            is_nothing_left=candidates.is_nothing_left,
            overview=overview,
            load_further=partial(
                further, self.understanding, ordered, self._select_visible(ordered), finder, candidates.terms
            ),
            notes=(
                *self.overview.notes,
                *self.notes,
                *ordered.notes,
                *past,
                *finder.reading.note_across(sure_language(self.understanding), passages),
                *self._filter_notes(candidates),
                *(() if candidates.is_weighed else (_NOT_WEIGHED,)),
                *((_WORDS_FIRST,) if candidates.is_words_first else ()),
            ),
        )

    def _filter_notes(self, candidates: Candidates) -> tuple[str, ...]:
        """What is wrong with the filters, as far as the present tells."""
        finder, filters = self.finder, self.finder.options.filters
        if finder.options.as_of is not None or filters == SearchFilters():
            return ()
        return filter_notes(finder.store, finder.index, filters, is_nothing_left=candidates.is_nothing_left)

    def _vector(self, vector: Vectors | None) -> Vectors | None:
        """The question's vector, unless the model does not know the question's language."""
        finder = self.finder
        language = sure_language(self.understanding)
        if finder.embedder is not None and not finder.reading.knows(language):
            if finder.options.mode == "hybrid":
                self._leave_vectors_out(language)
                return None
            self.notes = (finder.reading.note(language, is_left_out=False),)
        if vector is None or finder.embedder is None:
            return finder.vector(self.understanding, finder.options.own)
        return finder.check_dimensions(vector)

    def _leave_vectors_out(self, language: str) -> None:
        self.is_by_words = True
        self.notes = (self.finder.reading.note(language),)

    def _find_candidates(self, vector: Vectors | None) -> tuple[Candidates, Vectors | None]:
        """The matches for the question, and its vector if it is useful.

        If the words of the question do not tell its language, the documents that contain them decide. Then they are
        searched for again without the stop words of that language.
        """
        finder = self.finder
        candidates = self._find(vector)
        if language := find_language(self.understanding, candidates.passages):
            self.understanding = replace(self.understanding, found_language=language)
            if vector is not None and finder.options.mode == "hybrid" and not finder.reading.knows(language):
                self._leave_vectors_out(language)
                vector = None
            candidates = self._find(vector)
        if vector is None or finder.options.mode != "hybrid":
            return candidates, vector
        weight = finder.vector_weight
        passages, self.dropped = finder.reading.without_similarities(candidates.passages, vector_weight=weight)
        if self.dropped and not passages:
            self.notes = (finder.reading.note_of_documents(self.dropped),)
        return replace(candidates, passages=passages), vector

    def _respelt(self, candidates: Candidates, vector: Vectors | None) -> tuple[Candidates, Vectors | None]:
        """The matches for the question with its accents and without misspelt words: the same if nothing is missing."""
        settings = self.finder.knowledge_base.settings
        read = respelt(restore_accents(self.understanding, candidates), candidates)
        if read is self.understanding:
            return candidates, vector
        self.understanding = read
        self.notes = (*self.notes, *spelling_notes(read, may_name=settings.store_questions))
        return self._find_candidates(None if self.is_by_words else self._vector(None))

    def _find(self, vector: Vectors | None) -> Candidates:
        """Candidates from as many documents as wanted, if there are so many, and more of those about the question."""
        finder = self.finder
        candidates = finder.find(self.understanding, vector)
        self.nearest = frozenset()
        if len(candidates.passages) >= finder.wanted and is_short(candidates.passages, finder.limit, finder.group_by):
            self.nearest = frozenset(passage.document_id for passage in candidates.passages)
            wider = finder.find(self.understanding, vector, reach=WIDER)
            other_passages = (passage for passage in wider.passages if passage.document_id not in self.nearest)
            candidates = replace(candidates, passages=(*candidates.passages, *other_passages))
        self.about = read_aboutnesses(finder, candidates)
        self.nearest |= self.about.large.keys() if self.nearest else frozenset()
        return add_passages(finder, self.understanding, vector, candidates, self.about)

    def _order_candidates(self, passages: tuple[Passage, ...]) -> RankedPassages:
        """The candidates in order, those of documents that only a wider search found behind the others."""
        is_wider = self.nearest and self._order_mode == "hybrid"
        return nearest_first(passages, self.nearest, self._order) if is_wider else self._order(passages)

    def _select_visible(self, ordered: RankedPassages) -> tuple[Passage, ...]:
        return select_visible(ordered.passages, self.finder.limit, self.finder.group_by)

    def _order(self, passages: tuple[Passage, ...], question: str | None = None) -> RankedPassages:
        finder = self.finder
        ordered = order(
            finder.store,
            self.settings,
            finder.knowledge_base,
            question or self.understanding.question,
            passages,
            self._order_mode,
        )
        spoken_of, about = finder.options.spoken_of, Aboutnesses() if question else self.about
        passages = inherit(ordered.passages, about)
        return replace(ordered, passages=tuple(favour(passages, spoken_of)) if spoken_of else passages)

    @property
    def _order_mode(self) -> Mode:
        """A keyword search keeps its order: the built-in rerankers, which are for English, made it worse."""
        finder = self.finder
        is_built_in = finder.knowledge_base.settings.rerank_model in RERANKERS
        return "keyword" if self.is_by_words and is_built_in else finder.options.mode

    def _by_concepts(self, model: ConceptModel, ordered: RankedPassages) -> RankedPassages:
        """The results for the question and its concepts, each passage once.

        Without concepts, or if the model fails, they are those for the question, `ordered`.
        """
        try:
            read = model.find_concepts(self.understanding)
        except ModelUnavailableError as error:
            note = f"The question was searched without concepts: {error}"
            return replace(ordered, notes=(*ordered.notes, note))
        self.understanding = replace(self.understanding, intent=read.intent)
        self.concepts = read.concepts
        if not read.concepts:
            return ordered
        searches = [ordered, *map(self._of_concept, map(understand, read.concepts))]
        return fuse_searches(searches, self.finder.wanted)

    def _of_concept(self, concept: Understanding) -> RankedPassages:
        finder = self.finder
        passages = finder.find(concept, None if self.is_by_words else finder.vector(concept)).passages
        if not self.is_by_words and finder.options.mode == "hybrid":
            passages = finder.reading.without_similarities(passages, vector_weight=finder.vector_weight)[0]
        return self._order(passages, concept.question)

    def _follow_links(self, ordered: RankedPassages, vector: Vectors | None) -> RankedPassages:
        """Add the passages that the best ones lead to, or a note that this is impossible."""
        finder, options = self.finder, self.finder.options
        kinds, depth = finder.leads
        if not depth or not (ordered.passages or self.overview.summaries):
            return ordered
        if options.as_of is not None:
            note = "A search as of a past time follows no children and links."
            return replace(ordered, notes=(*ordered.notes, note))
        out = {dropped.passage.chunk_id for dropped in ordered.dropped}
        least = finder.knowledge_base.settings.similarity_threshold

        def load(some: Sequence[Passage]) -> list[PassageLink]:
            links = finder.store.passage_links.follow(
                finder.index, some, filters=options.filters, vector=vector, kinds=kinds
            )
            return [
                link
                for link in links
                if link.passage.chunk_id not in out
                and (link.passage.scores.vector is None or link.passage.scores.vector >= least)
            ]

        best = ordered.passages[0].score if ordered.passages else 1.0
        summary_chunks = chunks_of(finder, self.overview.summaries, vector, best)
        reached = [*summary_chunks, *traverse(self._select_visible(ordered), load, depth=depth)]
        followed = [passage for passage in reached if passage.scores.via]
        via = boost_passages(finder.store, finder.knowledge_base, self.understanding.question, followed)
        return replace(ordered, passages=unite(ordered.passages, via))
