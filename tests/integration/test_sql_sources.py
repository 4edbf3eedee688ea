"""Rows of databases as documents (SRC-4): PostgreSQL, SQLite, and MariaDB where it is installed."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.domain.documents import DocumentProblem
from headwater.domain.source_settings import SourceSettings
from headwater.errors import HeadwaterError, InvalidConfigurationError, SourceError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from headwater.sources.sql.connection import reading
from query_api.app import create_app
from tests.sql_servers import Database, mariadb, postgres, sqlite
from tests.support import Headwater

Make = Callable[..., Headwater]
QUERY = "select id, title, body, author, updated_at from faq where body is not null order by id"
CONFIG = {
    "credential": "shop", "query": QUERY, "key": "id", "title": "title", "changed": "updated_at",
    "metadata": ["author"],
    "text": "{{ body }}\n\nWritten by {{ author }}.", "link": "https://shop.example.com/faq/{{ id }}",
}  # fmt: skip
BREAKS = "select id, title, case when id = 30 then json(body) else body end as body, author, updated_at from faq"
COUNT = 40


@pytest.fixture(scope="module")
def maria() -> Iterator[Database]:
    """MariaDB, which takes five seconds to start."""
    with mariadb() as running:
        yield running


@pytest.fixture(params=["postgresql", "sqlite", pytest.param("mariadb", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A database with forty rows; its address is in the environment."""
    opened: dict[str, Callable[[], AbstractContextManager[Database]]] = {
        "postgresql": lambda: postgres(request.getfixturevalue("server")),
        "sqlite": lambda: sqlite(tmp_path),
        "mariadb": lambda: nullcontext(request.getfixturevalue("maria")),
    }
    with opened[request.param]() as made:
        fill(made)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", made.address)
        yield made


def fill(database: Database) -> None:
    """Make the table."""
    stamp = "timestamp" if database.writer.startswith("postgresql") else "datetime"
    columns = f"id integer primary key, title varchar(100), body text, author varchar(50), updated_at {stamp}"
    database.run("drop table if exists faq")
    database.run(f"create table faq ({columns})")
    rows = [
        {"i": number, "t": f"Pümp {number}", "b": f"The pump number {number} lifts water.", "u": "2026-06-01 10:00:00"}
        for number in range(COUNT)
    ]
    database.run("insert into faq values (:i, :t, :b, 'Ida', :u)", rows)


def fetch(folder: Path, known: dict[str, Any] | None = None, **config: Any) -> list[Found]:
    """Everything that the connector finds."""
    context = SourceContext(folder=folder / "own", known=known or {})
    return list(open_connector("sql", {**CONFIG, **config}, context).fetch())


def as_known(items: list[Found]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {item.uri: item for item in items if isinstance(item, FetchedDocument)}


def test_exactly_the_rows_that_changed_are_touched(tmp_path: Path, database: Database) -> None:
    """Three are edited, one is deleted, one gets another key; a quiet sync reads one row."""
    first = fetch(tmp_path)
    assert [item.uri for item in first] == [str(number) for number in range(COUNT)]
    assert isinstance(first[7], FetchedDocument)
    document = first[7].parse()
    assert (document.title, document.text) == ("Pümp 7", "The pump number 7 lifts water.\n\nWritten by Ida.")
    assert document.metadata["author"] == "Ida"
    assert document.metadata["updated"].startswith("2026-06-01")
    assert document.places is not None
    assert document.places.address == "https://shop.example.com/faq/7"
    known = as_known(first)
    assert {type(item) for item in fetch(tmp_path, known)} == {UnchangedDocument}
    assert len(fetch(tmp_path, known)) == COUNT
    database.run("update faq set body = 'The lamp was mended.', updated_at = '2026-06-02' where id in (3, 5, 8)")
    database.run("delete from faq where id = 13")
    database.run("update faq set id = 100 where id = 21")
    again = fetch(tmp_path, known)
    fresh = {item.uri: item for item in again if isinstance(item, FetchedDocument)}
    assert set(fresh) == {"3", "5", "8", "100"}
    assert fresh["5"].parse().text.startswith("The lamp was mended.")
    assert known.keys() - {item.uri for item in again} == {"13", "21"}


def test_a_quiet_sync_asks_for_one_row(tmp_path: Path, database: Database) -> None:
    """How many there are, and when the last one changed; if that is the same, the others are not read."""
    known = as_known(fetch(tmp_path))
    database.run("update faq set body = 'Unseen, because its date stays.' where id = 1")
    assert {type(item) for item in fetch(tmp_path, known)} == {UnchangedDocument}
    without = fetch(tmp_path, known, changed=None)
    assert len([item for item in without if isinstance(item, FetchedDocument)]) == COUNT  # another config reads all
    database.run("update faq set updated_at = '2026-06-03' where id = 2")
    found = [item.uri for item in fetch(tmp_path, known) if isinstance(item, FetchedDocument)]
    assert found == ["1", "2"]


def test_the_session_can_only_read(tmp_path: Path, database: Database) -> None:
    """The server itself refuses, although its user may write (SEC-1)."""
    context = SourceContext(folder=tmp_path)
    for statement in ("delete from faq", "insert into faq (id) values (999)", "drop table faq"):
        with (
            pytest.raises(SourceError, match=r"(?i)read.?only") as caught,
            reading(context, "shop", None) as connection,
        ):
            connection.exec_driver_sql(statement)
        assert "Nothing was changed" in str(caught.value)
    assert len(fetch(tmp_path)) == COUNT


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"query": "delete from faq"}, "begins with SELECT or WITH"),
        ({"query": "select 1; drop table faq"}, "without a semicolon"),
        ({"query": "copy faq to '/tmp/a'"}, "begins with SELECT or WITH"),
        ({"text": "{{ a"}, "must be a Jinja template"),
        ({"credential": None}, "give either a credential"),
        ({"path": "/tmp/a.db"}, "give either a credential"),
        ({"credential": "postgresql://a:b@c/d"}, "not the secret"),
    ],
)
def test_a_config_that_writes_or_holds_a_secret_is_refused(config: dict[str, Any], message: str) -> None:
    """Before anything is asked."""
    with pytest.raises(InvalidConfigurationError, match=re.escape(message)):
        check_config("sql", {**CONFIG, **config})


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A file of SQLite with forty rows."""
    with sqlite(tmp_path) as made:
        fill(made)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", made.address)
        yield made


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"query": "select title from faq", "changed": None}, "The query has no column id. Its columns are title."),
        ({"query": BREAKS}, "malformed JSON"),
        ({"query": "select * from absent"}, "no such table: absent"),
        ({"max_rows": 5}, "more than 5 rows, which is max_rows"),
    ],
)
def test_a_wrong_query_changes_nothing(tmp_path: Path, file: Database, config: dict[str, Any], message: str) -> None:
    """And says what to change."""
    with pytest.raises(HeadwaterError, match=re.escape(message)):
        fetch(tmp_path, **config)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("not an address", "must be the address of a database"),
        ("postgresql://r:hunter2@127.0.0.1:1/x", "cannot be read"),
        ("oracle://r:hunter2@127.0.0.1/x", "is not installed"),
        ("sqlite:////etc/passwd", "outside the folders in HEADWATER_LOCAL_PATHS"),
    ],
)
def test_an_address_that_leads_nowhere_shows_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    """The error names the credential (SRC-14)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", address)
    context = SourceContext(folder=tmp_path, local_paths=(tmp_path,))
    with pytest.raises(SourceError, match=re.escape(message)) as caught:
        list(open_connector("sql", CONFIG, context).fetch())
    assert "hunter2" not in str(caught.value)


