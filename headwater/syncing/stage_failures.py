"""What happens when a stage of a sync fails, as a whole or in a part.

Belongs here: which errors are kept until the rest is done, what a failed stage holds back, and how each is reported.
Not here: when stages run (`flow`), what a failure does to the source (`sync_failures`). Guarantee: a failure in a part
takes nothing from the other parts; none is lost, even if another one ends the sync.

    a document fails              it keeps its last version, and the sync lists it with `explain_document_failure`
    a reply of a model is no use  something plainer stands in its place, and the sync says how many:
                                  `note_dropped_replies`
    the model of an index fails   the other indexes get their documents; only that of the current settings fails the
                                  stage: `fail_index`
    a stage fails                 it and what builds on it get no more documents; the others are completed, and then the
                                  first failure is that of the source: `StageFailures`
    the source or the database    the error is raised at once, because no stage can go on
    is lost
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from headwater.domain.documents import DocumentProblem
from headwater.domain.search import SearchIndex
from headwater.errors import (
    DatabaseUnavailableError,
    DocumentError,
    FencedError,
    FetchError,
    GenerationFailedError,
    ModelUnavailableError,
)
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Stage, StageWork
from headwater.syncing.sync_failures import SyncFailure, explain_failure

_Key = TypeVar("_Key", bound=Hashable)


class KeptFailures(Generic[_Key]):
    """The first error of each stage, or of each index, kept until the others are done."""

    def __init__(self) -> None:
        self.errors: dict[_Key, Exception] = {}

    @contextmanager
    def keep(self, key: _Key) -> Iterator[None]:
        """Keep the error of a block, unless nothing can go on."""
        try:
            yield
        except (FencedError, DatabaseUnavailableError):
            raise
        except Exception as error:  # noqa: BLE001 - raised, or reported, once the others are done
            self.errors.setdefault(key, error)


class StageFailures(KeptFailures[str]):
    """The failures of the stages of one source, by their names."""

    def __init__(self, job: SourceJob, stages: Mapping[str, Stage]) -> None:
        """Take the stages among which dependents are looked for."""
        super().__init__()
        self._job = job
        self._stages = stages

    def is_held_back(self, stage: Stage) -> bool:
        """Whether a stage, or one that it depends on, has failed."""
        ancestor: Stage | None = stage
        while ancestor is not None and ancestor.name not in self.errors:
            ancestor = self._stages.get(ancestor.parent)
        return ancestor is not None

    def raise_first(self, stages: Sequence[Stage]) -> None:
        """Raise the error of the first of some stages that failed, if any; those of others are recorded as errors."""
        failed = [stage.name for stage in stages if stage.name in self.errors]
        for name in reversed(failed[1:]):
            self._note(name, self.errors[name])
        if failed:
            raise self.errors[failed[0]]

    def note_all(self, stages: Sequence[Stage], works: Mapping[str, StageWork]) -> None:
        """Record every error, also those that a stage keeps: something else ends the sync."""
        for stage in reversed(stages):
            for error in (*works[stage.name].kept_failures(), *filter(None, [self.errors.get(stage.name)])):
                self._note(stage.name, error)

    def _note(self, name: str, error: Exception) -> None:
        code, reason = explain_failure(error)
        self._job.note_failure(DocumentProblem(uri="", code=code, message=f"{name}: {reason}"))


def explain_document_failure(error: Exception) -> SyncFailure:
    """Name the failure of one document: whatever a hostile file raises concerns that document only."""
    code = error.code if isinstance(error, (DocumentError, FetchError)) else DocumentError.code
    return SyncFailure(code, explain_failure(error).reason)


def fail_index(job: SourceJob, index: SearchIndex, say_lacking: Callable[[], str], error: Exception) -> None:
    """Report that an index could not get everything. An old index must not prevent its replacement from being built.

    Args:
        job: the source being synced.
        index: the index.
        say_lacking: says what it lacks, if that is reported.
        error: why.

    Raises:
        Exception: the error, if it is the index for the current settings.
    """
    if index is job.indexes[-1]:
        raise error
    message = f"The index of {index.model} lacks {say_lacking()}: {error}"
    job.note_failure(DocumentProblem(uri="", code=ModelUnavailableError.code, message=message))


def note_dropped_replies(job: SourceJob, count: int, *, model: str | None, instead: str) -> None:
    """Report replies of a model that were of no use; nothing is said if there were none.

    Args:
        job: the source being synced.
        count: how many there were.
        model: which one.
        instead: what stands in their place.
    """
    if count:
        replies = "1 reply of the model {} was" if count == 1 else f"{count} replies of the model {{}} were"
        message = f"{replies.format(model)} of no use, so {instead}. Another model may do better."
        job.note_problem(DocumentProblem(uri="", code=GenerationFailedError.code, message=message))
