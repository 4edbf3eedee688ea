"""How many requests a caller may send (API-6).

Belongs here: whose bucket pays. Not here: what a route costs (`route_facts`), counting
(`headwater.store.access.rate_limits`).
Guarantee: a program of this machine without a key has no limit; guessing keys is limited by address.
"""

from flask import request

from headwater.domain.access import Bucket, Scope
from query_api.app_context import app_context, settings
from query_api.guards.authentication import caller, find_scope
from query_api.guards.connection import client_address
from query_api.guards.hosts import is_loopback
from query_api.guards.route_facts import READ, request_facts

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
    usual = request_facts().cost
    who, is_open = caller(), find_scope() is Scope.OPEN
    if who is not None and who.actor.kind != "anyone":
        bucket = Bucket(name=who.bucket, limit=settings().requests_per_minute)
        app_context().store.limits.take(bucket, cost=cost or usual or READ)
    elif who is None and not is_open:
        _count_address(_UNKNOWN)
    elif who is None and usual is not None:
        _count_address(usual)


def _count_address(cost: int) -> None:
    """Count a request whose caller is not known."""
    address = client_address(request.environ, settings().trusted_proxies)
    if not is_loopback(address):
        limits = app_context().store.limits
        name = f"address:{limits.hash_address(address)}"
        limits.take(Bucket(name=name, limit=limit_without_key(settings().requests_per_minute)), cost=cost)


def limit_without_key(with_key: int) -> int:
    """Units a minute of an address: a tenth of a key's, but one wrong key can always be told so; 0 means no limit."""
    return max(with_key // 10, _UNKNOWN) if with_key else 0
