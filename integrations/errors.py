"""What can go wrong between the API, a bot and its platform.

Belongs here: these errors, which are told to people in a channel with their codes. Not here: the kernel's errors.
Guarantee: a message holds no secret.
"""

from headwater.errors import HeadwaterError


class ApiUnreachableError(HeadwaterError):
    """Headwater does not answer at the moment."""

    code = "API_UNREACHABLE"
    http_status = 503


class ApiProblemError(HeadwaterError):
    """The API refused a request; `name` is the code that it gave."""

    def __init__(self, name: str, detail: str, *, status: int = 500, retry_after: float | None = None) -> None:
        """Keep what the API said; `retry_after` is in seconds."""
        super().__init__(detail, retry_after=retry_after)
        self.name = name
        self.status = status


class PlatformError(HeadwaterError):
    """The chat platform refused what the bot wanted to do; `name` is the code that it gave."""

    code = "PLATFORM_FAILED"

    def __init__(self, name: str, detail: str, *, is_passing: bool = False) -> None:
        """Keep what the platform said, and whether it may succeed later."""
        super().__init__(detail)
        self.name = name
        self.is_passing = is_passing


class StoppedError(Exception):
    """The bot's process ends; the next one continues this work."""


def name_of(error: ApiUnreachableError | ApiProblemError | PlatformError) -> str:
    """The code that people are told."""
    return error.code if isinstance(error, ApiUnreachableError) else error.name
