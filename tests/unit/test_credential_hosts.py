"""Whom a credential is sent to, and what a message shows of it (SRC-14)."""

import pytest

from headwater.errors import SourceError
from headwater.fetching import git_repository
from headwater.fetching.credentials import Credential, find_credential


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", "ida:tulip-42")
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI_HOST", "git.example.org")


@pytest.mark.parametrize(
    "host",
    [
        "evilgit.example.org",
        "evil.git.example.org",
        "example.org",
        "git.example.org.evil.test",
        "git.example.org:8443",
        "git.example.or",
        "it.example.org",
        "",
    ],
)
def test_a_credential_is_for_exactly_one_host(host: str) -> None:
    """Not for one that begins or ends like it, nor for another port; the message holds no secret."""
    with pytest.raises(SourceError, match="is not for") as caught:
        find_credential("wiki", host)
    assert "tulip" not in str(caught.value)


def test_case_does_not_make_another_host() -> None:
    """Host names have none."""
    assert find_credential("WIKI", "GIT.Example.org").secret == "ida:tulip-42"


def test_a_message_shows_the_secret_in_none_of_its_forms() -> None:
    """Not as it is set, not as it is sent, not its password alone; nor does a repr."""
    found = find_credential("wiki", "git.example.org")
    sent = found.basic.removeprefix("Basic ")
    assert len(sent) > 10
    for form in ("ida:tulip-42", "tulip-42", sent):
        assert form not in found.hidden(f"fatal: {form} was refused")
    assert "tulip" not in repr(found)
    token = Credential(name="t", secret="abc123def")  # noqa: S106 - the test's own
    assert token.hidden("abc123def said no") == "*** said no"


def test_git_speaks_nothing_but_https_and_files() -> None:
    """Whatever an address or a repository's settings say, our own options to git decide (SEC-2)."""
    assert sorted(git_repository._ENVIRONMENT["GIT_ALLOW_PROTOCOL"].split(":")) == ["file", "https"]