def test_a_row_that_makes_no_document_is_reported(tmp_path: Path, file: Database) -> None:
    """One without a key, and one that a template cannot write; the others are read, and nothing is removed."""
    file.run("create table odd (id integer, body text)")
    file.run("insert into odd values (1, 'One.'), (null, 'None.'), (3, null)")
    chosen: dict[str, Any] = {
        "query": "select * from odd",
        "title": None,
        "changed": None,
        "metadata": (),
        "link": None,
    }
    chosen |= {"title": None, "link": None}
    found = fetch(tmp_path, text="{{ body.upper() }}", **chosen)
    assert [type(item) for item in found] == [FetchedDocument, DocumentProblem, FetchedDocument]
    assert isinstance(found[0], FetchedDocument)
    assert isinstance(found[2], FetchedDocument)
    assert found[0].parse().text == "ONE."
    assert found[1].uri == ""
    with pytest.raises(HeadwaterError, match="A template fails for this row"):
        found[2].parse()
    everything = fetch(tmp_path, text=None, **chosen)[0]
    assert isinstance(everything, FetchedDocument)
    assert everything.parse().text == "**id**: 1\n\n**body**: One."
    markup = fetch(tmp_path, text="<h2>Oil</h2><p>{{ body }}</p>", format="text/html", **chosen)[0]
    assert isinstance(markup, FetchedDocument)
    assert markup.parse().text == "## Oil\n\nOne."


@pytest.mark.dagster
def test_rows_are_found_and_cited(
    headwater: Make, tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A citation opens the row, lineage names its assets; lost rows need a confirmation; the password is nowhere."""
    caplog.set_level(logging.DEBUG)
    kb = headwater()
    with postgres(server) as database:
        fill(database)
        monkeypatch.setenv("HEADWATER_CREDENTIAL_SHOP", database.address)
        config = {**CONFIG, "assets": ["crm/tickets", "crm/people"]}
        kb.store.sources.create(kb.slug, slug="faq", kind="sql", config=config, settings=SourceSettings())
        assert kb.sync("faq")["faq"].added == COUNT
        before = kb.content()
        done = kb.sync("faq")["faq"]
        assert (done.unchanged, done.rows_written) == (COUNT, 0)
        assert kb.content() == before
        database.run("update faq set body = 'The anchor weighs nine tons.', updated_at = now() where id = 9")
        database.run("delete from faq where id < 3")
        done = kb.sync("faq")["faq"]
        assert (done.added, done.changed, done.removed, done.unchanged) == (0, 1, 3, 36)
        answer = kb.ask("How much does the anchor weigh?")
        assert "https://shop.example.com/faq/9" in repr(answer)
        client = create_app(kb.settings).test_client()
        (traced,) = client.get(f"/api/v1/answers/{answer.id}/lineage").get_json()["citations"]
        assert [(each["asset"], each["asset_url"]) for each in traced["upstream"]] == [
            ("crm/tickets", None), ("crm/people", None)
        ]  # fmt: skip
        page = client.get(f"/kb/{kb.slug}/lineage/{answer.id}").get_data(as_text=True)
        assert "crm/tickets" in page
        database.run("delete from faq where id > 15")
        assert [error.code for error in kb.sync("faq")["faq"].errors] == ["DELETIONS_HELD"]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("ALTER DATABASE faq_source ALLOW_CONNECTIONS false")
        (error,) = kb.sync("faq")["faq"].errors
        assert "is not currently accepting connections" in error.message
        database_texts = f"{kb.dump()} {caplog.text}"
        assert database.password not in database_texts
        assert kb.source("faq").document_count == 37
