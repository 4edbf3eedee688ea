"""The evidence for an answer, or the reason why there is none.

Belongs here: searching for an answer, the usable passages, the reason if there are none. Not here: the trust of a
passage (`headwater.retrieval.trust`), making an answer (`answerer`). Guarantee: only passages with enough trust are
usable.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.domain.summaries import RankedSummary
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.retrieval.finder import Mode, SearchOptions
from headwater.retrieval.model_languages import reader_language
from headwater.retrieval.passage_places import load_places
from headwater.retrieval.query import check_query
from headwater.retrieval.result_trust import split_by_trust
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult
from headwater.retrieval.trust import TrustedPassages
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.understanding.concepts import ConceptModel
from headwater.understanding.intents import Intent
from headwater.understanding.question import understand

REACH = 1
"""How many chunks before and after a passage complete its lists and code; with 3, quotes get worse."""
FURTHER = 3
"""How many passages behind the shown ones may hold what answers."""

NOTHING_RELEVANT = "nothing_relevant"
SMALL_TALK = "small_talk"
_MAX_LISTED = 12  # passages
_MAX_COMPARED = 50  # documents, as for `top_k`


def _no_other(_text: str) -> "Evidence":
    raise NotImplementedError  # the evidence of small talk searches for nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A question, the search result, and the usable passages.

    `question` is without the misspelt words that the search found. `load_nearby` reads the chunks around passages, and
    `load_further` the passages that rank behind the shown ones: not every answerer needs them.
    """

    knowledge_base: KnowledgeBase
    question: str
    found: SearchResult
    trusted: TrustedPassages
    load_nearby: Callable[[Sequence[Passage]], tuple[Passage, ...]] = tuple
    load_further: Callable[[], tuple[Passage, ...]] = tuple
    load_other: Callable[[str], "Evidence"] = field(default=_no_other, repr=False, compare=False)
    filters: SearchFilters = field(default_factory=SearchFilters)
    unsaid: str = ""
    """The words of `question` that were not asked, but taken from the turns before."""

    @property
    def asked(self) -> str:
        """The question as it was asked: a chat model reads misspelt words better than rules do."""
        return self.found.understanding.asked

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The usable passages, best first; without any, and without summaries, the question is refused."""
        return self.trusted.kept

    @property
    def summaries(self) -> tuple[RankedSummary, ...]:
        """The summaries that a broad question asks for; they answer it, whatever the passages say."""
        return self.found.summaries

    @property
    def language(self) -> str:
        """The code of the language in which the reader is answered; empty if it is not known."""
        left_out = (item.passage for item in self.found.dropped)
        return reader_language(self.found.understanding, (*self.trusted.passages, *left_out))

    @property
    def is_broad(self) -> bool:
        """Whether the question is a broad one, and something was found that answers it as such."""
        return self.found.overview.kind is not None and not self.found.overview.is_empty

    @property
    def model_passages(self) -> tuple[Passage, ...]:
        """What a chat model reads: the usable passages and those that are listed, or those that say what changed."""
        overview = self.found.overview
        listed = [change.passage for change in overview.changes.later] if overview.changes else []
        if overview.sections:
            room = max(0, _MAX_LISTED - len(self.passages))
            listed = [*(member.passage for member in overview.sections.members[:room]), *self.passages]
        return tuple({passage.chunk_id: passage for passage in listed}.values())[:_MAX_LISTED] or self.passages

    @property
    def nearby(self) -> tuple[Passage, ...]:
        """The chunks around the usable passages, which complete a list or code that crosses chunks."""
        return self.load_nearby(self.passages)

    def widen(self) -> "Evidence":
        """The evidence with the trusted passages that rank behind the shown ones, too.

        A search shows few passages. Their order is by whole passages, so the block that answers may well stand in one
        that ranks sixth or tenth. Without a usable passage, nothing is added: whether a question is refused depends on
        the shown passages alone.
        """
        if not self.passages:
            return self
        return replace(self, trusted=replace(self.trusted, kept=(*self.passages, *self.load_further())))

    @property
    def embedder(self) -> Embedder | None:
        """The model that found the passages; None if it does not know the question's language."""
        return None if self.found.is_by_words else self.found.embedder

    @property
    def refusal_reason(self) -> str:
        """Why there is no answer; that there are documents is checked elsewhere (`corpus_readiness`)."""
        return SMALL_TALK if self.found.understanding.intent is Intent.CHIT_CHAT else NOTHING_RELEVANT


def gather_evidence(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    filters: SearchFilters | None = None,
    *,
    as_of: datetime | None = None,
    mode: Mode = "hybrid",
    index: SearchIndex | None = None,
    vector: Vectors | None = None,
    concept_model: ConceptModel | None = None,
    unsaid: str = "",
    spoken_of: Collection[UUID] = (),
) -> Evidence:
    """Search for passages that answer a question, and keep the trusted ones.

    `mode` searches by words and by vector, or only by one of them. `index` is by default the active one. `vector` is
    the question's, shape (dimensions,), if the caller has already computed it with the index's model. `concept_model`
    finds what else to search for if the question alone is not sure of its result. `unsaid` are the words of the
    question that were taken from the turns before, `spoken_of` the documents that the last of them cites.

    Raises:
        InvalidInputError: the question is empty, a filter names an unknown source, or the time is in the future.
        QuestionTooLongError: the question is too long.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    text = check_query(question)
    options = _options(filters or SearchFilters(), as_of, mode, spoken_of)
    if unsaid:
        options = replace(options, own=text.removesuffix(unsaid).strip())
    result = search(
        store, settings, knowledge_base, text, options, index=index, vector=vector, concept_model=concept_model
    )
    trust_split = split_by_trust(knowledge_base.settings, result.passages)

    def load_nearby(passages: Sequence[Passage]) -> tuple[Passage, ...]:
        return load_places(store, store.passage_links.nearby(passages, reach=REACH)) if passages else ()

    @cache
    def load_further() -> tuple[Passage, ...]:
        further = result.load_further(FURTHER)
        trusted = split_by_trust(knowledge_base.settings, (*result.passages, *further)).kept if further else ()
        return trusted[len(trust_split.kept) :]

    def load_other(other: str) -> Evidence:
        return gather_evidence(store, settings, knowledge_base, other, filters, as_of=as_of, mode=mode, index=index)

    return Evidence(
        knowledge_base=knowledge_base,
        question=result.understanding.question,
        found=result,
        trusted=trust_split,
        load_nearby=load_nearby,
        load_further=load_further,
        load_other=load_other,
        filters=options.filters,
        unsaid=unsaid,
    )


def _options(filters: SearchFilters, as_of: datetime | None, mode: Mode, spoken_of: Collection[UUID]) -> SearchOptions:
    """How to search: several selected documents are compared, so each of them is found."""
    compared = min(len(filters.documents), _MAX_COMPARED) if len(filters.documents) > 1 else None
    return SearchOptions(
        filters=filters,
        as_of=as_of,
        mode=mode,
        group_by="document" if compared else "passage",
        top_k=compared,
        spoken_of=frozenset(spoken_of),
    )


def no_evidence(knowledge_base: KnowledgeBase, question: str, *, as_of: datetime | None = None) -> Evidence:
    """The evidence for small talk, which is refused without a search."""
    understanding = replace(understand(question), intent=Intent.CHIT_CHAT)
    return Evidence(
        knowledge_base=knowledge_base,
        question=question,
        found=SearchResult(passages=(), embedder=None, timings_ms={}, understanding=understanding, as_of=as_of),
        trusted=TrustedPassages(kept=(), dropped=()),
    )
