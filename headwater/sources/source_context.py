"""The context of a connector: everything it gets besides its config.

Belongs here: paths, credentials and the known documents of the source, as a connector gets them. Not here:
connectors, the origin of these data. Guarantee: it contains no database or broker address, no secret that was not
requested by name, and nothing of other sources.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from headwater.domain.documents import KnownState
from headwater.domain.uploads import UploadedFile
from headwater.errors import FetchRefusedError, SourceError
from headwater.fetching.credentials import (
    Credential,
    HostCredential,
    find_credential,
    find_host_credential,
    find_password,
)
from headwater.fetching.http_client import HttpClient
from headwater.fetching.patience import Patience
from headwater.fetching.politeness import BUSY, Politeness
from headwater.fetching.url_guard import UrlGuard


def _sleep(seconds: float, _: str) -> None:
    time.sleep(seconds)


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceContext:
    """Everything that a connector gets besides its config."""

    folder: Path
    """A folder that the source keeps between syncs, such as for a clone; not created yet."""
    local_paths: tuple[Path, ...] = ()
    """Folders that local paths must be in; empty means any. `local` checks them."""
    time_limit: int = 0
    """Seconds that the source may take in one sync; 0 means no limit."""
    gate: UrlGuard = field(default_factory=UrlGuard)
    """What may be fetched from other machines; `http` and git ask it."""
    known: Mapping[str, KnownState] = field(default_factory=dict, repr=False)
    """The source's known documents, by URI.

    It contains only documents that may be reported as unchanged: no new ones, none that had disappeared, none that
    another version of the parser read, and none at all in a full sync. Every worker gets the same.
    """

    uploads: Callable[[], Iterable[UploadedFile]] = tuple
    """Lists the files that were uploaded to the source, by name."""
    wait: Callable[[float, str], None] = _sleep
    """Waits so many seconds, for the given reason: a server asked for it. What was found before is written first,
    people see the reason, and a sync that is cancelled meanwhile ends here."""
    patience: Patience = field(init=False, repr=False)
    """How long the sync may still wait for servers; clients of `http` share it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "patience", Patience.of(self.wait, self.time_limit))

    def local(self, path: Path) -> Path:
        """Return a local path that may be read.

        Raises:
            SourceError: it does not exist, cannot be reached, or is outside HEADWATER_LOCAL_PATHS.
        """
        try:
            resolved = path.expanduser().resolve()
            is_there = resolved.exists()
        except (OSError, RuntimeError, ValueError) as error:  # no permission, circular links, a NUL
            raise SourceError(f"{path} cannot be reached ({error}). Change the source's path.") from error
        allowed = self.local_paths
        if allowed and not any(resolved.is_relative_to(folder) for folder in allowed):
            raise SourceError(f"{path} is outside the folders in HEADWATER_LOCAL_PATHS. Move it, or allow its folder.")
        if not is_there:
            raise SourceError(f"There is no file or folder at {path} on this machine. Create it, or change the path.")
        return resolved

    def credential(self, name: str, host: str) -> Credential:
        """Return the secret that a source's config names, for the host that will get it.

        Raises:
            SourceError: there is no secret with this name, or it is for another host.
        """
        return find_credential(name, host)

    def secure_credential(self, name: str, address: str) -> Credential:
        """Return the secret that a connector itself puts into its requests to an address, such as in a signature.

        Raises:
            SourceError: there is no secret with this name, or it is for another host.
            FetchRefusedError: the requests would be sent without encryption.
        """
        credential = self.credential(name, urlsplit(address).netloc)
        target = self.gate.check_url(address)
        if target.scheme != "https" and not self.gate.is_named(target.host, target.port):
            raise FetchRefusedError(
                f"{address} is refused: requests with the credential {name} would be sent without encryption. Use"
                " https, or add the host to HEADWATER_FETCH_ALLOW."
            )
        return credential

    def password(self, name: str) -> str:
        """Return the secret that a source's config names for opening files, or a database.

        Raises:
            SourceError: there is no secret with this name, or it is for a host.
        """
        return find_password(name)

    def http(
        self,
        *,
        credential: str | None = None,
        token: HostCredential | None = None,
        address: str = "",
        delay: float = 0.0,
        busy: tuple[int, ...] = BUSY,
    ) -> HttpClient:
        """Return a client for requests to other machines; close it, or use it in a `with` block.

        Args:
            credential: the name of a secret in the source's config. It is sent only to its own host.
            token: a secret that a server gave for this sync, instead of a credential.
            address: of the server that the secret is meant for; empty if there are several.
            delay: the seconds to wait between two requests to one host.
            busy: statuses after which the client itself repeats a request: when the server says, while the patience of
                the sync lasts, or up to twice if it does not say; leave out those that the connector handles. A service
                takes `BUSY_OR_FAILING`.

        Raises:
            SourceError: there is no secret with this name, or it is for another host than that of the address.
        """
        if credential is not None and address:
            self.credential(credential, urlsplit(address).netloc)
        host_credential = token if credential is None else find_host_credential(credential)
        polite = Politeness(delay=delay, busy=busy, patience=self.patience)
        return HttpClient(self.gate, credential=host_credential, politeness=polite)
