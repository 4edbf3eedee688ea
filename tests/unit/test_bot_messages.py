"""Answers as messages of Slack and Discord (INT-1): where they are cut, and how they are written."""

import re
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.answer_messages import MAX_PAGES, answer_pages, problem_pages, split_partial_answer
from integrations.chat_platform import MessagePage
from integrations.dialects import DISCORD, SLACK, Dialect
from integrations.greetings import wants_answer
from integrations.message_splitter import split
from integrations.question_limits import Limits

DIALECTS = pytest.mark.parametrize("dialect", [SLACK, DISCORD], ids=["slack", "discord"])
ID = uuid.UUID("00a787ff-5eb4-4ae9-a086-af595ede2b71")
PIECES = st.sampled_from(
    ["word ", "A sentence. ", "\n", "\n\n", "```\n", "```python\n", "~~~\n", "`code` ", "<!channel> ", "@everyone ",
     "& ", "# Title\n", "- item\n", "| a | b |\n", "**bold** ", "[link](https://h.example/a) ", "x" * 90, "大" * 60]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def answer(text: str, **more: Any) -> dict[str, Any]:
    """An answer as the API sends it."""
    return {"id": str(ID), "knowledge_base": "notes", "answer": text, "notes": [], "cited": [], "further": [],
            "refused": False, **more}  # fmt: skip


def cited(number: int, **more: Any) -> dict[str, Any]:
    """A source as the API sends it."""
    same = {"markers": [f"[{number}]"], "title": f"Guide {number}", "uri": "guide.md", "breadcrumb": ["Guide"],
            "place": None, "link": f"https://h.example/{number}", "original": None}  # fmt: skip
    return {**same, **more}


def lengths(pages: list[MessagePage]) -> list[int]:
    """How long each message is."""
    return [sum(map(len, page.sections)) + 2 * (len(page.sections) - 1) for page in pages]


@given(text=TEXTS, limit=st.integers(60, 300))
def test_parts_fit_and_lose_nothing(text: str, limit: int) -> None:
    """Every word is there, in order; only the marks of code blocks that were cut are there more than once."""

    def words(said: str) -> str:
        return re.sub(r"[`~]+(python)?|\s", "", said)

    parts = split(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert words("".join(parts)) == words(text)


@given(text=TEXTS, dialect=st.sampled_from([SLACK, DISCORD]))
def test_no_message_is_too_long_nor_ends_in_a_code_block(text: str, dialect: Dialect) -> None:
    """Whatever is escaped; and a text that grows never takes more messages than the answer."""
    pages = split_partial_answer(dialect, text)
    assert all(length <= dialect.message_limit for length in lengths(pages))
    for page in pages:
        for section in page.sections:
            assert len(section) <= dialect.section_limit
            assert len(re.findall(r"^```", section, re.MULTILINE)) % 2 == 0, section


@DIALECTS
def test_a_long_answer_is_split_at_paragraphs_and_code_blocks_stay_whole(dialect: Dialect) -> None:
    """Of 40,000 characters: as many messages as people may get, and then a link to the whole of it."""
    code = "```python\n" + "\n".join(f"print({number})" for number in range(40)) + "\n```"
    paragraphs = [code if n % 5 == 4 else f"Paragraph {n} begins. " + "It says much. " * 30 for n in range(120)]
    text = "\n\n".join(paragraphs)[:39_999] + "."
    pages = answer_pages(dialect, answer(text, cited=[cited(1)]), "https://kb.example")
    assert len(pages) in ((4, 5) if dialect is SLACK else (MAX_PAGES, MAX_PAGES + 1))
    assert max(lengths(pages)) <= dialect.message_limit
    for page in pages[:-1]:
        for section in page.sections:
            assert section.startswith(("Paragraph ", "```"))
            assert section.endswith(("much.", "much. ", "```"))
            assert section.count("```") % 2 == 0
    last = "\n".join(pages[-1].sections)
    assert [page.vote_on for page in pages] == [None] * (len(pages) - 1) + [ID]
    assert "Guide 1" in last
    if dialect is DISCORD:
        assert f"[Read the whole answer](<https://kb.example/kb/notes/lineage/{ID}>)" in last
        assert "The answer has 40,000 characters." in last


def test_markdown_becomes_mrkdwn() -> None:
    """Slack has another bold, no headings, no tables, and links in angle brackets."""
    text = (
        "## Set *up*\n**Pump** and *valve* and ~~old~~, see [the guide](https://h.example/a?b=1&c=2).\n"
        "- one `a < b`\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nif a < b:\n    pass\n```"
    )
    assert SLACK.convert(text) == (
        "*Set _up_*\n*Pump* and _valve_ and ~old~, see <https://h.example/a?b=1&amp;c=2|the guide>.\n"
        "• one `a &lt; b`\n> quoted\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n\n```\nif a &lt; b:\n    pass\n```"
    )


def test_markdown_becomes_discords() -> None:
    """Links show no preview, and deep headings, which Discord lacks, are bold."""
    text = "## Set up\n#### Deep\n**Pump**, see [the guide](https://h.example/a).\n\n```python\na < b\n```"
    assert DISCORD.convert(text) == (
        "## Set up\n**Deep**\n**Pump**, see [the guide](<https://h.example/a>).\n\n```python\na < b\n```"
    )


def test_a_heading_of_blanks_is_converted_at_once_and_keeps_its_words() -> None:
    """The marks that close a heading go, those of a word stay; a long run of blanks takes no time."""
    assert [SLACK.convert(text) for text in ("# On C#", "# Set up ##", "## ###")] == ["*On C#*", "*Set up*", ""]
    assert SLACK.convert("# a" + " " * 20_000 + "b").endswith("b*")  # once cubic: hours


@pytest.mark.parametrize(
    "word", ["<!channel>", "<!here|here>", "<@U123>", "<#C1>", "<!subteam^S1>", "@everyone", "@here", "<@&77>"]
)
@pytest.mark.parametrize("around", ["{}", "**{}**", "[{}](https://h.example)", "> {}", "| {} |\n| x |", "# {}"])
def test_nobody_is_notified(word: str, around: str) -> None:
    """Whatever a document says: Slack gets no angle bracket of its own, Discord no name after an @."""
    text = around.format(word)
    slack = re.sub(r"<https://h\.example\|", "", SLACK.convert(text))
    assert "<" not in slack
    written = DISCORD.convert(text) if "| " not in text else ""  # in a code block there are no names
    assert not re.search(r"@everyone|@here|<@[&!\d U]|<#|<!", written.replace("<!", "") if "<!" in word else written)


CALLS = [
    "\\@everyone", "\\@here", "\\\\\\@everyone", "\\<@123>", "\\<@&77>", "<\\@123>", "@[everyone](x:y)",
    "[@](x:y)everyone",
    "<[@123](x:y)>", "![@](x:y)here", "https://h.example/@everyone", "[a](https://h.example/@here)", "`@everyone`",
    "``@here``", "\\`@everyone\\`", "```\n@everyone <@123>\n```", "| @here | <@!9> |\n|---|---|", "**@**everyone",
    "_@_here",
    "#### @**everyone**", "@EveryOne",
]  # fmt: skip
"""Texts whose pieces are harmless alone, and names where they only seem to be."""


@pytest.mark.parametrize("text", CALLS)
def test_the_text_itself_names_nobody_in_discord(text: str) -> None:
    """Wherever a name comes together, so that it does not depend on what the message allows."""
    written = [DISCORD.convert(text), DISCORD.plain(text), DISCORD.format_link(text, "https://h.example/a")]
    written += ["\n".join(page.sections) for page in problem_pages(DISCORD, text, "CODE")]
    for said in written:
        assert not re.search(r"@(?:everyone|here)|<@[!&]?\d", said, re.IGNORECASE), said


@given(
    pieces=st.lists(
        st.sampled_from([*"@\\<>[](`*_~| \n", "everyone", "here", "@1>", "](x:y)", "](https://h.example/)"])
    )
)
def test_no_mixture_names_anybody_in_discord(pieces: list[str]) -> None:
    """Whatever marks stand between."""
    assert not re.search(r"@(?:everyone|here)|<@[!&]?\d", DISCORD.convert("".join(pieces)))


@DIALECTS
@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "https://h.example/a b", "data:text/html,x"]
)
def test_only_addresses_of_the_web_are_links(dialect: Dialect, address: str) -> None:
    """Anything else is its label alone."""
    assert dialect.format_link("label", address) == "label"


