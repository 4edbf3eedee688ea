"""DocC, the markdown of Swift's documentation: links to pages, terms, directives for the site."""

import pytest

from headwater.parsing.markdown.parser import parse_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See <doc:TheWaterPump#In-Short> and <doc:TheWaterPump>.\n", "See In Short and The Water Pump.\n"),
        ("[the pump](<doc:Pump>) and `<doc:Pump>`\n", "[the pump](<doc:Pump>) and `<doc:Pump>`\n"),
        ("- term `run`: It runs.\n- term Wide mill: Ten.\n", "- **`run`**: It runs.\n- **Wide mill**: Ten.\n"),
        ("- term limits: three years\n", "- term limits: three years\n"),
        ("@Metadata {\n  @PageKind(article) {\n  }\n}\n\nText.\n\n@Comment { No. }\n\nOn.\n", "Text.\n\nOn.\n"),
        ("```\n- term `a`: b\n@Options {\n}\n```\n", "```\n- term `a`: b\n@Options {\n}\n```\n"),
        ("@Options {\n\nText.\n", "@Options {\n\nText.\n"),
    ],
)
def test_docc_is_read_as_its_readers_see_it(text: str, expected: str) -> None:
    """Links have the words of what they lead to; what says how to build the page goes."""
    assert parse_markdown(text, uri="a.md").text == expected
