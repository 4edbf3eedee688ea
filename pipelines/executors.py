"""Where runs and their steps execute, according to two settings.

Belongs here: Dagster's executor and run launcher, and their requirements. Not here: the executors themselves; workers
(`celery_worker`). Guarantee: the packages of an extra are imported only if a setting chooses it; a combination that
cannot work is refused with a solution, before anything starts.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings

if TYPE_CHECKING:
    import dagster as dg

_MODULES = {
    "celery": ("dagster_celery", "redis"),
    "docker": ("dagster_docker",),
    "kubernetes": ("dagster_k8s",),
}
_SCHEMES = ("redis", "rediss", "amqp", "amqps", "pyamqp")

# Redis gives a step to a second worker if the first has not finished after this time: if it is too short, a long sync
# is done twice; if it is too long, the step of a lost machine waits. RabbitMQ notices the loss by itself.
_TAKEN_AGAIN_AFTER = 24 * 3600  # seconds


def check(settings: Settings) -> None:
    """Refuse an executor or a run launcher that cannot work here.

    Raises:
        InvalidConfigurationError: packages are missing, or settings do not go together.
    """
    for variable, choice in (("EXECUTOR", settings.executor), ("RUN_LAUNCHER", settings.run_launcher)):
        missing = [name for name in _MODULES.get(choice, ()) if find_spec(name) is None]
        if missing:
            raise InvalidConfigurationError(
                f"HEADWATER_{variable}={choice} needs packages that are not installed ({', '.join(missing)}). "
                f"In Headwater's folder: pip install -c constraints.txt -e '.[{choice}]'"
            )
    if settings.executor == "kubernetes" and settings.run_launcher != "kubernetes":
        raise InvalidConfigurationError(
            "HEADWATER_EXECUTOR=kubernetes needs HEADWATER_RUN_LAUNCHER=kubernetes: steps get the pods of their run."
        )
    if settings.run_launcher != "default" and settings.database_url is None:
        raise InvalidConfigurationError(
            f"HEADWATER_RUN_LAUNCHER={settings.run_launcher} needs HEADWATER_DATABASE_URL: containers cannot reach the "
            "embedded Postgres, which listens on a socket of this machine."
        )
    if settings.executor == "celery":
        _check_broker(settings)


def _check_broker(settings: Settings) -> None:
    scheme, separator, address = (settings.broker_url or "").partition("://")
    if not separator or not address or scheme not in _SCHEMES:
        # The error is not repeated: it may contain a password.
        raise InvalidConfigurationError(
            "HEADWATER_EXECUTOR=celery needs HEADWATER_BROKER_URL, such as redis://host:6379/0, Celery's broker."
        )


def executor(settings: Settings) -> "dg.ExecutorDefinition":
    """The executor for runs that Dagster launches; the command line stays in its own process.

    Raises:
        InvalidConfigurationError: it cannot work here.
    """
    import dagster as dg

    check(settings)
    if settings.executor == "celery":
        from dagster_celery import celery_executor

        return celery_executor.configured(celery_config(settings), name="celery")
    if settings.executor == "kubernetes":
        from dagster_k8s import k8s_job_executor

        return k8s_job_executor
    if settings.executor == "multiprocess":
        return dg.multiprocess_executor
    # A run has one step, and a separate process for it takes about seven times longer: runs are the unit of
    # distribution.
    return dg.in_process_executor


def celery_config(settings: Settings) -> dict[str, Any]:
    """The settings that both ends of Celery must share: broker, result backend, transport."""
    url = settings.broker_url or ""
    return {
        "broker": url,
        "backend": url if url.startswith("redis") else "rpc://",
        "config_source": {
            "broker_connection_retry_on_startup": True,
            "broker_transport_options": {"visibility_timeout": _TAKEN_AGAIN_AFTER},
        },
    }


def run_launcher(settings: Settings, variables: Sequence[str]) -> dict[str, Any] | None:
    """The `run_launcher` of `dagster.yaml`; None for Dagster's own, which starts processes of the code server.

    Settings that depend on the installation (image, networks, volumes, namespace) are in the code server's container
    context.

    Args:
        settings: the settings of the environment.
        variables: the environment variables for a run's container.

    Raises:
        InvalidConfigurationError: it cannot work here.
    """
    check(settings)
    if settings.run_launcher == "docker":
        return {"module": "dagster_docker", "class": "DockerRunLauncher", "config": {"env_vars": list(variables)}}
    if settings.run_launcher == "kubernetes":
        config = {
            "service_account_name": "headwater",
            "instance_config_map": "headwater-dagster",
            "dagster_home": str(settings.home / "dagster"),
            # A Secret, not `env_vars`, which would show the database's password in the pod's specification.
            "env_secrets": ["headwater"],
        }
        return {"module": "dagster_k8s", "class": "K8sRunLauncher", "config": config}
    return None
