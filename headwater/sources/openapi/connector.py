"""`openapi`: the operations of an HTTP API, each as a document, by its description (SRC-4).

Belongs here: fetching the description, and its documents. Not here: reading it (`headwater.parsing.openapi`).
Guarantee: one request a sync, which is answered without content if nothing has changed; the API itself is not called.
"""

import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from urllib.parse import quote, urldefrag

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, FetchError, SourceError
from headwater.fetching.http_client import Response
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.identity import content_hash
from headwater.parsing.openapi.description import Operation, operations_apart
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import with_address
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.openapi.config import OpenApiConfig, guess_openapi

_LIMIT = 30_000_000  # bytes of a description


class OpenApi(Connector):
    """Reads the description of an API."""

    kind = "openapi"
    parser_version = "openapi-2"
    Config = OpenApiConfig
    config: OpenApiConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Files and addresses named like a description."""
        return guess_openapi(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per operation, and one for what is said of the whole API.

        Raises:
            SourceError: the description cannot be fetched, or is none.
        """
        form = content_hash(self.config.model_dump(mode="json"), self.parser_version).hex()
        item_list = read_list(self.context.folder, form)
        content, validator = self._content(item_list)
        if content is None:
            self.total = len(item_list.items)
            yield from (UnchangedDocument(uri=uri) for uri in item_list.items)
            return
        try:
            operations = operations_apart(content, self._where)
        except DocumentError as error:
            raise SourceError(f"{self._where} cannot be read: {error} Nothing was changed.") from None
        self.total = len(operations)
        uris_by_title = {item.title: uri for uri, item in item_list.items.items()}
        items: dict[str, Item] = {}
        for operation in operations:
            document = self._document(operation, form, uris_by_title)
            items[document.uri] = Item(document.fingerprint, f"{operation.method} {operation.path}")
            known_state = self.context.known.get(document.uri)
            is_same = known_state is not None and known_state.fingerprint == document.fingerprint
            yield UnchangedDocument(uri=document.uri) if is_same else document
        listed = ItemList(address=form, cursor=validator, listed=time.time(), items=items)
        write_list(self.context.folder, listed)

    @property
    def _where(self) -> str:
        return self.config.url or str(self.config.path)

    def _content(self, item_list: ItemList) -> tuple[bytes | None, str]:
        """The description, None if its server says that it is as in the kept list; and its validator."""
        if self.config.url is None:
            path = self.context.local(self.config.path or self.context.folder)
            if not path.is_file() or path.stat().st_size > _LIMIT:
                raise SourceError(f"{path} is not a regular file of at most {_LIMIT // 1_000_000} MB.")
            return path.read_bytes(), ""
        known_documents = self.context.known
        is_known = all(
            (document := known_documents.get(uri)) is not None and document.fingerprint == item.version
            for uri, item in item_list.items.items()
        )
        name = self.config.credential
        with self.context.http(credential=name, address=self.config.url, busy=BUSY_OR_FAILING) as client:
            answer = client.get(
                self.config.url, validator=item_list.cursor if item_list.items and is_known else "", limit=_LIMIT
            )
        if answer.status == HTTPStatus.NOT_MODIFIED:
            return None, item_list.cursor
        self._require_description(answer)
        return answer.content, answer.validator

    def _require_description(self, answer: Response) -> None:
        status, name = answer.status, self.config.credential
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            told = "Name a `credential`" if name is None else f"Renew the credential {name}"
            raise SourceError(f"{self.config.url} answers {status}. {told}. Nothing was changed.")
        if status != HTTPStatus.OK:
            raise FetchError(f"{self.config.url} answers {status}. Nothing was changed. Sync again when it works.")

    def _document(self, operation: Operation, form: str, before: dict[str, str]) -> FetchedDocument:
        base_uri = self.config.path.name if self.config.path is not None else urldefrag(self.config.url or "")[0]
        uri = f"{base_uri}#{quote(operation.fragment, safe='/~%-_.!$&()*+,;=:@{}')}"
        fields = (operation.text, operation.title, list(operation.tags), operation.version, operation.operation_id)
        was = before.get(f"{operation.method} {operation.path}", "")
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(form, *fields).hex(),
            parse=partial(_parse_operation, uri, operation, self._link(operation)),
            renamed_from=was if was != uri else "",
        )

    def _link(self, operation: Operation) -> str:
        """Where people read an operation; empty if its URI is that."""
        if self.config.link is None or not operation.method:
            return ""
        tag: Sequence[str] = operation.tags[:1] or ("default",)  # as Swagger UI calls what has none
        link_fields = {
            "operation_id": operation.operation_id or _default_id(operation), "method": operation.method.lower(),
            "path": operation.path, "tag": "".join(tag),
        }  # fmt: skip
        url = self.config.link
        for name, value in link_fields.items():
            url = url.replace(f"{{{name}}}", quote(value, safe="" if name != "path" else "/"))
        return url


def _default_id(operation: Operation) -> str:
    """How Swagger UI calls an operation without an id: `get_invoices__id_`."""
    return f"{operation.method.lower()}{re.sub(r'[^0-9A-Za-z_]', '_', operation.path)}"


def _parse_operation(uri: str, operation: Operation, address: str) -> ParsedDocument:
    fields = {
        "operation_id": operation.operation_id, "method": operation.method, "path": operation.path,
        "tags": list(operation.tags), "version": operation.version,
    }  # fmt: skip
    document = ParsedDocument(
        uri=uri,
        title=operation.title,
        text=operation.text,
        category=operation.tags[0].strip("/ ") if operation.tags else "",
        metadata={name: value for name, value in fields.items() if value},
    )
    return with_address(document, address) if address else document
