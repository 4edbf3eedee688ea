"""How many requests a caller may send (API-6).

Belongs here: what each route costs, and whose bucket pays. Not here: counting (`headwater.store.access.rate_limits`).
Guarantee: a program of this machine without a key has no limit; guessing keys is limited by address.
"""

from collections.abc import Mapping
from types import MappingProxyType

from flask import request

from headwater.domain.access import Bucket, Scope
from query_api.app_context import app_context, settings
from query_api.guards.authentication import caller, find_scope
from query_api.guards.connection import client_address
from query_api.guards.hosts import is_loopback

READ, ANSWER, UPLOAD, PICTURE, EVALUATION, LOGIN = 1, 5, 2, 2, 20, 5
"""Units."""
COSTS: Mapping[str, int] = MappingProxyType(
    {
        "answers.create_answer": ANSWER,
        "chat_page.ask_first": ANSWER,
        "chat_page.ask_next": ANSWER,
        "evaluations.create_comparison": EVALUATION,
        "evaluations.create_evaluation": EVALUATION,
        "evaluations.create_golden_questions": EVALUATION,
        "evaluations.create_tuning": EVALUATION,
        "login_page.log_in": LOGIN,
        "openai.create_chat_completion": ANSWER,
        "openai.create_context": READ,
        "page_picture_page.show_page": PICTURE,
        "settings_page.change": ANSWER,  # it may call a model
        "uploads.put_file": UPLOAD,
    }
)
"""The cost of each endpoint that is more work than reading."""
_UNKNOWN = 5  # units of a request whose key is missing or wrong


def count_request() -> None:
    """Count the current request, once: the head of a large one has been counted alone.

    Raises:
        RateLimitedError: its caller has sent too many.
    """
    if not getattr(request.environ.get("gunicorn.socket"), "is_counted", False):
        count()


def count(cost: int | None = None) -> None:
    """Count the current request.

    Args:
        cost: units; by default those of its route.

    Raises:
        RateLimitedError: its caller has sent too many.
    """
    endpoint = request.endpoint or ""
    who, is_open = caller(), find_scope() is Scope.OPEN
    if who is not None and who.actor.kind != "anyone":
        bucket = Bucket(name=who.bucket, limit=settings().requests_per_minute)
        app_context().store.limits.take(bucket, cost=cost or COSTS.get(endpoint, READ))
    elif who is None and (not is_open or endpoint in COSTS):
        _count_address(COSTS[endpoint] if is_open else _UNKNOWN)


def _count_address(cost: int) -> None:
    """Count a request whose caller is not known."""
    address = client_address(request.environ, settings().trusted_proxies)
    if not is_loopback(address):
        limits = app_context().store.limits
        name = f"address:{limits.hash_address(address)}"
        limits.take(Bucket(name=name, limit=settings().requests_per_minute_without_key), cost=cost)
