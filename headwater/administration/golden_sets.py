"""Changing a knowledge base's golden set (EVL-1).

Belongs here: the checks before the set changes, and promoting an answer. Not here: reading the file, making questions,
evaluating (`headwater.evaluation`). Guarantee: a change with any error changes nothing.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.administration.audit_trail import audit_transaction
from headwater.domain.answers import StoredAnswer, StoredCitation
from headwater.domain.evaluations import GoldenQuestion, Origin, RelevantDocument, StoredGoldenQuestion
from headwater.domain.places import PlaceKind
from headwater.errors import ConflictError, InvalidInputError
from headwater.evaluation.claims import without_markers
from headwater.evaluation.golden_generator import generate
from headwater.evaluation.golden_set import check_golden_set
from headwater.evaluation.measurement import Progress
from headwater.settings import Settings
from headwater.store.store import Store


def replace_golden_set(store: Store, knowledge_base: str, questions: Sequence[GoldenQuestion]) -> dict[str, int]:
    """Replace the part of the golden set that came from files; an empty one removes that part.

    Returns:
        `question_count`, and how many questions were added, changed, removed and left unchanged.

    Raises:
        InvalidInputError: a question is empty or too long.
        NotFoundError: there is no such knowledge base.
    """
    checked = check_golden_set(questions)
    with audit_transaction(store) as note:
        counts = store.evaluations.replace_golden_questions(knowledge_base, checked)
        if any(count for name, count in counts.items() if name != "unchanged"):
            note("golden_set.replace", knowledge_base, **counts)
    return {"question_count": len(checked), **counts}


def add_golden_questions(
    store: Store, knowledge_base: str, questions: Sequence[GoldenQuestion], origin: Origin = "added"
) -> list[StoredGoldenQuestion]:
    """Add golden questions; one with the same words is replaced.

    Raises:
        InvalidInputError: a question is empty or too long.
        NotFoundError: there is no such knowledge base.
    """
    checked = check_golden_set(questions)
    with audit_transaction(store) as note:
        stored_questions = store.evaluations.put_golden_questions(knowledge_base, checked, origin)
        note("golden_set.add", knowledge_base, questions=[question.id for question in stored_questions], origin=origin)
    return stored_questions


def remove_golden_question(store: Store, knowledge_base: str, question_id: int) -> StoredGoldenQuestion:
    """Remove a golden question, and return it.

    Raises:
        NotFoundError: there is no such knowledge base or question.
    """
    owner = store.knowledge_bases.get(knowledge_base)
    with audit_transaction(store) as note:
        removed = store.evaluations.remove_golden_question(owner, question_id)
        note("golden_set.remove", knowledge_base, question=question_id)
    return removed


def generate_golden_questions(
    store: Store, settings: Settings, slug: str, count: int, *, progress: Progress | None = None
) -> tuple[list[StoredGoldenQuestion], int]:
    """Make golden questions of the documents, and add them.

    Returns:
        The added questions, and how many were dropped because search did not find their own document.

    Raises:
        NotFoundError: there is no such knowledge base.
        ConflictError: no index is active yet, or no question could be made.
        ModelUnavailableError, RateLimitedError: a model does not answer.
    """
    generated = generate(store, settings, store.knowledge_bases.get(slug), count, progress=progress)
    if not generated.questions:
        raise ConflictError(
            f"No new question could be made of the documents of {slug}: {generated.not_found} did not find their own"
            " document. Name a judge_model, or write golden questions yourself."
        )
    return add_golden_questions(store, slug, generated.questions, "generated"), generated.not_found


def promote_answer(
    store: Store,
    answer_id: UUID,
    *,
    relevant: Sequence[RelevantDocument] | None = None,
    answer: str | None = None,
    unanswerable: bool = False,
) -> StoredGoldenQuestion:
    """Make a golden question of a stored answer, such as one that a reader voted down.

    A follow-up of a conversation becomes the question that was searched for, because the conversation is not part of
    the golden set.

    Args:
        store: the store of the answer.
        answer_id: the answer.
        relevant: the documents that answer the question; by default those that the answer cites.
        answer: the right answer; by default the answer's own text, but only if `relevant` is not given either.
        unanswerable: whether the knowledge base ought to refuse the question.

    An answer that was voted down is not taken as right: what is right must be said.

    Raises:
        NotFoundError: there is no such answer.
        ConflictError: the answer's question was not stored, or it is not complete.
        InvalidInputError: the answer was voted down and nothing says what is right, or it cites nothing and no
            document is given.
    """
    stored = store.answers.get(answer_id)
    if not stored.question:
        raise ConflictError(f"The question of answer {answer_id} was not stored. Add the golden question in words.")
    if stored.state != "done":
        raise ConflictError(f"Answer {answer_id} is not complete: it is {stored.state}. Promote a complete answer.")
    feedback = store.feedback.get(answer_id)
    if feedback is not None and feedback.vote == "down" and not (relevant or answer or unanswerable):
        raise InvalidInputError(
            f"Answer {answer_id} was voted down. Say what is right: the documents, the answer, or that the question is"
            " unanswerable."
        )
    question = stored.search_text or stored.question
    golden = GoldenQuestion(question=question, unanswerable=True) if unanswerable else None
    if golden is None:
        documents = _list_cited_documents(stored) if relevant is None else tuple(relevant)
        if not documents:
            raise InvalidInputError(
                f"Answer {answer_id} cites no document. Name those that answer the question, or say that it is"
                " unanswerable."
            )
        answer_text = without_markers(stored.answer) if relevant is None and not stored.is_refused else None
        golden = GoldenQuestion(question=question, relevant=documents, answer=answer or answer_text)
    checked = check_golden_set([golden])
    with audit_transaction(store) as note:
        promoted = store.evaluations.put_golden_questions(stored.knowledge_base, checked, "promoted", answer_id)[0]
        note("golden_set.promote", stored.knowledge_base, question=promoted.id, answer=str(answer_id))
    return promoted


def _list_cited_documents(answer: StoredAnswer) -> tuple[RelevantDocument, ...]:
    """The documents that an answer cites, each once, with the first page that it cites of it."""
    return tuple(dict.fromkeys(map(_document, answer.citations)))


def _document(citation: StoredCitation) -> RelevantDocument:
    is_page = citation.place is not None and citation.place.kind is PlaceKind.PAGE
    page = int(citation.place.first) if citation.place is not None and is_page else None
    return RelevantDocument(uri=citation.uri, page=page)
