"""Which addresses the gate lets through (SEC-1).

Belongs here: spellings, networks, ports, names, the allow-list. Not here: requests
(`tests/integration/test_http_client.py`), attacks (`tests/probe/test_fetching.py`). Guarantee: nothing is resolved or
connected to.
"""

from ipaddress import ip_address

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import FetchError, FetchRefusedError, InvalidConfigurationError
from headwater.fetching.networks import parse_allowed, read_address, why_not_public
from headwater.fetching.url_guard import SCHEMES, UrlGuard
from headwater.settings import Settings
from tests.hostile_server import Names


def gate(allow: str = "", **names: tuple[str, ...] | list[tuple[str, ...]]) -> UrlGuard:
    """A gate with an allow-list, and names that resolve to given addresses; `_` stands for a dot."""
    known = {name.replace("_", "."): addresses for name, addresses in names.items()}
    return UrlGuard(allowed=tuple(map(parse_allowed, filter(None, allow.split(",")))), resolver=Names(known))


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG/A?b=c#d", "https://example.org/A?b=c"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org:8080/a b/ü?q=ä b", "http://example.org:8080/a%20b/%C3%BC?q=%C3%A4%20b"),
        ("http://example.org/a%20b?c=%2F", "http://example.org/a%20b?c=%2F"),
        ("http://93.184.216.34/", "http://93.184.216.34/"),
        ("http://[2606:4700::1111]:8443/a", "http://[2606:4700::1111]:8443/a"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
        ("http://a_b.example.org?x", "http://a_b.example.org/?x"),
    ],
)
def test_an_address_gets_one_spelling(url: str, normal: str) -> None:
    """Scheme, host and port in their shortest form, without fragment; what is not ASCII is encoded."""
    assert gate().check_url(url).url == normal


ODD_SPELLINGS = [
    "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/",
    "http://127.0.0.1./", "http://127.0.0.01/", "http://0/", "http://example.org./", "http://.example.org/",
    "http://a..b/", "http://1.2.3.4.5/", "http://1.2.3/", "http://example.0x1/", "http://example.1/",
    "http://①②⑦.⓪.⓪.①/", "http://１２７.０.０.１/", "http://127。0。0。1/", "http://exam\u00adple.org/",
    "http://[127.0.0.1]/", "http://[::1%25lo]/", "http://[2606:4700:0:0::1111]/", "http://[v1.a]/",
    "http://example.org:/x:80", "http://example.org:99999/", "http://example.org:-1/", "http://example.org:+80/",
    "http://example.org:８０/", "http://example.org\\@evil.example/", "http://example.org%2f@evil.example/",
    "http://ex%61mple.org/", "http://exa mple.org/", "http://-example.org/", "http://", "http:///a", "http:example.org",
    f"http://{'a' * 64}.org/", f"http://{'a.' * 130}org/", f"http://example.org/{'a' * 8000}", "http://ex\ud800.org/",
]  # fmt: skip


@pytest.mark.attacks
@pytest.mark.parametrize("url", ODD_SPELLINGS)
def test_an_odd_spelling_is_refused(url: str) -> None:
    """Libraries differ in what they make of these, so none gets to see them."""
    with pytest.raises(FetchRefusedError, match="is refused"):
        gate(allow="127.0.0.1").check_url(url)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "ext::sh", "//example.org/a", "/etc/passwd",
     "data:text/html,x", "javascript:alert(1)", "ws://example.org/", "jar:http://example.org!/", "", "example.org"],
)  # fmt: skip
def test_only_the_web_is_fetched(url: str) -> None:
    """Neither files nor other protocols."""
    with pytest.raises(FetchRefusedError, match="only http:// and https://"):
        gate().check_url(url)


@pytest.mark.parametrize("character", ["\r\n", "\n", "\t", "\0", "\x7f"])
@pytest.mark.parametrize("url", ["http://example.org/{}X: y", "http://ex{}ample.org/", "{}http://example.org/"])
def test_control_characters_are_refused(url: str, character: str) -> None:
    """A line break in an address would begin another header; Python's own parser removes it silently."""
    with pytest.raises(FetchRefusedError, match="control character"):
        gate().check_url(url.format(character))


@pytest.mark.parametrize("url", ["http://ida:tulip@example.org/", "http://ida@example.org/", "http://@example.org/"])
def test_a_password_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    """The address of a source is stored and shown (SRC-14)."""
    with pytest.raises(FetchRefusedError, match="user name or password") as caught:
        gate().check_url(url)
    assert "tulip" not in str(caught.value)


