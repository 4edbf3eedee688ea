"""The end of a pool that nobody closed."""

import pytest
from psycopg_pool import ConnectionPool

from headwater.store.server.connection_pool import LastFirstPool


def test_a_pool_may_end_in_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops it wherever the last reference goes; an error there would be printed, and could not be caught."""

    def end(_pool: object) -> None:
        raise RuntimeError("cannot join current thread")

    pool = LastFirstPool("postgresql://127.0.0.1:1/none", open=False)
    monkeypatch.setattr(ConnectionPool, "__del__", end)
    pool.__del__()
    assert pool.closed
