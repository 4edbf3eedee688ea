"""What the environment decides.

Belongs here: the only reading of environment variables in the project. Not here: what a knowledge base decides for
itself (`models.KnowledgeBaseSettings`). Guarantee: frozen; a secret never shows in a repr.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import InvalidConfigurationError

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Everything the environment decides; a field's variable is `HEADWATER_` and its name in capitals."""

    home: Path
    """Folder of the embedded Postgres, of Dagster's files and of logs; by default `.headwater` where you are."""
    cache: Path
    """Folder of what can be built again, such as the local model's ONNX file; by default the user's cache folder."""
    database_url: str | None = field(default=None, repr=False)
    """`postgresql://…` of a server with pgvector ≥ 0.8. Without it, Headwater runs its own under `home`."""
    dagster_url: str = "http://127.0.0.1:3000"
    """Where people open the Dagster UI; run links start with it."""
    local_paths: tuple[Path, ...] = ()
    """Folders that sources may read (separated by `:`). Empty: any folder that the process can read."""
    exact_limit: int = 20_000
    """Entries up to which a search index is scanned exactly; a larger one gets its own partition with HNSW."""
    embedding_threads: int = 0
    """Threads of the local model; 0 is one per processor."""
    trusted_network: bool = False
    """`1` when everyone who can reach the API may use it; until there are keys, it is needed off loopback."""
    sync_schedule: str = "0 3 * * *"
    """Cron line (UTC) of the schedule that syncs every source; it is off until it is turned on in the Dagster UI."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment once.

        Args:
            environ: the variables; `os.environ` when not given.

        Raises:
            InvalidConfigurationError: a variable holds a value of the wrong kind.
        """
        env = os.environ if environ is None else environ
        cache_root = env.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return cls(
            home=Path(env.get("HEADWATER_HOME") or ".headwater").expanduser().resolve(),
            cache=Path(env.get("HEADWATER_CACHE") or Path(cache_root) / "headwater").expanduser().resolve(),
            database_url=env.get("HEADWATER_DATABASE_URL") or None,
            dagster_url=(env.get("HEADWATER_DAGSTER_URL") or cls.default("dagster_url")).rstrip("/"),
            local_paths=tuple(
                Path(part).expanduser().resolve()
                for part in env.get("HEADWATER_LOCAL_PATHS", "").split(os.pathsep)
                if part
            ),
            exact_limit=_whole_number(env, "HEADWATER_EXACT_LIMIT", cls.default("exact_limit")),
            embedding_threads=_whole_number(env, "HEADWATER_EMBEDDING_THREADS", cls.default("embedding_threads")),
            trusted_network=env.get("HEADWATER_TRUSTED_NETWORK", "") not in ("", "0"),
            sync_schedule=_cron_line(env, "HEADWATER_SYNC_SCHEDULE", cls.default("sync_schedule")),
        )

    @classmethod
    def default(cls, name: str) -> str:
        """The default of one field, as text: slots hide it from the class."""
        return str(cls.__dataclass_fields__[name].default)


def _cron_line(env: Mapping[str, str], name: str, default: str) -> str:
    text = (env.get(name) or default).strip()
    if not re.fullmatch(r"[\d*/,a-zA-Z-]+(?:\s+[\d*/,a-zA-Z-]+){4}", text):
        raise InvalidConfigurationError(
            f"{name} is {text!r}, but must be a cron line of five fields, such as {default!r}."
        )
    return text


def _whole_number(env: Mapping[str, str], name: str, default: str) -> int:
    text = env.get(name) or default
    if not text.isdecimal():
        raise InvalidConfigurationError(f"{name} is {text!r}, but must be a whole number of 0 or more.")
    return int(text)
