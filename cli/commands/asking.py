"""The commands `search`, `ask` and `status`.

Belongs here: calling the kernel and shaping the result as the HTTP API does. Not here: printing.
"""

from datetime import datetime
from typing import Any

from cli.environment import environment
from cli.processes.up_file import dagster_url
from headwater.answering.asking import serve
from headwater.answering.request import AnswerRequest
from headwater.domain.search import SearchFilters
from headwater.retrieval.finding import SearchOptions
from headwater.retrieval.gathering import gather
from headwater.retrieval.search import search
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.search_payloads import SearchPayload
from query_api.routes.source_payloads import SourcePayload


def search_passages(
    knowledge_base: str,
    query: str,
    *,
    with_context: bool,
    explain: bool,
    **options: Any,
) -> dict[str, Any]:
    """Search, as `POST …/search` does; `options` are `SearchOptions`."""
    if with_context and not options.get("group_by"):
        options["group_by"] = "passage"  # a context consists of passages
    with environment() as env:
        asked = env.store.knowledge_bases.get(knowledge_base)
        found = search(env.store, env.settings, asked, query, SearchOptions(**options))
        gathered = gather(env.store, asked, found) if with_context else None
    return SearchPayload.of(query, found, gathered=gathered, explain=explain).model_dump(mode="json")


def ask_question(
    knowledge_base: str,
    question: str,
    *,
    filters: SearchFilters,
    as_of: datetime | None,
    is_fresh: bool,
) -> dict[str, Any]:
    """Ask, as `POST …/answers` does."""
    with environment() as env:
        asked = env.store.knowledge_bases.get(knowledge_base)
        request = AnswerRequest(
            knowledge_base=asked, question=question, filters=filters, as_of=as_of, is_fresh=is_fresh
        )
        answer = serve(env.store, env.settings, request)
        return AnswerPayload.of(answer).with_originals(env.store.originals).model_dump(mode="json")


def status_of_everything() -> dict[str, Any]:
    """List every knowledge base with its sources."""
    with environment() as env:
        sources = env.store.sources.all(with_deleting=True)
        knowledge_bases = env.store.knowledge_bases.all(limit=100_000)
        url = dagster_url(env.settings)
    return {
        "knowledge_bases": [
            {
                "slug": knowledge_base.slug,
                "name": knowledge_base.name,
                "sources": [
                    SourcePayload.of(source, url).model_dump(mode="json")
                    for source in sources
                    if source.knowledge_base == knowledge_base.slug
                ],
            }
            for knowledge_base in knowledge_bases
        ]
    }
