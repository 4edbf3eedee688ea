"""`/kb/<slug>/search`: what a search finds, with every score and why (RET-8).

Belongs here: the page, what is done with its results. Not here: searching (`headwater.retrieval`), the shape of results
(`query_api.routes.search_payloads`). Guarantee: the page shows what the API returns for the same request; its address
holds the whole search, so it can be shared.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from headwater.administration.golden_sets import add_golden_questions
from headwater.domain.access import Scope
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import GoldenQuestion
from headwater.domain.search import Scores
from headwater.errors import HeadwaterError, InvalidInputError
from headwater.retrieval.search import search
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.catalogue import N_, translate
from query_api.pages.chat_form import load_filter_values
from query_api.pages.forms import check_values, field, go_to
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render
from query_api.pages.turns import passage_url, trust_level
from query_api.request_shapes import SearchBody
from query_api.routes.search_payloads import ExcerptPayload, HitPayload, SearchPayload, ShownPassagePayload

routes = Blueprint("search_page", __name__)
_LISTS = ("sources", "categories", "tags", "authors", "languages")
_MODES = ("hybrid", "keyword", "vector")
_MAX_DROPPED = 20
_SIGNS = re.compile(r"^#{1,6} |\*\*", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*\\])([*_])(?=\S)[^*_\n]+(?<=\S)\1(?![\w*])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """A score that led to a passage, in words."""

    name: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A passage as the page shows it; `pieces` are its excerpt, and whether each piece is a word of the query."""

    rank: int
    passage: ShownPassagePayload
    headings: str
    url: str
    level: str
    trust: float | None
    is_usable: bool
    pieces: Sequence[tuple[str, bool]]
    scores: Sequence[Score]
    more: Sequence["Hit"] = ()


@routes.get("/kb/<kb>/search")
@allow(Scope.READ)
def show_search(kb: str) -> Response:
    """Show the form, and the passages that were found if there is a question."""
    return _page(store().knowledge_bases.get(kb))


@routes.post("/kb/<kb>/search")
@allow(Scope.WRITE, body="form")
def make_golden(kb: str) -> Response:
    """Make a golden question of the query and the documents that were chosen."""
    owner = store().knowledge_bases.get(kb)
    try:
        uris = request.form.getlist("documents")
        if not uris:
            raise InvalidInputError("Choose the documents that answer the question, at least one.")
        question = check_values(GoldenQuestion, {"question": field("q"), "relevant": [{"uri": uri} for uri in uris]})
        add_golden_questions(store(), kb, [question])
    except HeadwaterError as error:
        return _page(owner, error)
    return go_to(f"{kb_url(kb, 'search')}?{urlencode({'q': field('q'), 'golden': len(uris)})}")


def _page(owner: KnowledgeBase, error: HeadwaterError | None = None) -> Response:
    query = (field("q") if request.method == "POST" else request.args.get("q", "")).strip()
    payload = None
    if query:
        try:
            payload = _search(owner, query)
        except HeadwaterError as problem:
            error = error or problem
    return render(
        "search.html",
        status=error.http_status if error else 200,
        kb=owner,
        query=query,
        given=request.args,
        chosen={name: request.args.getlist(name) for name in _LISTS},
        offered=load_filter_values(store(), owner),
        found=payload,
        hits=[_hit(owner, passage) for passage in payload.passages] if payload else [],
        dropped=payload.explanation.dropped[:_MAX_DROPPED] if payload and payload.explanation else [],
        is_made="golden" in request.args,
        floor=owner.settings.trust_floor,
        error=str(error) if error else "",
    )


def _search(owner: KnowledgeBase, query: str) -> SearchPayload:
    values: dict[str, Any] = {name: request.args[name] for name in ("group_by", "top_k") if request.args.get(name)}
    mode = request.args.get("mode", "hybrid")
    filters = {name: request.args.getlist(name) for name in _LISTS}
    body = check_values(SearchBody, {"query": query, "mode": mode, "explain": True, "filters": filters, **values})
    return SearchPayload.of(query, search(store(), settings(), owner, body.query, body.to_options()), explain=True)


def _hit(owner: KnowledgeBase, passage: ShownPassagePayload) -> Hit:
    trust = passage.scores.trust
    companions = passage.more if isinstance(passage, HitPayload) else []
    return Hit(
        rank=passage.rank,
        passage=passage,
        headings=" › ".join(heading for heading in passage.breadcrumb if heading != passage.title),
        url=passage_url(owner.slug, passage.document_version_id, passage.start, passage.end),
        level=trust_level(trust),
        trust=trust,
        is_usable=trust is not None and trust >= owner.settings.trust_floor,
        pieces=list(_pieces(passage.excerpt)),
        scores=list(_scores(passage.scores)),
        more=[_hit(owner, companion) for companion in companions],
    )


def _pieces(excerpt: ExcerptPayload) -> Iterator[tuple[str, bool]]:
    """The excerpt without the signs of markdown that would only be read as noise."""
    text = excerpt.text
    signs = {place for sign in _SIGNS.finditer(text) for place in range(*sign.span())}
    signs |= {place for words in _EMPHASIS.finditer(text) for place in (words.start(), words.end() - 1)}

    def cut(start: int, end: int) -> str:
        return "".join(text[place] for place in range(start, end) if place not in signs)

    end = 0
    for match in excerpt.matches:
        yield cut(end, match.start), False
        yield text[match.start : match.end], True
        end = match.end
    yield cut(end, len(text)), False


def _scores(scores: Scores) -> Iterator[Score]:
    """Every score that led to a passage, in the order in which they were given."""
    for name, value, rank in (
        (N_("Words (BM25)"), scores.text, scores.text_rank),
        (N_("Meaning (cosine)"), scores.vector, scores.vector_rank),
        (N_("Headings (cosine)"), scores.heading, scores.heading_rank),
    ):
        if value is not None:
            yield Score(
                name=translate(name),
                value=f"{value:.3f}" + (translate(N_(", rank %(rank)s"), rank=rank) if rank else ""),
            )
    yield Score(name=translate(N_("Fused")), value=f"{scores.fused:.4f}")
    if scores.rerank is not None:
        yield Score(name=translate(N_("Reranker")), value=f"{scores.rerank:.3f}")
    if scores.boost != 1.0:
        yield Score(name=translate(N_("Boost")), value=f"× {scores.boost:g}")
    if scores.via:
        yield Score(name=translate(N_("Reached by")), value=scores.via)
    if scores.trust is not None:
        yield Score(name=translate(N_("Trust")), value=f"{scores.trust:.2f}")
