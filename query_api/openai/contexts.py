"""Contexts as responses, in `/v1/context` and in `--json`.

Belongs here: making the response. Not here: finding passages (`headwater.answering.question_context`). Guarantee: pure.
"""

from headwater.answering.question_context import QuestionContext
from headwater.domain.corpus import KnowledgeBase
from query_api.openai.payloads import PREFIX, ContextMessage, ContextPayload, PassageContext, TokenUsage


def context_payload(asked: KnowledgeBase, provided: QuestionContext, *, with_contexts: bool) -> ContextPayload:
    """The response for a question with its context.

    Args:
        asked: the knowledge base.
        provided: the context.
        with_contexts: whether the passages are wanted on their own, too.
    """
    made, usage = provided.augmented, provided.usage
    parts = [PassageContext.of(part) for part in made.context.parts]
    return ContextPayload(
        model=f"{PREFIX}{asked.slug}",
        intent=provided.intent.value,
        search_text=provided.search_text,
        message=ContextMessage(role="user", content=made.content),
        system_message=ContextMessage(role="system", content=made.system),
        token_count=made.token_count,
        contexts=parts if with_contexts else None,
        notes=list(provided.notes),
        usage=TokenUsage.of(usage.prompt_tokens, usage.completion_tokens),
    )
