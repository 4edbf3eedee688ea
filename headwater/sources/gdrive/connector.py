"""`gdrive`: the files of folders and shared drives in Google Drive (SRC-28).

Belongs here: which files are read, in which form, and which are left out. Not here: requests (`api`), which files there
are (`drive_tree`), texts (`document`). Guarantee: a quiet sync is two or three requests; a file that a list leaves out
is asked for singly before it counts as removed; after an error nothing counts as removed.
"""

import posixpath
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Reason
from headwater.errors import DocumentError, SourceError, TooLargeError
from headwater.sources.access_tokens import TokenClient, TokenExchange
from headwater.sources.connector import Connector, FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import fingerprint_parsers, is_read_by_name
from headwater.sources.gdrive.account import account_name, token_form
from headwater.sources.gdrive.api import MAX_FILE_BYTES, REPEATED, DriveApi, DriveClient, NotConvertedError
from headwater.sources.gdrive.config import GoogleDriveConfig, guess_google_drive
from headwater.sources.gdrive.document import EXPORTS, GOOGLE_TYPES, drive_document, file_uri, validator_of
from headwater.sources.gdrive.drive_file import FOLDER, DriveFile, target_of, type_of
from headwater.sources.gdrive.drive_tree import DriveTree
from headwater.sources.guesses import Address, Guess
from headwater.sources.item_list import Item, read_list, write_list
from headwater.sources.json_api import RefusalCount
from headwater.sources.tree_files import choose_by_patterns, find_skip_reason


class GoogleDrive(Connector):
    """Reads the files of a folder."""

    kind = "gdrive"
    parser_version = "gdrive-1"
    Config = GoogleDriveConfig
    config: GoogleDriveConfig

    @classmethod
    def guess(cls, address: Address) -> Guess | None:
        """Folders and shared drives by their usual addresses."""
        return guess_google_drive(address)

    def fetch(self) -> Iterator[Found]:
        """Yield a document per file.

        Raises:
            SourceError: the folder cannot be listed, or Google accepts no more requests.
        """
        config = self.config
        if config.credential is None:
            raise SourceError("Google Drive shows nothing without an account. Name a `credential`.")
        self._secret = self.context.credential(config.credential, urlsplit(config.token_url).netloc)
        exchange = TokenExchange(
            credential=config.credential, url=config.token_url,
            form=partial(token_form, self._secret, config.token_url),
        )  # fmt: skip
        client = TokenClient(self.context, exchange, address=config.api, delay=config.delay, busy=REPEATED)
        try:
            drive_client = DriveClient(client, self.context.patience, urlsplit(config.api).netloc)
            yield from self._read(DriveApi(drive_client, config.api, config.credential))
        finally:
            client.close()

    def _read(self, api: DriveApi) -> Iterator[Found]:
        config = self.config
        choice = f"{config.include} {config.exclude} {self.parser_version} {fingerprint_parsers()}"
        self._choice = choose_by_patterns(config.include, config.exclude)
        record = read_list(self.context.folder, f"{config.api} {config.credential} {config.root} {choice}")
        prefix = file_uri("")
        stored_ids = [uri.removeprefix(prefix) for uri in self.context.known if uri.startswith(prefix)]
        tree = DriveTree(api, config, record, stored_ids)
        tree.update(require=self._require_root, is_read=self._is_read)
        for key, error in tree.unsure.items():
            yield DocumentProblem(uri=file_uri(key), code=error.code, message=str(error))
        items = [(key, item) for key, item in tree.items.items() if key not in tree.unsure]
        files = [key for key, item in items if self._is_chosen(item, tree.paths[key])]
        self.total = len(files)
        refusals = RefusalCount(config.api)
        for key in files:
            yield from self._file(api, tree, key, refusals)
        write_list(self.context.folder, tree.to_list())

    def _require_root(self, root: DriveFile | None) -> None:
        """Refuse a source's folder that is not there.

        Raises:
            SourceError: it is not.
        """
        problem = ""
        if root is None:
            problem = f"is not there for the credential {self.config.credential} (404)"
        elif root.is_trashed or root.media_type != FOLDER:
            problem = "is in the trash" if root.is_trashed else "is no folder"
        if problem:
            name = account_name(self._secret)
            advice = f"Share it with {name}, or check `url`." if name else "Check `url`."
            raise SourceError(f"{self.config.url} {problem}. {advice} Nothing was removed.")

    def _is_chosen(self, item: Item, path: str) -> bool:
        """Whether an item makes a document; a file that does not is counted."""
        reason = None if _is_place(item) else self._find_reason(item, path)
        if reason is not None:
            self.skipped.add(reason[0], [reason[1]], kind=reason[2])
        return not _is_place(item) and reason is None

    def _is_read(self, item: Item, path: str) -> bool:
        return not _is_place(item) and self._find_reason(item, path) is None

    def _find_reason(self, item: Item, path: str) -> tuple[Reason, str, str] | None:
        """Why a file is not read, as `find_skip_reason` says it; Drive hides no names."""
        media_type = type_of(item)
        reason = find_skip_reason(path, self._choice, has_hidden=False)
        if reason is None and media_type.startswith(GOOGLE_TYPES) and media_type not in EXPORTS:
            return "no_parser", path, f"Google {media_type.removeprefix(GOOGLE_TYPES)}"
        if reason is None and media_type not in EXPORTS and not is_read_by_name(path, media_type):
            return "no_parser", path, posixpath.splitext(path)[1] or "file"
        return reason

    def _file(self, api: DriveApi, tree: DriveTree, key: str, refusals: RefusalCount) -> Iterator[Found]:
        uri, file, path = file_uri(key), tree.files.get(key), tree.paths[key]
        stored = self.context.known.get(uri)
        if stored is not None and stored.validator == validator_of(tree.items[key].version, path):
            yield UnchangedDocument(uri=uri, access="" if file is None else file.access)
            return
        yield from refusals.try_document(uri, lambda: self._document(api, file or api.read(key), path))

    def _document(self, api: DriveApi, file: DriveFile | None, path: str) -> FetchedDocument | None:
        """A file as a document; None if it is gone.

        Raises:
            SourceError: it cannot be had. DocumentError: it is too large, or Drive converts it into no form.
        """
        if file is None or file.is_trashed:
            return None
        if file.media_type not in EXPORTS:
            if file.size > MAX_FILE_BYTES:
                raise TooLargeError(f"The file is larger than {MAX_FILE_BYTES // 1_000_000} MB.")
            response = api.download(file.id)
            return None if response is None else drive_document(file, path, response.content, "", file.media_type)
        refusal: DocumentError = NotConvertedError("Drive does not convert the document.")
        for ending, media_type in EXPORTS[file.media_type]:
            try:
                response = api.download(file.id, media_type)
            except (NotConvertedError, TooLargeError) as error:
                refusal = refusal if isinstance(refusal, TooLargeError) else error
                continue
            return None if response is None else drive_document(file, path, response.content, ending, media_type)
        raise refusal


def _is_place(item: Item) -> bool:
    """Whether an item is a folder, or a shortcut."""
    return type_of(item) == FOLDER or bool(target_of(item))
