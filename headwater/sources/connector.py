"""What a connector is, and how a source's kind becomes one.

Belongs here: the protocol, the base of config models, the registry. Not here: any connector. Guarantee: a config with
an unknown field is refused; a connector sees only its own config and the context.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import InvalidConfigurationError, SourceError
from headwater.fetching.credentials import Credential, find_credential
from headwater.settings import Settings

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


class SourceConfig(BaseModel):
    """Base of every connector's config: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:  # noqa: ARG003 - for those with paths
        """Make local paths that were given relative to `base` absolute; see `located`."""
        return dict(config)


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceContext:
    """What a connector may know besides its config."""

    settings: Settings
    folder: Path
    """A folder of the source's own, kept between syncs, such as for a clone; not made yet."""

    def local(self, path: Path) -> Path:
        """Return a local path that may be read.

        Raises:
            SourceError: it is not there, cannot be reached, or is outside HEADWATER_LOCAL_PATHS.
        """
        try:
            resolved = path.expanduser().resolve()
            is_there = resolved.exists()
        except (OSError, RuntimeError, ValueError) as error:  # no permission, links in a circle, a NUL
            raise SourceError(f"{path} cannot be reached ({error}). Change the source's path.") from error
        allowed = self.settings.local_paths
        if allowed and not any(resolved.is_relative_to(folder) for folder in allowed):
            raise SourceError(f"{path} is outside the folders that HEADWATER_LOCAL_PATHS allows.")
        if not is_there:
            raise SourceError(f"{path} does not exist. Put it there, or change the source's path.")
        return resolved

    def credential(self, name: str, host: str) -> Credential:
        """Return the secret that a source's config names, for the host that is to see it.

        Raises:
            SourceError: there is none by that name, or it is for another host.
        """
        return find_credential(name, host)


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchedDocument:
    """A document that a source has now.

    `fingerprint` changes whenever the raw content does; `parse` is called only then, and raises DocumentError.
    `parser_version` is that of the parser which reads it, empty where that is the connector's own.
    """

    uri: str
    fingerprint: str
    parse: Callable[[], ParsedDocument]
    parser_version: str = ""


class Connector(Protocol):
    """Reads one kind of source.

    One that knows how many documents it will yield, once it has listed them, says so in an attribute `total`: then
    people who watch a sync see how far it is. One that leaves things out counts them in an attribute `skipped`, a
    `headwater.domain.skipping.Skips`: then a sync says so.
    """

    kind: ClassVar[str]
    parser_version: ClassVar[str]
    """Raise it when the same bytes give another text."""
    Config: ClassVar[type[SourceConfig]]

    def __init__(self, config: Any, context: SourceContext) -> None: ...

    def fetch(self) -> Iterator[FetchedDocument | DocumentProblem]:
        """Yield every document the source has, and every one that cannot even be named.

        A problem without a URI means that the list is not complete: then nothing counts as vanished.

        Raises:
            SourceError: the source cannot be read as a whole.
        """
        ...


@cache
def connectors() -> Mapping[str, type[Connector]]:
    """Every installed connector, by kind."""
    return {entry.name: entry.load() for entry in entry_points(group=GROUP)}


def check_config(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a source's config; returns it as JSON values, without what was left to its default.

    Raises:
        InvalidConfigurationError: unknown kind, or a wrong, missing or unknown field; the message names it.
    """
    found = connectors().get(kind)
    if found is None:
        raise InvalidConfigurationError(
            f"kind: there is no kind of source {kind!r}. Use one of: {', '.join(connectors())}."
        )
    try:
        model = found.Config.model_validate(dict(config))
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
    connector = connectors()[kind]
    return connector(connector.Config.model_validate(checked), context)
