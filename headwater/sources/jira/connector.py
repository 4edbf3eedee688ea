"""`jira`: issues with comments and attachments of Jira (SRC-18).

Belongs here: which issues are read, in which order, and which are gone. Not here: requests (`api`), texts (`document`).
Guarantee: a quiet sync is two requests; an issue that a list leaves out is asked for singly before it counts as
removed; after an error nothing counts as removed.
"""

import posixpath
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.identity import content_hash
from headwater.parsing.parser import File
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, is_read_by_name, require_file
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.jira.api import JiraApi
from headwater.sources.jira.config import JiraConfig, guess_jira
from headwater.sources.jira.document import attachment_metadata, issue_document, issue_uri
from headwater.sources.jira.issue import Attachment, Issue, milliseconds
from headwater.sources.json_api import JsonApi, RefusalCount

_ADVICE = "Name a `credential`: e-mail:token for Jira Cloud, a personal access token for Data Center."
_MAX_ATTACHMENT_BYTES = 100_000_000
_OVERLAP_MILLISECONDS = 300_000
"""Issues that changed so shortly before the last one are asked for again, because the server's index lags behind."""
_ATTACHED = "attached "
"""Stands before the ids of attachments, whose parents are issues."""
_VERSION = "1"
"""The version of every attachment: they never change."""


