"""The command `links`: what a document or a symbol of code is linked with, and dead links.

Belongs here: its arguments, and links as text. Not here: reading them (`headwater.store.content.link_reader`),
pictures (`headwater.drawing`). Guarantee: as for every command (`main`); text of sources cannot steer the terminal.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from cli.output import emit, json_option, reports_errors
from cli.result_texts import plain

_SHOWN = 50  # links of a kind
_NAMED = 5  # lines and words of dead links with the same target
_FROM = (("refers to", "references"), ("imports", "imports"), ("calls", "calls"), ("defines", "defines"))
_TO = (("referred to by", "references"), ("imported by", "imports"), ("called by", "calls"))


@click.command()
@click.argument("knowledge_base")
@click.argument("name", metavar="URI-OR-SYMBOL", required=False)
@click.option("--dead", is_flag=True, help="List links to documents that are not there.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False, writable=True), help="Write a picture here.")
@json_option
@reports_errors
def links(knowledge_base: str, name: str | None, dead: bool, svg: Path | None, as_json: bool) -> None:
    """Show what a document or a symbol of code is linked with, or the dead links of a knowledge base."""
    if dead == (name is not None):
        raise click.UsageError("Name a document or a symbol, or use --dead.")
    if dead and svg:
        raise click.UsageError("--svg draws a document or a symbol. Name one instead of --dead.")
    if name is None:
        payload = _dead_links(knowledge_base)
        emit(payload, as_json=as_json, text=dead_text(payload, knowledge_base))
        return
    payload, text, picture = _find_links(knowledge_base, name)
    if svg is not None:
        svg.write_text(picture, encoding="utf-8")
        text = f"Wrote the picture to {svg}."
    emit(payload, as_json=as_json, text=text)


def _dead_links(knowledge_base: str) -> dict[str, Any]:
    from cli.environment import environment
    from query_api.routes.link_payloads import DeadLinkList

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        index = env.store.search_indexes.active(knowledge_base)
        dead_links = env.store.link_reading.dead(owner, index)
        words = env.store.link_reading.words_of(index, dead_links)
    return DeadLinkList.of(dead_links, words).model_dump(mode="json")


def _find_links(knowledge_base: str, name: str) -> tuple[dict[str, Any], str, str]:
    """The links of a document if there is one of this URI or id, or else of a symbol: as JSON, as text, as a picture.

    Raises:
        NotFoundError: there is neither.
    """
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.domain.links import LinkEnd
    from headwater.drawing.link_picture import document_picture, symbol_picture
    from headwater.errors import NotFoundError
    from query_api.routes.link_payloads import DocumentLinksPayload, SymbolPayload, address_of

    with environment() as env:
        served = api_url(env.settings)

        def address(end: LinkEnd) -> str:
            return address_of(end, served)

        index = env.store.search_indexes.active(knowledge_base)
        reading = env.store.link_reading
        for document_id in reading.documents_of_uri(index, name) if index is not None else ():
            document = env.store.versions.document(document_id)
            links = reading.of_document(index, document.id, document.uri)
            payload = DocumentLinksPayload.of(document.id, document.uri, links).model_dump(mode="json")
            return payload, document_text(payload), document_picture(document.uri, document.title, links, address)
        symbol = reading.symbol(index, name)
    if not (symbol.definitions or symbol.callers or symbol.importers or symbol.possible):
        raise NotFoundError(
            f"{knowledge_base} has no document {name} and no symbol of this name. Write a document's URI as "
            "`headwater search` shows it, or the name of a function or class."
        )
    payload = SymbolPayload.of(symbol).model_dump(mode="json")
    return payload, symbol_text(payload), symbol_picture(symbol, address)


def dead_text(found: Mapping[str, Any], knowledge_base: str) -> str:
    """Dead links by document: a line for each target, with the words that lead to it."""
    if not found["dead_links"]:
        return f"{knowledge_base} has no dead links."
    lines: list[str] = []
    for document, links_of_document in groupby(found["dead_links"], _name_origin):
        lines.append(plain(document))
        by_target: dict[str, list[Mapping[str, Any]]] = {}
        for link in links_of_document:
            by_target.setdefault(link["link"], []).append(link)
        lines += [f"  {_format_dead(target, same_links)}" for target, same_links in by_target.items()]
    return "\n".join(lines)


def _name_origin(link: Mapping[str, Any]) -> str:
    return f"{link['origin']['source']}: {link['origin']['uri']}"


def _format_dead(target: str, links_to_it: Sequence[Mapping[str, Any]]) -> str:
    """The links of a document that lead to the same target, such as `lines 3, 9: g (2 times: “bundle”, “page”)`."""
    line_numbers = list(dict.fromkeys(str(link["origin"]["line"]) for link in links_to_it))
    words = list(dict.fromkeys(f"“{link['words']}”" for link in links_to_it if link["words"]))
    notes = [f"{len(links_to_it):,} times"] if len(links_to_it) > 1 else []
    notes += [_list_first(words)] if words else []
    note = f" ({': '.join(notes)})" if notes else ""
    return plain(f"{'line' if len(line_numbers) == 1 else 'lines'} {_list_first(line_numbers)}: {target}{note}")


def _list_first(texts: Sequence[str]) -> str:
    """The first texts with commas, and dots for the others."""
    return ", ".join([*texts[:_NAMED], *(["…"] if len(texts) > _NAMED else [])])


def document_text(found: Mapping[str, Any]) -> str:
    """The links from a document, and those to it, by kind."""
    lines = [plain(found["uri"])]
    for title, kind in (
        ("refers to", "references"),
        ("imports", "imports"),
        ("calls", "calls"),
        ("defines", "defines"),
    ):
        links_of_kind = [link for link in found["out"] if link["kind"] == kind]
        lines += _section_lines(title, [_format_target(link) for link in links_of_kind])
    for title, kind in _TO:
        lines += _section_lines(title, [_place(link["origin"]) for link in found["into"] if link["kind"] == kind])
    if len(lines) == 1:
        lines.append("  no links")
    if found["truncated"]:
        lines.append("There are more links; --json lists 1,000 in each direction.")
    return "\n".join(lines)


def symbol_text(found: Mapping[str, Any]) -> str:
    """Where a symbol is defined, and what uses it."""
    lines = [plain(found["name"])]
    lines += _section_lines("defined in", [_place(end) for end in found["definitions"]])
    lines += _section_lines("called by", [_place(end) for end in found["callers"]])
    lines += _section_lines("imported by", [_place(end) for end in found["importers"]])
    lines += _section_lines("perhaps called by", [_place(end) for end in found["possible"]])
    lines += _section_lines("calls", [_format_target(link) for link in found["uses"]])
    return "\n".join(lines)


def _section_lines(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield f"{title} ({len(entries)}):"
        yield from (f"  {entry}" for entry in entries[:_SHOWN])
        if len(entries) > _SHOWN:
            yield f"  and {len(entries) - _SHOWN} more; --json lists all"


def _format_target(link: Mapping[str, Any]) -> str:
    """A link with its line and what it leads to."""
    name = link["qualified"] or link["name"]
    target = link["target"]
    if link["kind"] == "defines":
        return plain(f"{name}, line {link['origin']['line']}")
    if target is None:
        return plain(f"{name} (line {link['origin']['line']}, not in this knowledge base)")
    return plain(f"{target['symbol'] or name} (line {link['origin']['line']}) -> {target['uri']}:{target['line']}")


def _place(end: Mapping[str, Any]) -> str:
    return plain(f"{end['uri']}:{end['line']}" + (f" {end['symbol']}" if end["symbol"] else ""))
