"""All errors of Headwater, as one tree.

    HeadwaterError                     HEADWATER_ERROR            500
    ├── InvalidInputError              INVALID_INPUT              422
    │   ├── InvalidConfigurationError  INVALID_CONFIGURATION      422
    │   ├── QuestionTooLongError       QUESTION_TOO_LONG          422
    │   └── UnknownModelError          UNKNOWN_MODEL              422
    ├── UnauthenticatedError           UNAUTHENTICATED            401
    │   └── SessionExpiredError        SESSION_EXPIRED            401
    ├── ForbiddenError                 FORBIDDEN                  403
    ├── NotFoundError                  NOT_FOUND                  404
    │   └── GoneError                  GONE                       410
    ├── ConflictError                  CONFLICT                   409
    │   ├── AlreadyExistsError         ALREADY_EXISTS             409
    │   ├── GateFailedError            GATE_FAILED                409
    │   ├── SyncAlreadyRunningError    SYNC_ALREADY_RUNNING       409
    │   ├── NoDocumentsError           NO_DOCUMENTS               409
    │   ├── ProcessingIncompleteError  PROCESSING_INCOMPLETE      409
    │   ├── CancelledError             CANCELLED                  409
    │   └── SourcePausedError          SOURCE_PAUSED              409
    ├── SourceError                    SOURCE_FAILED              502
    │   ├── DocumentError              DOCUMENT_FAILED            422
    │   │   ├── TooLargeError          TOO_LARGE                  413
    │   │   ├── ParserLimitError       PARSER_LIMIT               422
    │   │   ├── ParserCrashedError     PARSER_CRASHED             422
    │   │   └── UnsafeFileError        UNSAFE_FILE                422
    │   ├── FetchError                 FETCH_FAILED               502
    │   │   └── FetchRefusedError      FETCH_REFUSED              403
    │   ├── DeletionsHeldError         DELETIONS_HELD             409
    │   └── TimeLimitError             TIME_LIMIT                 504
    ├── FencedError                    FENCED                     409
    ├── ModelUnavailableError          MODEL_UNAVAILABLE          503
    ├── GenerationFailedError          GENERATION_FAILED          502
    │   └── AnswerInterruptedError     ANSWER_INTERRUPTED         502
    ├── RateLimitedError               RATE_LIMITED               429
    │   └── BudgetSpentError           BUDGET_SPENT               429
    ├── FilesUnavailableError          FILES_UNAVAILABLE          503
    │   └── StorageFullError           STORAGE_FULL               507
    └── DatabaseUnavailableError       DATABASE_UNAVAILABLE       503
        └── DiskFullError              DISK_FULL                  507

Belongs here: the classes, their stable codes, and the HTTP status and exit status of each. Not here: the mapping
to problem+json (`query_api/problems.py`). Guarantee: a code never changes its meaning; a message says what happened,
to what, why, and what to do.
"""

import inspect
from typing import ClassVar


class HeadwaterError(Exception):
    """Headwater could not do what was requested."""

    code: ClassVar[str] = "HEADWATER_ERROR"
    http_status: ClassVar[int] = 500
    exit_status: ClassVar[int] = 1

    def __init__(self, *args: object, retry_after: float | None = None) -> None:
        """Args are those of an exception; `retry_after` is after how many seconds the request may succeed, if known."""
        super().__init__(*args)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return super().__str__() or inspect.getdoc(type(self)) or ""


class InvalidInputError(HeadwaterError):
    """A given value is not valid."""

    code = "INVALID_INPUT"
    http_status = 422
    exit_status = 2


class InvalidConfigurationError(InvalidInputError):
    """A knowledge base file or a setting is wrong; the message names file, line and field."""

    code = "INVALID_CONFIGURATION"


class QuestionTooLongError(InvalidInputError):
    """The question is longer than the limit; the message names both lengths."""

    code = "QUESTION_TOO_LONG"


class UnknownModelError(InvalidInputError):
    """The model does not exist; the message lists those that do."""

    code = "UNKNOWN_MODEL"


class UnauthenticatedError(HeadwaterError):
    """The request has no API key, or one that is wrong, expired or revoked."""

    code = "UNAUTHENTICATED"
    http_status = 401


class SessionExpiredError(UnauthenticatedError):
    """The session of a widget's visitor has ended; start another one."""

    code = "SESSION_EXPIRED"


class ForbiddenError(HeadwaterError):
    """The API key may not do this; the message names the scope that is needed."""

    code = "FORBIDDEN"
    http_status = 403


class NotFoundError(HeadwaterError):
    """Nothing has this name."""

    code = "NOT_FOUND"
    http_status = 404
    exit_status = 2


