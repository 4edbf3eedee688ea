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
    augmented, usage = provided.augmented, provided.usage
    contexts = [PassageContext.of(context_part) for context_part in augmented.context.parts]
    return ContextPayload(
        model=f"{PREFIX}{asked.slug}",
        intent=provided.intent.value,
        search_text=provided.search_text,
        message=ContextMessage(role="user", content=augmented.content),
        system_message=ContextMessage(role="system", content=augmented.system),
        token_count=augmented.token_count,
        contexts=contexts if with_contexts else None,
        notes=list(provided.notes),
        usage=TokenUsage.of(usage.prompt_tokens, usage.completion_tokens),
    )
