"""`questions`: the questions that a source's documents answer.

Belongs here: which documents are asked about, and putting their questions in place. Not here: making questions
(`headwater.questions`), storing them (`headwater.store.content.questions`), whether search answers them
(`headwater.questions.checking`, after the search index is current). Guarantee: an unchanged document costs nothing; a
removed one takes its questions away; a failure leaves the old questions of each document that it did not reach (QST-1).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import groupby
from uuid import UUID

from headwater.domain.questions import PaidQuestions, QuestionRow
from headwater.identity import content_id
from headwater.models_gateway.chat_registry import RULES
from headwater.questions.making import TEXT, Make, QuestionMaker, Recipe, Subject, load_maker, recipe_of
from headwater.questions.rules import Part
from headwater.store.content.questions import Asked
from headwater.syncing.source_job import SourceJob
from headwater.syncing.stage import Column, Digest, HandOn, Report, Stage, StageWork

_WINDOW = 20  # documents that are asked about together


class QuestionsWork(StageWork):
    """Keeps the questions of a source's documents, if its knowledge base names a `question_model`."""

    def __init__(self, job: SourceJob, hand_on: HandOn) -> None:
        super().__init__(job, hand_on)
        self._maker: QuestionMaker | None = None

    def complete(self) -> None:
        """Make the questions of what changed.

        Raises:
            ModelUnavailableError, RateLimitedError: the model failed; the remaining documents keep their questions.
            FencedError: a newer sync took over.
        """
        job, recipe, store = self.job, self._recipe, self.job.store.questions
        if recipe is None:
            job.counts.rows_written += store.delete_all(job.work)
            return
        gone = store.documents_without_text(job.source, self._settings_hash)
        if gone:
            job.counts.rows_written += store.delete_of(job.work, gone)
        changed = store.documents_to_question(
            job.source, self._settings_hash, recipe.hash, by_summary=self._is_by_summary
        )
        self._maker = self._load(recipe)
        ids = list(changed)
        for start in range(0, len(ids), _WINDOW):
            self._bring({id_: changed[id_] for id_ in ids[start : start + _WINDOW]}, recipe)
            job.watch.check()
            job.progress(QUESTIONS.name, min(start + _WINDOW, len(ids)), len(ids))
        self._bring_source()

    def digest(self, _: str) -> Digest:
        """The version depends on the questions; the count is their number."""
        version, count, _documents = self.job.store.questions.digest(self.job.source)
        return Digest(version, count)

    def report(self) -> Report:
        """What was made, and how many questions there are."""
        made = self._maker
        _, count, documents = self.job.store.questions.digest(self.job.source)
        return {
            "asked": made.made if made else 0,
            "reused": made.reused if made else 0,
            "questions": count,
            "questioned_documents": documents,
        }

    def summary(self) -> str:
        """What was made."""
        made = self._maker
        return f"questions made of {made.made} texts, {made.reused} reused" if made else ""

    @cached_property
    def _recipe(self) -> Recipe | None:
        chosen = self.job.knowledge_base.settings
        return None if chosen.question_model is None else recipe_of(chosen, chosen.question_model)

    @property
    def _settings_hash(self) -> bytes:
        return self.job.indexes[-1].settings_hash

    @property
    def _is_by_rules(self) -> bool:
        return self.job.knowledge_base.settings.question_model == RULES

    @property
    def _is_by_summary(self) -> bool:
        """Whether questions are made of summaries. Rules read headings, which no summary has."""
        return self.job.knowledge_base.settings.summary_model is not None and not self._is_by_rules

    def _load(self, recipe: Recipe) -> QuestionMaker:
        job = self.job

        def store(paid: Sequence[PaidQuestions]) -> None:
            for one in paid:
                job.count_model_use(one.usage.prompt_tokens + one.usage.completion_tokens, one.usage.cost)
            job.counts.rows_written += job.store.questions.put_sets(
                job.work, paid, model=recipe.model, prompt_version=recipe.prompt_version, by=job.lineage
            )
            job.watch.check()

        @cache
        def load() -> Make:
            return load_maker(recipe, job.knowledge_base.settings, job.settings)

        def make(subject: Subject) -> PaidQuestions:  # loads when something has to be made: a chat model takes a while
            return load()(subject)

        return QuestionMaker(recipe=recipe, make=make, known=job.store.questions.sets, store=store)

    def _bring(self, changed: Mapping[UUID, bytes | None], recipe: Recipe) -> None:
        """Put the questions of some documents in place."""
        assert self._maker is not None  # noqa: S101 - `complete` has loaded it
        found = dict(self._subjects(changed))
        sets = self._maker([subject for _, subject in found.values()])
        rows: list[QuestionRow] = []
        asked: dict[UUID, Asked] = {}
        for (document_id, (version_id, _)), (key, questions) in zip(found.items(), sets, strict=True):
            rows += self._rows(document_id, key, questions)
            asked[document_id] = Asked(version_id=version_id, summary_key=changed[document_id])
        self.job.counts.rows_written += self.job.store.questions.put(
            self.job.work, rows, asked, settings_hash=self._settings_hash, recipe_hash=recipe.hash
        )

    def _subjects(self, changed: Mapping[UUID, bytes | None]) -> Iterator[tuple[UUID, tuple[UUID, Subject]]]:
        """What is asked about some documents: by a model their summaries, or else the documents themselves."""
        store = self.job.store
        with_summary = [document_id for document_id, key in changed.items() if key is not None]
        for one in store.questions.summaries(with_summary):
            subject = Subject(document_id=one.document_id, title=one.title, text=one.text, language=one.language)
            yield one.document_id, (one.version_id, subject)
        without = [document_id for document_id, key in changed.items() if key is None]
        for document_id, found in groupby(
            store.summaries.chunks_of(without, self._settings_hash), key=lambda chunk: chunk.document_id
        ):
            chunks = list(found)
            first = chunks[0]
            text = "" if self._is_by_rules else "\n\n".join(chunk.text for chunk in chunks)[:TEXT]
            parts = [Part(text=chunk.text, breadcrumb=chunk.breadcrumb) for chunk in chunks]
            subject = Subject(
                document_id=document_id,
                title=first.title,
                text=text,
                parts=parts if self._is_by_rules else (),
                language=first.language,
            )
            yield document_id, (first.version_id, subject)

    def _bring_source(self) -> None:
        """Put the questions about the whole source in place; it has some if it has a summary that a model reads."""
        assert self._maker is not None  # noqa: S101 - `complete` has loaded it
        job = self.job
        text = job.store.questions.source_summary(job.source) if self._is_by_summary else None
        rows: list[QuestionRow] = []
        if text is not None:
            ((key, questions),) = self._maker([Subject(document_id=None, title=job.source.slug, text=text)])
            rows = self._rows(None, key, questions)
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
        "questions": "The number of questions.",
        "questioned_documents": "The number of documents that have questions.",
    },
    page="docs/questions.md",
    work=QuestionsWork,
)
