"""`/kb/<slug>/chat`: asking, with answers that grow and citations that open beside them (UI-1).

Belongs here: the page, its form for browsers without a script, and the parts that its script loads. Not here: answering
(`headwater.answering`), the script (`query_api/static/js/chat`). Guarantee: every conversation has an address of its
own, at which a reload or another tab shows it, also while an answer grows.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from flask import Blueprint, Response, request, stream_with_context

from headwater.answering.answer_request import answer_models
from headwater.answering.conversation_questions import begin_conversation, in_conversation
from headwater.domain.access import Scope
from headwater.domain.conversations import MAX_TURNS, Conversation, ConversationTurn
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import HeadwaterError, NotFoundError
from headwater.questions.suggester import find_related_questions, suggest
from headwater.retrieval.query import QUERY_LIMIT, check_query
from query_api.answer_access import start_answer
from query_api.app_context import settings, store
from query_api.guards.route_facts import ANSWER, allow
from query_api.pages.branches import Shown, branch
from query_api.pages.chat_form import ChosenSettings, load_filter_values, parse_form
from query_api.pages.conversation_events import conversation_events
from query_api.pages.forms import field, go_to
from query_api.pages.history import read_history
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import HEADERS, may_use, render, render_part
from query_api.pages.turns import (
    ShownTurn,
    shorten_text,
    show_stored_passage,
    to_shared_turn,
    turn_of,
    turn_of_answer,
)
from query_api.server.client_disconnect import Client
from query_api.sse import PAGES

routes = Blueprint("chat_page", __name__)
_SHOWN = 20  # turns; earlier ones on request, because a browser lays out every one
_LISTED = 30  # conversations
_SUGGESTED = 6  # questions
_MAX_FIND_CHARS = 200
_MAX_QUOTE_CHARS = 300


@routes.get("/kb/<kb>/chat")
@allow(Scope.READ)
def show_new(kb: str) -> Response:
    """Show the page before the first question; `?q=` is a question, asked at once unless another site leads here."""
    return _page(store().knowledge_bases.get(kb))


@routes.get("/kb/<kb>/chat/<uuid:conversation_id>")
@allow(Scope.READ)
def show_conversation(kb: str, conversation_id: UUID) -> Response:
    """Show a conversation; `?turn=` is a turn of the branch to show."""
    owner = store().knowledge_bases.get(kb)
    return _page(owner, _conversation(owner, conversation_id))


@routes.post("/kb/<kb>/chat")
@allow(Scope.READ, cost=ANSWER, body="form")
def ask_first(kb: str) -> Response:
    """Ask without a script: begins a conversation, and shows it with the answer."""
    return _ask(store().knowledge_bases.get(kb), None)


@routes.post("/kb/<kb>/chat/<uuid:conversation_id>")
@allow(Scope.READ, cost=ANSWER, body="form")
def ask_next(kb: str, conversation_id: UUID) -> Response:
    """Ask the next question without a script."""
    owner = store().knowledge_bases.get(kb)
    return _ask(owner, _conversation(owner, conversation_id))


@routes.get("/kb/<kb>/chat/<uuid:conversation_id>/events")
@allow(Scope.READ)
def get_events(kb: str, conversation_id: UUID) -> Response:
    """Stream what changes of the conversation's turns."""
    owner = store().knowledge_bases.get(kb)
    _conversation(owner, conversation_id)
    events = conversation_events(store(), owner.slug, conversation_id, Client(request.environ))
    return PAGES.respond(stream_with_context(events))  # type: ignore[type-var]  # Flask's type knows only texts


@routes.get("/kb/<kb>/history")
@allow(Scope.READ)
def show_history(kb: str) -> Response:
    """The part of the page that lists conversations, for the script; `?here=` is the one that the page shows."""
    owner, text = store().knowledge_bases.get(kb), request.args.get("find", "")[:_MAX_FIND_CHARS]
    here = request.args.get("here", None, UUID)
    groups = read_history(store(), owner, text)
    html = render_part(
        "history.html",
        "history",
        kb_url(owner.slug, "chat"),
        groups,
        here,
        text,
        may_use("conversations.change_conversation"),
    )
    return Response(html, headers=dict(HEADERS))


@routes.get("/kb/<kb>/turns/<uuid:answer_id>")
@allow(Scope.READ)
def show_turn(kb: str, answer_id: UUID) -> Response:
    """The part of the page that is one turn, for the script."""
    answer = store().answers.get(answer_id)
    owner = store().knowledge_bases.get(kb)
    if answer.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no answer {answer_id}.")
    if answer.conversation_id is None:
        return _part("turn", owner, _with_related(owner, turn_of_answer(answer)))
    turns = store().conversations.turns(answer.conversation_id)
    shown_turn = next(candidate for candidate in branch(turns, answer_id) if candidate.turn.id == answer_id)
    return _part("turn", owner, _with_related(owner, turn_of(shown_turn, owner.slug)))


@routes.get("/kb/<kb>/turns/<uuid:answer_id>/candidates")
@allow(Scope.READ)
def show_candidates(kb: str, answer_id: UUID) -> Response:
    """The part of the page that lists every passage that an answer could have used."""
    owner, answer = store().knowledge_bases.get(kb), store().answers.get(answer_id)
    if answer.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no answer {answer_id}.")
    return _part("candidates", [show_stored_passage(passage, owner.slug) for passage in answer.passages])