NOT_PUBLIC = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00:ec2::254", "fc00::1", "fec0::1"],
    "link-local": ["169.254.169.254", "fe80::1"],
    "carrier-grade NAT": ["100.64.0.1", "100.100.100.200"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1"],
    "6to4": ["2002:7f00:1::", "192.88.99.1"],
    "Teredo": ["2001:0:1::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "cloud platform": ["168.63.129.16"],
    "reserved": ["0.0.0.0", "0.1.2.3", "192.0.0.192", "198.18.0.1", "240.0.0.1", "255.255.255.255", "2001:2::1",
                 "4000::1", "5f00::1", "100::1"],
}  # fmt: skip


@pytest.mark.attacks
@pytest.mark.parametrize(
    ("address", "kind"), [(address, kind) for kind, addresses in NOT_PUBLIC.items() for address in addresses]
)
def test_an_address_that_is_not_public_is_refused(address: str, kind: str) -> None:
    """As a number, and as what a name resolves to; the message says what kind it is and what allows it."""
    assert why_not_public(ip_address(address)) == (kind if address != "::" else "reserved")
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(FetchRefusedError, match=rf"\({kind}\)\. .*HEADWATER_FETCH_ALLOW"):
        gate().check_url(f"http://{literal}/")
    with pytest.raises(FetchRefusedError, match=rf"a\.test is refused: .*\({kind}\)"):
        gate(a_test=(address,)).addresses("a.test", 80)


@given(st.ip_addresses())
def test_no_address_is_more_public_than_python_says(address: object) -> None:
    """Python's own list agrees, wherever it calls an address private."""
    found = ip_address(str(address))
    if found.is_private or found.is_loopback or found.is_link_local or found.is_multicast or found.is_reserved:
        is_exception = str(found).startswith("192.0.0.")  # some of these are public in newer releases
        assert why_not_public(found) or is_exception


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])
def test_public_addresses_pass(address: str) -> None:
    """Also those next to a private network."""
    assert gate(a_test=(address,)).addresses("a.test", 443) == (address,)
    assert gate().addresses(address, 443) == (address,)


def test_one_private_address_among_public_ones_refuses_the_name() -> None:
    """Else a client would try the next address of the list."""
    with pytest.raises(FetchRefusedError, match=r"10\.0\.0\.1"):
        gate(a_test=("93.184.216.34", "10.0.0.1")).addresses("a.test", 80)


def test_a_name_that_changes_its_address_is_checked_each_time() -> None:
    """Public the first time, the metadata service the second time."""
    rebinding = gate(a_test=[("93.184.216.34",), ("169.254.169.254",)])
    assert rebinding.addresses("a.test", 80) == ("93.184.216.34",)
    with pytest.raises(FetchRefusedError, match="link-local"):
        rebinding.addresses("a.test", 80)


def test_a_scope_does_not_hide_an_address() -> None:
    """Resolvers may add an interface."""
    with pytest.raises(FetchRefusedError, match="link-local"):
        gate(a_test=("fe80::1%eth0",)).addresses("a.test", 80)
    with pytest.raises(FetchRefusedError, match="not an address"):
        gate(a_test=("127.1",)).addresses("a.test", 80)
    assert read_address("fe80::1%eth0") is None


def test_a_name_without_addresses_is_a_failure_of_the_network() -> None:
    """And so is one that cannot be resolved; neither is refused for good."""
    for names in (gate(), gate(a_test=())):
        with pytest.raises(FetchError, match=r"a\.test could not be resolved") as caught:
            names.addresses("a.test", 80)
        assert caught.value.code == "FETCH_FAILED"


@pytest.mark.parametrize("port", [80, 443, 1024, 8080, 8443, 65535])
def test_ports_of_websites_pass(port: int) -> None:
    """The usual ones, and the high ones that anyone may open."""
    gate().check_host("example.org", port)


@pytest.mark.parametrize("port", [0, 1, 22, 25, 53, 445, 1023, 6000, 6667, 10080, 65536])
def test_ports_of_other_services_are_refused(port: int) -> None:
    """On public addresses too; the message says which entry would allow it."""
    with pytest.raises(FetchRefusedError, match=rf"example\.org:{port} to HEADWATER_FETCH_ALLOW"):
        gate().check_host("example.org", port)


