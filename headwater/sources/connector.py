"""What a connector is, and how a source's kind becomes one.

Belongs here: the base of connectors and of their config models, the registry. Not here: any connector, what one may
know (`context`). Guarantee: a config with an unknown field is refused; a connector sees only its own config and the
context.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, ValidationError

from headwater.domain.closed_model import ClosedModel
from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.domain.skipping import Skips
from headwater.domain.source_settings import SourceSettings
from headwater.errors import InvalidConfigurationError
from headwater.sources.context import SourceContext

GROUP = "headwater.sources"


def absolute(path: Path) -> Path:
    """Return a local path that means the same to every process.

    Raises:
        ValueError: it is relative.
    """
    if not path.is_absolute():
        raise ValueError("must be an absolute path; only a knowledge base file may give it relative to itself")
    return path


AbsolutePath = Annotated[Path, AfterValidator(absolute)]


class SourceConfig(ClosedModel):
    """Base of every connector's config: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def known_fields(cls) -> Iterable[str]:
        """Those of every source too: they stand beside these in a knowledge base file."""
        return (*cls.model_fields, *SourceSettings.model_fields)

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:  # noqa: ARG003 - for those with paths
        """Make local paths that were given relative to `base` absolute; see `located`."""
        return dict(config)


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchedDocument:
    """A document that a source has now.

    `fingerprint` changes whenever the raw content does; `parse` is called only then, and raises DocumentError.
    `parser_version` is that of the parser which reads it, empty where that is the connector's own.
    `validator` is any text by which the connector can ask later whether the document has changed, such as an ETag; it
    finds the text again in `context.known`.
    """

    uri: str
    fingerprint: str
    parse: Callable[[], ParsedDocument]
    parser_version: str = ""
    validator: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnchangedDocument:
    """A document that is as `context.known` has it, so that it was not fetched."""

    uri: str


Found = FetchedDocument | UnchangedDocument | DocumentProblem


class Connector(ABC):
    """Reads one kind of source. A subclass sets `kind`, `parser_version` and `Config`, and has `fetch`."""

    kind: ClassVar[str]
    parser_version: ClassVar[str]
    """Raise it when the same bytes give another text."""
    Config: ClassVar[type[SourceConfig]]

    def __init__(self, config: Any, context: SourceContext) -> None:
        self.config = config
        self.context = context
        self.total: int | None = None
        """How many documents `fetch` will yield, once that is known: then people who watch a sync see how far it is."""
        self.skipped = Skips()
        """What is left out is counted here: then a sync says so."""

    @abstractmethod
    def fetch(self) -> Iterator[Found]:
        """Yield every document the source has, changed or not, and every one that cannot even be named.

        A problem without a URI means that the list is not complete: then nothing counts as vanished. A document may be
        said to be unchanged only if `context.known` has it.

        Raises:
            SourceError: the source cannot be read as a whole.
        """


@cache
def connectors() -> Mapping[str, type[Connector]]:
    """Every installed connector, by kind."""
    return {entry.name: entry.load() for entry in entry_points(group=GROUP)}


def connector_of(kind: str) -> type[Connector]:
    """The connector of a kind.

    Raises:
        InvalidConfigurationError: there is none, or it is no subclass of Connector; the message names it.
    """
    found = connectors().get(kind)
    if found is None:
        raise InvalidConfigurationError(
            f"kind: there is no kind of source {kind!r}. Use one of: {', '.join(connectors())}."
        )
    if not issubclass(found, Connector):
        raise InvalidConfigurationError(
            f"kind: the connector of {kind!r} must derive from headwater.sources.connector.Connector."
        )
    return found


def check_config(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a source's config; returns it as JSON values, without what was left to its default.

    Raises:
        InvalidConfigurationError: unknown kind, or a wrong, missing or unknown field; the message names it.
    """
    try:
        model = connector_of(kind).Config.model_validate(dict(config))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])  # what concerns several fields names one itself
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidConfigurationError(f"{where}: {message}" if where else message) from error
    return model.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def locate_config(kind: str, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Take a config's relative local paths from a folder; an unknown kind is left for `check_config` to refuse."""
    found = connectors().get(kind)
    return dict(config) if found is None else found.Config.locate(config, base)


def located(config: Mapping[str, Any], field: str, base: Path) -> dict[str, Any]:
    """One field's local path made absolute, from `base`: the folder of the knowledge base file, not the shell's."""
    value = config.get(field)
    if not isinstance(value, str) or not value or "://" in value or value.startswith("git@"):
        return dict(config)
    try:
        return {**config, field: str((base / Path(value).expanduser()).resolve())}
    except (OSError, RuntimeError, ValueError):  # fetching says what is wrong with it
        return dict(config)


def open_connector(kind: str, config: Mapping[str, Any], context: SourceContext) -> Connector:
    """Make the connector of a source.

    Raises:
        InvalidConfigurationError: its stored config is not valid (any more).
    """
    checked = check_config(kind, config)
    connector = connector_of(kind)
    return connector(connector.Config.model_validate(checked), context)