@routes.get("/shared/<token>")
@allow(Scope.OPEN)  # who has the link may read the conversation
def show_shared(token: str) -> Response:
    """Show a conversation to somebody who has its link, to read only."""
    shared = store().conversations.shared(token)
    shown_turns = branch(store().conversations.turns(shared.id))
    return render(
        "shared.html",
        conversation=shared,
        turns=[to_shared_turn(shown_turn, shared.knowledge_base) for shown_turn in shown_turns],
        quotes=_list_cited_words([shown_turn.turn for shown_turn in shown_turns]),
    )


def _list_cited_words(turns: Sequence[ConversationTurn]) -> dict[str, dict[str, str]]:
    """The beginning of what each marker of some turns cites, by turn; a summary cites no words."""
    cited = [(turn.id, citation) for turn in turns for citation in turn.citations if citation.node_id is None]
    spans = [(citation.document_version_id, citation.start, citation.end) for _, citation in cited]
    words_by_turn: dict[str, dict[str, str]] = {}
    for (turn_id, citation), text in zip(cited, store().versions.span_texts(spans, _MAX_QUOTE_CHARS), strict=True):
        words_by_turn.setdefault(str(turn_id), {})[citation.marker.strip("[]")] = shorten_text(text, _MAX_QUOTE_CHARS)
    return words_by_turn


def _page(
    kb: KnowledgeBase, conversation: Conversation | None = None, *, error: HeadwaterError | None = None, asked: str = ""
) -> Response:
    turns = store().conversations.turns(conversation.id) if conversation else []
    shown_turns = branch(turns, request.args.get("turn", None, UUID))
    first = 0 if "all" in request.args else max(0, len(shown_turns) - _SHOWN)
    text = request.args.get("find", "")[:_MAX_FIND_CHARS]
    question = asked or request.args.get("q", "")
    error = error or _too_long(question)
    return render(
        "chat.html",
        status=error.http_status if error else 200,
        kb=kb,
        conversation=conversation,
        turns=_turns(kb, conversation, shown_turns[first:]),
        hidden_count=first,
        parent_id=shown_turns[-1].turn.id if shown_turns else None,
        history=read_history(store(), kb, text) if kb.settings.store_questions else [],
        find=text,
        question=question,
        asks="q" in request.args and error is None and _comes_from_us(),
        limit=QUERY_LIMIT,
        error=str(error) if error else "",
        models=answer_models(kb),
        offered=load_filter_values(store(), kb),
        chosen=replace(ChosenSettings.of(request.form), documents=request.values.getlist("documents")[:_LISTED]),
        suggestions=[]
        if shown_turns
        else [suggestion.question for suggestion in suggest(store(), settings(), kb, limit=_SUGGESTED)],
        has_documents=any(source.has_documents for source in store().readiness.of(kb)),
    )


def _too_long(question: str) -> HeadwaterError | None:
    """Why a question is refused that an address or a form holds; None if it may be asked."""
    try:
        check_query(question) if question.strip() else None
    except HeadwaterError as error:
        return error
    return None


def _turns(kb: KnowledgeBase, conversation: Conversation | None, shown: Sequence[Shown]) -> list[ShownTurn]:
    """The turns of a branch; the last one leads to related questions."""
    states = store().conversations.turn_states(conversation.id, limit=MAX_TURNS) if conversation else []
    stale = {state.id: state.stale for state in states}
    turns = [replace(turn_of(shown_turn, kb.slug), stale=stale.get(shown_turn.turn.id)) for shown_turn in shown]
    return [*turns[:-1], _with_related(kb, turns[-1])] if turns else []


def _with_related(kb: KnowledgeBase, turn: ShownTurn) -> ShownTurn:
    if turn.state != "done":
        return turn
    questions = find_related_questions(store(), settings(), kb, turn.id, turn.question)
    return replace(turn, related=[question.question for question in questions])


def _ask(kb: KnowledgeBase, conversation: Conversation | None) -> Response:
    """Answer a form; what is wrong is said on the page, which keeps what was written."""
    question = field("question")
    try:
        answer_request = parse_form(kb, question, request.form)
        current_conversation = conversation or begin_conversation(store(), kb)
        parent = request.form.get("parent", None, UUID)
        answer = start_answer(in_conversation(store(), answer_request, current_conversation.id, parent)).result()
    except HeadwaterError as error:
        return _page(kb, conversation, error=error, asked=question)
    return go_to(f"{kb_url(kb.slug, 'chat')}/{current_conversation.id}?turn={answer.id}#turn-{answer.id}")


def _comes_from_us() -> bool:
    """Whether the reader typed this address, or a page of ours leads here; another site must not spend money.

    Over http, browsers send `Sec-Fetch-Site` to this machine only; elsewhere the referrer decides.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        return (request.referrer or "").startswith(request.host_url)
    return site in ("same-origin", "none")


def _conversation(kb: KnowledgeBase, conversation_id: UUID) -> Conversation:
    conversation = store().conversations.get(conversation_id)
    if conversation.knowledge_base != kb.slug:
        raise NotFoundError(f"{kb.slug} has no conversation {conversation_id}.")
    return conversation


def _part(macro: str, *arguments: object) -> Response:
    return Response(render_part("turn.html", macro, *arguments), headers=dict(HEADERS))
