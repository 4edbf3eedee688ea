"""The tools: what each does.

Belongs here: calling the kernel and making results of what it returns. Not here: the protocol (`methods`), the list of
tools (`tool_list`), shapes (`arguments`, `results`). Guarantee: nothing is changed, except that `ask` stores its
answer, for `trace`.
"""

from typing import Any, Protocol

from flask import request

from headwater.answering.answer_request import AnswerRequest
from headwater.answering.question_context import provide
from headwater.domain.answers import Turn
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import CancelledError, InvalidInputError
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.store.access.owners import Kind
from query_api.answer_access import start_answer
from query_api.app_context import api_root, settings, store
from query_api.guards.authentication import caller
from query_api.guards.rate_limits import count
from query_api.guards.route_facts import ANSWER, READ
from query_api.guards.visibility import check, may_read, may_see
from query_api.lineage_lookup import lineage_of, unknown_id_error
from query_api.mcp.arguments import (
    AskArguments,
    ContextArguments,
    ListArguments,
    ReadArguments,
    SearchArguments,
    TraceArguments,
)
from query_api.mcp.results import (
    AskResult,
    ContextResult,
    Further,
    KnowledgeBaseItem,
    KnowledgeBaseList,
    Passage,
    ReadResult,
    SearchResult,
    Source,
    beginning,
    cut,
)
from query_api.mcp.trace_result import TraceResult, trace_result
from query_api.openai.payloads import PassageContext
from query_api.response_urls import Span, address_of, readable_at
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.lineage_payloads import find_state
from query_api.routes.place_payloads import place_link
from query_api.routes.search_payloads import SearchPayload, ShownPassagePayload
from query_api.server.client_disconnect import Client, result_while_there

_PAGE = 50  # knowledge bases in a list
_CATEGORIES = 20  # of a knowledge base in a list
_PASSAGE_TOKENS = 1_500  # of one passage, so that several fit
_ANSWER_TOKENS = 5_000
_SENTENCES, _SENTENCE_TOKENS = 5, 100  # that no passage supports
_TEXT_TOKENS = 7_000  # of a document; the rest is room for what it is
_TRACED: tuple[Kind, ...] = ("answer", "chunk", "version", "summary")


def list_knowledge_bases(given: ListArguments) -> KnowledgeBaseList:
    """List the knowledge bases: the slugs that the other tools take, and what each is about."""
    knowledge_bases = store().knowledge_bases.all(after=given.after, limit=_PAGE + 1)
    page = knowledge_bases[:_PAGE]
    following = page[-1].slug if len(knowledge_bases) > _PAGE else None
    return KnowledgeBaseList(knowledge_bases=[_item(knowledge_base) for knowledge_base in page], next=following)


def search_passages(given: SearchArguments) -> SearchResult:
    """Find passages by words and by meaning, best first, with links. Use it to look around, or to quote."""
    owner = store().knowledge_bases.get(given.knowledge_base)
    options = SearchOptions(top_k=given.top_k, filters=given.to_filters(), as_of=given.as_of)
    payload = SearchPayload.of(given.query, search(store(), settings(), owner, given.query, options))
    hits = [passage for hit in payload.passages for passage in (hit, *hit.more)]
    return SearchResult(passages=[_passage(hit, n) for n, hit in enumerate(hits, start=1)], notes=payload.notes)


def ask(given: AskArguments) -> AskResult:
    """Answer a question from the documents alone, with numbered sources, or refuse. Keep the numbers and the links."""
    count(ANSWER - READ)  # the message itself is counted already
    question = AnswerRequest(
        knowledge_base=store().knowledge_bases.get(given.knowledge_base),
        question=given.question,
        filters=given.to_filters(),
        as_of=given.as_of,
        history=tuple(Turn(question=turn.question, answer=turn.answer) for turn in given.history),
    )
    answer = result_while_there(start_answer(question), Client(request.environ))
    if answer.state != "done":
        raise CancelledError("The answer was cancelled while it was made. Ask again.")
    payload = AnswerPayload.of(answer).with_originals(store().originals)
    root = api_root()
    return AskResult(
        answer_id=payload.id,
        answer=cut(payload.answer, _ANSWER_TOKENS),
        refused=payload.refused,
        reason=payload.reason,
        sources=[
            Source(
                **_span(citation),
                marker=citation.marker,
                uri=citation.uri,
                place=(citation.place.label or None) if citation.place else None,
                link=address_of(citation, root, citation.original),
            )
            for citation in payload.citations
        ],
        further=[
            Further(
                **_span(passage),
                uri=passage.uri,
                place=(passage.place.label or None) if passage.place else None,
                line=passage.line,
                link=address_of(passage, root, passage.original),
            )
            for passage in payload.further
        ],
        unsupported=[
            cut(statement.text, _SENTENCE_TOKENS) for statement in payload.statements if not statement.supported
        ][:_SENTENCES],
        degraded=payload.degraded,
        readings=payload.readings,
        notes=payload.notes,
    )


