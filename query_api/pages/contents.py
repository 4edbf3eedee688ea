"""`/kb/<slug>/contents`: summaries, questions and links, the contents of a knowledge base at a glance (SUM-3, UI-3).

Belongs here: the page, the page of one summary, and the part of a tree that is shown. Not here: making any of them
(`headwater.syncing`), the picture of a tree (`query_api.tree_drawing`). Guarantee: the page reads a bounded number of
summaries and questions, in a fixed number of queries, and links only if they are asked for; a summary whose parts are
not shown leads to them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import Blueprint, Response, request

from headwater.domain.access import Scope
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.links import ResolvedLink
from headwater.domain.summaries import NodeKind, SummaryNode
from headwater.errors import NotFoundError
from headwater.generation.plain_words import without_links
from headwater.questions.suggester import suggest
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_, count_words, translate
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.response_urls import asset_url, partition_url

routes = Blueprint("contents_page", __name__)

_MAX_SUMMARIES = 60  # summaries on a page
_QUESTIONS, _DEAD = 20, 50
_MAX_SOURCE_CHARS = 200  # characters of a source's name


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A summary with those below it that the page shows; `hidden` counts those that it does not show."""

    node: SummaryNode
    title: str
    text: str
    url: str
    below: Sequence["Summary"]
    hidden: int


@routes.get("/kb/<kb>/contents")
@allow(Scope.READ)
def show_contents(kb: str) -> Response:
    """Show summaries and questions, of all sources or of one; with `links`, also their links."""
    owner = store().knowledge_bases.get(kb)
    slug = request.args.get("source", "")[:_MAX_SOURCE_CHARS]
    sources = store().sources.all(owner.slug)
    if slug and slug not in {source.slug for source in sources}:
        raise NotFoundError(f"{kb} has no source {slug}.")
    has_links = "links" in request.args  # to find dead links, every link is looked at
    dead, counts = _links(owner, slug) if has_links else ([], [])
    return render(
        "contents.html",
        kb=owner,
        sources=[source.slug for source in sources],
        source=slug,
        trees=_trees(owner, sources, slug),
        drawing=f"/api/v1/knowledge-bases/{owner.slug}/tree.svg" + (f"?{urlencode({'source': slug})}" if slug else ""),
        questions=suggest(store(), settings(), owner, source=slug or None, limit=_QUESTIONS),
        has_links=has_links,
        counts=counts,
        dead=dead[:_DEAD],
        dead_count=len(dead),
        dagster=_dagster(owner, slug),
    )


@routes.get("/kb/<kb>/summaries/<uuid:node_id>")
@allow(Scope.READ)
def show_summary(kb: str, node_id: UUID) -> Response:
    """Show one summary with the summaries or the chunks that it was made of."""
    owner, node = store().knowledge_bases.get(kb), store().summary_nodes.get(node_id)
    if node.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no summary {node_id}.")
    groups = [child.id for child in node.children if child.kind is NodeKind.GROUP]
    groups += [node.id] if node.kind is NodeKind.GROUP else []
    ends = store().summary_nodes.find_ends(groups)
    children = [
        {
            "id": child.id,
            "title": title_of(child.kind, child.title or node.title, index, 0, ends.get(child.id)),
            "text": without_links(child.text),
        }
        for index, child in enumerate(node.children)
    ]
    title = title_of(node.kind, node.title, 0, len(node.children), ends.get(node.id)) if node.id in ends else node.title
    return render(
        "summary.html", kb=owner, node=replace(node, text=without_links(node.text)), title=title, parts=children
    )


def _dagster(owner: KnowledgeBase, slug: str) -> dict[str, str]:
    """The assets in the Dagster UI that the parts of the page come from; none if another Dagster project manages it."""
    if owner.managed_by:
        return {}
    url, names = settings().dagster_url, ("summary_tree", "questions", "links")
    if slug:
        return {name: partition_url(url, name, f"{owner.slug}/{slug}") for name in names}
    partition_links = {"summary_tree": partition_url(url, "knowledge_base_summary", owner.slug)}
    return {name: asset_url(url, name) for name in names} | partition_links


def _links(owner: KnowledgeBase, slug: str) -> tuple[list[ResolvedLink], list[Any]]:
    index = store().search_indexes.active(owner.slug)
    if index is None:
        return [], []
    dead = store().link_reading.dead(owner, index)
    counts = store().link_reading.reference_counts(index, dead)
    return (
        [link for link in dead if slug in ("", link.origin.source)],
        [count for count in counts if slug in ("", count.source)],
    )


def _trees(owner: KnowledgeBase, sources: Sequence[Source], slug: str) -> list[Summary]:
    """The tree of the knowledge base or of a source; without one, the trees of the sources that have one."""
    trees = _load_trees(owner, sources, slug)
    groups = [node.id for nodes in trees for node in nodes if node.kind is NodeKind.GROUP]
    ends = store().summary_nodes.find_ends(groups)
    return [_nest_nodes(owner, nodes, ends) for nodes in trees]


def _load_trees(owner: KnowledgeBase, sources: Sequence[Source], slug: str) -> Sequence[Sequence[SummaryNode]]:
    if not slug and (nodes := store().knowledge_base_summaries.top_levels(owner, most=_MAX_SUMMARIES)):
        return [nodes]
    chosen_sources = [source for source in sources if slug in ("", source.slug)]
    return list(store().summaries.top_levels(chosen_sources[:_MAX_SUMMARIES], most=_MAX_SUMMARIES))


def _nest_nodes(owner: KnowledgeBase, nodes: Sequence[SummaryNode], ends: Mapping[UUID, tuple[str, str]]) -> Summary:
    by_parent: defaultdict[UUID | None, list[SummaryNode]] = defaultdict(list)
    for node in nodes[1:]:
        by_parent[node.parent_id].append(node)
    return _summary(owner, nodes[0], by_parent, ends)


def _summary(
    owner: KnowledgeBase,
    node: SummaryNode,
    below: Mapping[UUID | None, Sequence[SummaryNode]],
    ends: Mapping[UUID, tuple[str, str]],
) -> Summary:
    children = [_summary(owner, child, below, ends) for child in below.get(node.id, ())]
    return Summary(
        node=node,
        title=title_of(node.kind, node.title, node.position, node.child_count, ends.get(node.id)),
        text=without_links(node.text),
        url=f"{kb_url(owner.slug, 'summaries')}/{node.id}",
        below=children,
        hidden=node.child_count - len(children),
    )


def title_of(kind: NodeKind, title: str, position: int, child_count: int, ends: tuple[str, str] | None = None) -> str:
    """What people call a summary: a group is called by the first and the last document below it."""
    if kind is NodeKind.GROUP and ends:
        first, last = ends
        return first if first == last else f"{first} – {last}"
    if kind is NodeKind.GROUP:
        return translate(N_("Group of %(parts)s"), parts=count_words(child_count, "part"))
    if kind is NodeKind.PIECE:
        return translate(N_("Part %(number)s of %(title)s"), number=position + 1, title=title)
    return title
