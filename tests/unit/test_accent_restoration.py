"""Which words of a question get accents."""

import pytest

from headwater.lexical.accents import strip_accents
from headwater.store.search.passage_search import Candidates, TermEvidence
from headwater.understanding import accent_restoration
from headwater.understanding.accent_restoration import restore_accents
from headwater.understanding.question import understand
from headwater.understanding.words import find_asked_words
from tests.passages import passage

FRENCH = "Les compétences du salarié sont évaluées : la présence, les congés payés. Un congé de maternité est payé."


def read(question: str, text: str, language: str) -> str:
    terms = tuple(
        TermEvidence(lexeme=word, held=1, total=9, idf=2.0, words=(word,)) for word in find_asked_words(question)
    )
    candidates = Candidates(passages=(passage(text, language=language),), terms=terms)
    understanding = restore_accents(understand(question), candidates)
    assert understanding.asked == question
    return understanding.question


@pytest.mark.parametrize(
    ("question", "text", "language", "meant"),
    [
        ("Evaluees : les competences ?", FRENCH, "fr", "Évaluées : les compétences ?"),
        ("conge de maternite", FRENCH, "fr", "congé de maternité"),
        ("jours de conges payes", FRENCH, "fr", "jours de congés payés"),
        ("competence", FRENCH, "fr", "compétences"),
        ("compétences", FRENCH, "fr", "compétences"),
        ("ficheiro conges.pdf", FRENCH, "fr", "ficheiro conges.pdf"),
        ("informacao e opcoes", "A informação e as opções.", "pt", "informação e opções"),
        ("zolw", "Żółw i żółw.", "pl", "żółw"),
        ("resume the job", "Resume a job. Send a résumé.", "en", "resume the job"),
        ("what competence is needed", FRENCH, "fr", "what competence is needed"),
        ("ежик", "Ёжик в тумане.", "ru", "ежик"),
        ("competences", "Die Kompetenz.", "de", "competences"),
        ("Seiten drucken", "Drücken Sie die Taste. Drücken Sie OK, um zu drucken.", "de", "Seiten drucken"),
        ("zahlen im Bericht", "Zähler zählen. Zähle die Zahlen.", "de", "zahlen im Bericht"),
        ("trabajo remoto", "El trabajo remoto. Trabajó en casa y trabajó mucho.", "es", "trabajo remoto"),
        ("ano pasado", "El año pasado. " * 6 + "Ano.", "es", "año pasado"),
        ("ano pasado", "El año pasado. " * 5 + "Ano.", "es", "ano pasado"),
    ],
)
def test_a_word_gets_the_accents_of_the_passages(question: str, text: str, language: str, meant: str) -> None:
    """If they mostly have it with accents, in that form or one with its stem (RET-3)."""
    assert read(question, text, language) == meant


def test_passages_are_not_read_for_words_that_cannot_lack_accents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word of a Russian passage would be stemmed."""
    monkeypatch.setattr(accent_restoration, "stem", None)
    assert read("ёжик", "Ёжик в тумане.", "ru") == "ёжик"


@pytest.mark.parametrize(
    ("word", "plain"), [("compétences", "competences"), ("żółw", "zolw"), ("œuvre", "oeuvre"), ("ёж", "ёж"), ("a", "a")]
)
def test_accents_are_stripped_of_latin_letters(word: str, plain: str) -> None:
    """Other scripts keep theirs."""
    assert strip_accents(word) == plain
