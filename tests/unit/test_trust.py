"""How likely a passage answers a question, and which are kept."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.search import Passage, Scores
from headwater.retrieval.trust import find_signals, grade, question_weights, select_trusted
from headwater.understanding.words import find_asked_words, stem
from tests.passages import numbered as passage

QUESTION = "How long is a backup of Harbour kept?"
TEXT = "A backup of Harbour is kept for thirty days."
FLOOR = 0.3
IDF = {"long": 2.0, "backup": 3.0, "harbour": 1.0, "kept": 2.5}


def found(text: str = TEXT, vector: float | None = 0.6, rank: int = 1) -> Passage:
    return passage(rank=rank, text=text, scores=Scores(vector=vector))


def trust(question: str, *passages: Passage, idf: dict[str, float] | None = None) -> float:
    return grade(question, passages, relevance_floor=FLOOR, idf=idf)[0]


def test_an_answer_is_trusted_and_another_subject_is_not() -> None:
    """Near in meaning and in words is near certain; far in both is near impossible (RET-7)."""
    assert trust(QUESTION, found()) > 0.9
    assert trust("Who painted the Mona Lisa?", found(vector=0.05)) < 0.05


def test_meaning_and_words_are_both_needed() -> None:
    """The same words in another sense, and the same sense of another subject, are trusted less."""
    both = trust(QUESTION, found())
    assert trust(QUESTION, found(vector=0.1)) < both - 0.15
    assert trust(QUESTION, found("The keeper of the lighthouse sleeps at noon.")) < 0.1


def test_similarity_counts_in_floors_of_the_model() -> None:
    """The same cosine is worth less where the model gives all texts a high one."""
    close, wide = (grade(QUESTION, [found(vector=0.3)], relevance_floor=floor)[0] for floor in (0.15, 0.6))
    assert close > wide


def test_rare_words_count_more() -> None:
    """Of two passages that hold one word each, the one with the rarer word is trusted more."""
    rare, common = found("Every backup matters."), found("Every Harbour matters.", rank=2)
    graded = grade(QUESTION, [rare, common], relevance_floor=FLOOR, idf=IDF)
    assert graded[0] > graded[1]


def test_stop_words_of_the_language_do_not_count() -> None:
    """A word that the index has no lexeme for is a stop word, as `aber` is in German; without idf it counts."""
    question, text = "aber Hafen", "Der Hafen ist offen."
    assert find_signals(question, [found(text)], relevance_floor=FLOOR, idf={"haf": 2.0})[0].relevance == (
        pytest.approx(math.sqrt(0.6 / FLOOR))
    )
    assert find_signals(question, [found(text)], relevance_floor=FLOOR)[0].relevance < math.sqrt(0.6 / FLOOR)


def test_words_meet_their_stems() -> None:
    """The index's lexemes are cut by a dictionary; the question's words find theirs."""
    idf = {"polici": 4.0, "cancel": 1.0}
    for text in ("The policy is written down.", "All policies are."):
        evidence = find_signals("cancelled policies", [found(text)], relevance_floor=FLOOR, idf=idf)[0]
        assert evidence.relevance == pytest.approx(math.sqrt(0.6 / FLOOR * 4 / 5))


def test_idf_without_a_word_of_the_question_is_not_used() -> None:
    """Rather the passages' own idf than none."""
    assert trust(QUESTION, found(), idf={"zzz": 1.0}) == trust(QUESTION, found())


def test_the_words_of_a_question_weigh_what_the_index_says() -> None:
    """By their stems in the language of the documents; each weighs one where nothing is known of the index."""
    assert question_weights("policies cancelled", {"polici": 4.0, "cancel": 1.0}) == {"polici": 4.0, "cancel": 1.0}
    assert question_weights("Welche Häuser?", {}, "de") == {"haus": 1.0}
    assert question_weights("Which of them is it?", {}) == {}


def test_a_name_that_no_passage_holds_speaks_against_an_answer() -> None:
    """A question about something unknown is hardly trusted; the capitals of a title or a sentence's first are none."""
    known = trust("How do I back up Harbour on oracle?", found())
    assert trust("How do I back up Harbour on Oracle?", found()) < known - 0.4
    titled = trust("Which Machine Keeps Every Backup of Harbour?", found())
    assert titled == pytest.approx(trust("which machine keeps every backup of Harbour?", found()))
    assert trust("Oracle: how do I back up Harbour?", found()) == pytest.approx(
        trust("oracle: how do I back up Harbour?", found())
    )


