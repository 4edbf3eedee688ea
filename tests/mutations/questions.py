"""Mutations of how questions are read and passages graded."""

from tests.mutations.mutation import Mutation

_FOLLOW_UPS = "headwater/understanding/follow_ups.py"
_MODEL = "headwater/answering/question_model.py"
_MODELS = ("tests/integration/test_question_models.py",)

QUESTIONS = (
    Mutation(
        file=_FOLLOW_UPS,
        old="not needs_conversation(question) or _asks_of_new_noun(question, said):",
        new="not needs_conversation(question):",
        tests=("tests/unit/test_follow_ups.py",),
        why="a new subject gets words of the former one",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="return bool(own) and not own & content_words(said)",
        new="return bool(own)",
        tests=("tests/unit/test_follow_ups.py",),
        why="a noun of the conversation is taken for a new subject",
    ),
    Mutation(
        file="headwater/answering/reading.py",
        old='"")\n    text = stand_alone(request.question, [turn.question for turn in request.history], last)',
        new='"")\n    text = stand_alone(request.question, [turn.question for turn in request.history])',
        tests=_MODELS,
        why="a follow-up on the last answer is taken for a new subject",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="if not subject or not needs_conversation(question) or",
        new="if not subject or",
        tests=("tests/unit/test_follow_ups.py",),
        why="a self-contained question gets words of the conversation",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="        if intent_of(former) is Intent.CHIT_CHAT:\n            continue\n",
        new="",
        tests=("tests/unit/test_follow_ups.py",),
        why="thanks become the subject of the conversation",
    ),
    Mutation(
        file="headwater/retrieval/grading.py",
        old="        if weaker < floor:",
        new="        if weaker < 0.0:",
        tests=_MODELS,
        why="a comparison is answered from one side",
    ),
    Mutation(
        file="headwater/retrieval/fusion.py",
        old="best[key] = max(best.get(key, 0.0), reciprocal_rank(rank))",
        new="best[key] = best.get(key, 0.0) + reciprocal_rank(rank)",
        tests=("tests/unit/test_fusion.py",),
        why="what is mediocre for every part comes before the best of one",
    ),
    Mutation(
        file=_MODEL,
        old="is_plain = 0 < len(plain) <= limit and not leads_elsewhere(plain)",
        new="is_plain = 0 < len(plain) <= limit",
        tests=_MODELS,
        why="a model that obeys an order puts a link into a title",
    ),
    Mutation(
        file=_MODEL,
        old="return plain if is_plain and _is_about(plain, said) and not repeats(plain, prompt, but=said)",
        new="return plain if is_plain and _is_about(plain, said)",
        tests=_MODELS,
        why="the prompt is searched for, and shown as a concept",
    ),
    Mutation(
        file="headwater/answering/grading.py",
        old="min(one.relevance, grades.get(one.passage, 1.0))",
        new="max(one.relevance, grades.get(one.passage, 0.0))",
        tests=_MODELS,
        why="an order that adds a second grade wins",
    ),
    Mutation(
        file="headwater/answering/making.py",
        old="if self.read.is_small_talk:",
        new="if False:",
        tests=_MODELS,
        why="small talk is searched for",
    ),
)
