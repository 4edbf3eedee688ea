"""Rate limits in Postgres, the same for every process (API-6).

Belongs here: counting requests. Not here: what a request costs and whose it is (`query_api.guards.rate_limits`).
Guarantee: of requests at the same time no more pass than the limit allows (GCRA, one statement each); a refused one
counts nowhere; addresses of callers are stored only as hashes with a secret that lasts a day.
"""

import hashlib
import hmac
import secrets
import threading
from datetime import UTC, date, datetime, timedelta

from headwater.domain.access import Bucket
from headwater.errors import RateLimitedError
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session


class LimitStore:
    """The tables rate_limits and address_salts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._salt: tuple[date, bytes] | None = None
        self._lock = threading.Lock()

    def take(self, *buckets: Bucket, cost: int = 1) -> None:
        """Count a request in each of some buckets, or in none of them.

        Args:
            buckets: such as that of a key; a bucket with the limit 0 has none. A widget gives those of a visitor, of
                the widget, and of its day.
            cost: units; a request that costs more than a whole limit takes all of it.

        Raises:
            RateLimitedError: one of them has not enough units left; `retry_after` is when it will.
        """
        limited = sorted((bucket for bucket in buckets if bucket.limit), key=lambda bucket: bucket.name)
        if not limited:
            return
        with self._database.transaction() as session:
            for bucket in limited:  # in order of their names, so that two requests do not wait for each other
                _take(session, bucket, min(cost, bucket.limit))

    def hash_address(self, address: str) -> str:
        """A client's address as it is stored: another one each day, so that nobody can be followed for longer."""
        return hmac.new(self._salt_of(datetime.now(UTC).date()), address.encode(), hashlib.sha256).hexdigest()[:32]

    def prune(self) -> int:
        """Forget buckets that are full again; returns how many."""
        return self._database.run("delete_old_buckets")

    def _salt_of(self, day: date) -> bytes:
        with self._lock:
            if self._salt is None or self._salt[0] != day:
                row = self._database.one("salt_of_day", day=day, salt=secrets.token_bytes(32))
                self._salt = (day, bytes(row["salt"]))
            return self._salt[1]


def _take(session: Session, bucket: Bucket, cost: int) -> None:
    values = {
        "bucket": bucket.name,
        "period": timedelta(seconds=bucket.seconds),
        "step": timedelta(seconds=bucket.seconds * cost / bucket.limit),
    }
    if session.row("take_from_bucket", **values) is not None:
        return
    row = session.row("wait_for_bucket", **values)
    wait = max(0.0, row["seconds"]) if row else 0.0
    raise RateLimitedError(
        f"Too many requests: at most {bucket.limit} units in {bucket.seconds:g} seconds. Try again in"
        f" {max(1, round(wait))} s.",
        retry_after=wait,
    )