def context(given: ContextArguments) -> ContextResult:
    """Get the passages that may answer a question, with rules for citing them, to write the answer yourself."""
    owner = store().knowledge_bases.get(given.knowledge_base)
    question = AnswerRequest(
        knowledge_base=owner, question=given.question, filters=given.to_filters(), as_of=given.as_of
    )
    provided = provide(store(), settings(), question, max_tokens=given.max_tokens)
    augmented, root = provided.augmented, api_root()
    passages = [PassageContext.of(context_part) for context_part in augmented.context.parts]
    return ContextResult(
        message=augmented.content,
        system_message=augmented.system,
        token_count=augmented.token_count,
        intent=provided.intent.value,
        passages=[
            Source(
                **_span(passage),
                marker=f"[{passage.number}]",
                uri=passage.uri,
                place=None,
                link=address_of(passage, root),
            )
            for passage in passages
        ],
        notes=list(provided.notes),
    )


def read_document(given: ReadArguments) -> ReadResult:
    """Read a document version, or a span of it: the text around a passage, or a whole document piece by piece."""
    check(store(), caller(), "version", given.document_version_id)
    version = store().versions.get(given.document_version_id)
    full_text = version.text or ""
    last = len(full_text) if given.end is None else min(given.end, len(full_text))
    if not given.start <= last:
        raise InvalidInputError(
            f"There is no span from {given.start} to {last}: the text has {len(full_text)} characters. "
            "Choose a start before its end."
        )
    text = beginning(full_text[given.start : last], _TEXT_TOKENS)
    end = given.start + len(text)
    return ReadResult(
        document_version_id=version.id,
        document_id=version.document_id,
        title=version.title,
        uri=version.uri,
        link=readable_at(version.id, given.start, end, place_link(version.uri, None), api_root()),
        knowledge_base=version.knowledge_base,
        source=version.source,
        state=find_state(version.visible, is_newest=version.is_newest)[0],
        fetched_at=version.fetched_at,
        characters=len(full_text),
        start=given.start,
        end=end,
        next=end if end < last else None,
        content=text,
    )


def trace(given: TraceArguments) -> TraceResult:
    """Follow an answer, a chunk or a document version upstream: versions, sources, and the runs that fetched them."""
    is_seen = any(may_see(store(), caller(), kind, given.id) for kind in _TRACED)
    if not is_seen or not may_read(store(), caller(), "answer", given.id):
        raise unknown_id_error(given.id)
    return trace_result(lineage_of(store(), given.id, settings().dagster_url), api_root())


class _Titled(Span, Protocol):
    @property
    def title(self) -> str: ...


def _span(cited: _Titled) -> dict[str, Any]:
    return {
        "title": cited.title,
        "document_version_id": cited.document_version_id,
        "start": cited.start,
        "end": cited.end,
    }


def _passage(hit: ShownPassagePayload, number: int) -> Passage:
    return Passage(
        **_span(hit),
        number=number,
        breadcrumb=hit.breadcrumb,
        link=address_of(hit, api_root()),
        source=hit.source,
        uri=hit.uri,
        place=(hit.place.label or None) if hit.place else None,
        text=cut(hit.text, _PASSAGE_TOKENS),
        chunk_id=hit.chunk_id,
        score=hit.score,
    )


def _item(knowledge_base: KnowledgeBase) -> KnowledgeBaseItem:
    categories = store().knowledge_bases.categories(knowledge_base)
    most = sorted(categories, key=lambda name: (-categories[name], name))[:_CATEGORIES]
    return KnowledgeBaseItem(
        slug=knowledge_base.slug,
        name=knowledge_base.name,
        description=knowledge_base.description,
        categories={name: categories[name] for name in most},
    )
