"""What of a chunk may be quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.answering.quotable import quotable_spans
from headwater.domain.documents import ChunkKind


def quoted(text: str, kind: ChunkKind = ChunkKind.MARKDOWN, *, is_continued: bool = False) -> list[str]:
    return [text[span.start : span.end] for span in quotable_spans(text, kind, is_continued=is_continued)]


def headings(text: str, kind: ChunkKind = ChunkKind.MARKDOWN) -> list[str]:
    return [span.heading for span in quotable_spans(text, kind)]


def test_a_paragraph_is_its_sentences() -> None:
    """Sentences are quoted one by one, whole even when their lines are wrapped."""
    text = "The server stops by itself. It waits\nfor ten minutes first.\n"
    assert quoted(text) == ["The server stops by itself.", "It waits\nfor ten minutes first."]


def test_fenced_code_is_not_quoted() -> None:
    """Text between fences is left out, even in a list item and around a shorter fence."""
    text = "Run the installer now.\n\n````sh\npip install it\n```\nstill code of this\n````\n\nThen start the server.\n"
    assert quoted(text) == ["Run the installer now.", "Then start the server."]
    assert quoted("- ```sh\n  make all the things\n  ```\n- Wait for the end.\n") == ["Wait for the end."]


def test_code_that_began_in_another_chunk_is_not_quoted() -> None:
    """A chunk cut out of a long block begins in code: its first bare fence closes."""
    assert quoted("image: one two three\nport: four five six\n```\n\nThe port is optional here.\n") == [
        "The port is optional here."
    ]
    assert quoted("Set the port first.\n\n```yaml\nport: four five six\n") == ["Set the port first."]


@pytest.mark.parametrize(
    "table",
    [
        "| Name of it | What it does |\n| --- | --- |\n| port | where it listens |\n",
        "Name of it | What it does\n--- | ---\nport | where it listens\n",
    ],
)
def test_tables_are_not_quoted(table: str) -> None:
    """Rows are no sentences, with or without outer bars."""
    assert quoted(f"{table}\nThe port is optional here.\n") == ["The port is optional here."]


def test_a_pipe_in_inline_code_is_no_table() -> None:
    """A sentence that names a shell's pipe is quoted."""
    assert quoted("Use `ls | wc` to count them.\n") == ["Use `ls | wc` to count them."]


def test_headings_are_not_quoted_but_kept_beside() -> None:
    """Headings of both kinds head the sentences below them, up to the next heading."""
    text = (
        "It begins without one.\n\n## How to Stop It ##\nPress the button.\n\nThe Other Way\n---\nPull out the plug.\n"
    )
    assert quoted(text) == ["It begins without one.", "Press the button.", "Pull out the plug."]
    assert headings(text) == ["", "How to Stop It", "The Other Way"]


@pytest.mark.parametrize("mark", ["- ", "* ", "+ ", "3. ", "12) ", "> ", "> - ", "- [ ] ", "* [x] ", "  - "])
def test_marks_before_an_item_are_left_out(mark: str) -> None:
    """An item is quoted from its first word on."""
    assert quoted(f"{mark}Wait for the end.\n") == ["Wait for the end."]


def test_items_are_quoted_apart() -> None:
    """Each item stands for itself, with or without a full stop; a quotation's lines stand together."""
    assert quoted("- install the server\n- start the server\n  with this key\n") == [
        "install the server",
        "start the server\n  with this key",
    ]
    assert quoted("> The first half of\n> a whole sentence.\n") == ["The first half of\n> a whole sentence."]


def test_links_stay_as_they_are_and_their_targets_are_not_quoted() -> None:
    """A sentence keeps its link; a line that only says where links or images lead is left out."""
    text = "See [the whole guide](/guide) for more.\n\n[the guide]: https://example.org\n![A big red button](/b.png)\n"
    assert quoted(text) == ["See [the whole guide](/guide) for more."]


@pytest.mark.parametrize(
    "mark", [":::note Read this first", '!!! note "Read this first"', "> [!NOTE]", "<Tabs of some kind>"]
)
def test_marks_of_admonitions_are_not_quoted_but_what_they_hold_is(mark: str) -> None:
    """The lines that open and close an admonition or a component are markup."""
    text = f"{mark}\nNever press it twice.\n:::\n"
    assert quoted(text) == ["Never press it twice."]


