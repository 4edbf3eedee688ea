"""Private git repositories (SRC-14).

Belongs here: a real git behind a real https server that asks for a password, and where the secret must not be found.
Not here: addresses and branches (`unit/test_sources_git`).
"""

import base64
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec, read_file
from headwater.errors import InvalidConfigurationError, SourceError
from headwater.fetching.credentials import Credential, find_credential
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.settings import Settings
from headwater.sources.connector import FetchedDocument, check_config, open_connector
from headwater.sources.source_context import SourceContext
from query_api.app import create_app
from tests.git_server import GitServer, git_server, make_certificate
from tests.support import Headwater, free_port
from tests.unit.test_sources_git import Repository

SECRET = "ghp_0123456789abcdefghij"
FORMS = (SECRET, base64.b64encode(f"x-access-token:{SECRET}".encode()).decode())
NEEDS_OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of the servers."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings let sources fetch from the servers of the tests."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


@pytest.fixture
def host(tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    """A host with one repository, `docs`, that a token opens."""
    Repository(tmp_path / "host" / "docs").commit({"a.md": "# A\n\nThe pump lifts water."})
    monkeypatch.setenv("GIT_SSL_CAINFO", str(certificate))
    with git_server(tmp_path / "host", certificate) as server:
        server.password = SECRET
        monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS_HOST", server.url.removeprefix("https://"))
        yield server


def fetch(own: Path, address: str, credential: str | None = None) -> list[str]:
    """The URIs of what a source reads."""
    config = {"git": address} if credential is None else {"git": address, "credential": credential}
    context = SourceContext(folder=own, gate=UrlGuard(allowed=(parse_allowed("127.0.0.1"),)))
    items = open_connector("markdown_tree", config, context).fetch()
    return [item.uri for item in items if isinstance(item, FetchedDocument)]


@NEEDS_OPENSSL
@pytest.mark.parametrize("name", ["docs_host_1", "GitHub"])
def test_a_token_opens_a_private_repository(
    host: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It is found by its name in capitals; a second fetch works as well."""
    monkeypatch.setenv(f"HEADWATER_CREDENTIAL_{name.upper()}", SECRET)
    monkeypatch.setenv(f"HEADWATER_CREDENTIAL_{name.upper()}_HOST", host.url.removeprefix("https://"))
    for _ in range(2):
        assert fetch(tmp_path / "own", f"{host.url}/docs", name) == ["a.md"]
    assert set(host.authorizations) == {host.expected}


@NEEDS_OPENSSL
def test_a_user_and_password_open_it_too(host: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password may hold any sign."""
    host.user, host.password = "alice", "pässword: with $igns"
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", "alice:pässword: with $igns")
    assert fetch(tmp_path / "own", f"{host.url}/docs", "docs") == ["a.md"]


@NEEDS_OPENSSL
@pytest.mark.parametrize(
    ("credential", "advice"),
    [(None, r"If it is private, set the source's credential\."), ("docs", r"Check HEADWATER_CREDENTIAL_DOCS\.")],
)
def test_without_the_right_one_the_error_says_what_to_do(
    host: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, credential: str | None, advice: str
) -> None:
    """It names the repository, and not the secret; the copy that is there stays."""
    own = tmp_path / "own"
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    fetch(own, f"{host.url}/docs", "docs")
    host.password = "changed"
    with pytest.raises(
        SourceError, match=rf"{host.url}/docs could not be fetched: Authentication failed.* {advice}"
    ) as caught:
        fetch(own, f"{host.url}/docs", credential)
    assert SECRET not in repr(caught.value)
    assert caught.value.__suppress_context__
    assert (own / "repository" / "refs" / "headwater" / "head").exists()


def test_a_missing_credential_names_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched then; an empty one is missing too."""
    for value in (None, " "):
        if value:
            monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", value)
        with pytest.raises(SourceError, match=r"no credential docs\. Set HEADWATER_CREDENTIAL_DOCS"):
            fetch(tmp_path / "own", "https://git.example.org/docs", "docs")
    assert not (tmp_path / "own").exists()


def test_a_credential_of_one_host_is_not_sent_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anyone who may register a source could name any credential, and his own address (SEC-1)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS_HOST", "git.example.org")
    for host in ("evil.example.org", "git.example.org:444", "git.example.org.evil"):
        with pytest.raises(
            SourceError, match=rf"not for {host}: HEADWATER_CREDENTIAL_DOCS_HOST says git\.example\.org"
        ):
            fetch(tmp_path / "own", f"https://{host}/docs", "docs")
    assert find_credential("docs", "GIT.example.org").secret == SECRET


def test_a_credential_of_no_host_is_sent_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable that is missing (SEC-1)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    for host in ("", " "):
        monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS_HOST", host)
        with pytest.raises(SourceError, match=r"Set HEADWATER_CREDENTIAL_DOCS_HOST .* such as git\.example\.org"):
            fetch(tmp_path / "own", "https://git.example.org/docs", "docs")


@NEEDS_OPENSSL
def test_a_redirect_does_not_take_it_along(host: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another host never sees a request (SEC-1)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    with git_server(tmp_path / "host", host.certificate) as other:
        host.redirect = other.url
        with pytest.raises(SourceError, match="could not be fetched"):
            fetch(tmp_path / "own", f"{host.url}/docs", "docs")
        assert other.authorizations == []


@NEEDS_OPENSSL
def test_the_secret_is_not_left_behind(
    host: GitServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The secret is in no file of the copy, no command line and no log, even if git traces (SEC-1)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    trace = tmp_path / "trace"
    for variable in ("GIT_TRACE", "GIT_TRACE_CURL"):
        monkeypatch.setenv(variable, str(trace))
    with caplog.at_level("DEBUG"):
        fetch(tmp_path / "own", f"{host.url}/docs", "docs")
    found = trace.read_text() + caplog.text + "".join(capfd.readouterr())
    for path in (tmp_path / "own").rglob("*"):
        if stat.S_ISREG(path.stat().st_mode):
            found += path.read_bytes().decode(errors="replace")
    assert "git-remote-https" in found
    assert not [form for form in FORMS if form in found]


def test_a_private_host_fails_the_source_with_its_code(
    headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the operator allows it; a wrong entry of the allow-list says so (SEC-1)."""
    kb = headwater()
    source = SourceSpec(slug="private", kind="markdown_tree", config={"git": f"https://127.0.0.1:{free_port()}/docs"})
    settings = kb.knowledge_base.settings
    apply(kb.store, KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=settings, sources=(source,)))
    for allowed, code, words in (
        ("", "FETCH_REFUSED", "not public (loopback)"),
        ("127.1", "INVALID_CONFIGURATION", "HEADWATER_FETCH_ALLOW contains '127.1'"),
        ("127.0.0.1", "SOURCE_FAILED", "could not be fetched"),
    ):
        monkeypatch.setenv("HEADWATER_FETCH_ALLOW", allowed)
        failed = replace(kb, settings=Settings.from_env()).sync("private")["private"]
        assert failed.state == "failed"
        assert (failed.errors[0].code, words in failed.errors[0].message) == (code, True)


@NEEDS_OPENSSL
def test_the_secret_is_neither_stored_nor_shown(
    host: GitServer, headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in any row, Dagster's included, nor in what the API returns, whether the sync works or not (SRC-14)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", SECRET)
    kb = headwater()
    config = {"git": f"{host.url}/docs", "credential": "docs"}
    source = SourceSpec(slug="private", kind="markdown_tree", config=config)
    apply(
        kb.store,
        KnowledgeBaseSpec(slug="kb", name="kb", description="", settings=kb.knowledge_base.settings, sources=(source,)),
    )
    assert kb.sync("private")["private"].state == "ready"
    assert kb.search("pump")[0].text.endswith("lifts water.")
    host.password = "changed"
    failed = kb.sync("private")["private"]
    assert "Check HEADWATER_CREDENTIAL_DOCS." in failed.errors[0].message
    client = create_app(kb.settings).test_client()
    shown = client.get("/api/v1/knowledge-bases/kb/sources/private").text
    assert '"credential":"docs"' in shown.replace(" ", "")
    found = kb.dump() + shown + client.get("/api/v1/knowledge-bases/kb/sources").text
    assert "could not be fetched: Authentication failed" in found
    assert not [form for form in FORMS if form in found]


def test_a_file_says_where_a_secret_does_not_belong(tmp_path: Path) -> None:
    """An address with a password is refused with file, line and field, and says what to do instead."""
    file = tmp_path / "kb.yaml"
    file.write_text(
        "knowledge_base: {slug: kb}\nsources:\n  - slug: a\n    kind: markdown_tree\n"
        f"    git: https://alice:{SECRET}@example.org/a.git\n"
    )
    with pytest.raises(
        InvalidConfigurationError, match=r"kb\.yaml:5: sources\[0\]\.git: .*name a secret.*with `credential`"
    ) as caught:
        read_file(file)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["", "a-b", "1a", "a b", "docs_host", "DOCS_HOST", "x" * 33, "ghp_" + "0" * 36, "é", "a:b", "a\n"]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    """And not repeated, since it may be the secret itself."""
    with pytest.raises(InvalidConfigurationError, match="credential: must be a name") as caught:
        check_config("markdown_tree", {"git": "https://example.org/a.git", "credential": name})
    assert not name or f"{name!r}" not in str(caught.value)


@pytest.mark.parametrize("config", [{"path": "/srv/docs"}, {"git": "/srv/docs.git"}, {"git": "file:///srv/docs.git"}])
def test_a_credential_is_for_https_alone(config: dict[str, str]) -> None:
    """Folders and local repositories ask for none."""
    with pytest.raises(InvalidConfigurationError, match="credential: can only be used"):
        check_config("markdown_tree", {**config, "credential": "docs"})


def test_a_credential_has_no_repr() -> None:
    """Neither has it a form that a text keeps."""
    credential = Credential(name="docs", secret="alice:geheim")  # noqa: S106 - nobody's
    assert "geheim" not in repr(credential)
    text = f"{credential.secret} {credential.basic} geheim"
    assert credential.hidden(text) == "*** Basic *** ***"


def test_a_secret_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line break would begin another header."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS", "token\nX-Other: 1")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DOCS_HOST", "example.org")
    with pytest.raises(SourceError, match="HEADWATER_CREDENTIAL_DOCS holds a line break") as caught:
        find_credential("docs", "example.org")
    assert "X-Other" not in str(caught.value)


def test_git_is_told_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """This git reads its settings from there; one that does not would send no credential."""
    environment = {
        **os.environ,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.https://example.org/a.extraHeader",
        "GIT_CONFIG_VALUE_0": "A: b",
    }
    expected = {"https://example.org/a": "A: b", "https://example.org/b": "", "https://e.org/a": ""}
    command = ["git", "config", "--get-urlmatch", "http.extraHeader"]
    for address, header in expected.items():
        done = subprocess.run([*command, address], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == header
