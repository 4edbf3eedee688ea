"""The store as callers see it: one object with a part per noun.

Belongs here: putting the parts together. Not here: queries. Guarantee: creating one opens no connection.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy

from headwater.domain.access import EVERY_READER, Reader
from headwater.errors import DatabaseUnavailableError
from headwater.settings import Settings
from headwater.store.access.audit import AuditStore
from headwater.store.access.keys import KeyStore
from headwater.store.access.owners import OwnerStore
from headwater.store.access.rate_limits import LimitStore
from headwater.store.access.sessions import SessionStore
from headwater.store.access.widgets import WidgetStore
from headwater.store.catalogue.deletions import DeletionStore
from headwater.store.catalogue.knowledge_bases import KnowledgeBaseStore
from headwater.store.catalogue.overviews import OverviewStore
from headwater.store.catalogue.sources import SourceStore
from headwater.store.content.chunk_summaries import ChunkSummaryStore
from headwater.store.content.documents import DocumentStore
from headwater.store.content.drift import DriftStore
from headwater.store.content.exports import ExportStore
from headwater.store.content.knowledge_base_summaries import KnowledgeBaseSummaryStore
from headwater.store.content.link_reader import LinkReader
from headwater.store.content.links import LinkStore
from headwater.store.content.originals import OriginalStore
from headwater.store.content.passage_links import PassageLinkStore
from headwater.store.content.places import PlaceStore
from headwater.store.content.questions import QuestionStore
from headwater.store.content.summaries import SummaryStore
from headwater.store.content.summary_nodes import SummaryNodeStore
from headwater.store.content.uploads import UploadStore
from headwater.store.content.versions import VersionStore
from headwater.store.search.entries import EntryStore
from headwater.store.search.filter_values import FilterValueStore
from headwater.store.search.index_builds import IndexBuildStore
from headwater.store.search.index_health import IndexHealthStore
from headwater.store.search.main_words import MainWordStore
from headwater.store.search.passage_search import PassageSearch
from headwater.store.search.past_search import PastSearch
from headwater.store.search.search_indexes import SearchIndexStore
from headwater.store.search.suggestions import SuggestionStore
from headwater.store.search.summary_entries import SummaryEntryStore
from headwater.store.server.connections import DatabaseUrls
from headwater.store.server.database import Database
from headwater.store.server.database_urls import database_urls
from headwater.store.server.health import HealthStore
from headwater.store.server.migrations import list_pending, migrate
from headwater.store.server.planner_statistics import PlanningStore
from headwater.store.server.row_counts import CountingStore
from headwater.store.work.answer_reuse import AnswerReuse
from headwater.store.work.answers import AnswerStore
from headwater.store.work.bots import BotStore
from headwater.store.work.conversations import ConversationStore
from headwater.store.work.evaluations import EvaluationStore
from headwater.store.work.feedback import FeedbackStore
from headwater.store.work.idempotent_responses import StoredResponseStore
from headwater.store.work.outside_runs import OutsideRunStore
from headwater.store.work.readiness import ReadinessStore
from headwater.store.work.retention import HousekeepingStore
from headwater.store.work.sync_history import SyncHistoryStore
from headwater.store.work.sync_shares import ShareStore
from headwater.store.work.sync_usage import SpendingStore
from headwater.store.work.syncs import SyncStore
from headwater.store.work.widget_questions import WidgetQuestionStore
from headwater.store.work.worker_failures import WorkerFailureStore
from headwater.store.work.workers import WorkerStore


class Store:
    """All data of Headwater."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.knowledge_bases = KnowledgeBaseStore(database)
        self.sources = SourceStore(database)
        self.overviews = OverviewStore(database)
        self.syncs = SyncStore(database)
        self.readiness = ReadinessStore(database)
        self.sync_history = SyncHistoryStore(database)
        self.workers = WorkerStore(database)
        self.shares = ShareStore(database)
        self.worker_failures = WorkerFailureStore(database)
        self.outside_runs = OutsideRunStore(database)
        self.documents = DocumentStore(database)
        self.drift = DriftStore(database)
        self.exports = ExportStore(database)
        self.originals = OriginalStore(database)
        self.search_indexes = SearchIndexStore(database)
        self.searching = PassageSearch(database)
        self.filter_values = FilterValueStore(database)
        self.entries = EntryStore(database)
        self.main_words = MainWordStore(database)
        self.links = LinkStore(database)
        self.link_reading = LinkReader(database)
        self.passage_links = PassageLinkStore(database)
        self.past = PastSearch(database)
        self.index_builds = IndexBuildStore(database)
        self.index_health = IndexHealthStore(database)
        self.answers = AnswerStore(database)
        self.answer_reuse = AnswerReuse(database)
        self.conversations = ConversationStore(database, self.answers)
        self.feedback = FeedbackStore(database)
        self.bots = BotStore(database)
        self.widgets = WidgetStore(database)
        self.widget_questions = WidgetQuestionStore(database)
        self.uploads = UploadStore(database)
        self.versions = VersionStore(database)
        self.places = PlaceStore(database)
        self.summaries = SummaryStore(database)
        self.knowledge_base_summaries = KnowledgeBaseSummaryStore(database)
        self.spending = SpendingStore(database)
        self.chunk_summaries = ChunkSummaryStore(database)
        self.summary_nodes = SummaryNodeStore(database)
        self.summary_entries = SummaryEntryStore(database)
        self.questions = QuestionStore(database)
        self.suggestions = SuggestionStore(database)
        self.evaluations = EvaluationStore(database)
        self.deletions = DeletionStore(database)
        self.housekeeping = HousekeepingStore(database)
        self.kept_responses = StoredResponseStore(database)
        self.health = HealthStore(database)
        self.planning = PlanningStore(database)
        self.keys = KeyStore(database)
        self.sessions = SessionStore(database)
        self.limits = LimitStore(database)
        self.audit = AuditStore(database)
        self.owners = OwnerStore(database)
        self.counting = CountingStore(database)

    def for_reader(self, visible: frozenset[int] | None, reader: Reader = EVERY_READER) -> "Store":
        """The same store, in which only some knowledge bases and conversations can be found and listed.

        What else has an id of its own is not hidden by it: `owners` says whose it is.

        Args:
            visible: the ids of the knowledge bases; None for all.
            reader: whose conversations they are.
        """
        if visible is None and reader == EVERY_READER:
            return self
        view = copy(self)
        view.conversations = ConversationStore(self.database, self.answers, reader)
        view.answers = AnswerStore(self.database, reader)
        view.overviews = OverviewStore(self.database, visible, reader)
        if visible is None:
            return view
        view.knowledge_bases = KnowledgeBaseStore(self.database, visible)
        view.sync_history = SyncHistoryStore(self.database, visible)
        view.deletions = DeletionStore(self.database, visible)
        view.feedback = FeedbackStore(self.database, visible)
        return view

    def close(self) -> None:
        """Close every connection."""
        self.database.close()


