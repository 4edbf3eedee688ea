"""What supports a statement of a reply: its words, numbers, names and code are held against all sources (ANS-3)."""

import pytest

from headwater.generation.facts import denies, find_code, find_names, find_values, numbers, values
from headwater.generation.prompt_sources import PromptSource, sources_of_context
from headwater.generation.support import SupportFinder
from headwater.retrieval.context import assemble
from tests.passages import passage

QUOTA = (
    "Each account may keep 5 files of at most 1,000 MB. Files are removed after 30 days. You cannot restore a removed "
    "file, so keep a copy of what you need in another place. Contact Ada Lovelace if a quota is too small."
)
MOUNT = "Run `rclone mount remote:path /mnt --read-only` to mount a bucket. The mount ends with the terminal."
QUESTION = "How many files may an account keep?"


def _sources() -> tuple[PromptSource, ...]:
    quota = passage(QUOTA, uri="quota.md", title="Quota", breadcrumb=("Quota", "Limits"))
    mount = passage(MOUNT, uri="mount.md", title="Mount", breadcrumb=("Mount",))
    return sources_of_context(assemble([[quota], [mount]], 1000))


def _found(statement: str, *named: int, question: str = QUESTION) -> list[str]:
    return [support.text for support in SupportFinder(_sources(), question).find(statement, named)]


@pytest.mark.parametrize(
    "statement",
    [
        "An account may keep 5 files.",
        "Each account may keep five files.",
        "Files have at most 1000 MB.",
        "You cannot restore files that were removed.",
        "After 30 days, files are removed.",
        "If a quota is too small, contact Ada Lovelace.",
        "Use `rclone mount remote:path /mnt --read-only` to mount a bucket.",
    ],
)
def test_what_a_source_says_is_supported(statement: str) -> None:
    """In its words or in others, with numbers written in either way."""
    assert _found(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "An account may keep 7 files.",
        "Each account may keep seven files.",
        "An account may keep 5 files of 2,000 MB.",
        "Files have at most 1000 GB.",
        "Files are removed after 30 minutes.",
        "Files are removed after 31 days.",
        "You can restore a removed file.",
        "Yes, an operator can restore a file that was removed.",
        "If a quota is too small, contact Grace Hopper.",
        "Use `rclone mount remote:path /mnt --allow-other` to mount a bucket.",
        "Ferries cross the river each morning.",
    ],
)
def test_what_no_source_says_is_not_supported(statement: str) -> None:
    """A number, a name or a flag that stands in no source, or the opposite; the model's own number does not help."""
    assert not _found(statement)
    assert not _found(statement, 1)


def test_a_statement_of_two_sources_has_two_supports() -> None:
    """Each has the half that the other lacks."""
    found = _found("An account may keep 5 files, and the mount ends with the terminal.")
    assert sorted(found) == ["Each account may keep 5 files of at most 1,000 MB.", "The mount ends with the terminal."]


def test_the_model_decides_between_equals() -> None:
    """Two sources say the same: the one that it named is cited."""
    twins = [
        [passage("The lid weighs eight kilograms.", uri=f"{name}.md", title="Lid", breadcrumb=("Lid",))]
        for name in ("first", "second")
    ]
    finder = SupportFinder(sources_of_context(assemble(twins, 1000)), "How heavy is the lid?")
    assert finder.find("The lid weighs eight kilograms.", [2])[0].passage.uri == "second.md"
    assert finder.find("The lid weighs eight kilograms.")[0].passage.uri == "first.md"


def test_a_close_meaning_supports_what_shares_few_words() -> None:
    """The local model is asked only where words leave it open, and never about numbers."""
    asked: list[str] = []

    def similar(statement: str, sentence: str) -> float:
        asked.append(sentence)
        return 0.9

    finder = SupportFinder(_sources(), QUESTION, similar)
    assert finder.find("Terminal closing unmounts the mount.")
    assert asked == ["The mount ends with the terminal."]
    assert not finder.find("Terminal closing unmounts the mount within 9 seconds.")


