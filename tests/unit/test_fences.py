"""Fences of code: a shorter one closes no longer one, wherever fences are read (CHK-4)."""

from headwater.chunking.snippets import plain_snippets
from headwater.parsing.markdown.parser import parse_markdown
from headwater.quote.block_reader import Kind, read_blocks
from headwater.quote.breadcrumbs import breadcrumb_at
from tests.passages import passage

CODE = "````md\nfirst\n```\n# no heading\n<Note>\nlast of the code here\n````\n"


def test_plain_text_keeps_a_longer_fence_whole() -> None:
    """The snippet reaches to the fence that is as long as the first."""
    text = f"Before.\n\n{CODE}\nAfter."
    assert [text[start:end] for start, end in plain_snippets(text)] == [CODE]


def test_a_markdown_file_is_left_alone_within_a_longer_fence() -> None:
    """No tag is stripped there, and behind it they are."""
    body = parse_markdown(f"{CODE}\nRead <Note>this</Note>.\n", uri="a.mdx").text
    assert body == f"{CODE}\nRead this.\n"


def test_a_heading_within_a_longer_fence_is_none() -> None:
    """A sentence behind it stands under the document's own headings."""
    text = f"# Guide\n\n{CODE}\n## Pumps\n\nThe pump lifts water.\n"
    assert breadcrumb_at(passage(text, breadcrumb=("Guide",)), text.index("The pump")) == ("Guide", "Pumps")


def test_a_longer_fence_is_one_block_of_an_answer() -> None:
    """What it holds is code, and what stands behind it is not."""
    text = f"Read this first of all.\n\n{CODE}\nThen start the server.\n"
    kinds = [block.kind for block in read_blocks(text)]
    assert kinds == [Kind.PARAGRAPH, Kind.CODE, Kind.PARAGRAPH]
