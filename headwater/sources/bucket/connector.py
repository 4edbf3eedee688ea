"""`bucket`: the objects of a bucket of S3, of what speaks its protocol, or of Azure (SRC-4).

Belongs here: which objects are read, and their documents. Not here: requests (`objects`), the formats
(`headwater.parsing`). Guarantee: an object is fetched only if the list says that it has changed; nothing counts as
removed unless the whole list was read; a secret is used only for its own host.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Reason
from headwater.errors import DocumentError, FetchError
from headwater.fetching.credentials import Credential
from headwater.fetching.politeness import BUSY_OR_FAILING
from headwater.parsing.file_types import EMPTY, media_type_of
from headwater.parsing.parser import File
from headwater.parsing.registry import find_parser, parser_of_name
from headwater.parsing.signatures import is_container
from headwater.sources.bucket.azure import AzureContainer
from headwater.sources.bucket.config import BucketConfig, guess_bucket
from headwater.sources.bucket.object_urls import Object
from headwater.sources.bucket.objects import Bucket, Objects
from headwater.sources.bucket.s3 import S3Bucket
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, from_file, require_file
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, ItemList, read_list, write_list
from headwater.sources.renames import find_renames
from headwater.sources.tree_files import choose_by_patterns, choose_files

_BEGINNING = 65_536  # bytes that tell the type of an object
_MAX_REFUSALS = 3
"""Objects in a row that cannot be had, after which the bucket is left alone."""


class BucketConnector(Connector):
    """Reads the objects of a bucket."""

    kind = "bucket"
    parser_version = "bucket-1"
    Config = BucketConfig
    config: BucketConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Addresses that begin with s3://, gs:// or az://, and folders of buckets of Amazon, Google and Azure."""
        return guess_bucket(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per object, by key.

        Raises:
            SourceError: the bucket cannot be listed, or it accepts no more requests with this secret.
        """
        bucket = self._bucket()
        self._passwords = tuple(self.context.password(name) for name in self.config.passwords)
        self._unread = self._load_unread(bucket)
        self._still_unread: dict[str, Item] = {}
        with self.context.http(busy=BUSY_OR_FAILING) as client:
            objects = Objects(client, bucket, self.config.credential)
            listed = self._choose(objects.list_all(self.config.place.prefix, most=self.config.max_objects))
            self.total = len(listed)
            yield from self._find_items(objects, listed)
        self._unread.items = self._still_unread
        write_list(self.context.folder, self._unread, name="unread.json")

    def _bucket(self) -> Bucket:
        place, server = self.config.place, self.config.server
        credential = self._credential(server)
        base = f"{server}/{place.bucket}"
        if place.kind == "az":
            return AzureContainer(base=base, account=place.account, credential=credential)
        return S3Bucket(base=base, region=self.config.region_name, credential=credential)

    def _credential(self, server: str) -> Credential | None:
        name = self.config.credential
        return None if name is None else self.context.secure_credential(name, server)

    def _choose(self, listed: Sequence[Object]) -> list[Object]:
        """The objects that the patterns choose, except hidden ones and those of tools; the others are counted."""
        folder = self._folder
        by_path = {listed_object.key.removeprefix(folder): listed_object for listed_object in listed}
        choice = choose_by_patterns(self.config.include, self.config.exclude)
        return [by_path[path] for path in choose_files(iter(by_path), self.skipped, choice)]

    @property
    def _folder(self) -> str:
        """The folder that the prefix names, ending with a slash; a prefix need not end at one."""
        return "".join(self.config.place.prefix.rpartition("/")[:2])

    def _find_items(self, objects: Objects, listed: Sequence[Object]) -> Iterator[Found]:
        moved = self._renames(listed)
        refusals = 0
        for index, candidate in enumerate(listed):
            try:
                item = self._document(objects, candidate, moved)
                refusals = 0
            except (FetchError, DocumentError) as error:
                item = DocumentProblem(uri=self._uri(candidate), code=error.code, message=str(error))
                refusals = refusals + 1 if isinstance(error, FetchError) else 0
            if item is not None:
                yield item
            if refusals == _MAX_REFUSALS and index + 1 < len(listed):
                remaining = len(listed) - index - 1
                raise FetchError(
                    f"{refusals} objects of {self.config.url} in a row could not be fetched, so the other"
                    f" {remaining:,} were not asked for. Nothing was removed. Sync again later."
                )

    def _uri(self, listed_object: Object) -> str:
        return f"{self.config.place.uri}{listed_object.key}"

    def _renames(self, listed: Sequence[Object]) -> Mapping[str, str]:
        """The old URIs of objects that were copied to another key and deleted: they have the same version."""
        uris = {self._uri(listed_object): _validator(listed_object) for listed_object in listed}
        known_documents = self.context.known
        gone = {uri: known_documents[uri].validator for uri in known_documents if uri not in uris}
        new = {uri: version for uri, version in uris.items() if uri not in known_documents} if gone else {}
        return find_renames(gone, new, lambda *_: {})

    def _document(self, objects: Objects, listed_object: Object, moved: Mapping[str, str]) -> Found | None:
        """What has become of an object; None if nobody reads it, or if it is gone."""
        uri, version = self._uri(listed_object), _validator(listed_object)
        known_state = self.context.known.get(uri)
        if known_state is not None and known_state.validator == version:
            return UnchangedDocument(uri=uri)
        if self._is_left_out(objects, listed_object, uri):
            return None
        response = objects.read(listed_object, limit=self._largest)
        if response is None:
            return None
        return self._fetch_object(listed_object, response.content, response.media_type, moved.get(uri, ""))

    def _fetch_object(
        self, listed_object: Object, content: bytes, media_type: str, before: str
    ) -> FetchedDocument | None:
        uri = self._uri(listed_object)
        require_file(content, listed_object.key, listed_object.size)
        found_type = media_type_of(content, uri)
        if found_type == EMPTY or find_parser(found_type, uri, media_type) is None:
            self._leave_out(listed_object, uri, found_type)
            return None
        root = f"{self.config.place.uri}{self._folder}".rstrip("/")
        file = File(content=content, uri=uri, root=root, media_type=media_type, passwords=self._passwords)
        last_modified = _iso(listed_object.changed)
        metadata = {"last_modified": last_modified} if last_modified else {}
        fetched = from_file(file, address=self.config.web_address(listed_object.key), metadata=metadata)
        return FetchedDocument(
            uri=uri, fingerprint=fetched.fingerprint, parse=fetched.parse, parser_version=fetched.parser_version,
            validator=_validator(listed_object), renamed_from=before,
        )  # fmt: skip

    @property
    def _largest(self) -> int:
        return self.config.max_megabytes * 1_000_000

    def _is_left_out(self, objects: Objects, listed_object: Object, uri: str) -> bool:
        """Whether nobody reads an object: it was so the last time, is too large, or its beginning tells."""
        old = self._unread.items.get(listed_object.key)
        if old is not None and old.version == _validator(listed_object) and self.context.known.get(uri) is None:
            self._leave_out(listed_object, uri, old.title)
            return True
        if listed_object.size > self._largest:
            raise DocumentError(f"The object is larger than max_megabytes, {self.config.max_megabytes:,} MB.")
        if listed_object.size <= _BEGINNING:
            return False
        with suppress(DocumentError):
            parser_of_name(uri)
            return False
        response = objects.read(listed_object, limit=self._largest, begin=_BEGINNING)
        if response is None:
            return True
        found_type = media_type_of(response.content[:_BEGINNING], uri)
        if is_container(found_type) or find_parser(found_type, uri, response.media_type) is not None:
            return False
        self._leave_out(listed_object, uri, found_type)
        return True

    def _leave_out(self, listed_object: Object, uri: str, media_type: str) -> None:
        """Count an object that nobody reads, by its type, and remember it, so that it is not fetched again."""
        self._still_unread[listed_object.key] = Item(_validator(listed_object), media_type)
        reason: Reason = "no_text" if media_type == EMPTY else "no_parser"
        self.skipped.add(reason, [uri], kind="" if media_type == EMPTY else media_type)

    def _load_unread(self, bucket: Bucket) -> ItemList:
        """The objects that nobody read the last time; another set of parsers may read them now."""
        return read_list(self.context.folder, f"{bucket.base} {fingerprint_parsers()}", name="unread.json")


def _validator(listed_object: Object) -> str:
    return f"{listed_object.version}-{listed_object.size}"


def _iso(text: str) -> str:
    """A time in ISO 8601, of S3's or Azure's form; empty if it is none."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError, IndexError):
            return read(text).astimezone(UTC).isoformat()
    return ""