@DIALECTS
def test_sources_are_numbered_as_in_the_answer(dialect: Dialect) -> None:
    """With their heading and place; a source without an address opens its original through the API."""
    sources = [
        cited(1, markers=["[1]", "[3]"], breadcrumb=["Guide", "Install"], place={"label": "p. 4"}),
        cited(2, link=None, original="/api/v1/document-versions/7/original"),
        cited(4, link=None, title="<!channel>"),
    ]
    (page,) = answer_pages(dialect, answer("It is so [1] [2] [3] [4].", cited=sources), "https://kb.example")
    lines = page.sections[-1].split("\n")
    assert lines[0].strip("*") == "Sources"
    assert lines[1].startswith("1, 3. ")
    assert lines[1].endswith(" · Install › p. 4")
    assert "https://kb.example/api/v1/document-versions/7/original" in lines[2]
    assert lines[3] == ("4. &lt;!channel&gt;" if dialect is SLACK else "4. <!channel>")


@DIALECTS
def test_an_error_comes_with_its_code_below_the_text_so_far(dialect: Dialect) -> None:
    """So that people can tell an administrator."""
    pages = problem_pages(dialect, "The model\nbroke off.", "GENERATION_FAILED", after="The pump")
    assert [page.sections[0] for page in pages] == ["The pump …", "⚠️ The model broke off. (GENERATION_FAILED)"]


