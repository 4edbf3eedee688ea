"""Why git could not fetch, in words.

Belongs here: reading git's messages. Not here: fetching (`git_repository`). Guarantee: pure; one line of what git says.
"""

from headwater.fetching.git_urls import DEFAULT_BRANCH, Revision

_NOT_THERE = ("couldn't find remote ref", "not our ref", "no such remote ref")
_SSH_REASONS = ("Permission denied", "Host key verification failed")
NO_ACCESS = ("Authentication failed", "could not read Username", "error: 403", "error: 401", *_SSH_REASONS)
"""Parts of messages that mean that the secret is missing or wrong."""


def reason_of(error: Exception) -> str:
    """Git's message: its first fatal line; the lines after it are general advice."""
    text = str(getattr(error, "stderr", "") or error)
    lines = [line.strip().strip("'") for line in text.splitlines() if line.strip()]
    reasons = [line for word in (*_SSH_REASONS, "fatal:", "error:") for line in lines if word in line]
    return (reasons or lines[-1:] or [type(error).__name__])[0].removeprefix("stderr: '").removeprefix("fatal: ")


def explain_error(reason: str, revision: Revision) -> str:
    """Git's reason for not fetching a revision, in other words if it is not there."""
    if not any(words in reason for words in _NOT_THERE):
        return reason
    if revision == DEFAULT_BRANCH:
        return "it is empty, or its default branch has no commit. Push one, or name a branch."
    return f"it has no {revision.words} (any more). Name another; until then, the documents stay as they are."
