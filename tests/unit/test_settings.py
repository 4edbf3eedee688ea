"""What the environment decides (SRC-14: no secret is shown)."""

import logging

import pytest

from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings, credential, hide_secrets
from query_api.server.log_redaction import hide_keys_in_logs


def test_nothing_set_means_the_defaults() -> None:
    """An empty environment gives an embedded Postgres under the working folder, on loopback."""
    settings = Settings.from_env({})
    assert settings.home.name == ".headwater"
    assert settings.home.is_absolute()
    assert (settings.database_url, settings.upload_limit, settings.admin_key) == (None, 100, None)


def test_the_database_address_is_not_shown() -> None:
    """It may hold a password, so the repr leaves it out."""
    settings = Settings.from_env({"HEADWATER_DATABASE_URL": "postgresql://u:geheim@h/d"})
    assert settings.database_url == "postgresql://u:geheim@h/d"
    assert "geheim" not in repr(settings)


@pytest.mark.parametrize("value", ["many", "-1", "1.5"])
def test_a_wrong_number_names_its_variable(value: str) -> None:
    """The message says which variable, and what it must be."""
    with pytest.raises(InvalidConfigurationError, match="HEADWATER_UPLOAD_LIMIT"):
        Settings.from_env({"HEADWATER_UPLOAD_LIMIT": value})


def test_caches_follow_the_users_folder() -> None:
    """XDG_CACHE_HOME is honoured; HEADWATER_CACHE wins."""
    assert str(Settings.from_env({"XDG_CACHE_HOME": "/c"}).cache) == "/c/headwater"
    assert str(Settings.from_env({"XDG_CACHE_HOME": "/c", "HEADWATER_CACHE": "/d"}).cache) == "/d"


def test_a_credential_is_found_by_its_name() -> None:
    """In capitals, with the host that it is for; an empty one is none (SRC-14)."""
    environ = {
        "HEADWATER_CREDENTIAL_GITHUB": " geheim ",
        "HEADWATER_CREDENTIAL_GITHUB_HOST": "github.com",
        "HEADWATER_CREDENTIAL_WIKI": "a:b",
        "HEADWATER_CREDENTIAL_EMPTY": " ",
    }
    assert credential("GitHub", environ) == ("geheim", "github.com")
    assert credential("wiki", environ) == ("a:b", "")
    assert credential("empty", environ) is None
    assert credential("other", environ) is None


def test_secrets_are_taken_out_of_a_text() -> None:
    """The longest first; values that are no secret, or too short to be one, stay."""
    environ = {
        "OPENAI_API_KEY": "sk-123456",
        "AWS_SECRET_ACCESS_KEY": "sk-1234567890",
        "MY_KEY": "none",
        "LANG": "en_GB.UTF-8",
    }
    text = "none of sk-1234567890, sk-123456 in en_GB.UTF-8"
    assert hide_secrets(text, environ) == "none of ***, *** in en_GB.UTF-8"
    assert hide_secrets(text, {}) == text


def test_secrets_of_keys_are_taken_out_of_texts_and_logs(caplog: pytest.LogCaptureFixture) -> None:
    """The id stays, so that one can say which key it was; also in a traceback."""
    key, before = f"hw_abcd2345_{'s' * 43}", logging.getLogRecordFactory()
    assert hide_secrets(f"Bearer {key}!", {}) == "Bearer hw_abcd2345_***!"
    hide_keys_in_logs()
    try:
        logging.getLogger("anything").warning("refused %s", key)
        logging.getLogger("anything").error("failed", exc_info=ValueError(key))
    finally:
        logging.setLogRecordFactory(before)
    assert "refused hw_abcd2345_***" in caplog.text
    assert "ValueError: hw_abcd2345_***" in caplog.text
    assert "sss" not in caplog.text


@pytest.mark.parametrize(
    "environ",
    [
        {"HEADWATER_ADMIN_KEY": "short"},
        {"HEADWATER_ADMIN_KEY": f"{'a' * 20} {'b' * 20}"},
        {"HEADWATER_METRICS_TOKEN": "é" * 40},
        {"HEADWATER_TRUSTED_PROXIES": "10.0.0.0/24, proxy"},
    ],
)
def test_settings_of_access_are_checked(environ: dict[str, str]) -> None:
    """A secret that can be guessed, and a proxy that is no address; the message repeats no secret."""
    with pytest.raises(InvalidConfigurationError) as raised:
        Settings.from_env(environ)
    assert next(iter(environ)) in str(raised.value)
    assert "short" not in str(raised.value)
