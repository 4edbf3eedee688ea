"""`sql`: the rows of a query to a database, each as a document (SRC-4).

Belongs here: when rows are read, and which are documents. Not here: connections (`connection`), texts (`rows`).
Guarantee: a row counts as removed only if the whole query was read; rows that commit late are not missed, because there
is no watermark; a quiet sync with a `changed` column reads one row.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, CursorResult

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, SourceError, TooLargeError
from headwater.identity import content_hash
from headwater.sources.connector import Connector, Found, UnchangedDocument
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.sql.config import SqlConfig, guess_sql
from headwater.sources.sql.connection import reading
from headwater.sources.sql.rows import Row, Rows

_STREAMED = {"stream_results": True, "max_row_buffer": 200, "no_parameters": True}
_PLAIN = {"no_parameters": True}
_MAX_CHARS = 200_000_000  # of the rows that are new or changed, which are in memory until they are written


class Sql(Connector):
    """Reads the rows of a query."""

    kind = "sql"
    parser_version = "sql-1"
    Config = SqlConfig
    config: SqlConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Files of SQLite, and addresses of databases."""
        return guess_sql(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per row, in the order of the query.

        All rows are read before the first is passed on, because documents take longer than a database waits.

        Raises:
            SourceError: the database cannot be reached, refuses the query, or breaks off. TooLargeError: it has too
                many rows, or too much text.
        """
        item_list = read_list(self.context.folder, content_hash(self.config.model_dump(mode="json")).hex())
        items: list[Found] = []
        with reading(self.context, self.config.credential, self.config.path) as connection:
            standing = self._describe_state(connection)
            is_same = (
                bool(standing)
                and standing == item_list.cursor
                and not item_list.is_whole_due
                and self._all_known(item_list)
            )
            items.extend((UnchangedDocument(uri=uri) for uri in item_list.items) if is_same else self._read(connection))
        self.total = len(items)
        yield from items
        if standing and not is_same:
            item_list = ItemList(address=item_list.address, cursor=standing, listed=time.time(), items=self._items)
            write_list(self.context.folder, item_list)

    def _describe_state(self, connection: Connection) -> str:
        """How many rows there are, and when the last was changed; empty without a column that says so."""
        if self.config.changed is None:
            return ""
        column = connection.dialect.identifier_preparer.quote(self.config.changed)
        statement = f"SELECT count(*), max({column}) FROM ({self.config.query}\n) AS documents_of_headwater"  # noqa: S608
        count, last_change = connection.exec_driver_sql(statement, execution_options=_PLAIN).one()
        return f"{count} {last_change}"

    def _all_known(self, item_list: ItemList) -> bool:
        """Whether every document is known as it was read the last time, and there is no other."""
        known_documents = self.context.known
        return len(known_documents) == len(item_list.items) and all(
            (document := known_documents.get(uri)) is not None and document.fingerprint == item.version
            for uri, item in item_list.items.items()
        )

    def _read(self, connection: Connection) -> Iterator[Found]:
        with closing(connection.exec_driver_sql(self.config.query, execution_options=_STREAMED)) as result:
            yield from self._read_rows(result)

    def _read_rows(self, result: CursorResult[Any]) -> Iterator[Found]:
        rows = Rows(self.config)
        self._items: dict[str, Item] = {}
        try:
            rows.check_columns(result.keys())
        except DocumentError as error:
            raise SourceError(str(error)) from None
        size = 0
        for index, row in enumerate(result.mappings()):
            values = {str(name): value for name, value in row.items()}
            item = self._make_item(rows, values)
            if not isinstance(item, UnchangedDocument):
                size += sum(len(value) for value in values.values() if isinstance(value, str))
            if index == self.config.max_rows or size > _MAX_CHARS:
                what = f"{index:,} rows, which is max_rows" if size <= _MAX_CHARS else "200 MB of new text"
                raise TooLargeError(
                    f"The query has more than {what}. Nothing was changed. Narrow the query, or raise max_rows."
                )
            yield item

    def _make_item(self, rows: Rows, row: Row) -> Found:
        try:
            uri = rows.uri(row)
            document = rows.document(uri, row)
        except DocumentError as error:
            return DocumentProblem(uri="", code=error.code, message=str(error))
        self._items[uri] = Item(document.fingerprint)
        known_state = self.context.known.get(uri)
        return (
            UnchangedDocument(uri=uri)
            if known_state is not None and known_state.fingerprint == document.fingerprint
            else document
        )
