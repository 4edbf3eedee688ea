"""Addresses of the database, as libpq takes them, and as SQLAlchemy does for Dagster."""

import pytest
from sqlalchemy import make_url

from assets.connections import keep_connections
from headwater.store.server.database_urls import dagster_database_url, dagster_url

_FIRST = {"target_session_attrs": "primary"}


@pytest.mark.parametrize(
    ("url", "arguments"),
    [
        ("postgresql://u:p%40@h:1/kb", {"user": "u", "password": "p@", "host": "h", "port": 1, **_FIRST}),
        ("postgresql://u@one:1,two:2/kb", {"user": "u", "host": "one,two", "port": "1,2", **_FIRST}),
        ("postgresql://one,two/kb", {"host": "one,two", "port": ",", **_FIRST}),
        ("postgresql:///kb?host=/run/postgresql", {"host": "/run/postgresql", **_FIRST}),
        ("postgresql://h/kb?target_session_attrs=any", {"host": "h", "target_session_attrs": "any"}),
    ],
)
def test_dagster_connects_as_we_do(url: str, arguments: dict[str, object]) -> None:
    """To the first of several servers, by whatever form of address, and to the database beside ours."""
    chosen = make_url(keep_connections(dagster_url(url)))
    ours = {"dbname": "kb_dagster", "plugin": "headwater"}  # SQLAlchemy removes its own parameter
    assert chosen.get_dialect()().create_connect_args(chosen) == ([], {**ours, **arguments})


def test_an_address_may_name_no_server() -> None:
    """Then its parameters do."""
    url = "postgresql:///kb?host=/run/postgresql"
    assert dagster_database_url(url) == "postgresql:///kb_dagster?host=/run/postgresql"
