"""`questions`: the questions that a source's documents answer.

Belongs here: which documents are asked about, and putting their questions in place. Not here: making questions
(`headwater.questions`), storing them (`headwater.store.content.questions`), whether search answers them
(`headwater.questions.question_checks`, after the search index is current). Guarantee: an unchanged document costs
nothing; a removed one takes its questions away; a failure leaves the old questions of each document that it did not
reach (QST-1).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from uuid import UUID

from headwater.domain.plurals import pluralize
from headwater.domain.questions import QuestionRow
from headwater.domain.usage import Usage
from headwater.identity import content_id
from headwater.models_gateway.budget import BudgetReachedError
from headwater.models_gateway.chat_registry import RULES
from headwater.models_gateway.result_cache import ResultCache
from headwater.questions.question_generator import Recipe, Subject, estimate_usage, load_maker, recipe_of
from headwater.questions.subjects import subjects_of
from headwater.store.content.questions import Asked
from headwater.syncing.job_cache import payer_of
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork
from headwater.syncing.stage_failures import note_dropped_replies

_WINDOW = 20  # documents that are asked about together


class QuestionsWork(StageWork):
    """Keeps the questions of a source's documents, if its knowledge base names a `question_model`."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        super().__init__(job, hand_on)
        self._payer: ResultCache[Subject, Sequence[str]] | None = None

    def complete(self) -> None:
        """Make the questions of what changed.

        Raises:
            ModelUnavailableError, RateLimitedError: the model failed; the remaining documents keep their questions, as
                they do when the budget is spent.
            FencedError: a newer sync took over.
        """
        job, recipe, store = self.job, self._recipe, self.job.store.questions
        if recipe is None:
            job.counts.rows_written += store.delete_all(job.work)
            return
        gone = store.documents_without_text(job.source, self._settings_hash)
        if gone:
            job.counts.rows_written += store.delete_of(job.work, gone)
        changed_documents = store.documents_to_question(
            job.source, self._settings_hash, recipe.hash, by_summary=self._is_by_summary
        )
        self._payer = self._load(recipe)
        ids, completed = list(changed_documents), 0
        try:
            for start in range(0, len(ids), _WINDOW):
                self._bring({id_: changed_documents[id_] for id_ in ids[start : start + _WINDOW]}, recipe)
                job.watch.check()
                completed = min(start + _WINDOW, len(ids))
                job.progress(QUESTIONS.name, completed, len(ids))
            self._bring_source(recipe)
        except BudgetReachedError:
            # If only the source as a whole is left, the documents are none, but the next sync must go on all the same.
            job.counts.questions_left = max(1, len(ids) - completed)
        note_dropped_replies(job, self._payer.dropped, model=recipe.model, instead="their texts have no questions")

    def digest(self, _: str) -> Digest:
        """The version depends on the questions; the count is their number."""
        version, count, _documents = self.job.store.questions.digest(self.job.source)
        return Digest(version, count)

    def report(self) -> Report:
        """What was made and what it cost, and how many questions there are."""
        paid = self._payer
        usage = paid.usage if paid else Usage()
        _, count, documents = self.job.store.questions.digest(self.job.source)
        return {
            "asked": paid.made if paid else 0,
            "reused": paid.reused if paid else 0,
            "dropped": paid.dropped if paid else 0,
            "left": self.job.counts.questions_left,
            "question_tokens": usage.tokens,
            **({} if usage.cost is None else {"question_cost_usd": usage.cost}),
            "questions": count,
            "questioned_documents": documents,
        }

    def summary(self) -> str:
        """What was made."""
        paid, documents_left = self._payer, self.job.counts.questions_left
        if paid is None:
            return ""
        message = f"questions made of {paid.made} texts, {paid.reused} reused"
        return (
            f"{message}, stopped at the budget before {pluralize(documents_left, 'document')}"
            if documents_left
            else message
        )

    @cached_property
    def _recipe(self) -> Recipe | None:
        settings = self.job.knowledge_base.settings
        return None if settings.question_model is None else recipe_of(settings, settings.question_model)

    @property
    def _settings_hash(self) -> bytes:
        return self.job.indexes[-1].settings_hash

    @property
    def _is_by_rules(self) -> bool:
        return self.job.knowledge_base.settings.question_model == RULES

    @property
    def _is_by_summary(self) -> bool:
        """Whether questions are made of summaries. Rules read the headings of the text itself."""
        return self.job.knowledge_base.settings.has_written_summaries and not self._is_by_rules

    def _load(self, recipe: Recipe) -> ResultCache[Subject, Sequence[str]]:
        job, settings = self.job, self.job.knowledge_base.settings
        return payer_of(
            job,
            load=lambda: load_maker(recipe, settings, job.settings),
            known=job.store.questions.sets,
            put=lambda paid: job.store.questions.put_sets(
                job.work, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=job.lineage
            ),
            expected=lambda subject: estimate_usage(subject, recipe, settings),
        )

    def _bring(self, changed: Mapping[UUID, bytes | None], recipe: Recipe) -> None:
        """Put the questions of some documents in place."""
        assert self._payer is not None  # noqa: S101 - `complete` has loaded it
        subjects = dict(subjects_of(self.job.store, changed, self._settings_hash, by_rules=self._is_by_rules))
        keys = {document_id: subject.key(recipe) for document_id, (_, subject) in subjects.items()}
        sets = self._payer({keys[document_id]: subject for document_id, (_, subject) in subjects.items()})
        rows: list[QuestionRow] = []
        asked_versions: dict[UUID, Asked] = {}
        for document_id, (version_id, _) in subjects.items():
            rows += self._rows(document_id, keys[document_id], sets[keys[document_id]])
            asked_versions[document_id] = Asked(version_id=version_id, summary_key=changed[document_id])
        self.job.counts.rows_written += self.job.store.questions.put(
            self.job.work, rows, asked_versions, settings_hash=self._settings_hash, recipe_hash=recipe.hash
        )

    def _bring_source(self, recipe: Recipe) -> None:
        """Put the questions about the whole source in place; it has some if it has a summary that a model reads."""
        assert self._payer is not None  # noqa: S101 - `complete` has loaded it
        job = self.job
        text = job.store.questions.source_summary(job.source) if self._is_by_summary else None
        rows: list[QuestionRow] = []
        if text is not None:
            subject = Subject(document_id=None, title=job.source.slug, text=text)
            key = subject.key(recipe)
            rows = self._rows(None, key, self._payer({key: subject})[key])
        job.counts.rows_written += job.store.questions.put_of_source(job.work, rows)

    def _rows(self, document_id: UUID | None, key: bytes, questions: Sequence[str]) -> list[QuestionRow]:
        owner = "" if document_id is None else str(document_id)
        return [
            QuestionRow(
                id=content_id("question", self.job.source.id, owner, question),
                document_id=document_id,
                position=place,
                question=question,
                set_key=key,
            )
            for place, question in enumerate(questions)
        ]


