"""`/v1/models`, `/v1/chat/completions` and `/v1/context`.

Belongs here: the routes. Not here: answering (`responses`), messages (`conversation`), errors (`errors`).
"""

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from headwater.answering.question_context import provide
from headwater.domain.access import Scope
from query_api.app_context import settings, store
from query_api.guards.route_facts import ANSWER, READ, allow
from query_api.openai.bodies import ChatBody, ContextBody, ModelPath
from query_api.openai.contexts import context_payload
from query_api.openai.conversation import knowledge_base_of, read, to_request
from query_api.openai.errors import ErrorPayload, WrongFieldError
from query_api.openai.payloads import CompletionPayload, ContextPayload, ModelPayload, ModelsPayload
from query_api.openai.responses import answer, form_of, pass_on, stream_answer
from query_api.request_shapes import Reply

_MANY = 100_000  # knowledge bases

routes = APIBlueprint(
    "openai",
    __name__,
    url_prefix="/v1",
    abp_tags=[Tag(name="OpenAI's API")],
    abp_responses={"404": ErrorPayload, "409": ErrorPayload},
)


@routes.get("/models", responses={"200": ModelsPayload})
@allow(Scope.READ, about="visible")
def list_models() -> Reply:
    """List the knowledge bases as models."""
    knowledge_bases = store().knowledge_bases.all(limit=_MANY)
    return ModelsPayload(data=[ModelPayload.of(knowledge_base) for knowledge_base in knowledge_bases]).model_dump()


@routes.get("/models/<path:id>", responses={"200": ModelPayload})
@allow(Scope.READ, about="visible")
def get_model(path: ModelPath) -> Reply:
    """Read a knowledge base as a model."""
    return ModelPayload.of(knowledge_base_of(store(), path.id)).model_dump()


@routes.post("/chat/completions", responses={"200": CompletionPayload})
@allow(Scope.READ, about="visible", cost=ANSWER)
def create_chat_completion(body: ChatBody) -> Reply | Response:
    """Answer the newest question of a conversation from the documents, with citations.

    With `tools`, `functions`, another `response_format`, or `headwater.stateless`, the knowledge base's chat model gets
    the request with passages added, and its reply comes back unchanged.
    """
    if (body.n or 1) > 1:
        raise WrongFieldError("n", "A question has one answer. Leave n out, or set it to 1.")
    knowledge_base = knowledge_base_of(store(), body.model)
    conversation = read(body.messages, ends_with_question=not body.is_stateless, takes_images=body.is_stateless)
    answer_request = to_request(knowledge_base, body, conversation)
    if body.is_stateless:
        return pass_on(answer_request, body, conversation)
    return (
        stream_answer(answer_request, form_of(answer_request, body))
        if body.stream
        else answer(answer_request, form_of(answer_request, body))
    )


@routes.post("/context", responses={"200": ContextPayload})
@allow(Scope.READ, about="visible", cost=READ)
def create_context(body: ContextBody) -> Reply:
    """Put passages before the newest question of a conversation, for a chat model that the caller runs."""
    knowledge_base = knowledge_base_of(store(), body.model)
    answer_request = to_request(knowledge_base, body, read(body.messages))
    provided = provide(store(), settings(), answer_request, max_tokens=body.max_tokens)
    return context_payload(knowledge_base, provided, with_contexts=body.contexts).model_dump(mode="json")
