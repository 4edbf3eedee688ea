"""Which sentences answer, and when none does: with the model that needs no files."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.answering.extractive import ENOUGH, Evidence, Quote, choose, content_words, find_evidence, stem
from headwater.models import ChunkKind, Passage, Scores
from headwater.models_gateway.hashing import HashEmbedder

EMBEDDER = HashEmbedder()
DEPLOY = """\
## Deploy on AWS

Create an access key before you deploy Harbour on AWS. Harbour then asks for the region of AWS.

```sh
harbour deploy --provider aws
```
"""
BACKUP = """\
## Backups

Harbour writes a backup every night. A backup is kept for thirty days.
"""
STOP = """\
## Is replication supported?

Yes, by the log that every server writes. Standby servers follow it.
"""


def make_passage(
    question: str, text: str, number: int = 1, kind: ChunkKind = ChunkKind.MARKDOWN, start: int = 0
) -> Passage:
    """A passage as search would return it, its similarity that of the model."""
    vectors = EMBEDDER.embed([question, text])
    return Passage(
        rank=number,
        score=1 / (60 + number),
        scores=Scores(vector=float(vectors[0] @ vectors[1])),
        chunk_id=UUID(int=number),
        document_id=UUID(int=100 + number),
        document_version_id=UUID(int=200 + number),
        source="docs",
        uri=f"{number}.md",
        title="Harbour",
        category="",
        breadcrumb=("Harbour",),
        start=start,
        end=start + len(text),
        line=1,
        position=0,
        kind=kind,
        text=text,
    )


def answer(
    question: str, texts: Sequence[str] = (DEPLOY, BACKUP, STOP), kind: ChunkKind = ChunkKind.MARKDOWN
) -> list[Quote]:
    passages = [make_passage(question, text, number, kind) for number, text in enumerate(texts, start=1)]
    passages.sort(key=lambda passage: -(passage.scores.vector or 0))
    return choose(find_evidence(question, passages, EMBEDDER), EMBEDDER.relevance_floor)


def test_the_sentence_that_answers_comes_first() -> None:
    """A question in the words of a document is answered by the sentence that holds them."""
    assert answer("How do I deploy Harbour on AWS?")[0].text == "Create an access key before you deploy Harbour on AWS."
    assert answer("How long is a backup kept?")[0].text == "A backup is kept for thirty days."


def test_a_heading_lends_its_words_to_the_sentences_below() -> None:
    """An answer need not repeat the question that heads it."""
    assert {quote.text for quote in answer("Is replication supported?")} == {
        "Yes, by the log that every server writes.",
        "Standby servers follow it.",
    }


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "Who won the 1998 World Cup?", "How do I bake bread?"]
)
def test_another_subject_is_refused(question: str) -> None:
    """What the passages do not speak of has no quotes, however search ranked them."""
    assert answer(question) == []


def test_a_question_without_meaningful_words_is_refused() -> None:
    """Nothing can be told from words that every text holds."""
    assert answer("What is it and how was that?") == []


def test_no_passages_give_no_quotes() -> None:
    """Without passages there is nothing to embed and nothing to quote."""
    assert find_evidence("How do I deploy?", [], EMBEDDER) == Evidence(quotes=(), relevance=0.0)
    assert choose(Evidence(quotes=(), relevance=0.0), 0.0) == []


def test_a_passage_without_sentences_is_refused() -> None:
    """Code alone cannot be quoted."""
    assert answer("How do I deploy on AWS?", ["```sh\nharbour deploy on aws now\n```\n"]) == []


def test_a_name_that_no_passage_holds_speaks_against_an_answer() -> None:
    """The same question about something unknown is less relevant; a sentence's first capital is no name."""

    def relevance(question: str) -> float:
        passages = [make_passage("How do I deploy Harbour on AWS?", DEPLOY)]
        return find_evidence(question, passages, EMBEDDER).relevance

    assert relevance("How do I deploy Harbour on Oracle?") == pytest.approx(
        0.6 * relevance("How do I deploy Harbour on oracle?")
    )
    assert relevance("Oracle: how do I deploy Harbour?") == pytest.approx(relevance("oracle: how do I deploy Harbour?"))
    assert relevance("How do I deploy Harbour 95?") < relevance("How do I deploy Harbour nicely?")