@pytest.mark.parametrize(
    "text", ["", "  ", "👋", "hi", "Hello!", "thanks a lot :)", "Good morning everyone", "ok, thank you", "Danke!"]
)
def test_greetings_want_no_answer(text: str) -> None:
    """Nor does a text without a word."""
    assert not wants_answer(text)


@pytest.mark.parametrize("text", ["hi, how do I install it?", "backups", "Hello World program in Python", "ok?"])
def test_everything_else_does(text: str) -> None:
    """Even if it begins with a greeting."""
    assert wants_answer(text)


def test_a_limit_refuses_exactly_the_question_beyond_it() -> None:
    """For a person anywhere, and for a channel whoever asks; a minute after the first, one more may come."""
    now = [0.0]
    limits = Limits(per_user=2, per_channel=3, clock=lambda: now[0])
    assert [limits.ask("ann", "a"), limits.ask("ann", "b")] == [0, 0]
    now[0] = 20.0
    assert limits.ask("ann", "c") == 40.0
    assert [limits.ask("bob", "a"), limits.ask("cid", "a")] == [0, 0]
    assert limits.ask("dan", "a") == 40.0
    now[0] = 60.0
    assert limits.ask("ann", "a") == 0


def further(number: int, **more: Any) -> dict[str, Any]:
    """A further passage as the API sends it."""
    same = {"title": f"Guide {number}", "uri": "guide.md", "line": "The pump <!here> stops.", "place": {"label": "L3"},
            "link": f"https://h.example/{number}", "original": None}  # fmt: skip
    return {**same, **more}


@DIALECTS
def test_further_passages_stand_below_the_sources(dialect: Dialect) -> None:
    """A line each, with a link; below a refusal they are the closest ones, and nobody is notified."""
    (page,) = answer_pages(dialect, answer("It is so [1].", cited=[cited(1)], further=[further(7), further(8)]), "")
    last = page.sections[-1]
    assert last.splitlines()[0] == f"{dialect.bold}Further{dialect.bold}"
    assert "https://h.example/7" in last
    assert "https://h.example/8" in last
    assert "L3: The pump" in last
    assert "<!here>" not in last or dialect is DISCORD
    (page,) = answer_pages(dialect, answer("No.", refused=True, further=[further(7, line="x" * 3_000)]), "")
    assert page.sections[-1].startswith(f"{dialect.bold}Closest{dialect.bold}")
    assert len(page.sections[-1]) < 400
