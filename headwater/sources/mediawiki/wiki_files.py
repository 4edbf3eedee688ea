"""The files that were uploaded to a wiki, as documents.

Belongs here: which files are read, and their documents. Not here: requests (`api`), the formats (`headwater.parsing`).
Guarantee: a file is fetched only if its patterns choose it, a parser reads its type, and the wiki says that it has
changed; what is left out is counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from headwater.domain.documents import DocumentProblem
from headwater.domain.skips import Skips
from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.patience import LimitReachedError
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_of_name
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument
from headwater.sources.fetched_files import from_file, require_file
from headwater.sources.globs import matches
from headwater.sources.mediawiki.api import WikiApi
from headwater.sources.mediawiki.config import MediaWikiConfig
from headwater.sources.mediawiki.entries import WikiFile
from headwater.sources.renames import find_renames
from headwater.sources.source_context import SourceContext

_MAX_FILE_BYTES = 100_000_000
_MAX_REFUSALS = 3


class WikiFiles:
    """The files of a wiki that a source reads, in one sync."""

    def __init__(self, config: MediaWikiConfig, context: SourceContext, skips: Skips) -> None:
        self._config = config
        self._context = context
        self._skips = skips
        self.unread: list[str] = []
        """The names of chosen files whose type nobody reads."""

    def choose(self, api: WikiApi) -> list[WikiFile]:
        """The files to read, by name.

        Raises:
            SourceError: they cannot be listed. TooLargeError: there are too many.
        """
        if not self._config.files:
            return []
        chosen_files: list[WikiFile] = []
        for file in api.files():
            if not matches(file.name, self._config.files):
                continue
            try:
                parser_of_name(file.name)
            except DocumentError:
                self.unread.append(file.name)
                continue
            chosen_files.append(file)
            if len(chosen_files) > self._config.pages:
                raise TooLargeError(
                    f"{self._config.url} has more than {self._config.pages:,} files to read, which is `pages`. Nothing"
                    " was read. Choose fewer with `files`, or raise `pages`."
                )
        self.count_unread(self.unread)
        return chosen_files

    def count_unread(self, names: Sequence[str]) -> None:
        """Count files that nobody reads, by the ending of their names."""
        for name in names:
            self._skips.add("no_parser", [name], kind=f".{name.rpartition('.')[2].lower()[:10]}")

    def documents(self, api: WikiApi, files: Sequence[WikiFile], access: str) -> Iterator[Found]:
        """A document per file; one that was moved stays the same, if its content did.

        Raises:
            FetchError: several files in a row cannot be fetched, or the wiki accepts no more requests.
        """
        moved = self._moves(files)
        refusals = 0
        for file in files:
            known_state = self._context.known.get(file.uri)
            if known_state is not None and known_state.validator == file.version:
                yield UnchangedDocument(uri=file.uri, access=access)
                continue
            try:
                content = api.content(file, limit=_MAX_FILE_BYTES)
                refusals = 0
                if content is not None:
                    yield replace(
                        _document(file, content),
                        validator=file.version,
                        renamed_from=moved.get(file.uri, ""),
                        access=access,
                    )
            except LimitReachedError:
                raise
            except (FetchError, DocumentError) as error:
                yield DocumentProblem(uri=file.uri, code=error.code, message=str(error))
                refusals = refusals + 1 if isinstance(error, FetchError) else 0
            if refusals == _MAX_REFUSALS:
                raise FetchError(
                    f"{refusals} files of {self._config.url} in a row could not be fetched, so the others were not"
                    " asked for. Nothing was removed. Behind img_auth.php, a wiki gives files to people alone, and not"
                    " to a bot password: then remove `files`."
                )

    def _moves(self, files: Sequence[WikiFile]) -> Mapping[str, str]:
        """The old URIs of files whose names changed: they have the same content."""
        known_documents = self._context.known
        uris = {file.uri: file.hash for file in files}
        gone = {uri: known_documents[uri].validator.partition(" ")[0] for uri in known_documents if uri not in uris}
        new = {uri: digest for uri, digest in uris.items() if uri not in known_documents} if gone else {}
        return find_renames({uri: digest for uri, digest in gone.items() if digest in new.values()}, new, lambda *_: {})


def _document(file: WikiFile, content: bytes) -> FetchedDocument:
    """A file as a document; its citations open the file itself, at their page.

    Raises:
        DocumentError: no parser reads it, or a page came instead of it.
    """
    require_file(content, file.name, file.size)
    about = {"author": file.author, "updated": file.changed}
    metadata = {name: value for name, value in about.items() if value}
    parsed_as = File(content=content, uri=file.uri, media_type=file.media_type)
    return from_file(parsed_as, address=file.url, metadata=metadata)
