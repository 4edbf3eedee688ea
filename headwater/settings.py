"""The settings from the environment.

Belongs here: the only code that reads environment variables. Not here: the settings of a knowledge base
(`headwater.domain.knowledge_base_settings`). Guarantee: frozen; a secret never shows in a repr, and secrets that
are not settings (keys of models, credentials of sources) are stored in no object.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.setting_values import (
    choice,
    collector,
    cron_line,
    files,
    networks,
    own_secret,
    proxy,
    split_list,
    whole_number,
)

REPOSITORY = Path(__file__).resolve().parent.parent
EXECUTORS = ("in_process", "multiprocess", "celery", "kubernetes")
RUN_LAUNCHERS = ("default", "docker", "kubernetes")
REMOVED_VARIABLES = (
    "HEADWATER_CONNECTIONS_PER_ADDRESS", "HEADWATER_DAGSTER_HOSTS", "HEADWATER_EMBEDDING_THREADS",
    "HEADWATER_EXACT_LIMIT", "HEADWATER_HISTORY_RETENTION_DAYS", "HEADWATER_HOUSEKEEPING_SCHEDULE",
    "HEADWATER_INDEX_RETENTION_DAYS", "HEADWATER_MODEL_FIRST_TOKEN_LIMIT", "HEADWATER_REQUESTS_PER_MINUTE_WITHOUT_KEY",
    "HEADWATER_VERIFY_SCHEDULE",
)  # fmt: skip
"""Settings of earlier days; they have no effect any more."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")
_PLAIN = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH")
_METRICS = "PROMETHEUS_MULTIPROC_DIR"  # the name that prometheus_client reads
_KEY = re.compile(r"\bhw_([a-z0-9]{8})_[A-Za-z0-9_-]{43}")
_SHORT = 6  # characters: hiding a shorter value, such as the "none" of a server without keys, would garble any text
_LITELLM = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else importing it downloads the prices
    "LITELLM_MODE": "PRODUCTION",  # else it reads a .env file into the environment
    "LITELLM_LOG": "ERROR",
}
_WHOLE_NUMBERS = (
    "source_time_limit", "fetch_time_limit", "version_retention_days", "concurrent_runs", "request_time_limit",
    "upload_limit", "parser_seconds", "parser_memory", "model_time_limit", "model_concurrency",
    "model_requests_per_minute", "requests_per_minute", "audit_retention_days",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """All settings from the environment; a field's variable is `HEADWATER_` plus its name in capitals."""

    home: Path
    """Folder for the embedded Postgres, Dagster's files and logs; by default `.headwater` in the working folder."""
    cache: Path
    """Folder for files that can be rebuilt, such as the local model's ONNX file; by default the user's cache folder."""
    models: Path | None = None
    """Folder for the models that `headwater models pull` downloads. Without it, `models` in the cache folder."""
    database_url: str | None = field(default=None, repr=False)
    """`postgresql://…` of a server with pgvector ≥ 0.8. Without it, Headwater runs its own under `home`."""
    direct_database_url: str | None = field(default=None, repr=False)
    """The same database past a connection pool in transaction mode; set it if `database_url` is such a pool."""
    read_database_url: str | None = field(default=None, repr=False)
    """A streaming replica of the same server, for searches. Without it, they go to `database_url`."""
    files: str | None = field(default=None, repr=False)
    """Where originals of documents are stored: a folder, or an address such as `s3://…`. Without it, under `home`."""
    dagster_url: str = "http://127.0.0.1:3000"
    """Address at which people open the Dagster UI; links to runs start with it."""
    local_paths: tuple[Path, ...] = ()
    """Folders that sources may read (separated by `:`). Empty: any folder that the process can read."""
    fetch_allow: tuple[str, ...] = ()
    """Hosts and networks that are not public but that sources may fetch from (separated by `,`)."""
    fetch_proxy: str | None = field(default=None, repr=False)
    """`http://…` of a proxy that requests of sources go through; it resolves names. Without it, there is no proxy."""
    fetch_time_limit: int = 60
    """Seconds that one request to another machine may take, with its redirects."""
    model_time_limit: int = 300
    """Seconds that the whole reply of a chat model may take, with retries and fallbacks; 0 means no limit. A fifth of
    that, and a minute at least, is for its first word."""
    model_concurrency: int = 32
    """Calls of one chat model, and requests of syncs to one embedding model, that one process makes at the same time; 0
    means no limit."""
    model_requests_per_minute: int = 0
    """The same that one process begins within a minute; 0 means no limit."""
    admin_key: str | None = field(default=None, repr=False)
    """A key for everything, of your own choice, with at least 32 characters; for the first start of a server."""
    metrics_token: str | None = field(default=None, repr=False)
    """A secret that opens `/metrics` and nothing else, with at least 32 characters."""
    traces_url: str | None = field(default=None, repr=False)
    """The address of an OpenTelemetry collector (OTLP over HTTP) that gets spans of syncs and answers."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks (separated by `,`) of proxies whose `X-Forwarded-For` and `-Proto` are believed."""
    requests_per_minute: int = 600
    """Units of requests that one key, or one session, may use in a minute, ten times those of an address without a
    key; 0 means no limit."""
    audit_retention_days: int = 365
    """Days that the audit of changes is kept."""
    api_url: str = "http://127.0.0.1:8080"
    """Address at which people reach the API; links from Dagster's assets start with it."""
    bot_key: str | None = field(default=None, repr=False)
    """The API key with which bots ask; it needs the scope `read`."""
    slack_bot_token: str | None = field(default=None, repr=False)
    """Token (`xoxb-…`) with which the bot writes in Slack; with both tokens, `headwater up` runs the bot."""
    slack_app_token: str | None = field(default=None, repr=False)
    """Token (`xapp-…`) with which the bot connects to Slack."""
    slack_api_url: str = "https://slack.com/api"
    """Address of Slack's API."""
    discord_token: str | None = field(default=None, repr=False)
    """Token of the bot in Discord; with it, `headwater up` runs the bot."""
    discord_api_url: str = "https://discord.com/api/v10"
    """Address of Discord's API."""
    request_time_limit: int = 15
    """Seconds within which the head of a request must arrive, and as many again for its body; 0 means no limit."""
    upload_limit: int = 100
    """Megabytes (of 1,000,000 bytes) that one uploaded file may have."""
    sync_schedule: str = "0 3 * * *"
    """Cron line (UTC) of the schedule that syncs every source; it is off until it is turned on in the Dagster UI."""
    executor: str = "in_process"
    """Where the steps of runs execute: `in_process`, `multiprocess`, `celery` or `kubernetes`."""
    run_launcher: str = "default"
    """Where runs execute: `default` (processes of the code server), `docker` or `kubernetes`."""
    broker_url: str | None = field(default=None, repr=False)
    """Where steps are handed to workers: Celery's broker (`redis://…`, `amqp://…`)."""
    concurrent_runs: int = 4
    """Runs that execute at the same time; the others wait. 0 means no limit."""
    source_time_limit: int = 3600
    """Seconds that one source may take in one sync before it fails; 0 means no limit."""
    parser_seconds: int = 0
    """Seconds that reading one file in a parser process may take; 0 means the limit of its parser."""
    parser_memory: int = 0
    """Megabytes that a parser process may use; 0 means the limit of its parser."""
    version_retention_days: int = 30
    """Days that a replaced or withdrawn document version stays readable."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment once.

        Args:
            environ: the variables; by default `os.environ`.

        Raises:
            InvalidConfigurationError: a variable holds a value of the wrong kind.
        """
        env = os.environ if environ is None else environ
        numbers: dict[str, Any] = {
            name: whole_number(env, f"HEADWATER_{name.upper()}", cls.default(name)) for name in _WHOLE_NUMBERS
        }
        cache_root = env.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return cls(
            home=Path(env.get("HEADWATER_HOME") or ".headwater").expanduser().resolve(),
            cache=Path(env.get("HEADWATER_CACHE") or Path(cache_root) / "headwater").expanduser().resolve(),
            database_url=env.get("HEADWATER_DATABASE_URL") or None,
            direct_database_url=env.get("HEADWATER_DIRECT_DATABASE_URL") or None,
            read_database_url=env.get("HEADWATER_READ_DATABASE_URL") or None,
            models=Path(env["HEADWATER_MODELS"]).expanduser().resolve() if env.get("HEADWATER_MODELS") else None,
            files=files(env),
            dagster_url=(env.get("HEADWATER_DAGSTER_URL") or cls.default("dagster_url")).rstrip("/"),
            fetch_allow=split_list(env, "HEADWATER_FETCH_ALLOW"),
            fetch_proxy=proxy(env),
            local_paths=tuple(
                Path(path).expanduser().resolve()
                for path in env.get("HEADWATER_LOCAL_PATHS", "").split(os.pathsep)
                if path
            ),
            admin_key=own_secret(env, "HEADWATER_ADMIN_KEY"),
            metrics_token=own_secret(env, "HEADWATER_METRICS_TOKEN"),
            traces_url=collector(env),
            trusted_proxies=networks(env, "HEADWATER_TRUSTED_PROXIES"),
            api_url=(env.get("HEADWATER_API_URL") or cls.default("api_url")).rstrip("/"),
            bot_key=env.get("HEADWATER_BOT_KEY", "").strip() or None,
            slack_bot_token=env.get("HEADWATER_SLACK_BOT_TOKEN", "").strip() or None,
            slack_app_token=env.get("HEADWATER_SLACK_APP_TOKEN", "").strip() or None,
            slack_api_url=(env.get("HEADWATER_SLACK_API_URL") or cls.default("slack_api_url")).rstrip("/"),
            discord_token=env.get("HEADWATER_DISCORD_TOKEN", "").strip() or None,
            discord_api_url=(env.get("HEADWATER_DISCORD_API_URL") or cls.default("discord_api_url")).rstrip("/"),
            executor=choice(env, "HEADWATER_EXECUTOR", EXECUTORS),
            run_launcher=choice(env, "HEADWATER_RUN_LAUNCHER", RUN_LAUNCHERS),
            broker_url=env.get("HEADWATER_BROKER_URL") or None,
            sync_schedule=cron_line(env, "HEADWATER_SYNC_SCHEDULE", cls.default("sync_schedule")),
            **numbers,
        )

    @property
    def models_folder(self) -> Path:
        """Where downloaded models are."""
        return self.models or self.cache / "models"

    @classmethod
    def default(cls, name: str) -> str:
        """The default of one field, as text: because of slots, the class does not have it."""
        return str(cls.__dataclass_fields__[name].default)


def parser_limits(environ: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Read the limits of parser processes alone, because parsers are called without settings.

    Args:
        environ: the variables; by default `os.environ`.

    Returns:
        Seconds and megabytes; 0 means the limit of the parser.

    Raises:
        InvalidConfigurationError: a variable is not a whole number.
    """
    env = os.environ if environ is None else environ
    return whole_number(env, "HEADWATER_PARSER_SECONDS", "0"), whole_number(env, "HEADWATER_PARSER_MEMORY", "0")


def credential(name: str, environ: Mapping[str, str] | None = None) -> tuple[str, str] | None:
    """Read the secret that a source names, and the only host that may get it.

    Args:
        name: a credential's name, in upper or lower case.
        environ: the variables; by default `os.environ`.

    Returns:
        The secret and the host, which is empty if none is set; None if there is no such credential.
    """
    env = os.environ if environ is None else environ
    variable = credential_variable(name)
    secret = env.get(variable, "").strip()
    return (secret, env.get(f"{variable}_HOST", "").strip()) if secret else None


def list_removed(environ: Mapping[str, str] | None = None) -> list[str]:
    """The variables that are set and have no effect any more."""
    return [name for name in REMOVED_VARIABLES if is_set(name, environ)]


def is_set(variable: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a variable that another program's code will read, such as a model's key, has a value."""
    return bool((os.environ if environ is None else environ).get(variable, "").strip())


def credential_variable(name: str) -> str:
    """The variable that holds a credential."""
    return f"HEADWATER_CREDENTIAL_{name.upper()}"


def hide_secrets(text: str, environ: Mapping[str, str] | None = None) -> str:
    """Remove every secret of the environment from an external text: a server may repeat the key it was sent.

    A secret is the value of a variable whose name contains key, token, secret, password or credential.
    """
    env = os.environ if environ is None else environ
    secrets = {value for name, value in env.items() if _SECRET.search(name.upper()) and len(value) >= _SHORT}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return hide_keys(text)


def hide_keys(text: str) -> str:
    """Remove the secrets of API keys from a text; their ids stay."""
    return _KEY.sub(r"hw_\1_***", text)


def plain_environment() -> dict[str, str]:
    """The environment for programs that are not ours, without our secrets."""
    return {name: value for name, value in os.environ.items() if name in _PLAIN or name.startswith("LC_")}


@contextmanager
def lend_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables for the length of a block, for a caller that keeps them under other names.

    They are set for the whole process: litellm, other threads and parser processes read them.
    """
    previous = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def prepare_litellm() -> None:
    """Set the variables that litellm reads when it is imported, so that importing uses no network and no .env file."""
    os.environ.update(_LITELLM)


def prepare_onnxruntime() -> None:
    """Set the variable without which importing onnxruntime notes events, and the program's path, for its maker."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def share_metrics(folder: str) -> None:
    """Set the folder in which the processes of a server keep their counts, before any of them imports the client."""
    os.environ[_METRICS] = folder


def metrics_folder() -> str:
    """The folder of `share_metrics`; empty if this process counts for itself."""
    return os.environ.get(_METRICS, "")


def variable(name: str) -> str:
    """The value of a variable that litellm reads too, such as a model's address or key; empty if it is not set."""
    return os.environ.get(name, "").strip()
