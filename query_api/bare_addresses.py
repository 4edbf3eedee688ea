"""Addresses that stand in a text of markdown, as links.

Belongs here: where an address begins and ends. Not here: links that the markdown has, cleaning (`markdown_stream`).
Guarantee: code and the texts of links stay as they are; only an address that may be a link becomes one.
"""

import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_ADDRESS = re.compile(r"(?<![\w/])https?://[\w.-]+[^\s<>\"'`|\\^{}\[\]⁅⁆\ue000-\uf8ff]{0,2000}")
_LAST = ".,;:!?*_~)"
"""What ends a sentence after an address, or a bracket around it."""


def link_addresses(parser: MarkdownIt, is_known: Callable[[str], bool]) -> None:
    """Let a parser of markdown make links of addresses."""

    def link(state: StateCore) -> None:
        for token in state.tokens:
            if token.children and "://" in token.content:
                token.children = list(_link_all(token.children, is_known))

    parser.core.ruler.push("address", link)


def holds_address(text: str, address: str) -> bool:
    """Whether a text has an address; `https://example.co` is not in `https://example.com`."""
    return re.search(rf"{re.escape(address)}(?![\w-]|\.\w)", text) is not None


def find_end(address: str) -> int:
    """How much of a text that begins like an address belongs to it; a bracket that it opens is part of it."""
    end = len(address)
    while end and address[end - 1] in _LAST:
        if address[end - 1] == ")" and address.count("(", 0, end) >= address.count(")", 0, end):
            break
        end -= 1
    return end


def _link_all(tokens: list[Token], is_known: Callable[[str], bool]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "text" and not depth:
            yield from _split(token, is_known)
        else:
            yield token


def _split(token: Token, is_known: Callable[[str], bool]) -> Iterator[Token]:
    position = 0
    for match in _ADDRESS.finditer(token.content):
        address = match[0][: find_end(match[0])]
        if not is_known(address):
            continue
        yield _text(token, token.content[position : match.start()])
        yield Token("link_open", "a", 1, attrs={"href": address}, level=token.level, info="auto")
        yield _text(token, address)
        yield Token("link_close", "a", -1, level=token.level, info="auto")
        position = match.start() + len(address)
    yield _text(token, token.content[position:])


def _text(token: Token, content: str) -> Token:
    return Token("text", "", 0, content=content, level=token.level)
