"""The Kubernetes examples: values for Dagster's Helm chart, and the API's manifest.

Belongs here: that they agree with the settings, the image and each other. Not here: whether a cluster takes them.
Guarantee: reads files; the chart's own keys were compared by hand.
"""

import re
from typing import Any

import pytest
import yaml

from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database_urls import dagster_url
from tests.unit.test_deployment import image_environment, instructions, parsed, settings_variables


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((REPOSITORY / "examples/kubernetes-values.yaml").read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def code_server(values: dict[str, Any]) -> dict[str, Any]:
    [deployment] = values["dagster-user-deployments"]["deployments"]
    found: dict[str, Any] = deployment
    return found


@pytest.fixture(scope="module")
def manifests() -> dict[str, dict[str, Any]]:
    text = (REPOSITORY / "examples/kubernetes-api.yaml").read_text("utf-8")
    return {manifest["kind"]: manifest for manifest in yaml.safe_load_all(text)}


@pytest.fixture(scope="module")
def pod(manifests: dict[str, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = manifests["Deployment"]["spec"]["template"]["spec"]
    return found


def test_every_variable_is_a_setting(code_server: dict[str, Any], pod: dict[str, Any]) -> None:
    """The pods get the variables that the settings read; together with the secret they are valid."""
    given = {variable["name"]: variable["value"] for variable in pod["containers"][0]["env"]}
    secret = {"HEADWATER_DATABASE_URL": "postgresql://headwater:secret@db/headwater"}
    for environ in (code_server["env"], given):
        assert set(environ) <= settings_variables()
        settings = Settings.from_env({**environ, **secret})
        assert settings.dagster_url == "https://dagster.example.com"
    from pipelines.executors import check

    check(Settings.from_env({**code_server["env"], **secret}))


def test_clients_of_an_ingress_share_no_limit(pod: dict[str, Any]) -> None:
    """All of them come from its address, so a limit per address would be one for everyone."""
    given = {variable["name"]: variable["value"] for variable in pod["containers"][0]["env"]}
    secret = {"HEADWATER_DATABASE_URL": "postgresql://headwater:secret@db/headwater"}
    assert Settings.from_env({**given, **secret}).trusted_proxies


def test_secrets_are_named_and_not_written_down(code_server: dict[str, Any], pod: dict[str, Any]) -> None:
    """Addresses with passwords come from one Secret, which runs get too; keys from another, which only the API gets."""
    assert code_server["envSecrets"] == [{"name": "headwater"}]
    assert code_server["includeConfigInLaunchedRuns"] == {"enabled": True}
    (migration,), (api,) = pod["initContainers"], pod["containers"]
    own, keys = {"secretRef": {"name": "headwater"}}, {"secretRef": {"name": "headwater-admin"}}
    assert (migration["envFrom"], api["envFrom"]) == ([own], [own, keys])
    for name in ("kubernetes-values.yaml", "kubernetes-api.yaml"):
        text = (REPOSITORY / "examples" / name).read_text("utf-8")
        assert not re.search(r"postgresqlPassword:|://[^\s/]+:[^\s/]+@", text)


def test_dagster_has_the_database_beside_ours(values: dict[str, Any]) -> None:
    """The chart makes the address that `headwater migrate` makes the database of, driver included."""
    postgres = values["postgresql"]
    assert not postgres["enabled"]
    host, port, user = postgres["postgresqlHost"], postgres["service"]["port"], postgres["postgresqlUsername"]
    made = f"{postgres['postgresqlScheme']}://{user}:secret@{host}:{port}/{postgres['postgresqlDatabase']}"
    assert made == dagster_url(f"postgresql://{user}:secret@{host}:{port}/headwater")


def test_every_process_is_the_image(values: dict[str, Any], code_server: dict[str, Any], pod: dict[str, Any]) -> None:
    """One image and tag throughout; its user may write to DAGSTER_HOME and may not bind low ports."""
    image = code_server["image"]
    assert values["dagsterWebserver"]["image"] == values["dagsterDaemon"]["image"] == image
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["image"] == f"{image['repository']}:{image['tag']}"
    assert values["global"]["dagsterHome"] == image_environment()["DAGSTER_HOME"]
    port = values["dagsterWebserver"]["service"]["port"]
    assert port > 1024
    assert values["dagsterWebserver"]["readinessProbe"]["httpGet"]["port"] == port
    [user] = [arguments for name, arguments in instructions() if name == "RUN" and "useradd" in arguments]
    assert f"--uid {pod['securityContext']['runAsUser']}" in user


def test_code_server_loads_the_definitions(code_server: dict[str, Any]) -> None:
    """The chart puts these behind `dagster api grpc -h 0.0.0.0 -p PORT`."""
    command = ["dagster", "api", "grpc", "-h", "0.0.0.0", "-p", str(code_server["port"])]
    assert parsed([*command, *code_server["dagsterApiGrpcArgs"]])["module_name"] == "pipelines.definitions"


def test_runs_are_jobs_of_their_own(values: dict[str, Any]) -> None:
    """The chart's launcher is the one that HEADWATER_RUN_LAUNCHER names, and its queue lets several at once."""
    launcher = values["runLauncher"]
    assert launcher["type"] == "K8sRunLauncher"
    assert launcher["config"]["k8sRunLauncher"]["resources"]["requests"]
    queue = values["dagsterDaemon"]["runCoordinator"]
    assert queue["enabled"]
    assert queue["config"]["queuedRunCoordinator"]["maxConcurrentRuns"] > 1


def test_the_service_finds_the_api(manifests: dict[str, dict[str, Any]], pod: dict[str, Any]) -> None:
    """Labels, ports and probes meet; the command is understood."""
    deployment, service = manifests["Deployment"]["spec"], manifests["Service"]["spec"]
    assert service["selector"] == deployment["selector"]["matchLabels"] == deployment["template"]["metadata"]["labels"]
    [api] = pod["containers"]
    [port] = api["ports"]
    assert parsed(api["command"])["port"] == port["containerPort"]
    assert [found["targetPort"] for found in service["ports"]] == [port["name"]]
    probes = [api[name]["httpGet"] for name in ("livenessProbe", "readinessProbe")]
    assert [probe["path"] for probe in probes] == ["/health/live", "/health/ready"]
    assert {probe["port"] for probe in probes} == {port["name"]}
    assert [container["command"] for container in pod["initContainers"]] == [["headwater", "migrate"]]
