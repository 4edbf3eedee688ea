"""The base of connectors, and finding one for a source's kind.

Belongs here: the base classes of connectors and their configs, the registry. Not here: any connector, the context
(`source_context`). Guarantee: a config with an unknown field is refused; a connector sees only its own config and the
context.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, ValidationError

from headwater.domain.closed_model import ClosedModel
from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.skips import Skips
from headwater.domain.source_settings import SourceSettings
from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import InvalidConfigurationError
from headwater.fetching.credentials import check_credential_name
from headwater.sources.guesses import Address, Guess
from headwater.sources.source_context import SourceContext

GROUP = "headwater.sources"


def absolute(path: Path) -> Path:
    """Return a local path that means the same in every process.

    Raises:
        ValueError: it is relative.
    """
    if not path.is_absolute():
        raise ValueError("must be an absolute path; only a knowledge base file may contain relative paths")
    return path


AbsolutePath = Annotated[Path, AfterValidator(absolute)]
PasswordNames = Annotated[tuple[Annotated[str, AfterValidator(check_credential_name)], ...], Field(max_length=20)]
"""Names of credentials that are tried on encrypted files."""


class SourceConfig(ClosedModel):
    """Base of every connector's config: frozen; unknown fields are refused."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def list_fields(cls) -> Iterable[str]:
        """Those of every source too: they stand beside these in a knowledge base file."""
        return (*cls.model_fields, *SourceSettings.model_fields)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:  # noqa: ARG003 - for those with paths
        """Make local paths that were given relative to `base` absolute; see `located`."""
        return dict(config)


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchedDocument:
    """A document that a source has now.

    `fingerprint` must change whenever the raw content does; `parse` is called only then, and may raise DocumentError.
    `parser_version` is that of the parser which reads it, empty for the connector's own.
    `validator` is a text with which the connector can ask later whether the document has changed, such as an ETag; it
    finds it again in `context.known`.
    `renamed_from` is the URI that it had before, if the source knows: then it stays the same document, with its
    versions. It counts only if the old URI is gone, and the new one was never seen.
    `access` is a digest of who may read it at its source (`access_lists`); empty if that is not known.
    """

    uri: str
    fingerprint: str
    parse: Callable[[], ParsedDocument]
    parser_version: str = ""
    validator: str = ""
    renamed_from: str = ""
    access: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnchangedDocument:
    """A document that is the same as in `context.known`, so it was not fetched; `access` as in FetchedDocument."""

    uri: str
    access: str = ""


Found = FetchedDocument | UnchangedDocument | DocumentProblem


class Connector(ABC):
    """Reads one kind of source. A subclass sets `kind`, `parser_version` and `Config`, and implements `fetch`."""

    kind: ClassVar[str]
    parser_version: ClassVar[str]
    """Increase it when the same bytes give a different text."""
    Config: ClassVar[type[SourceConfig]]
    removes_on_request: ClassVar[bool] = False
    """Whether documents vanish only because somebody removed them in Headwater; then a sync never asks first."""

    def __init__(self, config: Any, context: SourceContext) -> None:
        self.config = config
        self.context = context
        self.total: int | None = None
        """How many documents `fetch` will yield, once that is known, so that people see the progress."""
        self.skipped = Skips()
        """Count what is left out here, so that a sync reports it."""

    @classmethod
    def guess(cls, address: Address) -> Guess | None:  # noqa: ARG003 - for those that recognise one
        """How a source of this kind would read an address, None if it cannot tell; nothing is fetched for it."""
        return None

    @abstractmethod
    def fetch(self) -> Iterator[Found]:
        """Yield every document of the source, changed or not, and a problem for everything that cannot be read.

        A problem without a URI means that the list is incomplete: then no document counts as removed. A document may be
        reported as unchanged only if `context.known` contains it.

        Raises:
            SourceError: the whole source cannot be read.
        """


class _InstalledConnectors(Mapping[str, type[Connector]]):
    """Connectors by kind; each is imported when it is asked for, because all of them take half a second."""

    def __init__(self) -> None:
        self._entries = {entry.name: entry for entry in entry_points(group=GROUP)}

    def __getitem__(self, kind: str) -> type[Connector]:
        entry = self._entries[kind]
        try:
            connector: type[Connector] = entry.load()
        except KeyError as error:  # of the connector's module: a mapping would take it for a kind that does not exist
            raise ImportError(f"The connector of {kind!r} cannot be imported: {error!r}.") from error
        return connector

    def __contains__(self, kind: object) -> bool:
        return kind in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@cache
def connectors() -> Mapping[str, type[Connector]]:
    """Every installed connector, by kind; a kind is imported when it is looked up."""
    return _InstalledConnectors()


def connector_of(kind: str) -> type[Connector]:
    """The connector of a kind.

    Raises:
        InvalidConfigurationError: there is none, or it is not a subclass of Connector; the message names it.
    """
    connector = connectors().get(kind)
    if connector is None:
        raise InvalidConfigurationError(
            f"kind: there is no kind of source {kind!r}. Use one of: {', '.join(connectors())}."
        )
    if not issubclass(connector, Connector):
        raise InvalidConfigurationError(
            f"kind: the connector of {kind!r} must derive from headwater.sources.connector.Connector."
        )
    return connector


def check_config(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a source's config; returns it as JSON values, without defaults.

    Raises:
        InvalidConfigurationError: unknown kind, or a wrong, missing or unknown field; the message names it.
    """
    try:
        model = connector_of(kind).Config.model_validate(dict(config))
    except ValidationError as error:
        first = wrong_fields(error)[0]
        field = ".".join(map(str, first.place))  # an error about several fields names one itself
        raise InvalidConfigurationError(f"{field}: {first.message}" if field else first.message) from error
    return model.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def locate_config(kind: str, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Resolve a config's relative local paths against a folder; `check_config` refuses an unknown kind."""
    connector = connectors().get(kind)
    return dict(config) if connector is None else connector.Config.locate(config, base)


def located(config: Mapping[str, Any], field: str, base: Path) -> dict[str, Any]:
    """Make one field's local path absolute, relative to `base`, the folder of the knowledge base file."""
    value = config.get(field)
    if not isinstance(value, str) or not value or "://" in value or value.startswith("git@"):
        return dict(config)
    try:
        return {**config, field: str((base / Path(value).expanduser()).resolve())}
    except (OSError, RuntimeError, ValueError):  # fetching will report what is wrong with it
        return dict(config)


def open_connector(kind: str, config: Mapping[str, Any], context: SourceContext) -> Connector:
    """Create the connector of a source.

    Raises:
        InvalidConfigurationError: its stored config is not valid (any more).
    """
    checked = check_config(kind, config)
    connector = connector_of(kind)
    return connector(connector.Config.model_validate(checked), context)
