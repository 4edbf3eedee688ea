"""Which questions ask what there is, or how many, by their wording (SUM-4)."""

import pytest

from headwater.understanding.breadth import breadth_of, used_thing
from headwater.understanding.inventory import inventory_of


@pytest.mark.parametrize(
    ("question", "words", "is_count"),
    [
        ("Which plays are there?", {"play"}, False),
        ("what tools are described here", {"tool"}, False),
        ("List all the chapters", {"chapter"}, False),
        ("How many cli commands are documented?", {"cli", "command"}, True),
        ("Which settings does the server have?", {"set", "server"}, False),
        ("Wie viele Befehle gibt es?", {"befehl"}, True),
        ("Welche Betriebsarten sind verfügbar?", {"betriebsarten"}, False),
        ("Zeige mir eine Liste der Anleitungen", {"anleitungen"}, False),
        ("quels sont les standards de qualité ?", {"standard", "qualité"}, False),
        ("donne-moi la liste des standards d'accessibilité", {"standard", "accessibilité"}, False),
        ("combien de standards y a-t-il ?", {"standard"}, True),
        ("¿Cuáles son los planes disponibles?", {"plane"}, False),
        ("¿Cuántos planes hay?", {"plane"}, True),
        ("quali sono i contratti disponibili", {"contratti"}, False),
        ("quais planos existem?", {"plano"}, False),
        ("welke rollen zijn er?", {"rollen"}, False),
        ("quels outils y a-t-il dans cette remise ?", {"outil", "remis"}, False),
        ("How many endpoints are there without tests?", {"endpoint", "without", "test"}, True),
        ("Welche Regeln gibt es, die nicht gelten?", {"regeln", "nicht", "gelten"}, False),
        ("quels outils existent qui ne sont pas prêts ?", {"outil", "ne", "pas", "prêts"}, False),
        ("which import guides are there?", {"import"}, False),
        ("Which notebooks are about sudoku?", {"sudoku"}, False),
        ("which pages deal with docker", {"docker"}, False),
        ("どんな水車についてのページがありますか", {"水車"}, False),
        ("水車についてどのような記事がありますか？", {"水車"}, False),
        ("水車に関するページの一覧を見せて", {"水車"}, False),
        ("部品をすべて挙げてください", {"部品"}, False),
        ("水車についてのページはいくつありますか", {"水車"}, True),
        ("何種類の部品がありますか", {"部品"}, True),
        ("部品の数は", {"部品"}, True),
        ("どんな飲み物がありますか", {"飲み", "み物"}, False),
        ("会社での取り組みの一覧", {"会社", "取り", "り組", "組み"}, False),
        ("水車関連のページは何がありますか", {"水車"}, False),
        ("水車の記事を一覧にして", {"水車"}, False),
        ("水車についてのページは？", {"水車"}, False),
        ("水車のページ数は？", {"水車"}, True),
        ("水車に関する記事は何件？", {"水車"}, True),
        ("水車の記事はどれくらいありますか", {"水車"}, True),
        ("有哪些水车？", {"水车"}, False),
        ("这里有哪些水车", {"水车"}, False),
        ("一共有几台水车", {"水车"}, True),
        ("水车有哪些种类", {"水车"}, False),
        ("请列出所有水车", {"水车"}, False),
        ("一共有多少种水车？", {"水车"}, True),
        ("水车有几个", {"水车"}, True),
    ],
)
def test_what_is_asked_for(question: str, words: set[str], is_count: bool) -> None:
    """By the stems of the words that name it, without those that name any document."""
    found = inventory_of(question)
    assert found is not None
    assert (set(found.words), found.is_count) == (words, is_count)


@pytest.mark.parametrize(
    "question",
    [
        "How many seats does the plan include?",
        "Which port does the server listen on?",
        "what is about to expire",
        "name of the assistance program manager",
        "show me how to add a user",
        "What are the requirements?",
        "how many days off do i get",
        "combien coûte un billet",
        "welche Frist gilt für Widersprüche",
        "会議には何時間かかりますか",
        "どんなときに使いますか",
        "水车的价格有多少？",
        "有多少钱",
        "为什么有几个水车",
        "还有哪些水车",
        "有什么原因",
        "列举一下",
    ],
)
def test_a_question_for_a_fact_asks_for_no_inventory(question: str) -> None:
    """Whatever it begins with; where the wording is not enough, what is found decides."""
    found = inventory_of(question)
    assert found is None or found.words == {"plan", "seat"}


def test_the_sides_of_a_comparison_without_what_is_asked_about_them() -> None:
    """Such as "what's the difference" behind them, or a comma before `and`."""
    for question in ("copy vs sync whats the difference", "Compare copy, and sync", "copy vs. sync"):
        breadth = breadth_of(question)
        assert breadth is not None
        assert breadth.sides == ("copy", "sync")


def test_what_a_thing_is_for() -> None:
    """Broad only if the thing is everything; what this is for is broad in any case."""
    assert used_thing("What can I do with Restic?") == "Restic"
    assert used_thing("What can I do with hard links?") == "hard links"
    assert used_thing("what is restic?") == used_thing("Tell me about Restic").casefold() == "restic"
    assert used_thing("what is a snapshot?") == ""  # any of many
    assert used_thing("What’s Restic?") == "Restic"  # as phones type it
    for question in ("what can i do with it", "What topics does this handbook cover?", "what topics are there?"):
        breadth = breadth_of(question)
        assert breadth is not None
        assert breadth.is_whole
