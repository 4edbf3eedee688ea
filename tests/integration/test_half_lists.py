"""Sources whose list is the whole truth: one that lists half asks first, one that breaks off changes nothing (SRC-23).

Belongs here: kinds that cannot ask for one item, because they read a file, a folder, a table or a description at once.
Not here: the question itself (`test_deletion_guard`), kinds that ask for what a list leaves out (their own tests), S3,
whose test has it (`test_bucket`). Guarantee: each is synced as people sync it, into Postgres.
"""

import json
import mailbox
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.source_settings import SourceSettings
from headwater.errors import SourceError
from headwater.sources.connector import FetchedDocument, open_connector
from headwater.sources.source_context import SourceContext
from tests.hostile_server import hostile_server
from tests.integration import test_bucket as bucket_tests
from tests.integration.test_openapi_sources import description
from tests.integration.test_thousand_items import Container, azure_config
from tests.mail_server import message
from tests.sql_servers import postgres, sqlite
from tests.support import Headwater

_COUNT = 30
Halve = Callable[[], object]
"""Makes the source's list half as long, or shorter."""
Source = tuple[dict[str, Any], Halve]


@contextmanager
def _mbox(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Source]:
    path = folder / "list.mbox"
    with closing(mailbox.mbox(path)) as box:
        for number in range(_COUNT):
            box.add(message(number, f"The wheel {number} turns."))
    yield {"path": str(path)}, lambda: path.write_bytes(b"\nFrom ".join(path.read_bytes().split(b"\nFrom ")[:10]))


@contextmanager
def _maildir(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Source]:
    path = folder / "mail"
    with closing(mailbox.Maildir(path)) as box:
        keys = [box.add(message(number, f"The wheel {number} turns.")) for number in range(_COUNT)]
        yield {"path": str(path)}, lambda: deque(map(box.remove, keys[10:]))


@contextmanager
def _azure(_: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    with hostile_server() as server:
        blobs = Container()
        blobs.blobs = dict(list(blobs.blobs.items())[:_COUNT])
        server.answers = blobs
        monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ", bucket_tests.KEY)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_AZ_HOST", f"127.0.0.1:{server.port}")
        yield azure_config(server), lambda: [blobs.blobs.popitem() for _ in range(20)]


@contextmanager
def _sql(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    with sqlite(folder) as database:
        database.run("create table faq (id integer primary key, body text)")
        database.run("insert into faq values (:i, :b)", [{"i": at, "b": f"Wheel {at}."} for at in range(_COUNT)])
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", database.address)
        config = {"credential": "shop", "query": "select id, body from faq", "key": "id", "text": "{{ body }}"}
        yield config, lambda: database.run("delete from faq where id > 9")


@contextmanager
def _openapi(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Source]:
    path = folder / "openapi.json"
    api = description(_COUNT - 1)
    path.write_text(json.dumps(api))
    fewer = {**api, "paths": dict(list(api["paths"].items())[:9])}
    yield {"path": str(path)}, lambda: path.write_text(json.dumps(fewer))


_KINDS = {
    "mbox": ("imap", _mbox), "maildir": ("imap", _maildir), "azure": ("bucket", _azure), "sql": ("sql", _sql),
    "openapi": ("openapi", _openapi),
}  # fmt: skip


@pytest.mark.parametrize("name", _KINDS)
def test_half_a_list_asks_first(
    headwater: Callable[..., Headwater], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nothing is deleted until somebody confirms it; then all of it is."""
    kind, make = _KINDS[name]
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")
    kb = headwater()
    with ExitStack() as stack:
        config, halve = stack.enter_context(make(tmp_path, monkeypatch))
        kb.store.sources.create(kb.slug, slug="half", kind=kind, config=config, settings=SourceSettings())
        done = kb.sync("half")["half"]
        assert (done.added, done.errors) == (_COUNT, [])
        halve()
        done = kb.sync("half")["half"]
        assert (done.removed, [error.code for error in done.errors]) == (0, ["DELETIONS_HELD"])
        assert kb.source("half").document_count == _COUNT


def test_a_database_that_breaks_off_changes_nothing(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind two thirds of a thousand rows; the next sync reads all of them, and finds them unchanged (SRC-16)."""
    with postgres(server) as database:
        database.run("create table faq (id integer primary key, body text)")
        rows = [{"i": number, "b": f"The pump number {number} lifts."} for number in range(1_000)]
        database.run("insert into faq values (:i, :b)", rows)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", database.address)
        config = {"credential": "shop", "query": "select id, body from lifted", "key": "id", "text": "{{ body }}"}
        database.run("create view lifted as select id, body from faq")
        context = SourceContext(folder=tmp_path / "own")
        known: dict[str, Any] = {item.uri: item for item in open_connector("sql", config, context).fetch()}
        database.run(
            "create or replace view lifted as select id, body from faq"
            " where case when id = 666 then pg_terminate_backend(pg_backend_pid()) else true end"
        )
        context = SourceContext(folder=tmp_path / "own", known=known)
        with pytest.raises(SourceError, match=r"Nothing was changed\. Check it, and sync again") as caught:
            list(open_connector("sql", config, context).fetch())
        assert database.password not in str(caught.value)
        database.run("create or replace view lifted as select id, body from faq")
        items = list(open_connector("sql", config, context).fetch())
        assert (len(items), [item for item in items if isinstance(item, FetchedDocument)]) == (1_000, [])
