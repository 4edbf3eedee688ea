"""Words that a question and a passage share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.understanding.words import (
    characters,
    content_words,
    count_words,
    is_misspelt,
    lone_characters,
    names,
    stem,
    words,
)


def test_forms_of_a_word_meet() -> None:
    """Endings, possessives, case and quotation marks do not hide a word; function words are left out."""
    assert content_words("Deploying the “Clusters” of Börte's") == content_words("deployed CLUSTER Börte’s")
    assert content_words("What is it, and why don't you?") == set()


def test_doubled_letters_and_y_are_endings() -> None:
    """`Stopped` is a form of `stop`, `policies` of `policy`; `call` and `deploy` keep their letters."""
    assert content_words("stopped stopping logging policies replies") == content_words("stop log policy reply")
    assert stem("calls") == "call"
    assert stem("deploys") == "deploy"


@pytest.mark.parametrize(
    "forms",
    [
        ("cover", "covers", "covered", "covering"),
        ("order", "ordered"),
        ("prefer", "preferred"),
        ("migrate", "migrated", "migrating", "migration"),
        ("operator", "operators", "operates", "operation"),
        ("repeat", "repeats", "repeated", "repeating"),
        ("float", "floats", "floating"),
    ],
)
def test_the_forms_of_a_verb_share_their_stem(forms: tuple[str, ...]) -> None:
    """Whatever their endings are."""
    assert len({stem(form) for form in forms}) == 1


def test_a_verb_keeps_its_letters() -> None:
    """Also one that ends with `er` or `ate`, whose last letters are no ending of their own."""
    assert len({stem(word) for word in ("order", "ore", "operate", "opera", "float", "flow")}) == 6


def test_numbers_are_kept_whole() -> None:
    """Digits are not cut like endings are."""
    assert stem("20000000") == "20000000"
    assert content_words("In 1998000 and 1998001") == {"1998000", "1998001"}


def test_words_without_spaces_are_pairs_of_characters() -> None:
    """A question in Japanese shares words with a text that holds them inside a sentence."""
    assert content_words("停止方法") == {"停止", "止方", "方法"}
    assert content_words("停止") <= content_words("サーバーの停止について")
    assert content_words("Headwaterの停止") >= {stem("headwater"), "停止"}


def test_words_keep_their_order() -> None:
    """Neighbours are told from words that are merely both there."""
    assert words("The cargo crane, and cargo again") == ["cargo", "crane", "cargo", "again"]


def test_names_and_numbers() -> None:
    """A capital that no sentence begins with, or a digit; function words are no names."""
    assert names("Who leads the Port of Ostia? Gaia does. The 2nd pier is Gaia's.") == {"port", "ostia", "2nd", "gaia"}


def test_slips() -> None:
    """One letter apart in long words; short words, other first letters and digits are other words."""
    assert is_misspelt("gandhi", "gandhy")
    assert is_misspelt("bedigo", "bendigo")
    assert is_misspelt("bendigo", "bedigo")
    assert is_misspelt("zeira", "zeria")
    assert not is_misspelt("form", "from")
    assert not is_misspelt("aport", "bport")
    assert not is_misspelt("model1", "model2")
    assert not is_misspelt("plants", "planets1")
    assert not is_misspelt("harbour", "harvest")


def test_forms_of_one_word_share_their_stem_in_other_languages() -> None:
    """Each language has its endings; an unknown one is read as English, and one without a stemmer has none."""
    assert len({stem(word, "ru") for word in ("холод", "холода", "холоде", "холодом")}) == 1
    assert stem("häuser", "de") == stem("haus", "de-AT")
    assert stem("policies", "en") == stem("policies") == "polici"
    assert stem("policies", "ja") == "policies"


def test_characters_of_scripts_without_spaces_count_by_either_pair() -> None:
    """A pair across two words is in no text; characters that only ask are left out; katakana counts by words."""
    assert characters("极光为什么是绿色的？") == {
        "极\0极光": {"极光"}, "光\0光为": {"极光", "光为"}, "绿\0是绿": {"是绿", "绿色"}, "色\0绿色": {"绿色", "色的"},
    }  # fmt: skip
    asked = characters("コンピューターはいつ生まれたの？")
    assert {"コン", "ター"} <= asked.keys()
    assert {"生"} <= set().union(*asked.values())
    assert not any(key.startswith("つ") for key in asked)
    assert characters("What is an aurora?") == {}
    assert lone_characters("月は二月に見える。") == {"月", "見"}


def test_korean_words_count_without_their_particles() -> None:
    """The last syllable of a longer word joins it to others, and a word that asks counts for nothing."""
    assert words("백업을") == ["백업", "업을"]
    assert set().union(*characters("백업을 언제").values()) == {"백업", "업을"}
    assert "을" not in {key[0] for key in characters("백업을 언제")}
    assert count_words("백업을 언제 지웁니까?") == 3


def test_german_nouns_are_no_names() -> None:
    """Every noun has a capital there; a number still is one."""
    assert names("Wie viele Häuser hat Block 7?", "de") == {"7"}


@given(st.text(alphabet="aB9_'’ \n.sdltrén“…—", max_size=60))
def test_plain_text_is_cut_as_any_other(text: str) -> None:
    """A letter of another script, which takes the way of all scripts, changes nothing about the words before it."""
    assert words(f"{text} ж") == [*words(text), "ж"]


def test_contractions_are_cut_off() -> None:
    """With either apostrophe, in any case; a name keeps its letters."""
    assert words("The pump's gasket isn't new, ISN’T old; they'll see: n't 'quoted'") == [
        "pump", "gasket", "new", "old", "see", "n", "t", "quoted",
    ]  # fmt: skip