def test_a_number_that_no_passage_holds_counts_only_where_words_are_all_there_is() -> None:
    """People ask with numbers of their own, such as `a file of 95 lines`; meaning tells whether it fits anyway."""
    asked = "How do I back up Harbour"
    assert trust(f"{asked} 95?", found()) == pytest.approx(trust(f"{asked} swiftly?", found()))
    assert trust(f"{asked} 95?", found(vector=None)) < trust(f"{asked} swiftly?", found(vector=None))


def test_similarity_counts_beside_words() -> None:
    """A passage that is close in meaning is trusted although it says it in other words; a distant one is not."""
    other = "A copy of Harbour stays for thirty days."
    assert trust(QUESTION, found(other, vector=0.6)) > 0.5 > trust(QUESTION, found(other, vector=0.2))


def test_a_cut_negation_leaves_no_word() -> None:
    """`Can't` and `won't` hold no word that a passage could lack."""
    assert find_asked_words("Why can't I, and why won't it?") == []


def test_words_in_order_count() -> None:
    """Without vectors, the question's words side by side are worth more than the same words apart."""
    beside, apart = found("The cargo crane is new.", None), found("The crane lifts; cargo is new.", None, rank=2)
    first, second = grade("cargo crane", [beside, apart], relevance_floor=FLOOR)
    assert first > second


def test_a_passage_that_only_its_words_brought_up_counts_as_the_least_similar() -> None:
    """Beside similarities a missing one cannot be high: the vectors of others were nearer."""
    known, unknown = found(vector=0.4), found(vector=None, rank=2)
    first, second = grade(QUESTION, [known, unknown], relevance_floor=FLOOR)
    assert first == second


def test_words_alone_are_enough() -> None:
    """Without any vector the words decide, on a scale of their own."""
    assert trust(QUESTION, found(vector=None)) > 0.9
    assert trust("Who painted the Mona Lisa?", found(vector=None)) < 0.05


def test_a_question_without_meaningful_words_is_not_trusted() -> None:
    """Nothing can be told from words that every text holds."""
    assert trust("What is it and how was that?", found()) < 0.05


def test_what_is_dropped_has_a_reason() -> None:
    """Under the floor, or too far under the best; the rest is kept in its order (RET-8)."""
    passages = [found(rank=rank) for rank in (1, 2, 3, 4)]
    trusted = select_trusted(passages, [0.6, 0.95, 0.3, 0.5], floor=0.4, margin=0.4)
    assert [(one.rank, one.scores.trust) for one in trusted.kept] == [(1, 0.6), (2, 0.95)]
    assert [(one.passage.rank, one.reason) for one in trusted.dropped] == [
        (3, "Its trust, 0.30, is below the floor, 0.40."),
        (4, "Its trust, 0.50, is more than 0.40 below the best passage's, 0.95."),
    ]
    assert [one.scores.trust for one in trusted.passages] == [0.6, 0.95, 0.3, 0.5]


def test_nothing_is_kept_of_nothing() -> None:
    """No passage, or none that reaches the floor, leaves a question to be refused."""
    assert select_trusted([], [], floor=0.5, margin=0.4).kept == ()
    assert select_trusted([found()], [0.49], floor=0.5, margin=1).kept == ()


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=200), st.none() | st.floats(-1, 1)), max_size=4))
def test_any_text_is_graded(question: str, texts: list[tuple[str, float | None]]) -> None:
    """For any question and any passages, trust is a probability, and every passage is kept or dropped."""
    passages = [found(text, vector, rank) for rank, (text, vector) in enumerate(texts, start=1)]
    for idf in (None, {"a": 1.0}):
        grades = grade(question, passages, relevance_floor=FLOOR, idf=idf)
        assert all(0 <= one <= 1 for one in grades)
        trusted = select_trusted(passages, grades, floor=0.5, margin=0.4)
        assert [one.rank for one in trusted.passages] == [one.rank for one in passages]


@given(st.permutations(list(range(4))))
def test_the_order_of_passages_is_of_no_account(order: list[int]) -> None:
    """A passage is graded alike wherever it stands among the others."""
    texts = (TEXT, "A backup is kept.", "Harbour is new.", "Nothing of it.")
    passages = [found(text, 0.2 + number / 10, number + 1) for number, text in enumerate(texts)]
    straight = grade(QUESTION, passages, relevance_floor=FLOOR)
    mixed = grade(QUESTION, [passages[number] for number in order], relevance_floor=FLOOR)
    assert mixed == pytest.approx([straight[number] for number in order])


def test_a_quantity_need_not_be_repeated() -> None:
    """`More than 16 MB` is the asker's own number; the number of a thing is a name."""
    question, text = "How do I refuse cargo bigger than 16 MB?", "To refuse cargo, set its limit."
    assert trust(question, found(text)) > 0.5 > trust("How do I refuse cargo of Harbour 95?", found(text))