ALLOWED = [
    ("wiki.test", "wiki.test", 80, "10.0.0.1", True),
    ("wiki.test", "evil.wiki.test", 80, "10.0.0.1", False),
    ("wiki.test", "evilwiki.test", 80, "10.0.0.1", False),
    ("WIKI.test", "wiki.test", 80, "10.0.0.1", True),
    ("*.corp.test", "a.b.corp.test", 80, "10.0.0.1", True),
    ("*.corp.test", "corp.test", 80, "10.0.0.1", False),
    ("*.corp.test", "evilcorp.test", 80, "10.0.0.1", False),
    ("10.0.0.0/8", "any.test", 80, "10.9.9.9", True),
    ("10.0.0.0/8", "any.test", 80, "11.9.9.9", True),
    ("10.0.0.0/8", "any.test", 80, "192.168.0.1", False),
    ("127.0.0.1", "any.test", 8080, "127.0.0.1", True),
    ("127.0.0.1", "any.test", 8080, "127.0.0.2", False),
    ("127.0.0.1:8080", "any.test", 8080, "127.0.0.1", True),
    ("127.0.0.1:8080", "any.test", 8081, "127.0.0.1", False),
    ("wiki.test:22", "wiki.test", 22, "10.0.0.1", True),
    ("wiki.test", "wiki.test", 22, "10.0.0.1", False),
    ("wiki.test:8080", "wiki.test", 80, "10.0.0.1", False),
    ("[::1]:8080", "any.test", 8080, "::1", True),
    ("::1", "any.test", 8080, "::1", True),
    ("fd00::/8", "any.test", 80, "fd12::1", True),
    ("127.0.0.1", "any.test", 80, "::ffff:127.0.0.1", False),
    ("::ffff:0:0/96", "any.test", 80, "::ffff:127.0.0.1", False),
    ("::ffff:0:0/96,127.0.0.1", "any.test", 80, "::ffff:127.0.0.1", True),
    ("64:ff9b::/96", "any.test", 80, "64:ff9b::808:808", True),
    ("64:ff9b::/96", "any.test", 80, "64:ff9b::a00:1", False),
    ("evil.test, 10.0.0.0/8", "any.test", 80, "10.0.0.1", True),
]  # fmt: skip


@pytest.mark.parametrize(("allow", "host", "port", "address", "passes"), ALLOWED)
def test_the_operator_allows_hosts_and_networks(allow: str, host: str, port: int, address: str, passes: bool) -> None:
    """By name, by domain, by network, each for a port or for all usual ones; nothing more than that."""
    chosen = UrlGuard.of(Settings.from_env({"HEADWATER_FETCH_ALLOW": allow}))
    found = UrlGuard(allowed=chosen.allowed, resolver=Names({host: (address,)}))
    if passes:
        assert found.addresses(host, port) == (address,)
    else:
        with pytest.raises(FetchRefusedError):
            found.addresses(host, port)


@pytest.mark.parametrize("entry", ["10.0.0.0/33", "10.0.0.1/8", "127.1", "a b", "http://a/", "*", "a:99999", "::1::"])
def test_a_wrong_entry_is_refused(entry: str) -> None:
    """With the variable and what it must be, instead of allowing something else."""
    with pytest.raises(InvalidConfigurationError, match=r"HEADWATER_FETCH_ALLOW contains"):
        parse_allowed(entry)


@pytest.mark.parametrize("proxy", ["proxy.example.com:3128", "socks5://a:1", "http://a/b", "http:// a"])
def test_a_wrong_proxy_is_refused(proxy: str) -> None:
    """The message does not repeat it, since it may hold a password; nor does a repr."""
    with pytest.raises(InvalidConfigurationError, match="HEADWATER_FETCH_PROXY must be"):
        Settings.from_env({"HEADWATER_FETCH_PROXY": proxy})
    settings = Settings.from_env({"HEADWATER_FETCH_PROXY": "http://ida:tulip@proxy.example.com:3128"})
    assert "tulip" not in repr(settings)
    assert "tulip" not in repr(UrlGuard.of(settings))


_PARTS = st.sampled_from(
    [*"abz09.-_:/?#[]@%\\ü。①٠\u00ad\u200d \t&=+;,~|^{}<>\"'`", "//", "..", "%2f", "%00", "::", "127", "0x"]
)


@given(
    st.lists(_PARTS, max_size=14).map("".join),
    st.sampled_from(["http://", "https://", "http://a.org/", "http://a.org"]),
)
def test_the_client_reads_an_address_as_the_gate_does(rest: str, start: str) -> None:
    """Whatever passes leads httpx to the same host and port, and passes again unchanged (SEC-1)."""
    try:
        target = gate().check_url(f"{start}{rest}")
    except FetchRefusedError:
        return
    read = httpx.URL(target.url)
    port = read.port or SCHEMES[read.scheme]
    assert (read.scheme, read.raw_host.decode(), port) == (target.scheme, target.host, target.port)
    assert not read.userinfo
    assert gate().check_url(target.url) == target
