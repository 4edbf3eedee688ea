"""What a connector may know besides its config.

Belongs here: paths, credentials and what is known of the source's documents, as a connector is given them. Not here:
connectors, where any of it comes from. Guarantee: no address of a database or broker, no secret that was not asked for
by its name, and nothing of other sources is in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headwater.domain.documents import Known
from headwater.errors import SourceError
from headwater.fetching.credentials import Credential, find_credential


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceContext:
    """What a connector may know besides its config."""

    folder: Path
    """A folder of the source's own, kept between syncs, such as for a clone; not made yet."""
    local_paths: tuple[Path, ...] = ()
    """Folders that local paths must lie in; empty when any may be read. `local` looks at them."""
    time_limit: int = 0
    """Seconds that the source may take in one sync; 0 is no limit."""
    known: Mapping[str, Known] = field(default_factory=dict, repr=False)
    """What is known of the source's documents, by URI.

    Only those are in it that may be said to be unchanged: not new ones, not what vanished, not what another version of
    the parser read, and none in a full sync, which fetches every document whole. Any worker finds the same in it.
    """

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
        allowed = self.local_paths
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