def test_a_similarity_that_says_nothing_is_left_out() -> None:
    """A passage in a language that the model does not know is judged by its words, its neighbours by both."""
    foreign, known = (
        found(vector=0.01),
        passage(rank=2, position=9, text="Other words altogether.", scores={"vector": 0.6}),
    )
    evidence = find_signals(QUESTION, [foreign, known], relevance_floor=FLOOR, by_words={foreign.chunk_id})
    assert [one.is_similarity_known for one in evidence] == [False, True]
    assert evidence[0].probability > 0.5 > evidence[1].probability


def test_words_that_ask_are_no_words_that_are_missing() -> None:
    """`Сколько` and `warum` are in no answer; a passage that holds the rest answers."""
    text = "Пчелиная матка живёт до пяти лет и откладывает яйца."
    idf = dict.fromkeys(("сколько", "лет", "живёт", "пчелиная", "матка"), 3.0)
    one = passage(text=text, language="ru", scores={"text": 5.0, "text_rank": 1})
    (trust,) = grade("Сколько лет живёт пчелиная матка?", [one], relevance_floor=FLOOR, idf=idf, language="ru")
    assert trust > 0.5
    (other,) = grade("Сколько стоит билет в театр?", [one], relevance_floor=FLOOR, language="ru")
    assert other < 0.5


def test_a_question_in_japanese_is_judged_by_its_content() -> None:
    """Endings and question words, which no text repeats, do not count against a passage."""
    text = "最もよく見られる緑色は高度約百キロメートルの酸素原子によるもので、オーロラの赤色は酸素による。"
    one = passage(text=text, title="オーロラ", breadcrumb=(), language="ja", scores={"text": 5.0, "text_rank": 1})
    asked = "オーロラはどうして緑色なのですか？"
    (trust,) = grade(asked, [one], relevance_floor=FLOOR, language="ja")
    (other,) = grade("富士山の高さは何メートルですか？", [one], relevance_floor=FLOOR, language="ja")
    assert trust > 0.5 > other


def test_across_languages_meaning_alone_decides() -> None:
    """A German question and an English passage share no word; nearness, and standing out, are what is left."""
    asked = "Wie viel Wasser hebt die Pumpe?"
    near, far = (replace(found(vector=vector), language="en") for vector in (0.4, 0.06))
    others = [found(vector=0.05, rank=number) for number in range(2, 32)]
    (trust,), (other,) = (
        grade(asked, [one], relevance_floor=FLOOR, language="de", others=others) for one in (near, far)
    )
    assert trust > 0.5 > other
    (unknown,) = grade(asked, [near], relevance_floor=FLOOR, language="", others=others)
    assert unknown < 0.5


def test_multilingual_models_need_more_than_nearness() -> None:
    """Of two near passages that are not in English, the one with a third of the question's words is not trusted."""

    def trust_german(text: str) -> float:
        near = replace(found(text, vector=0.4), language="de")
        return grade("Pumpe Garantie Rückgabe", [near], relevance_floor=0.32, language="de", others=[near])[0]

    assert trust_german("Die Pumpe hat zwei Jahre Garantie.") > 0.7
    assert trust_german("In der Kantine gibt es montags Kuchen, und die Pumpe steht im Hof.") < 0.5


def test_words_beside_a_passage_count() -> None:
    """An answer whose words are spread over neighbouring chunks is trusted; a distant chunk adds nothing."""
    asked, text = "How do I paint the crane in the harbour?", "Use the red colour."
    near, far = (passage(rank=2, position=at, text="Painting the crane in the harbour.") for at in (1, 9))
    one = found(text)
    (beside,), (apart,) = (
        grade(asked, [one], relevance_floor=FLOOR, idf=IDF, others=[one, other]) for other in (near, far)
    )
    assert beside > apart + 0.2


def test_a_passage_that_does_not_stand_out_is_trusted_less() -> None:
    """If all that was found is equally near to the question, nothing is about it."""
    one = found()
    (ahead,), (level,) = (
        grade(QUESTION, [one], relevance_floor=FLOOR, others=[found(vector=vector, rank=n) for n in range(2, 32)])
        for vector in (0.2, 0.6)
    )
    assert ahead > level


def test_the_name_of_the_subject_may_be_missing() -> None:
    """A passage about the product need not repeat the product's name; another unknown name still counts."""
    asked = "Where does Zephyr keep a backup of Harbour?"
    unknown = trust(asked, found())
    (known,) = grade(asked, [found()], relevance_floor=FLOOR, own_names={stem("zephyr")})
    assert known > unknown + 0.3