def test_a_passage_that_only_its_words_brought_up_counts_as_not_similar() -> None:
    """Without a similarity there is no relevance to answer by."""
    question = "How do I deploy Harbour on AWS?"
    found = make_passage(question, DEPLOY)
    values = {name: getattr(found, name) for name in Passage.__slots__}
    evidence = find_evidence(question, [Passage(**{**values, "vector_score": None})], EMBEDDER)
    assert evidence.relevance == 0
    assert evidence.quotes
    assert choose(evidence, EMBEDDER.relevance_floor) == []


def test_relevance_is_counted_in_floors_of_the_model() -> None:
    """The same evidence is enough for one model and too little for another."""
    question = "How long is a backup kept?"
    evidence = find_evidence(question, [make_passage(question, BACKUP)], EMBEDDER)
    assert choose(evidence, evidence.relevance / ENOUGH - 1e-6)
    assert not choose(evidence, evidence.relevance / ENOUGH + 1e-6)


def test_quotes_are_verbatim_and_no_more_than_three() -> None:
    """A quote is its passage's text between two offsets, and no code."""
    text = " ".join(
        f"The backup number {number} of Harbour is kept in {place}." for number, place in enumerate("abcdefgh")
    )
    quotes = answer("Where is the backup of Harbour kept?", [text, DEPLOY])
    assert 1 <= len(quotes) <= 3
    for quote in quotes:
        assert quote.text == quote.passage.text[quote.start : quote.end] == quote.text.strip()
        assert 0 <= quote.score <= 1
    assert all("```" not in quote.text for quote in answer("How do I deploy Harbour on AWS?"))


def test_quotes_do_not_repeat_each_other() -> None:
    """Two documents that say the same are quoted once."""
    quotes = answer("How long is a backup kept?", [BACKUP, BACKUP.replace("is kept", "is always kept"), DEPLOY])
    assert len([quote for quote in quotes if "thirty" in quote.text]) == 1


def test_quotes_come_best_first() -> None:
    """Scores never rise from one quote to the next."""
    scores = [quote.score for quote in answer("How do I deploy Harbour on AWS with a region?")]
    assert scores == sorted(scores, reverse=True)


def test_an_announcement_is_worth_less_than_a_statement() -> None:
    """A sentence that ends in a colon says nothing without what follows."""
    text = "To deploy Harbour on AWS, do this:\n\nTo deploy Harbour on AWS, do this.\n"
    assert answer("How do I deploy Harbour on AWS?", [text])[0].text.endswith(".")


def test_prose_is_quoted_too() -> None:
    """Plain text needs no marks; what looks like markdown's is text."""
    quotes = answer(
        "Who leads the harbour of Ostia?", ["# 1 is Ostia. The harbour of Ostia is led by Gaia."], ChunkKind.PROSE
    )
    assert quotes[0].text == "The harbour of Ostia is led by Gaia."


def test_forms_of_a_word_meet() -> None:
    """Endings, possessives, case and quotation marks do not hide a word; function words are left out."""
    assert content_words("Deploying the “Clusters” of Börte's") == content_words("deployed CLUSTER Börte’s")
    assert content_words("What is it, and why don't you?") == set()


def test_numbers_are_kept_whole() -> None:
    """Digits are not cut like endings are."""
    assert stem("20000000") == "20000000"
    assert content_words("In 1998000 and 1998001") == {"1998000", "1998001"}


def test_words_without_spaces_are_pairs_of_characters() -> None:
    """A question in Japanese shares words with a text that holds them inside a sentence."""
    assert content_words("停止方法") == {"停止", "止方", "方法"}
    assert content_words("停止") <= content_words("サーバーの停止について")
    assert content_words("Headwaterの停止") >= {stem("headwater"), "停止"}


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=3), st.sampled_from(list(ChunkKind)))
def test_any_text_is_survived(question: str, texts: list[str], kind: ChunkKind) -> None:
    """Whatever is asked of whatever, quotes are verbatim and scores between 0 and 1."""
    passages = [make_passage(question, text, number, kind) for number, text in enumerate(texts, start=1)]
    evidence = find_evidence(question, passages, EMBEDDER)
    assert 0 <= evidence.relevance <= 1.001
    for quote in evidence.quotes:
        assert quote.text
        assert quote.text in quote.passage.text
        assert 0 <= quote.score <= 1
