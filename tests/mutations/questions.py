"""Mutations of how questions are read and passages graded."""

from tests.mutations.mutation import Mutation

_FOLLOW_UPS = "headwater/understanding/follow_ups.py"
_MODEL = "headwater/answering/question_model.py"
_MODELS = ("tests/integration/test_question_models.py",)

QUESTIONS = (
    Mutation(
        file=_FOLLOW_UPS,
        old="len(own_words) >= _SELF_CONTAINED_WORDS or _asks_of_new_noun(plain, words, said):",
        new="len(own_words) >= _SELF_CONTAINED_WORDS:",
        tests=("tests/unit/test_follow_ups.py",),
        why="a new subject gets words of the former one",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="return bool(noun_words) and not noun_words & content_words(said)",
        new="return bool(noun_words)",
        tests=("tests/unit/test_follow_ups.py",),
        why="a noun of the conversation is taken for a new subject",
    ),
    Mutation(
        file="headwater/answering/question_reader.py",
        old="    turn = read_turn(request.question, request.history)",
        new='    turn = read_turn(request.question, [replace(one, answer="") for one in request.history])',
        tests=_MODELS,
        why="a follow-up on the last answer is taken for a new subject",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="    if kind is TurnKind.ALONE:\n        own_text =",
        new="    if False:\n        own_text =",
        tests=("tests/unit/test_follow_ups.py",),
        why="a self-contained question gets words of the conversation",
    ),
    Mutation(
        file=_FOLLOW_UPS,
        old="        if _is_small_talk(turn.question):\n            continue\n",
        new="",
        tests=("tests/unit/test_follow_ups.py",),
        why="thanks become the subject of the conversation",
    ),
    Mutation(
        file="headwater/answering/question_model.py",
        old='return text if 2 * len(question_words & text_words) >= len(question_words) else ""',
        new="return text",
        tests=("tests/integration/test_turns.py",),
        why="a model answers an earlier question again",
    ),
    Mutation(
        file="headwater/retrieval/result_trust.py",
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
        old="return plain if is_plain and _is_about(plain, talk) and not repeats(plain, prompt, but=talk)",
        new="return plain if is_plain and _is_about(plain, talk)",
        tests=_MODELS,
        why="the prompt is searched for, and shown as a concept",
    ),
    Mutation(
        file="headwater/answering/passage_grades.py",
        old="min(grade.relevance, grades.get(grade.passage, 1.0))",
        new="max(one.relevance, grades.get(one.passage, 0.0))",
        tests=_MODELS,
        why="an order that adds a second grade wins",
    ),
    Mutation(
        file="headwater/answering/answer_maker.py",
        old="if self.read.is_small_talk:",
        new="if False:",
        tests=_MODELS,
        why="small talk is searched for",
    ),
)
