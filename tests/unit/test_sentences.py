"""Text into sentences.

Belongs here: where a sentence ends, that spans tile the text. Not here: chunks.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.sentences import sentence_spans

PIECES = st.sampled_from(
    [".", "!", "?", "…", "。", "「", "」", "と", '"', "”", ")", "*", "`", " ", "\n", "\t", "e.g.", "Dr.", "a", "B", "9"]
)
TEXTS = st.text() | st.lists(PIECES).map("".join)


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


@given(TEXTS)
def test_spans_tile_the_text(text: str) -> None:
    """Spans laid end to end give the text back, none is empty, and only the first may begin with white space."""
    spans = sentence_spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
    assert not any(text[start].isspace() for start, _ in spans[1:])


@given(TEXTS, st.data())
def test_spans_tile_a_part_of_the_text(text: str, data: st.DataObject) -> None:
    """With bounds, spans begin at the first, end at the second, and touch each other."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spans = sentence_spans(text, start, end)
    borders = [start, *(stop for _, stop in spans)]
    assert [begin for begin, _ in spans] == borders[:-1]
    assert borders[-1] == end
    assert all(one[1] == other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「輪を止める。音を聞く。」の順です。次。", ["「輪を止める。音を聞く。」の順です。", "次。"]),
        ("彼は「待て。」と言った。「行こう。」「はい。」", ["彼は「待て。」と言った。", "「行こう。」", "「はい。」"]),
        ("注意（火を使わない。水も。）を読む。次。", ["注意（火を使わない。水も。）を読む。", "次。"]),
        ("「終わらない。次の文。", ["「終わらない。", "次の文。"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Ask Dr. Smith. He knows.", ["Ask Dr. Smith.", "He knows."]),
        ("Use a tool, e.g. Git. It helps.", ["Use a tool, e.g. Git.", "It helps."]),
        ("T.S. Eliot wrote it. Ask the U.N. The law is.", ["T.S. Eliot wrote it.", "Ask the U.N.", "The law is."]),
        ("Use `map(. + 1)` here. Then `. | keys`.", ["Use `map(. + 1)` here.", "Then `. | keys`."]),
        ("It works . Then stop.", ["It works .", "Then stop."]),
        ("J. S. Bach wrote it. In 1721.", ["J. S. Bach wrote it.", "In 1721."]),
        ("Under Ohio R.C. 3313.60 it decides. It acts.", ["Under Ohio R.C. 3313.60 it decides.", "It acts."]),
        ("これは、G. K. Chestertonの話です。次。", ["これは、G. K. Chestertonの話です。", "次。"]),
        ("作者是J. Rowling。次はプランB. 終わり。", ["作者是J. Rowling。", "次はプランB.", "終わり。"]),
        ("See 5 U.S.C. § 552 (b). So be it.", ["See 5 U.S.C. § 552 (b).", "So be it."]),
        ("Ohio Rev. Code 1.2 and Sec. 5 apply. Why?", ["Ohio Rev. Code 1.2 and Sec. 5 apply.", "Why?"]),
        ("Ohio Admin. Code Ch. 3301 rules. Read it.", ["Ohio Admin. Code Ch. 3301 rules.", "Read it."]),
        (
            "Im Fall gem. § 1 Abs. 3 Nr. 2 gilt er. Das ist neu.",
            ["Im Fall gem. § 1 Abs. 3 Nr. 2 gilt er.", "Das ist neu."],
        ),
        (
            "Tiere, z. B. Hunde bzw. Katzen, ca. Mai. So ist es.",
            ["Tiere, z. B. Hunde bzw. Katzen, ca. Mai.", "So ist es."],
        ),
        ("Es gilt der zweite Abs. Der erste nicht.", ["Es gilt der zweite Abs.", "Der erste nicht."]),
        ("Selon l'art. 12 du code. Voir la pág. 3.", ["Selon l'art. 12 du code.", "Voir la pág. 3."]),
        ("She lives in Washington D.C. The office is there.", ["She lives in Washington D.C.", "The office is there."]),
        ("Version 1.2 is out. Get it.", ["Version 1.2 is out.", "Get it."]),
        ("See config.yaml. it is short.", ["See config.yaml. it is short."]),
        ('She said "Stop." Then she left.', ['She said "Stop."', "Then she left."]),
        ("Really?! Yes... No.", ["Really?!", "Yes...", "No."]),
        ("**Bold.** *Next.* `Code`.", ["**Bold.**", "*Next.*", "`Code`."]),
        ("今日は。明日は！", ["今日は。", "明日は！"]),
        ("例です。`list` は配列です。次。", ["例です。", "`list` は配列です。", "次。"]),
        ("**重要です。**次の文。**太字**です。", ["**重要です。**", "次の文。", "**太字**です。"]),
        ("动。**`v-if`** 用法。", ["动。", "**`v-if`** 用法。"]),
        ("No stop here\n\nA paragraph", ["No stop here", "A paragraph"]),
        ("A line\nbreak is no end", ["A line\nbreak is no end"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    """Stops end sentences; abbreviations, initials, decimals and file names do not."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "." * 100_000 + "a",
        "!" * 100_000,
        ". " * 50_000,
        '."' * 50_000,
        "x" + "\n \n " * 50_000 + "x",
        ".\n\n" * 50_000,
        "e.g. " * 50_000,
        "." + '"' * 100_000 + "x",
        "x." + " " * 100_000 + "X",
        "。" * 100_000,
        "。" + "」" * 100_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_long_runs_are_tiled(text: str) -> None:
    """Runs of stops, quotes and blank lines, at full length; `test_growth` counts the work."""
    assert "".join(text[start:end] for start, end in sentence_spans(text)) == text
