"""Mutations of what keeps sources from fetching what they must not, and from fetching without end.

Belongs here: the gate, the HTTP client, git's way through the gate, XML. Not here: credentials of git (`safety`).
"""

from tests.mutations.mutation import Mutation

_ADDRESSES = "headwater/fetching/networks.py"
_CLIENT = "headwater/fetching/http_client.py"
_CONNECTING = "headwater/fetching/transport.py"
_CREDENTIALS = "headwater/fetching/credentials.py"
_EXPANDING = "headwater/fetching/decompression.py"
_GATE = "headwater/fetching/url_guard.py"
_GIT = "headwater/fetching/git_repository.py"
_REACH = "headwater/fetching/git_transport.py"
_XML = "headwater/parsing/xml.py"
_RULES = ("tests/unit/test_fetching_gate.py",)
_HTTP = ("tests/integration/test_http_client.py",)
_ATTACKS = ("tests/probe/test_fetching.py",)

FETCHING = (
    Mutation(
        file=_ADDRESSES,
        old='"169.254.0.0/16", ',
        new="",
        tests=_RULES,
        why="the metadata service of clouds is fetched",
    ),
    Mutation(
        file=_ADDRESSES,
        old="return host.endswith(self.name[1:]) if",
        new="return host.endswith(self.name[2:]) if",
        tests=_RULES,
        why="a name that ends like an allowed domain is allowed",
    ),
    Mutation(
        file=_ADDRESSES,
        old="address in self.network and self.port in (None, port)",
        new="address in self.network",
        tests=_RULES,
        why="one allowed port of an address allows all",
    ),
    Mutation(
        file=_ADDRESSES,
        old="return None if isinstance(address, IPv6Address) and address.scope_id else address",
        new="return address",
        tests=_RULES,
        why="an address may name an interface",
    ),
    Mutation(
        file=_GATE,
        old="for candidate in (address,) if embedded is None else (address, embedded):",
        new="for candidate in (address,):",
        tests=_RULES,
        why="an allowed prefix of NAT64 leads to private addresses",
    ),
    Mutation(
        file=_GATE,
        old="return idna.encode(host, strict=True).decode()",
        new="return idna.encode(host, uts46=True).decode()",
        tests=_RULES,
        why="full-width digits become an address",
    ),
    Mutation(
        file=_GATE,
        old=" or _NUMBER.fullmatch(labels[-1])",
        new="",
        tests=_RULES,
        why="a hexadecimal address passes as a name",
    ),
    Mutation(
        file=_GATE,
        old="if any(ord(character) < 32 or ord(character) == 127 for character in url):",
        new="if False:",
        tests=_RULES,
        why="an address may hold a line break",
    ),
    Mutation(
        file=_GATE,
        old="        for text in addresses:\n",
        new="        for text in addresses[:1]:\n",
        tests=_RULES,
        why="only the first address of a name is checked",
    ),
    Mutation(
        file=_GATE,
        old=" and port not in _OTHER_SERVICES",
        new="",
        tests=_RULES,
        why="ports of other services are fetched",
    ),
    Mutation(
        file=_CONNECTING,
        old="return super().connect_tcp(addresses[-1], port,",
        new="return super().connect_tcp(host, port,",
        tests=_HTTP,
        why="a name is resolved a second time to connect",
    ),
    Mutation(
        file=_CONNECTING,
        old="data = self._inner.read(max_bytes, self._bounds.left())",
        new="data = self._inner.read(max_bytes, 10.0)",
        tests=_ATTACKS,
        why="a server that drips is waited for without end",
    ),
    Mutation(
        file=_CONNECTING,
        old="        self._bounds.count(len(data))\n",
        new="",
        tests=_ATTACKS,
        why="interim responses never end",
    ),
    Mutation(
        file=_CLIENT,
        old="here = self._gate.check_url(urljoin(here.url, location))",
        new='here = Target(url=urljoin(here.url, location), scheme="http", host=here.host, port=here.port)',
        tests=_ATTACKS,
        why="where a redirect leads is not checked",
    ),
    Mutation(
        file=_CLIENT,
        old="is_home = is_home and here.netloc == first.netloc",
        new="is_home = here.netloc == first.netloc",
        tests=_HTTP,
        why="another host sends the client back with its credential",
    ),
    Mutation(
        file=_CLIENT,
        old='if target.scheme != "https" and not self._gate.is_named(target.host, target.port):',
        new="if False:",
        tests=_HTTP,
        why="a credential is sent without encryption",
    ),
    Mutation(
        file=_CREDENTIALS,
        old='return _USUAL_PORT.sub("", self.host.lower()) == netloc.lower()',
        new='return netloc.lower().endswith(_USUAL_PORT.sub("", self.host.lower()))',
        tests=_HTTP,
        why="a website's credential is sent to a host that ends like its own",
    ),
    Mutation(
        file=_EXPANDING,
        old="room = self._limit - len(self._content) + 1",
        new="room = 0",
        tests=_ATTACKS,
        why="one piece of compressed content may expand without bound",
    ),
    Mutation(
        file=_EXPANDING,
        old="if self._members > _MAX_MEMBERS:",
        new="if False:",
        tests=_ATTACKS,
        why="empty gzip members never end",
    ),
    Mutation(
        file=_REACH,
        old='return {"http.curloptResolve": _format_addresses(target, addresses)}',
        new="return {}",
        tests=_ATTACKS,
        why="git resolves a name itself",
    ),
    Mutation(
        file=_GIT,
        old='    "http.proxy": "",  # none, whatever the environment says\n',
        new="",
        tests=_ATTACKS,
        why="git uses a proxy of the environment",
    ),
    Mutation(
        file=_XML,
        old="        resolve_entities=False,\n",
        new="        resolve_entities=True,\n",
        tests=("tests/unit/test_parsing_xml.py",),
        why="entities are expanded",
    ),
    Mutation(
        file=_XML,
        old="    if declared is not None and next(declared.iterentities(), None) is not None:",
        new="    if False:",
        tests=("tests/unit/test_parsing_xml.py",),
        why="a document that declares entities is read",
    ),
)
