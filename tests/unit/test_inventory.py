"""Which questions ask what there is, how many, or what changed, by their wording (SUM-4)."""

from datetime import date

import pytest

from headwater.understanding.breadth import breadth_of, used_thing
from headwater.understanding.inventory import day_of, inventory_of, since_of, version_of


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
    ],
)
def test_a_question_for_a_fact_asks_for_no_inventory(question: str) -> None:
    """Whatever it begins with; where the wording is not enough, what is found decides."""
    found = inventory_of(question)
    assert found is None or found.words == {"plan", "seat"}


@pytest.mark.parametrize(
    ("question", "version", "day"),
    [
        ("What changed since v11.20?", (11, 20), None),
        ("what's new since 2.4.1", (2, 4, 1), None),
        ("What changed since June 2021?", (), date(2021, 6, 1)),
        ("what has been added after 2024-03-05", (), date(2024, 3, 5)),
        ("Was hat sich geändert seit 2024?", (), date(2024, 1, 1)),
        ("Was hat sich seit Version 2.3 geändert?", (2, 3), None),
        ("Welcher Knopf ist neu seit 2.3?", (2, 3), None),
        ("Qu'est-ce qui a changé depuis le 1er mars 2024 ?", (), date(2024, 3, 1)),
        ("¿Qué cambió desde el 12 de diciembre de 2023?", (), date(2023, 12, 12)),
        ("Cosa è cambiato dalla versione 2.3?", (2, 3), None),
        ("O que mudou desde outubro de 2023?", (), date(2023, 10, 1)),
        ("Wat is er veranderd sinds maart 2024?", (), date(2024, 3, 1)),
        ("2024年3月5日以降に何が変わりましたか？", (), date(2024, 3, 5)),
    ],
)
def test_since_when(question: str, version: tuple[int, ...], day: date | None) -> None:
    """A version or a date."""
    found = since_of(question)
    assert found is not None
    assert (found.version, found.day) == (version, day)


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Was ist neu in Version 2.3?", "in"),
        ("Quelles sont les nouveautés de la version 2.3 ?", "in"),
        ("バージョン2.3の変更点は何ですか", "in"),
        ("Was hat sich in der neuesten Version geändert?", "latest"),
        ("Was ist neu in der neuesten Version von Foo?", "latest"),
        ("¿Cuáles son las novedades de la última versión?", "latest"),
        ("Che cosa c'è di nuovo nell'ultima versione?", "latest"),
        ("最新バージョンの変更点は何ですか", "latest"),
    ],
)
def test_what_is_in_a_version(question: str, scope: str) -> None:
    """In one that is named, or in the latest."""
    since = since_of(question)
    assert since is not None
    assert (since.scope, since.version) == (scope, (2, 3) if scope == "in" else ())


_NO_CHANGES = (
    "Welche Frist gilt seit 2024?", "Was muss nach 30 Tagen getan werden?", "Was kosten neun Karten nach 18 Uhr?",
    "Was kosten neunzig Minuten in Zone 2?", "Was macht der neue Direktor seit 2020?",
    "Was neutral gear added in version 3?", "Qu'est-ce qui a changé dans ma vie ?",
    "Quels sont les changements de vitesse de 1 à 3 ?", "Que faire après 3 jours de nouveau ?",
    "¿Cuáles son los cambios de aceite de 5000 km?", "¿Qué presidente nuevo gobierna desde 2019?",
    "Che cosa costa il nuovo abbonamento da 10 corse?", "Wat moet na 3 dagen worden gewijzigd?",
    "予約2日前の変更を教えて", "部屋3の変更点は何ですか", "3月から何が変わりましたか",
)  # fmt: skip


def test_a_change_without_a_version_or_a_date_is_an_ordinary_question() -> None:
    """And so is the time since when something is."""
    for question in _NO_CHANGES:
        assert since_of(question) is None
    assert since_of("what changed since the move") is None
    assert since_of("Since when is the pump blue?") is None
    assert (version_of("none"), day_of("2024-13-01")) == ((), None)


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


@pytest.mark.parametrize("text", ["Marketing 2024", "Decisions 2023", "Mayors of 2020", "Junior 2024"])
def test_a_word_that_begins_like_a_month_names_none(text: str) -> None:
    """Its year stays one."""
    assert day_of(text) == date(int(text[-4:]), 1, 1)
