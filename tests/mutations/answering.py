"""Mutations of stored answers and of the errors of questions.

Belongs here: when an answer is served again, when it is stale, what is not stored. Not here: search (`searching`).
"""

from tests.mutations.mutation import Mutation

_REUSE = "headwater/answering/reuse.py"
_ROWS = "headwater/store/work/answer_reuse.sql"
_SAME = "headwater/understanding/same_question.py"
_STALE = "headwater/store/migrations/0016_answers.sql"
_REUSE_TESTS = ("tests/integration/test_answer_reuse.py",)
_SAME_TESTS = ("tests/unit/test_same_question.py",)
_REFUSAL = "headwater/answering/refusal.py"
_REFUSAL_TESTS = ("tests/unit/test_quote_answerer.py",)

ANSWERING = (
    Mutation(
        file=_REFUSAL,
        old="_TRUST_WEIGHT = 0.5",
        new="_TRUST_WEIGHT = 1.0",
        tests=_REFUSAL_TESTS,
        why="a passage with the question's words answers though the reader says that it does not",
    ),
    Mutation(
        file=_REFUSAL,
        old="_MIN_LOG_ODDS = -0.3",
        new="_MIN_LOG_ODDS = 0.0",
        tests=_REFUSAL_TESTS,
        why="what probably answers is refused",
    ),
    Mutation(
        file=_REUSE,
        old="candidate.id for candidate in candidates if asks_the_same(candidate.question, request.question)",
        new="candidate.id for candidate in candidates",
        tests=_REUSE_TESTS,
        why="a question that names something else gets the answer of a similar one",
    ),
    Mutation(
        file=_REUSE,
        old='"prompts": [prompt_version(name, settings) for name in _PROMPTS],',
        new="",
        tests=_REUSE_TESTS,
        why="another prompt gets the answer of the old one",
    ),
    Mutation(
        file=_REUSE,
        old="if in_conversation or not (settings.reuse_answers and settings.store_questions):",
        new="if in_conversation or not settings.reuse_answers:",
        tests=_REUSE_TESTS,
        why="a hash of a question is stored that is not to be stored",
    ),
    Mutation(
        file=_ROWS,
        old=" WHERE NOT answer_is_stale(n.id);",
        new=";",
        tests=_REUSE_TESTS,
        why="a stale answer is served to the same question",
    ),
    Mutation(
        file=_STALE,
        old="AND (a.asked_sources IS NULL OR s.slug = ANY(a.asked_sources))",
        new="",
        tests=_REUSE_TESTS,
        why="a source that the filter excludes makes an answer stale",
    ),
    Mutation(
        file=_STALE,
        old="u.version_id = c.document_version_id AND u.withdrawn_at IS NULL",
        new="u.version_id = c.document_version_id",
        tests=_REUSE_TESTS,
        why="an answer is served that cites what readers no longer see",
    ),
    Mutation(
        file="headwater/answering/record.py",
        old="return has_ended_well and answer.model == making.answerer.name",
        new="return has_ended_well",
        tests=_REUSE_TESTS,
        why="the answer of a fallback is served when the model itself is back",
    ),
    Mutation(
        file=_SAME,
        old="bool(first_meaning)\n        and len(first_meaning) == len(second_meaning)\n        and all",
        new="bool(first_meaning) and all",
        tests=_SAME_TESTS,
        why="a word that one question has at its end makes no difference",
    ),
    Mutation(
        file=_SAME,
        old='return f"{match[0]}^" if match[0].lower() in _SILENT else match[0]',
        new="return match[0]",
        tests=_SAME_TESTS,
        why="plan A is any plan",
    ),
    Mutation(
        file="headwater/store/work/readiness.sql",
        old="t.state = 'syncing' AND is_locked('source:' || s.id)",
        new="t.state = 'syncing'",
        tests=("tests/integration/test_answer_errors.py",),
        why="a sync whose process is gone is said to run",
    ),
    Mutation(
        file="headwater/store/work/answers.py",
        old='if is_stored and not session.row("hold_answer", id=answer.id):',
        new="if False:",
        tests=("tests/integration/test_answer_tasks.py",),
        why="an answer that was deleted while it was made comes back",
    ),
    Mutation(
        file="headwater/retrieval/changes.py",
        old="document_ids={passage.document_id for passage in passages} if is_large else None,",
        new="document_ids=None,",
        tests=("tests/integration/test_broad_answers.py",),
        why="a question looks through every chunk of a large index",
    ),
    Mutation(
        file="headwater/retrieval/changes.py",
        old="sum(map(operator.lt, numbers, numbers[1:])) >",
        new="-1 >",
        tests=("tests/integration/test_broad_answers.py",),
        why="the last section of a manual is the newest version",
    ),
)