def test_a_prohibition_denies() -> None:
    """What a source prohibits is not allowed by it."""
    rule = passage("Leaf blowers are prohibited on Sundays and on legal holidays.")
    finder = SupportFinder(sources_of_context(assemble([[rule]], 1000)), "When may I use a leaf blower?")
    assert not finder.find("Leaf blowers are allowed on Sundays and on legal holidays.")
    assert finder.find("Leaf blowers are prohibited on Sundays.")
    assert finder.find("Leaf blowers are not allowed on Sundays.")
    assert not finder.find("Leaf blowers are not prohibited on Sundays and on legal holidays.")


def test_a_second_source_repeats_no_word_of_a_heading() -> None:
    """What the heading of the cited sentence says is not sought elsewhere."""
    code = passage("- 3: Restarting", uri="codes.md", breadcrumb=("Command line", "Exit codes of Syncthing"))
    task = passage("In order to exit Syncthing, press the button and wait for the code.", uri="task.md")
    finder = SupportFinder(sources_of_context(assemble([[code], [task]], 1000)), "What does exit code 3 mean?")
    found = finder.find("Exit code 3 of Syncthing means restarting.")
    assert [support.passage.uri for support in found] == ["codes.md"]


def test_a_heading_does_not_say_what_its_section_says() -> None:
    """Words of the heading alone support nothing, with a model that compares meaning and without."""
    copied = passage(
        "Copy the file into the load path of the system instance.",
        breadcrumb=("Starting automatically", "Using systemd", "How to set up a system service"),
    )
    sources = sources_of_context(assemble([[copied]], 1000))
    statement = "A systemd service of the system starts automatically, and the manager of services sets it up."
    for similarity in (None, lambda _statement, _sentence: 0.6):
        assert not SupportFinder(sources, "What is it for?", similarity).find(statement, [1])
        assert SupportFinder(sources, "What is it for?", similarity).find("Copy the file into the load path.", [1])


def test_numbers_are_read_in_every_notation() -> None:
    """Thousands, decimals, words, times, versions and units."""
    text = "1,000 or 1’000, 3,5 or 3.50, forty-two, 10:30, v1.60.2, 2nd, 90°C, $20 and 5 GB"
    assert values(text) >= {"1000", "3.5", "42", "10", "30", "1.60.2", "2", "90", "20", "5"}
    units = {(number.value, number.unit) for number in numbers("It takes 5 GB, 20% or $30")}
    assert units == {("5", "gb"), ("20", "%"), ("30", "$")}
    assert find_values("1. There are two ways: three files and one lid.") == {"3"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It takes thirty-five minutes.", "35"),
        ("The job takes thirty-five minutes.", "35"),
        ("About twenty five.", "25"),
        ("two hundred files", "200"),
        ("A hundred files", "100"),
        ("three dozen", "36"),
    ],
)
def test_a_number_in_words_is_one_number(text: str, value: str) -> None:
    """Wherever it stands in the sentence."""
    assert values(text) == {value}


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1.000 Euro", "de", "1000"),
        ("12.500,50 euro", "it", "12500.50"),
        ("1.234.567 Euro", "de-AT", "1234567"),
        ("3.5 GB", "de", "3.5"),
        ("1.000 kg", "en", "1"),
        ("1.000 kg", "", "1"),
        ("1,000 km", "de", "1000"),
        ("Python 3.100.1", "de", "3.100.1"),
    ],
)
def test_a_full_stop_may_separate_thousands(text: str, language: str, value: str) -> None:
    """In the languages that write it so; in others it begins a fraction."""
    assert values(text, language) == {value}


def test_a_version_is_not_a_shorter_one() -> None:
    """A decimal without a fraction is a whole number."""
    assert values("Python 3.10") != values("Python 3.1")
    assert values("2.0 GB") == values("2 GB")


def test_names_code_and_denials_are_found() -> None:
    """What a supporting text must have letter by letter."""
    assert find_names("The owner is Ada Lovelace.") == find_names("She met Ada Lovelace.") != set()
    assert find_code("Set `max_size` with --limit in app.yaml.") == {"max_size", "--limit", "app.yaml"}
    texts = ("It isn't so.", "Es geht nicht.", "Note that it works.", "A non-empty list works.")
    assert [denies(text) for text in texts] == [True, True, False, False]
