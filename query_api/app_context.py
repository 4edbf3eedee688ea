"""The store, the settings and the answers that the running app makes.

Belongs here: access to them for requests, and what a server does with them when it begins and ends. Not here: creating
them (`app`). Guarantee: one store per process, opened when it is first needed, so that the app can start without a
database and report why it is not ready.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from flask import current_app, g, request

from headwater.administration.callers import Callers
from headwater.administration.model_states import ModelStates
from headwater.administration.warm_up import warm_up
from headwater.answering.answer_task import AnswerTask
from headwater.answering.answer_tasks import AnswerTasks
from headwater.errors import HeadwaterError
from headwater.settings import Settings
from headwater.store.store import Store, open_database
from query_api.shared_results import SharedResults

_POOL = 16  # connections, and so requests that may use Postgres at once
_NAME = "headwater"
_RETRY = 5.0  # seconds until Postgres is tried again


@dataclass
class AppContext:
    """The app's settings, and its store once it is open."""

    settings: Settings
    models: ModelStates = field(init=False)
    """The states of the models in use, for health checks."""
    callers: Callers = field(init=False)
    """Knows callers by their keys and sessions."""
    shared: SharedResults = field(default_factory=SharedResults)
    """What the readers of streams look at together."""
    on_answer: Callable[[AnswerTask], None] | None = None
    """Is told of each answer that has ended."""
    _store: Store | None = None
    _answer_tasks: AnswerTasks | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Remember the states for this app alone."""
        self.models = ModelStates(self.settings)
        self.callers = Callers(self.settings)

    @property
    def store(self) -> Store:
        """The store.

        Raises:
            DatabaseUnavailableError: Postgres cannot be reached, or is not migrated.
        """
        with self._lock:
            if self._store is None:
                self._store = Store(open_database(self.settings, size=_POOL))
            return self._store

    @property
    def answer_tasks(self) -> AnswerTasks:
        """The answers that this process makes. The first use marks those that killed processes left.

        Raises:
            DatabaseUnavailableError: Postgres cannot be reached, or is not migrated.
        """
        store = self.store
        with self._lock:
            if self._answer_tasks is None:
                store.answers.interrupt_lost()
                self._answer_tasks = AnswerTasks(store, self.settings, on_end=self.on_answer)
            return self._answer_tasks

    def warm_up(self) -> None:
        """Load what the first question needs, once Postgres answers."""
        while True:
            try:
                warm_up(self.store)
            except HeadwaterError:
                time.sleep(_RETRY)
            else:
                return

    def stop(self) -> None:
        """Mark the answers that are being made as interrupted; later ones are refused."""
        with self._lock:
            tasks = self._answer_tasks
        if tasks is not None:
            tasks.stop()


def begin(app: object) -> None:
    """Warm a served app up while it serves."""
    threading.Thread(target=_of(app).warm_up, name="warming up", daemon=True).start()


def end(app: object) -> None:
    """Prepare a served app for the end of its process."""
    _of(app).stop()


def _of(app: object) -> AppContext:
    context: AppContext = app.extensions[_NAME]  # type: ignore[attr-defined]
    return context


def install(app: "object", context: AppContext) -> None:
    """Attach a context to an app."""
    app.extensions[_NAME] = context  # type: ignore[attr-defined]


def app_context() -> AppContext:
    """The running app's context."""
    return _of(current_app)


def store() -> Store:
    """The running app's store, as the caller of the present request may see it."""
    caller, full_store = g.get("caller"), _of(current_app).store
    return full_store if caller is None else full_store.for_reader(caller.visible, caller.reader)


def models() -> ModelStates:
    """The states of the models that the running app's knowledge bases use."""
    return _of(current_app).models


def settings() -> Settings:
    """The running app's settings."""
    return _of(current_app).settings


def answer_tasks() -> AnswerTasks:
    """The answers that the running app makes."""
    return _of(current_app).answer_tasks


def api_root() -> str:
    """The address of this API for people: the one that is set, else the one that the client used."""
    url = settings().api_url
    return request.host_url.rstrip("/") if url == Settings.default("api_url") else url
