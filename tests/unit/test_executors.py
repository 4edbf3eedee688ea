"""Executors and run launchers as settings: what is chosen, what is refused, what is written (OPS-4).

Belongs here: what can be seen without workers, engine or cluster. Not here: steps that execute elsewhere
(`tests/integration/test_scale_out.py`). Guarantee: asks no network; Docker and Kubernetes are only told what would be.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster._config import process_config
from dagster._core.instance.ref import InstanceRef

from cli.environment import write_dagster_yaml
from cli.processes.worker import worker_command
from headwater.errors import InvalidConfigurationError
from headwater.settings import EXECUTORS, REPOSITORY, Settings
from pipelines import executors
from pipelines.definitions import build_definitions

SETTINGS = Settings(home=Path("home"), cache=Path("cache"))
SERVER = replace(SETTINGS, database_url="postgresql://headwater:secret@db/headwater")
CHOICES: dict[str, dict[str, Any]] = {
    "in_process": {},
    "multiprocess": {},
    "celery": {"broker_url": "redis://:secret@broker/0"},
    "kubernetes": {"run_launcher": "kubernetes"},
}


@pytest.mark.parametrize("name", EXECUTORS)
def test_every_executor_can_be_chosen(name: str) -> None:
    """Each has Dagster's executor, which every job has then; none needs anything more in run config."""
    chosen = replace(SERVER, executor=name, **CHOICES[name])
    expected = "k8s" if name == "kubernetes" else name
    job = build_definitions(chosen).resolve_job_def("sync_sources")
    assert job.executor_def.name == expected
    assert executors.executor(chosen).name == expected


