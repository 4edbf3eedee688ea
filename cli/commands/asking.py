"""The commands `search`, `ask` and `status`.

Belongs here: calling the kernel and shaping the result as the HTTP API does. Not here: printing.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from cli.environment import environment
from cli.processes.up_file import dagster_url
from headwater.answering.answer_request import AnswerRequest, with_settings
from headwater.answering.answer_task import AnswerRun
from headwater.answering.answer_tasks import AnswerRuns
from headwater.answering.conversation_questions import LAST, in_conversation
from headwater.answering.events import Delta
from headwater.domain.answers import Answer, KeptAnswer
from headwater.retrieval.context_builder import gather
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from query_api.routes.answer_payloads import AnswerPayload
from query_api.routes.knowledge_base_payloads import KnowledgeBasePayload
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
    conversation: UUID | None = None,
    parent: UUID | str | None = LAST,
    chosen: Mapping[str, Any] | None = None,
    show: Callable[[str], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Ask, as `POST …/answers` does; Ctrl-C cancels the answer.

    Args:
        knowledge_base: the slug of the knowledge base.
        question: the question.
        conversation: the conversation that it is the next turn of; by default none.
        parent: the turn that it follows, as for `in_conversation`.
        chosen: settings that count for this question, as for `with_settings`.
        show: gets each piece of the answer's text as it comes; by default nobody does.
        options: those of `AnswerRequest`.
    """
    with environment() as env:
        asked = with_settings(env.store.knowledge_bases.get(knowledge_base), **(chosen or {}))
        made = AnswerRequest(knowledge_base=asked, question=question, **options)
        request = in_conversation(env.store, made, conversation, parent)
        run = AnswerRuns(env.store, env.settings).start(request, is_followed=show is not None)
        try:
            answer = _followed(run, show) if show else run.result()
        except KeyboardInterrupt:
            run.cancel()
            raise
        return (
            AnswerPayload.of(answer)
            .with_originals(env.store.originals)
            .with_related(env.store, env.settings)
            .model_dump(mode="json")
        )


def _followed(run: AnswerRun, show: Callable[[str], None]) -> Answer | KeptAnswer:
    """Show an answer while it grows; one that replaces the text so far is shown below it."""
    shown = ""
    for numbered in run.events():
        if numbered is not None and isinstance(numbered[1], Delta):
            show(numbered[1].text)
            shown += numbered[1].text
    answer = run.result()
    if answer.answer.startswith(shown):
        show(answer.answer[len(shown) :])
    else:
        show(f"\n\nNo passage supports the text above, so this is the answer: {answer.answer}")
    return answer


def status_of_everything(slug: str | None = None) -> dict[str, Any]:
    """List every knowledge base with its sources; or one of them, with everything that the API shows of it."""
    with environment() as env:
        sources = env.store.sources.all(with_deleting=True)
        all_of_them = env.store.knowledge_bases.all(limit=100_000)
        found = all_of_them if slug is None else [env.store.knowledge_bases.get(slug)]
        shown: list[dict[str, Any]] = [
            {"slug": one.slug, "name": one.name}
            if slug is None
            else KnowledgeBasePayload.of(
                one, env.store.knowledge_bases.categories(one), env.store.knowledge_base_summaries.text(one)
            ).model_dump(mode="json")
            for one in found
        ]
        url = dagster_url(env.settings)
    own = {
        one.slug: [SourcePayload.of(each, url) for each in sources if each.knowledge_base == one.slug] for one in found
    }
    return {
        "knowledge_bases": [
            {**one, "sources": [source.model_dump(mode="json") for source in own[one["slug"]]]} for one in shown
        ]
    }