def ready_url(settings: Settings) -> str:
    """The address of a database that is up to date, past a connection pool.

    Raises:
        As `open_database`.
    """
    return _ready_urls(settings).direct


def open_database(settings: Settings, *, size: int) -> Database:
    """The database, up to date; its connections are opened when they are needed.

    The embedded database is migrated here, because nobody else looks after it; a server's database is migrated only by
    `headwater migrate`, when its owner decides.

    Raises:
        DatabaseUnavailableError: Postgres cannot be reached, the database is not migrated, or a newer release has
            migrated it.
    """
    return Database(_ready_urls(settings), size=size)


def _ready_urls(settings: Settings) -> DatabaseUrls:
    urls = database_urls(settings)
    if settings.database_url is None:
        migrate(urls.direct)
    elif missing := list_pending(urls.direct):
        raise DatabaseUnavailableError(f"The database lacks {', '.join(missing)}. Run `headwater migrate`.")
    return urls


@contextmanager
def open_store(settings: Settings, *, size: int = 4) -> Iterator[Store]:
    """Open the store for the length of a block.

    Args:
        settings: its address.
        size: the most connections.

    Raises:
        DatabaseUnavailableError: Postgres cannot be reached, or is not migrated.
    """
    store = Store(open_database(settings, size=size))
    try:
        yield store
    finally:
        store.close()
