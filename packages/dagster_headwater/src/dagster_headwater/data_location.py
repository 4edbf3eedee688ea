"""Where Headwater's data is, as a project says it.

Belongs here: opening the store with the project's own home, address and variables. Not here: what is done with it.
Guarantee: nothing is opened before a step runs; no secret is in a definition or in a repr.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from headwater.administration.audit_trail import act_as
from headwater.domain.access import Actor
from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings, lend_environment
from headwater.store.server.database_urls import database_url
from headwater.store.server.migrations import migrate
from headwater.store.store import Store, open_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A database server, or the embedded one under `home`."""

    home: Path
    database_url: str | None = field(default=None, repr=False)
    may_migrate: bool = False
    """Whether a server's database is migrated here; the embedded one always is."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of Headwater and of models, by name, with their values."""

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store for the length of a block; yields it with the settings of this place."""
        own_variables = {"HEADWATER_HOME": str(self.home), "HEADWATER_DATABASE_URL": self.database_url or ""}
        with lend_environment({**self.variables, **own_variables}):
            settings = Settings.from_env()
            act_as(Actor(kind="process", id="dagster"))
            if self.database_url and self.may_migrate:
                migrate(database_url(settings))
            with open_store(settings) as store:
                yield store, settings


def read_variables(names: Mapping[str, str]) -> dict[str, str]:
    """The values of Headwater's variables, each from the variable of the project that holds it.

    Args:
        names: Headwater's names, each with the project's.

    Raises:
        InvalidConfigurationError: a variable of the project is not set.
    """
    missing = sorted(theirs for theirs in names.values() if not os.environ.get(theirs))
    if missing:
        raise InvalidConfigurationError(f"These variables are not set: {', '.join(missing)}.")
    return {ours: os.environ[theirs] for ours, theirs in names.items()}
