"""Which tests `make test` leaves to `make test-servers` and to `make probe`.

Belongs here: the fixtures that start servers, and which rows of a table of attacks a run of all tests has. Not here:
what is asked of servers, attacks. Guarantee: CI runs every test; a sample is the same every time.

A test that uses a fixture which starts a server of other people, or a whole installation in processes of its own, has
the mark `servers`, wherever it is; one that starts a server by itself is marked where it stands. So are the tests of
what a release brings: the pages of the documentation, done as a reader does them, the wheel in an environment of its
own, and the example project. `make test` leaves these tests out, and `make test-servers` runs them; those of them that
attack a running API are run by `make probe`.

A table of attacks is one in `tests/probe`, or a test with the mark `attacks`. `make probe`, and whoever names files,
runs all rows. A run of all tests has three: what stands open lets most rows of its table in. A test with the mark
`probe` is one large attack, which only `make probe` runs.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

_FIXTURES = {
    "mail",  # Dovecot
    "wiki",  # MediaWiki with PHP
    "s3",  # moto
    "azure",  # Azurite
    "maria",  # MariaDB
    "up",  # `headwater up`: Postgres, Dagster's daemon and web server, the API
    "patient_api", "hasty_api", "keyed_api", "narrow_api", "door_api", "whole_ground",  # `headwater serve`
}  # fmt: skip
_OF_RELEASES = {"test_dagster_project.py", "test_pages.py", "test_wheel.py"}
_ATTACKS = Path(__file__).parent / "probe"
_SAMPLE = 3  # rows of a table


def mark_servers(item: pytest.Item) -> None:
    """Mark a test that uses one of the fixtures, or tries what a release brings."""
    uses_servers = not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    if uses_servers or item.path.name in _OF_RELEASES:
        item.add_marker(pytest.mark.servers)


def omitted_attacks(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Most rows of large tables of attacks."""
    tables: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.is_relative_to(_ATTACKS) or item.get_closest_marker("attacks") is not None:
            tables[item.nodeid.partition("[")[0]].append(item)
    return {row for rows in tables.values() for row in set(rows) - set(_sample(rows))}


def _sample(rows: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    """The first row, the last one and one between, if there are more."""
    last = len(rows) - 1
    return rows if last < _SAMPLE else [rows[last * place // (_SAMPLE - 1)] for place in range(_SAMPLE)]