class GoneError(NotFoundError):
    """It existed and was removed: its source was deleted, or its retention period has passed."""

    code = "GONE"
    http_status = 410


class ConflictError(HeadwaterError):
    """The request does not fit the current state."""

    code = "CONFLICT"
    http_status = 409


class AlreadyExistsError(ConflictError):
    """The name is already taken."""

    code = "ALREADY_EXISTS"
    exit_status = 2


class GateFailedError(ConflictError):
    """A search index did not pass the gate; the message names the failed criteria."""

    code = "GATE_FAILED"


class SyncAlreadyRunningError(ConflictError):
    """Another run is syncing this source now."""

    code = "SYNC_ALREADY_RUNNING"


class SourcePausedError(ConflictError):
    """The source is paused; the message says how to resume it."""

    code = "SOURCE_PAUSED"


class NoDocumentsError(ConflictError):
    """There are no documents to answer from: the knowledge base has none, or the filters select none."""

    code = "NO_DOCUMENTS"


class ProcessingIncompleteError(ConflictError):
    """The first sync has not published any document yet; the message says what it is doing."""

    code = "PROCESSING_INCOMPLETE"


class CancelledError(ConflictError):
    """The person or program that requested this has cancelled it."""

    code = "CANCELLED"


class SourceError(HeadwaterError):
    """A whole source could not be read."""

    code = "SOURCE_FAILED"
    http_status = 502


class DocumentError(SourceError):
    """One document could not be read; the others can."""

    code = "DOCUMENT_FAILED"
    http_status = 422


class TooLargeError(DocumentError):
    """A document is larger than its limit, as it was sent or once it is decompressed."""

    code = "TOO_LARGE"
    http_status = 413


class ParserLimitError(DocumentError):
    """Reading one file took more time or memory than its parser may take."""

    code = "PARSER_LIMIT"


class ParserCrashedError(DocumentError):
    """The process that read one file ended, or gave an answer that is not valid."""

    code = "PARSER_CRASHED"


class UnsafeFileError(DocumentError):
    """A file is built to exhaust its reader, such as a zip bomb; it was not opened."""

    code = "UNSAFE_FILE"


class FetchError(SourceError):
    """An address could not be fetched: the network or its server failed."""

    code = "FETCH_FAILED"


class FetchRefusedError(FetchError):
    """An address may not be fetched; the message says why, and which setting allows it."""

    code = "FETCH_REFUSED"
    http_status = 403


class DeletionsHeldError(SourceError):
    """A sync would remove so many documents that somebody must confirm it; the message says how."""

    code = "DELETIONS_HELD"
    http_status = 409


class TimeLimitError(SourceError):
    """A source took longer than its time limit."""

    code = "TIME_LIMIT"
    http_status = 504


class FencedError(HeadwaterError):
    """A newer sync of this source has taken over, so this one must not publish."""

    code = "FENCED"
    http_status = 409


class ModelUnavailableError(HeadwaterError):
    """The model did not answer or is not installed."""

    code = "MODEL_UNAVAILABLE"
    http_status = 503
    is_slow = False
    """Whether its server took the request, and no reply came in time."""


class GenerationFailedError(HeadwaterError):
    """The model began an answer and broke off, or returned something unusable; the message says which."""

    code = "GENERATION_FAILED"
    http_status = 502
    paid: tuple[int, int, float | None] = (0, 0, 0.0)
    """The tokens of prompts and of replies, and the cost in US dollars, of replies that could not be used."""


class AnswerInterruptedError(GenerationFailedError):
    """The process that made this answer ended before it was complete. Its text so far is kept; ask again."""

    code = "ANSWER_INTERRUPTED"


class RateLimitedError(HeadwaterError):
    """Too many requests: of a caller, of a model's server, or questions that wait; the message says how long."""

    code = "RATE_LIMITED"
    http_status = 429


class BudgetSpentError(RateLimitedError):
    """The daily budget of a widget is spent; it answers again after midnight UTC."""

    code = "BUDGET_SPENT"


class FilesUnavailableError(HeadwaterError):
    """The store of originals cannot be reached, or an original is missing."""

    code = "FILES_UNAVAILABLE"
    http_status = 503


class StorageFullError(FilesUnavailableError):
    """The store of originals has no room left."""

    code = "STORAGE_FULL"
    http_status = 507


class DatabaseUnavailableError(HeadwaterError):
    """Postgres cannot be reached."""

    code = "DATABASE_UNAVAILABLE"
    http_status = 503


class DiskFullError(DatabaseUnavailableError):
    """The disk of the Postgres server is full, so it cannot store anything. Free some space there, then try again."""

    code = "DISK_FULL"
    http_status = 507
