"""What changed is asked for, since or in a version, or since a date (SUM-4)."""

from datetime import date

import pytest

from headwater.understanding.change_questions import since_of
from headwater.understanding.versions_and_dates import day_of, version_of


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
    since = since_of(question)
    assert since is not None
    assert (since.version, since.day) == (version, day)


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
        ("What is the newest version?", "latest"),
        ("When was the latest version released?", "latest"),
        ("summarize the changelog", "all"),
        ("Give me a short summary of the release notes", "all"),
    ],
)
def test_what_is_in_a_version(question: str, scope: str) -> None:
    """In one that is named, or in the latest."""
    since = since_of(question)
    assert since is not None
    assert (since.scope, since.version) == (scope, (2, 3) if scope == "in" else ())


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("When was 2.3 released?", (2, 3)),
        ("when did version 2.3.1 come out", (2, 3, 1)),
        ("When was v2 published?", (2,)),
    ],
)
def test_when_a_version_was_released(question: str, version: tuple[int, ...]) -> None:
    """Which is what the heading of a change log says."""
    since = since_of(question)
    assert since is not None
    assert (since.scope, since.version) == ("released", version)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What changed in 2.3?", set()),
        ("What's new in version 2.3", set()),
        ("What changed for users of Foo in 2.3?", set()),
        ("What was added in 2.3?", {"add"}),
        ("Was wurde in Version 2.3 geändert?", set()),
        ("What was deprecated in 2.3?", {"deprec"}),
        ("What breaking changes are new in 2.3?", {"break"}),
    ],
)
def test_a_kind_of_change_is_asked_for(question: str, kinds: set[str]) -> None:
    """By the words of a question that are not those of any change."""
    since = since_of(question)
    assert since is not None
    assert (since.scope, set(since.kinds)) == ("in", kinds)


_NO_CHANGES = (
    "When was Windows 11 released?", "When was Python 3.9 released?", "What has to be removed after 30 days?",
    "What is the fixed price from 2024?", "What was removed from version 2.0?",
    "What is the newest version of Windows?",
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


@pytest.mark.parametrize("text", ["Marketing 2024", "Decisions 2023", "Mayors of 2020", "Junior 2024"])
def test_a_word_that_begins_like_a_month_names_none(text: str) -> None:
    """Its year stays one."""
    assert day_of(text) == date(int(text[-4:]), 1, 1)