QUESTIONS = Stage(
    name="questions",
    parent="summary_tree",
    doing="asking",
    view="contents?source={source}#questions",
    description=(
        "The questions that the documents answer, made by rules or by a chat model. Only documents that changed are "
        "asked about again. There are none unless the knowledge base sets `question_model`. Readers are offered those "
        "that pass the check in `suggestions`."
    ),
    columns={
        "id": Column("uuid", "The question's id, which stays the same while its document asks it."),
        "document_id": Column("uuid", "The document; none for a question about the whole source."),
        "position": Column("integer", "Its place among the questions of its document."),
        "question": Column("text", "The question."),
        "set_key": Column("bytea", "The hash of what it was made of, and how."),
    },
    reported={
        "asked": "The number of texts of which questions were made in this sync.",
        "reused": "The number of texts whose questions existed.",
        "dropped": "The number of replies of the model that were of no use; those texts have no questions.",
        "left": "Documents that keep their old questions until the next sync, since the budget was spent.",
        "question_tokens": "The tokens that those questions took.",
        "question_cost_usd": "Their cost in US dollars; missing if the price of the model is not known.",
        "questions": "The number of questions.",
        "questioned_documents": "The number of documents that have questions.",
    },
    page="docs/questions.md",
    work=QuestionsWork,
)
