"""How much a chunk says, and how many tokens it has.

Belongs here: the score's order on texts of every kind, and the estimate against the built-in tokenizer. Not here: what
search makes of them.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.quality import quality
from headwater.domain.documents import ChunkKind

GOOD = (
    "The pump draws water from the river and lifts it into the upper basin. A float valve closes the inlet when the "
    "basin is full, so that nothing spills in heavy rain. In winter the operator drains the line by hand, because ice "
    "would burst it."
)
GOOD_JAPANESE = (
    "ポンプは川から水をくみ上げて、上の池に送ります。池がいっぱいになると、浮き弁が入口を閉じるので、大雨でもあふれません。"
    "冬は凍って管が割れることがあるため、係の人が手で水を抜きます。"
)
GOOD_CODE = (
    "def drain(line: Pipe) -> Level:\n    valve = line.open(side='lower')\n    while valve.is_flowing():\n"
    "        wait(seconds=3)\n    return line.level()\n"
)
POOR = {
    "navigation": "Home\nProducts\nPricing\nAbout us\nContact\nLog in\nSearch\n",
    "links": "- [Home](/)\n- [Getting started](/start)\n- [Reference guide](/reference)\n- [Blog posts](/blog)\n",
    "repeated": "Subscribe to our newsletter. " * 9,
    "half a sentence": "and lifts it into the upper basin, where a float valve closes the",
    "rules": "-----------\n***********\n===========\n| --- | --- |\n",
    "numbers": "1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6",
    "heading": "## Installation",
}


@pytest.mark.parametrize("name", POOR)
def test_boilerplate_scores_lower_than_a_paragraph(name: str) -> None:
    """Menus, repetition and fragments are told apart from what can stand alone (CHK-3)."""
    assert quality(POOR[name], ChunkKind.MARKDOWN) < min(0.75, quality(GOOD, ChunkKind.MARKDOWN) - 0.15)
    assert quality(POOR[name], ChunkKind.PROSE) < quality(GOOD_JAPANESE, ChunkKind.PROSE) - 0.1


def test_a_paragraph_scores_high_in_any_script() -> None:
    """No language is needed, and none is punished for having no spaces."""
    assert quality(GOOD, ChunkKind.PROSE) > 0.9
    assert quality(GOOD_JAPANESE, ChunkKind.PROSE) > 0.9
    half = GOOD_JAPANESE[30:90].replace("。", "")
    assert quality(half, ChunkKind.PROSE) < quality(GOOD_JAPANESE, ChunkKind.PROSE) - 0.2
    assert quality("お知らせ。" * 30, ChunkKind.PROSE) < 0.6


def test_whole_code_scores_higher_than_a_part_of_it() -> None:
    """A function scores above its middle, and above a table of constants."""
    whole = quality(GOOD_CODE, ChunkKind.CODE)
    assert whole > 0.8
    assert quality("        wait(seconds=3\n    return line\n", ChunkKind.CODE) < whole - 0.2
    assert quality("    0x00, 0x00, 0x00, 0x00,\n" * 20, ChunkKind.CODE) < whole - 0.2


@given(st.text(), st.sampled_from(ChunkKind))
def test_the_score_is_between_0_and_1(text: str, kind: ChunkKind) -> None:
    """Whatever the text is."""
    assert 0 <= quality(text, kind) <= 1
    assert quality(text, kind) == quality(text, kind)
