"""Which sentences answer, and when none does: with the model that needs no files."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.answering.quotes import Quote, choose, find_quotes
from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage, Scores
from headwater.models_gateway.hashing import HashEmbedder
from tests.passages import numbered as passage

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


def make_passage(text: str, number: int = 1, kind: ChunkKind = ChunkKind.MARKDOWN, trust: float = 0.9) -> Passage:
    """A passage as the answerer trusts it."""
    return passage(
        rank=number, title="Harbour", breadcrumb=("Harbour",), kind=kind, text=text, scores=Scores(trust=trust)
    )


def answer(
    question: str, texts: Sequence[str] = (DEPLOY, BACKUP, STOP), kind: ChunkKind = ChunkKind.MARKDOWN
) -> list[Quote]:
    passages = [make_passage(text, number, kind) for number, text in enumerate(texts, start=1)]
    return choose(find_quotes(question, passages, EMBEDDER))


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


def test_no_passages_give_no_quotes() -> None:
    """Without passages there is nothing to embed and nothing to quote."""
    assert choose(find_quotes("How do I deploy?", [], EMBEDDER)) == []


def test_a_passage_without_sentences_is_refused() -> None:
    """Code alone cannot be quoted."""
    assert answer("How do I deploy on AWS?", ["```sh\nharbour deploy on aws now\n```\n"]) == []


def test_the_more_trusted_passage_is_quoted_first() -> None:
    """Two that say the same in as many words: the one that is likelier to answer counts more."""
    first, second = make_passage(BACKUP, 1, trust=0.6), make_passage(BACKUP.replace("thirty", "ninety"), 2)
    quotes = find_quotes("How long is a backup kept?", [first, second], EMBEDDER)
    assert quotes[0].passage.rank == 2
    assert quotes[0].score - quotes[1].score < 0.11
    swapped = [replace(one, scores=Scores(trust=0.9 if one is first else 0.6)) for one in (first, second)]
    assert find_quotes("How long is a backup kept?", swapped, EMBEDDER)[0].passage.rank == 1


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


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=3), st.sampled_from(list(ChunkKind)))
def test_any_text_is_survived(question: str, texts: list[str], kind: ChunkKind) -> None:
    """For any question and any text, quotes are verbatim and scores between 0 and 1."""
    passages = [make_passage(text, number, kind) for number, text in enumerate(texts, start=1)]
    for quote in find_quotes(question, passages, EMBEDDER):
        assert quote.text
        assert quote.text in quote.passage.text
        assert 0 <= quote.score <= 1
