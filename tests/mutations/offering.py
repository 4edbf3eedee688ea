"""Mutations of how questions are made, checked and offered."""

from tests.mutations.mutation import Mutation

_CHECKING = "headwater/questions/question_checks.py"
_SUGGESTING = "headwater/questions/suggester.py"
_OFFERED = "headwater/store/search/suggestions.sql"
_TESTS = ("tests/integration/test_questions.py",)
_RULES = ("tests/unit/test_questions.py",)

OFFERING = (
    Mutation(
        file=_CHECKING,
        old="SAME_SIMILARITY = 0.92",
        new="SAME_SIMILARITY = 0.94",
        tests=_TESTS,
        why="equal questions are offered side by side",
    ),
    Mutation(
        file=_CHECKING,
        old="NEAR_SIMILARITY = 0.8\n",
        new="NEAR_SIMILARITY = 0.9\n",
        tests=_TESTS,
        why="forms of the same words are another question",
    ),
    Mutation(
        file=_CHECKING,
        old="return any(passage.document_id == question.document_id for passage in passages)",
        new="return bool(evidence.passages)",
        tests=_TESTS,
        why="a question is kept that another document answers",
    ),
    Mutation(
        file=_CHECKING,
        old="        if same_as is None and not _is_answered(question, passages):",
        new="        if False:",
        tests=_TESTS,
        why="a question is kept that nothing answers",
    ),
    Mutation(
        file=_SUGGESTING,
        old="LIKE_SIMILARITY = 0.4\n",
        new="LIKE_SIMILARITY = 0.6\n",
        tests=_TESTS,
        why="what is meant is found only in the same words",
    ),
    Mutation(
        file=_SUGGESTING,
        old="\nRELATED_SIMILARITY = 0.5",
        new="\nRELATED_SIMILARITY = 0.3",
        tests=_TESTS,
        why="questions about something else are below an answer",
    ),
    Mutation(
        file=_SUGGESTING,
        old="CITED_SIMILARITY = 0.2",
        new="CITED_SIMILARITY = 0.0",
        tests=_TESTS,
        why="a long document's questions about something else are below an answer",
    ),
    Mutation(
        file=_SUGGESTING,
        old="\nRELATED = 4",
        new="\nRELATED = 9",
        tests=_TESTS,
        why="an answer drowns in questions",
    ),
    Mutation(
        file=_SUGGESTING,
        old="other_questions = [candidate for candidate in questions if not _is_same(candidate, question)]",
        new="other_questions = questions",
        tests=_TESTS,
        why="the question itself is below its answer",
    ),
    Mutation(
        file=_OFFERED,
        old="OR (g.state = 'same' AND NOT EXISTS",
        new="OR (false AND NOT EXISTS",
        tests=_TESTS,
        why="with a question, those that asked for the same are gone too",
    ),
    Mutation(
        file=_OFFERED,
        old="(g.search_index_id, g.version_id) IS DISTINCT FROM (%(search_index_id)s, p.version_id)",
        new="g.question_id IS NULL",
        tests=_TESTS,
        why="a question is not checked again when its document changed",
    ),
    Mutation(
        file="headwater/questions/advance_answers.py",
        old="return 0 < spent.cost >= settings.answer_ahead_budget or spent.unknown_count >= settings.answer_ahead",
        new="return spent.cost > settings.answer_ahead_budget",
        tests=_TESTS,
        why="answers ahead cost more than they may",
    ),
    Mutation(
        file="headwater/models_gateway/result_cache.py",
        old="        self.store(results)\n        self.made += len(results)\n",
        new="        self.store([] if errors else results)\n        self.made += len(results)\n",
        tests=("tests/integration/test_questions.py::test_what_succeeded_beside_a_failure_is_stored",),
        why="what was paid for beside a failure is lost",
    ),
    Mutation(
        file="headwater/questions/sentence_questions.py",
        old="return name_words <= headings or (len(words) > 1 and all(cased.is_name(word) for word in words))",
        new="return True",
        tests=_RULES,
        why="a question is about something that only its sentence names",
    ),
    Mutation(
        file="headwater/questions/question_rules.py",
        old="if _POINTING.search(heading) or not 2",
        new="if not 2",
        tests=_RULES,
        why="a question points at what is not there",
    ),
)