class Jira(Connector):
    """Reads the projects of a server."""

    kind = "jira"
    parser_version = "jira-2"
    Config = JiraConfig
    config: JiraConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Projects and issues by their usual addresses."""
        return guess_jira(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per issue and attachment.

        Raises:
            SourceError: the server cannot be read, or it accepts no more requests.
        """
        config = self.config
        address = f"{config.api} {list(config.keys)} {config.attachments} {self.parser_version} {fingerprint_parsers()}"
        self._kept = read_list(self.context.folder, address)
        self._attached = self._kept.by_parent()
        self._items: dict[str, Item] = {}
        self._latest = int(self._kept.cursor or 0)
        self._refusals = RefusalCount(config.api)
        with self.context.http(
            credential=config.credential, address=config.api, delay=config.delay, busy=BUSY_OR_FAILING
        ) as client:
            json_api = JsonApi(client, config.api, credential=config.credential, advice=_ADVICE)
            yield from self._read(JiraApi(json_api, config))

    def _read(self, api: JiraApi) -> Iterator[Found]:
        is_first = not self._kept.items or not self.context.known
        since = None if is_first else max(0, self._latest - _OVERLAP_MILLISECONDS)
        self.total = None if is_first else len(self._kept.items)
        count = 0
        for page in api.list_issues(since):
            count += len(page)
            if count > self.config.issues:
                raise TooLargeError(
                    f"{self.config.url} has more than {self.config.issues:,} issues to read, which is `issues`. Name"
                    " fewer `projects`, or raise `issues`."
                )
            for issue in page:
                self._latest = max(self._latest, milliseconds(issue.updated) or 0)
                yield from self._issue(api, issue)
        is_whole = is_first or self._kept.is_whole_due or self._issue_count() <= api.max_ids
        listed = frozenset[str]() if is_first or not is_whole else api.list_ids()
        yield from self._others(api, listed, is_whole=is_whole)
        listed_at = time.time() if is_whole else self._kept.listed
        item_list = ItemList(address=self._kept.address, cursor=str(self._latest), listed=listed_at, items=self._items)
        write_list(self.context.folder, item_list)

    def _issue_count(self) -> int:
        return sum(not key.startswith(_ATTACHED) for key in self._kept.items)

    def _issue(self, api: JiraApi, issue: Issue) -> Iterator[Found]:
        """An issue and its attachments."""
        if issue.id in self._items:
            return
        uri = issue_uri(self.config.web, issue.key)
        self._items[issue.id] = Item(issue.updated, issue.key)
        known_state = self.context.known.get(uri)
        if known_state is not None and known_state.validator == issue.updated:
            yield UnchangedDocument(uri=uri)
        else:
            try:
                yield self._document(api.with_all_comments(issue), uri)
                self._refusals.reset()
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                yield self._problem(uri, error)
        for attachment in issue.attachments if self.config.attachments else ():
            yield from self._attachment(api, issue, attachment)

    def _document(self, issue: Issue, uri: str) -> FetchedDocument:
        previous = self._kept.items.get(issue.id)
        old = "" if previous is None else issue_uri(self.config.web, previous.title)
        return FetchedDocument(
            uri=uri,
            fingerprint=content_hash(repr(issue)).hex(),
            parse=partial(issue_document, issue, self.config.web),
            validator=issue.updated,
            renamed_from=old if old != uri else "",
        )

    def _problem(self, uri: str, error: FetchError | DocumentError) -> DocumentProblem:
        self._refusals.add(error)
        return DocumentProblem(uri=uri, code=error.code, message=str(error))

    def _attachment(self, api: JiraApi, issue: Issue, attachment: Attachment) -> Iterator[Found]:
        uri = self._attachment_uri(attachment.id, attachment.name)
        self._items[f"{_ATTACHED}{attachment.id}"] = Item(_VERSION, attachment.name, issue.id)
        if not is_read_by_name(attachment.name, attachment.media_type):
            self.skipped.add("no_parser", [uri], kind=posixpath.splitext(attachment.name)[1] or "file")
            return
        if uri in self.context.known:
            yield UnchangedDocument(uri=uri)
            return
        yield from self._refusals.try_document(uri, lambda: self._file(api, attachment, uri))

    def _file(self, api: JiraApi, attachment: Attachment, uri: str) -> FetchedDocument | None:
        if attachment.size > _MAX_ATTACHMENT_BYTES:
            raise DocumentError(f"The attachment is larger than {_MAX_ATTACHMENT_BYTES // 1_000_000} MB.")
        response = api.download(attachment, limit=_MAX_ATTACHMENT_BYTES)
        if response is None:
            return None
        require_file(response.content, attachment.name, attachment.size)
        file = File(content=response.content, uri=uri, media_type=attachment.media_type)
        return replace(from_file(file, metadata=attachment_metadata(attachment)), validator=_VERSION)

    def _attachment_uri(self, identity: str, name: str) -> str:
        return f"{self.config.web}/secure/attachment/{identity}/{quote(name, safe='')}"

    def _others(self, api: JiraApi, listed: frozenset[str], *, is_whole: bool) -> Iterator[Found]:
        """The issues that were not read: unchanged, unless the list of all leaves them out."""
        touched = set(self._items)
        for key, item in self._kept.items.items():
            if key.startswith(_ATTACHED) or key in touched:
                continue
            uri = issue_uri(self.config.web, item.title)
            known_state = self.context.known.get(uri)
            is_settled = (
                known_state is not None and known_state.validator == item.version and self._has_all_attachments(key)
            )
            if is_settled and (not is_whole or key in listed):
                self._items[key] = item
                yield UnchangedDocument(uri=uri)
                yield from self._same_attachments(key)
            else:
                yield from self._ask_singly(api, key, uri)
        for key in sorted(listed - self._kept.items.keys() - touched):  # the index had them late
            yield from self._ask_singly(api, key, "")
        keys = {item.title for item in self._items.values()}
        for uri in sorted(self.context.known) if not self._kept.items else ():  # no record says which were there
            key = uri.removeprefix(f"{self.config.web}/browse/")
            if key != uri and key not in keys:
                yield from self._ask_singly(api, key, uri)

    def _has_all_attachments(self, issue: str) -> bool:
        """Whether all attachments that a parser reads are known; one may have failed, or have another parser now."""
        return all(
            self._attachment_uri(key.removeprefix(_ATTACHED), item.title) in self.context.known
            for key, item in self._attached.get(issue, ())
            if is_read_by_name(item.title, "")
        )

    def _same_attachments(self, issue: str) -> Iterator[Found]:
        """The attachments of an issue that has not changed."""
        for key, item in self._attached.get(issue, ()):
            self._items[key] = item
            uri = self._attachment_uri(key.removeprefix(_ATTACHED), item.title)
            if uri in self.context.known:
                yield UnchangedDocument(uri=uri)

    def _ask_singly(self, api: JiraApi, identity: str, uri: str) -> Iterator[Found]:
        """An issue that a list leaves out; nothing if the server says that it is gone."""
        try:
            issue = api.read(identity)
            self._refusals.reset()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            yield self._problem(uri if self._kept.items else "", error)  # or its attachments would count as removed
            yield from self._same_attachments(identity)
            return
        if issue is not None:
            yield from self._issue(api, issue)