@pytest.mark.parametrize(
    ("variable", "extra"),
    [("executor", "celery"), ("executor", "kubernetes"), ("run_launcher", "docker")],
)
def test_a_missing_extra_says_what_to_install(variable: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the setting and the command."""
    monkeypatch.setattr(executors, "find_spec", lambda _: None)
    given: dict[str, Any] = {variable: extra}
    chosen = replace(SERVER, **given)
    with pytest.raises(InvalidConfigurationError, match=rf"HEADWATER_{variable.upper()}={extra} .*'\.\[{extra}\]'"):
        executors.check(chosen)


@pytest.mark.parametrize(
    ("chosen", "needed"),
    [
        ({"executor": "celery"}, "HEADWATER_BROKER_URL"),
        ({"executor": "celery", "broker_url": "tcp://:secret@scheduler:8786"}, "HEADWATER_BROKER_URL"),
        ({"executor": "celery", "broker_url": "secret@broker"}, "HEADWATER_BROKER_URL"),
        ({"executor": "kubernetes"}, "HEADWATER_RUN_LAUNCHER=kubernetes"),
        ({"run_launcher": "docker"}, "HEADWATER_DATABASE_URL"),
        ({"run_launcher": "kubernetes"}, "HEADWATER_DATABASE_URL"),
    ],
)
def test_what_cannot_work_is_refused(chosen: dict[str, Any], needed: str) -> None:
    """Settings that do not go together are an error that names what is needed, without a password."""
    settings = replace(SETTINGS, **chosen)
    with pytest.raises(InvalidConfigurationError, match=f"needs {needed}") as caught:
        executors.executor(settings)
    assert "secret" not in str(caught.value)


def test_a_broker_address_is_not_shown() -> None:
    """It may hold a password (SEC-1)."""
    assert "secret" not in repr(replace(SERVER, broker_url="redis://:secret@broker/0"))


@pytest.mark.parametrize("name", EXECUTORS)
def test_who_has_workers(name: str) -> None:
    """`headwater worker` starts Celery's, and says that the others have none."""
    settings = replace(SERVER, executor=name, **CHOICES[name])
    if name == "celery":
        assert name in worker_command(settings)
    else:
        with pytest.raises(InvalidConfigurationError, match=f"{name}, which has no workers"):
            worker_command(settings)


def test_workers_keep_passwords_off_their_command_line() -> None:
    """Everyone on a machine sees command lines; Celery's broker is read from the environment."""
    settings = replace(SERVER, executor="celery", **CHOICES["celery"])
    assert "secret" not in " ".join(worker_command(settings))


def test_dagster_yaml_is_the_repositorys(tmp_path: Path) -> None:
    """Nothing is different unless a setting says so; writing again changes nothing."""
    written = write_dagster_yaml(replace(SETTINGS, home=tmp_path))
    assert written.read_text(encoding="utf-8") == (REPOSITORY / "dagster.yaml").read_text(encoding="utf-8")
    before = written.stat()
    write_dagster_yaml(replace(SETTINGS, home=tmp_path))
    assert written.stat() == before


@pytest.mark.parametrize(("limit", "expected"), [(12, 12), (0, -1)])
def test_runs_at_once_are_a_setting(limit: int, expected: int, tmp_path: Path) -> None:
    """Dagster's queue gets the limit; -1 is its value for no limit."""
    written = write_dagster_yaml(replace(SETTINGS, home=tmp_path, concurrent_runs=limit))
    config = yaml.safe_load(written.read_text(encoding="utf-8"))
    ours = yaml.safe_load((REPOSITORY / "dagster.yaml").read_text(encoding="utf-8"))
    assert config.pop("concurrency") == {"runs": {"max_concurrent_runs": expected}}
    ours.pop("concurrency")
    assert config == ours


def test_the_images_link_is_replaced_not_followed(tmp_path: Path) -> None:
    """In the image, dagster.yaml is a link into a folder that is not writable."""
    image = tmp_path / "image.yaml"
    image.write_text((REPOSITORY / "dagster.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    link = tmp_path / "dagster" / "dagster.yaml"
    link.parent.mkdir()
    link.symlink_to(image)
    assert write_dagster_yaml(replace(SETTINGS, home=tmp_path)).is_symlink()
    before = image.read_bytes()
    assert not write_dagster_yaml(replace(SETTINGS, home=tmp_path, concurrent_runs=9)).is_symlink()
    assert image.read_bytes() == before
    assert [path.name for path in link.parent.iterdir()] == ["dagster.yaml"]


def launcher(home: Path, **chosen: Any) -> Any:
    """The run launcher of the dagster.yaml that is written, as Dagster reads it."""
    write_dagster_yaml(replace(SERVER, home=home, **chosen))
    return InstanceRef.from_dir(str(home / "dagster")).run_launcher_data


def test_docker_launches_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster makes its launcher of what is written; containers get the settings that are set, but no folders."""
    pytest.importorskip("dagster_docker", reason="the docker extra is not installed")
    from dagster_docker import DockerRunLauncher

    monkeypatch.setenv("HEADWATER_UPLOAD_LIMIT", "7")
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path))
    made = launcher(tmp_path, run_launcher="docker").rehydrate(as_type=DockerRunLauncher)
    assert {"HEADWATER_DAGSTER_DATABASE_URL", "HEADWATER_UPLOAD_LIMIT"} <= set(made.env_vars)
    assert not {"HEADWATER_HOME", "HEADWATER_CACHE", "HEADWATER_SYNC_SCHEDULE"} & set(made.env_vars)
    assert "secret" not in (tmp_path / "dagster" / "dagster.yaml").read_text(encoding="utf-8")


def test_the_override_in_the_pages_fits_the_compose_file() -> None:
    """docs/scaling.md changes services, networks and volumes that exist, and Dagster reads the container context."""
    pytest.importorskip("dagster_docker", reason="the docker extra is not installed")
    from dagster_docker.container_context import DockerContainerContext

    page = (REPOSITORY / "docs" / "scaling.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```yaml\n(services:.*?)^```$", page, re.MULTILINE | re.DOTALL)
    override = yaml.safe_load(block)["services"]
    compose = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8"))
    assert set(override) <= set(compose["services"])
    environment = override["code-server"]["environment"]
    assert environment["DAGSTER_CURRENT_IMAGE"] == compose["services"]["code-server"]["image"]
    context = DockerContainerContext.create_from_config(json.loads(environment["DAGSTER_CONTAINER_CONTEXT"]))
    assert context.networks == [f"{compose['name']}_default"]
    volume, folder = context.container_kwargs["volumes"][0].split(":")
    assert volume.removeprefix(f"{compose['name']}_") in compose["volumes"]
    assert f"home:{folder}" in compose["services"]["code-server"]["volumes"]


def test_kubernetes_launches_runs(tmp_path: Path) -> None:
    """Dagster's launcher accepts what is written; it cannot be made without a cluster."""
    pytest.importorskip("dagster_k8s", reason="the kubernetes extra is not installed")
    from dagster_k8s import K8sRunLauncher

    data = launcher(tmp_path, run_launcher="kubernetes", executor="kubernetes")
    assert (data.module_name, data.class_name) == ("dagster_k8s", K8sRunLauncher.__name__)
    checked = process_config(K8sRunLauncher.config_type(), data.config_dict)
    assert checked.success, checked.errors
    assert checked.value is not None
    assert checked.value["dagster_home"] == str(tmp_path / "dagster")
    assert checked.value["env_secrets"] == ["headwater"]
