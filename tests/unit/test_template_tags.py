"""Tags of templates: what reading them costs. What becomes of them is in `test_parsing_markdown`."""

from headwater.parsing.markdown.template_tags import template_tag

TAG = "{% if x %} a "
TAGS = 1_000


class _CountingText(str):
    """A text that counts the characters that are copied from it."""

    copied = 0

    def __getitem__(self, key: object) -> str:
        piece = super().__getitem__(key)  # type: ignore[index] # whatever a text takes
        self.copied += len(piece)
        return piece


def test_many_tags_in_a_line_cost_as_much_as_in_many_lines() -> None:
    """A line that a program wrote may be the whole file."""
    text = _CountingText(TAG * TAGS)
    for number in range(TAGS):
        assert template_tag(text, number * len(TAG)) is not None

    assert text.copied <= 3 * len(text)
