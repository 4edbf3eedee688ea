"""Which tests start servers: those of other people, or a whole installation in processes of its own.

Belongs here: the fixtures that start them. Not here: what is asked of the servers. Guarantee: a test that uses one of
the fixtures has the mark `servers`, wherever it is; one that starts a server by itself is marked where it stands.

`make test` leaves these tests out, `make test-servers` runs them, and CI runs both. An attack on a running API has the
mark too, and is run by `make probe`.
"""

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


def mark(item: pytest.Item) -> None:
    """Mark a test that uses one of the fixtures."""
    if not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.servers)