def test_languages_without_spaces_are_quoted() -> None:
    """A sentence without spaces counts as more than one word; a heading's few characters still do not."""
    assert quoted("サーバーは十分後に停止します。再起動も可能です。目次。") == [
        "サーバーは十分後に停止します。",
        "再起動も可能です。",
    ]


def test_fewer_than_three_words_are_not_quoted() -> None:
    """A word or two say nothing alone."""
    assert quoted("Not now.\n\nIt is not now.\n") == ["It is not now."]


def test_a_question_heads_the_sentences_after_it() -> None:
    """A question is not quoted: what follows it is the answer."""
    text = "Can it be stopped? Yes, by the red button."
    for kind in (ChunkKind.MARKDOWN, ChunkKind.PROSE):
        assert quoted(text, kind) == ["Yes, by the red button."]
        assert headings(text, kind) == ["Can it be stopped?"]


def test_titles_in_prose_are_not_quoted_but_kept_beside() -> None:
    """Short lines without an end mark before a capital letter are titles, apart or glued to a sentence."""
    sentence = "The plan pays for one hearing aid in every three years of membership, and\nFrance is no exception."
    text = f"Hearing Aids and Batteries\n\nCosts of Them\n{sentence} Batteries are never paid.\n"
    assert quoted(text, ChunkKind.PROSE) == [sentence, "Batteries are never paid."]
    assert headings(text, ChunkKind.PROSE) == ["Costs of Them", "Costs of Them"]


def test_bullets_in_prose_are_quoted_apart() -> None:
    """A list that a PDF gives as bullets is not one sentence."""
    text = "Responsibilities:\n• Lead the whole\nteam of people\n• Report to the board\n"
    assert quoted(text, ChunkKind.PROSE) == ["Lead the whole\nteam of people", "Report to the board"]


def test_prose_that_goes_on_from_the_chunk_before_begins_at_its_first_whole_sentence() -> None:
    """Half a sentence is left out only where the other half is elsewhere."""
    text = "half of a sentence. This one is whole."
    assert quoted(text, ChunkKind.PROSE, is_continued=True) == ["This one is whole."]
    assert quoted(text, ChunkKind.PROSE) == ["half of a sentence.", "This one is whole."]


def test_what_is_too_long_is_cut() -> None:
    """Prose without end marks is quoted in pieces that lose no word."""
    text = "word " * 400
    pieces = quoted(text.strip() + ".", ChunkKind.PROSE)
    assert max(map(len, pieces)) <= 600
    assert sum(piece.count("word") for piece in pieces) == 400


@given(st.text(alphabet="aB .?!\n#-|`~>•:1)=日", max_size=200), st.sampled_from(list(ChunkKind)), st.booleans())
def test_spans_are_in_order_trimmed_and_apart(text: str, kind: ChunkKind, is_continued: bool) -> None:
    """Whatever the text: spans never overlap, are never empty, and begin and end with something visible."""
    end = 0
    for span in quotable_spans(text, kind, is_continued=is_continued):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        end = span.end


def test_source_code_is_quoted_between_blank_lines() -> None:
    """A function with its documentation is one quote; comments are no headings, and a lone bracket says nothing."""
    head, body = 'def lift(litres: int) -> None:\n    """Lift water."""', "start(litres)\n    stop(litres, now=True)\n}"
    assert quoted(f"# Pumps.\n\n{head}\n\n    {body}\n", ChunkKind.CODE) == [head, body]


def test_a_long_paragraph_of_code_is_cut_at_lines() -> None:
    """Quotes stay short enough to read."""
    text = "\n".join(f"call_number_{n}(first, second, third)" for n in range(60))
    found = quoted(text, ChunkKind.CODE)
    assert len(found) > 1
    assert all(len(one) <= 600 and one.startswith("call_number_") for one in found)


def test_titles_within_prose_end_a_sentence() -> None:
    """Text of a PDF has no blank line at a heading or after a list: a short line before a capital letter ends there."""
    text = (
        "Cleaning the pump is best done in spring when the water is low. What is needed:\n"
        "• A long brush \nExceptions \nThe warranty never covers damage by frost in the pipes of a \n"
        "Northern house. It ends after ten years."
    )
    assert quoted(text, ChunkKind.PROSE)[-2:] == [
        "The warranty never covers damage by frost in the pipes of a \nNorthern house.",
        "It ends after ten years.",
    ]


def test_headings_beside_quotes_are_words() -> None:
    """A link in a heading is its label there too."""
    assert headings("## [Install](x.md) _now_\n\nRun the program from a terminal.\n") == ["Install now"]
