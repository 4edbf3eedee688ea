"""Pictures of the links of a document and of a symbol.

Belongs here: which neighbours a picture shows, and in which groups. Not here: the layout (`neighbourhood`). Guarantee:
pure; each neighbour is shown once in a group.
"""

from collections.abc import Callable, Iterable, Sequence

from headwater.domain.links import DocumentLinks, LinkEnd, LinkKind, ResolvedLink, Symbol
from headwater.drawing.neighbourhood import Group, Node, neighbourhood_svg

Address = Callable[[LinkEnd], str]
"""The address that opens an end of a link; empty for none."""

_FROM = ((LinkKind.REFERENCES, "refers to"), (LinkKind.IMPORTS, "imports"), (LinkKind.CALLS, "calls"))
_TO = ((LinkKind.REFERENCES, "referred to by"), (LinkKind.IMPORTS, "imported by"), (LinkKind.CALLS, "called by"))


def document_picture(uri: str, title: str, links: DocumentLinks, address: Address) -> str:
    """The documents that a document is linked with, by kind of link.

    Args:
        uri: the document's URI.
        title: its title.
        links: its links.
        address: opens a document.
    """
    into = {kind: [link.origin for link in _of(links.incoming, kind)] for kind, _ in _TO}
    out = {
        kind: [link.target for link in _of(links.outgoing, kind) if link.target and link.target.uri != uri]
        for kind, _ in _FROM
    }
    left_groups = [_documents(words, kind, into[kind], address) for kind, words in _TO]
    right_groups = [_documents(words, kind, out[kind], address) for kind, words in _FROM]
    return neighbourhood_svg(Node(name=title, detail="" if uri == title else uri), left_groups, right_groups)


def symbol_picture(symbol: Symbol, address: Address) -> str:
    """The callers and importers of a symbol, and the symbols that it calls.

    Args:
        symbol: the symbol.
        address: opens a document.
    """
    left_groups = [
        _symbols("called by", LinkKind.CALLS, symbol.callers, address),
        _symbols("imported by", LinkKind.IMPORTS, symbol.importers, address),
        _symbols("perhaps called by", LinkKind.REFERENCES, symbol.possible, address),
    ]
    right_groups = [_symbols("calls", LinkKind.CALLS, [link.target for link in symbol.uses if link.target], address)]
    if not symbol.definitions:
        return neighbourhood_svg(Node(name=symbol.name, detail="not defined here"), left_groups, right_groups)
    first, *other_definitions = symbol.definitions
    detail = f"{first.uri}:{first.line}" + (f" and {len(other_definitions)} more" if other_definitions else "")
    return neighbourhood_svg(
        Node(name=_own_name(first), detail=detail, address=address(first)), left_groups, right_groups
    )


def _of(links: Sequence[ResolvedLink], kind: LinkKind) -> list[ResolvedLink]:
    return [link for link in links if link.kind is kind]


def _documents(title: str, kind: LinkKind, ends: Iterable[LinkEnd], address: Address) -> Group:
    """A node for each document, with the line of the first link."""
    first = {(end.source, end.uri): end for end in reversed(list(ends))}
    nodes = [Node(name=end.title, detail=f"{end.uri}:{end.line}", address=address(end)) for end in first.values()]
    return Group(title=title, kind=kind.value, nodes=sorted(nodes, key=lambda node: node.detail))


def _symbols(title: str, kind: LinkKind, ends: Iterable[LinkEnd], address: Address) -> Group:
    """A node for each symbol, or for the document outside any."""
    first = {(end.uri, end.symbol): end for end in reversed(list(ends))}
    nodes = [Node(name=_own_name(end), detail=f"{end.uri}:{end.line}", address=address(end)) for end in first.values()]
    return Group(title=title, kind=kind.value, nodes=sorted(nodes, key=lambda node: node.detail))


def _own_name(end: LinkEnd) -> str:
    """The last two parts of a symbol, such as `Pump.lift`; a document's title outside any."""
    return ".".join(end.symbol.rpartition("/")[2].split(".")[-2:]) if end.symbol else end.title
