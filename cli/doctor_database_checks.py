"""The checks of `doctor_checks` on the database.

Belongs here: one function per problem of Postgres or with stored data, with its solution. Not here: the machine
(`cli.doctor_checks`), repairing. Guarantee: it changes nothing.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from headwater.administration.memory_advice import advise_memory, describe_memory
from headwater.administration.model_states import model_states
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import REMOVED
from headwater.domain.plurals import pluralize
from headwater.domain.skips import is_worth_a_look
from headwater.errors import FilesUnavailableError
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.source_folders import source_numbers_of_folders
from headwater.syncing.store_owner import refuse_another

Finding = tuple[Literal["ok", "warning", "failed"], str]
_NAMED = 5  # missing originals that a message names
_PATIENCE = 60  # seconds that a request may wait before it is reported


def _database(store: Store, settings: Settings) -> Iterator[Finding]:
    server = store.health.server()
    place = "embedded" if settings.database_url is None else "HEADWATER_DATABASE_URL"
    yield "ok", f"{place}, Postgres {server.postgres}, pgvector {server.pgvector}, up to date"
    if not server.has_autovacuum:
        yield "warning", "The server's autovacuum is off: dead rows pile up and slow search down. Set autovacuum = on."


def _memory(store: Store, settings: Settings) -> Iterator[Finding]:
    import psutil

    facts = store.health.memory()
    advice = list(advise_memory(facts, psutil.virtual_memory().total if settings.database_url is None else None))
    for words in advice:
        yield "warning", words
    if not advice:
        yield "ok", describe_memory(facts)


def _tables(store: Store, _: Settings) -> Iterator[Finding]:
    advice = store.health.vacuum_advice()
    for table_advice in advice:
        when = table_advice.vacuumed_at.isoformat(timespec="seconds") if table_advice.vacuumed_at else "never"
        yield (
            "warning",
            f"{table_advice.table}: {table_advice.reason}; last vacuumed {when}. Run: {table_advice.statement}",
        )
    if not advice:
        yield "ok", "no table needs to be vacuumed"


def _sources(store: Store, _: Settings) -> Iterator[Finding]:
    sources = store.sources.all()
    failed = [source for source in sources if source.state == "failed"]
    for source in failed:
        yield "warning", f"{source.key} failed: {source.error} Sync it again when you have fixed that."
    if not failed:
        yield "ok", f"{len(sources)} registered, none failed"
    if paused := store.health.paused():
        yield "ok", f"paused, not synced until resumed: {', '.join(paused)}"


def _check_settings(store: Store, _: Settings) -> Iterator[Finding]:
    for slug, name in store.health.find_stored_settings(REMOVED):
        yield (
            "warning",
            f"{slug}: its setting {name} has no effect any more. The next change of its settings removes it.",
        )


def _check_skips(store: Store, _: Settings) -> Iterator[Finding]:
    has_any = False
    for source in store.sources.all():
        count = source.unreadable_count
        if count and all(line.count != count for line in source.skipped):
            yield "warning", f"{source.key}: {count:,} of its documents could not be read, for several reasons."
        for line in source.skipped:
            has_any = True
            yield "warning" if is_worth_a_look(line) else "ok", f"{source.key}: {line.text}"
    if not has_any:
        yield "ok", "the last syncs left nothing out"


def _requests(store: Store, settings: Settings) -> Iterator[Finding]:
    from cli.processes.up_file import read_pid

    count, since = store.health.count_waiting_requests(_PATIENCE)
    if not count or since is None:
        yield "ok", "no sync waits for a worker"
        return
    waiting = f"{pluralize(count, 'sync')} waiting since {since.isoformat(timespec='seconds')}: no worker takes any."
    if read_pid(settings.home) is None:
        yield "warning", f"{waiting} `headwater up` is not running on this machine. Start it, unless it runs elsewhere."
    else:
        yield "warning", f"{waiting} Check in the Dagster UI that the sensor requested_syncs is on and no run is stuck."


def _indexes(store: Store, _: Settings) -> Iterator[Finding]:
    indexes = store.health.indexes()
    for index in indexes:
        name = f"{index.knowledge_base}: index {index.id} ({index.model})"
        if index.is_failed:
            why = " ".join(map(str, index.failed or ())) or "See search_index in the Dagster UI."
            yield "warning", f"{name}, {index.state}, did not pass its gate: {why}"
        elif index.state == "retained":
            yield "ok", f"{name} is kept for a rollback since {index.retained_at:%Y-%m-%d}"
        else:
            yield "ok", f"{name} is being built"
    if not indexes:
        yield "ok", "no unused search index"


def _languages(store: Store, settings: Settings) -> Iterator[Finding]:
    from headwater.administration.language_advice import advise_on_documents

    advice = [
        text
        for knowledge_base in _knowledge_bases(store)
        if (text := advise_on_documents(store, settings, knowledge_base))
    ]
    yield from (("warning", text) for text in advice)
    if not advice:
        yield "ok", "every embedding model knows the languages of its documents"


def _knowledge_bases(store: Store) -> Iterator[KnowledgeBase]:
    last_slug = ""
    while page := store.knowledge_bases.all(after=last_slug):
        yield from page
        last_slug = page[-1].slug


def _folders(store: Store, settings: Settings) -> Iterator[Finding]:
    orphans = source_numbers_of_folders(settings) - store.sources.ids()
    if orphans:
        names = ", ".join(f"sources/{orphan}" for orphan in sorted(orphans))
        yield "warning", f"{names}: they belong to no source. `headwater tidy` removes them."
    else:
        yield "ok", "every source folder belongs to a source"


def _originals(store: Store, settings: Settings) -> Iterator[Finding]:
    files = open_files(settings)
    originals = list(store.originals.held())
    is_looked_at = (
        originals or settings.files is not None
    )  # so a wrong setting shows before the first original is stored
    there = {file.hash for file in files.all()} if is_looked_at else set()
    if is_looked_at:
        try:
            refuse_another(files, store.originals.owner())
        except FilesUnavailableError as error:
            yield "warning", str(error)
    missing = [
        f"{original.source} {original.uri} ({original.hash})" for original in originals if original.hash not in there
    ]
    if missing:
        names = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        yield (
            "warning",
            (
                f"{len(missing)} of {len(originals)} are missing in {files.shown}: {names}. Put them back, upload"
                " them again, or run `headwater sync --full` for these sources, which fetches them again."
            ),
        )
    else:
        yield "ok", f"{len(originals)} are stored in {files.shown}"


def _models(store: Store, settings: Settings) -> Iterator[Finding]:
    states = model_states(store, settings)
    for state in states:
        if state.problem:
            yield "warning", f"{state.setting} {state.model}: {state.problem}"
    if not any(state.problem for state in states):
        model_names = ", ".join(sorted({state.model for state in states}))
        yield "ok", f"nothing is known against {model_names}" if model_names else "no knowledge base uses one"


DATABASE_CHECKS: dict[str, Callable[[Store, Settings], Iterator[Finding]]] = {
    "database": _database,
    "memory": _memory,
    "tables": _tables,
    "settings": _check_settings,
    "sources": _sources,
    "skipped": _check_skips,
    "requests": _requests,
    "indexes": _indexes,
    "languages": _languages,
    "models": _models,
    "folders": _folders,
    "originals": _originals,
}
