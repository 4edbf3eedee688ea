"""Whom the API answers (SEC-1)."""

import pytest

from query_api.guards import cannot_be_rebound, host_name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8080", "localhost"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("[::1]:8080", "::1"),
        ("a-b_c.example", "a-b_c.example"),
        ("", None),
        ("a:b", None),
        ("a:1:2", None),
        ("[::1", None),
        ("::1", None),
        ("a@b", None),
        ("a/b", None),
        ("a b", None),
        ("a\n", None),
        ("é", None),
    ],
)
def test_a_host_header_holds_a_name(header: str, name: str | None) -> None:
    """Without port and brackets, in small letters; a malformed one holds none."""
    assert host_name(header) == name


@pytest.mark.parametrize("name", ["localhost", "api", "192.0.2.1", "::1", "2001:db8::1"])
def test_no_attacker_owns_an_address_or_a_name_without_a_dot(name: str) -> None:
    """Such names are answered to on a trusted network."""
    assert cannot_be_rebound(name)


@pytest.mark.parametrize("name", ["evil.example", "localhost.", "127.1", "1.2.3.4.5", "127.0.0.1.evil.example"])
def test_any_other_name_may_be_an_attackers(name: str) -> None:
    """The owner of a domain decides where its names lead, and browsers follow."""
    assert not cannot_be_rebound(name)
