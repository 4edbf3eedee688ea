"""The knowledge bases that are asked, in a home of their own.

Belongs here: opening the home, making and syncing a knowledge base per folder of documents. Not here: getting the
documents (README.md says how), asking. Guarantee: a knowledge base is synced once; a later run with the same home only
asks.
"""

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.throwaway import DATABASE, HOME, sync
from cli.environment import Environment, dagster_instance, environment
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import NotFoundError
from headwater.store.server import embedded_postgres
from headwater.store.store import Store

_SOURCE = "documents"


@contextmanager
def open_home(folder: Path) -> Iterator[Environment]:
    """A home with an embedded Postgres, for the length of a block; the environment points there."""
    home = folder.resolve()
    before = {name: os.environ.pop(name, None) for name in (HOME, DATABASE)}
    os.environ[HOME] = str(home)
    was_running = embedded_postgres.is_running(home / "postgres")
    try:
        with environment() as env:
            yield env
    finally:
        if not was_running:  # another process may use it
            embedded_postgres.stop(home / "postgres")
        os.environ.pop(HOME)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def add_missing(env: Environment, folders: Mapping[str, Path]) -> None:
    """Make and sync the knowledge bases that the home does not have yet.

    Args:
        env: the home's settings and store.
        folders: the documents of each knowledge base.

    Raises:
        ClickException: a sync failed.
    """
    missing = {slug: folder for slug, folder in folders.items() if not is_synced(env.store, slug)}
    if not missing:
        return
    with dagster_instance(env.settings) as instance:
        for slug, folder in missing.items():
            print(f"syncing {slug} …", flush=True)
            apply(env.store, _spec(slug, folder))
            sync(env, instance, slug)


def read_folder(text: str) -> tuple[str, Path]:
    """Read `KB=FOLDER`, an argument of a command.

    Raises:
        ArgumentTypeError: it has another form, or there is no such folder.
    """
    slug, equals, folder = text.partition("=")
    if not equals or not Path(folder).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not KB=FOLDER with a folder that exists")
    return slug, Path(folder)


def is_synced(store: Store, slug: str) -> bool:
    """Whether a knowledge base can be asked."""
    try:
        index = store.search_indexes.active(slug)
    except NotFoundError:
        return False
    return index is not None and bool(index.dimensions)


def _spec(slug: str, folder: Path) -> KnowledgeBaseSpec:
    source = SourceSpec(slug=_SOURCE, kind="folder", config={"path": str(folder.resolve())})
    return KnowledgeBaseSpec(slug=slug, name=slug, description="", settings=KnowledgeBaseSettings(), sources=(source,))
