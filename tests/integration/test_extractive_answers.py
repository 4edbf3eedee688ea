"""Which blocks answer without a language model: chosen by what was asked (ANS-4)."""

import re

import pytest

from headwater.domain.answers import Answer
from tests.support import Headwater

OPERATING = """\
# Operating the pump

## Start the pump

Start it from the control panel, in this order:

1. Open the inlet valve.
2. Wait until the gauge shows two bar.

```sh
pump start --speed 3
```

3. Close the drain.

## Show the state

Ask the pump for its state with this command:

```sh
pump status
```

It prints:

```text
state: running, speed: 3
```

## Lock a valve

Turn the red key to lock a valve:

```sh
valve lock 7
```

## Unlock a valve

Turn the green key to release it:

```sh
valve unlock 7
```
"""
STAFF = """\
# Staff rules

## Vacation

Everyone has 20 days of vacation a year. A week has 4 shifts of 9 hours.

## Pay

| Role | Junior | Senior |
|---|---|---|
| Mechanic | 2,100 euros | 3,400 euros |
| Keeper | 1,900 euros | 2,800 euros |

## Insurance

The company pays for:

- injuries at work
- glasses for the screen

The company does not pay for:

- injuries in sports
- hearing aids
"""
pytestmark = pytest.mark.synced(
    files={"operating.md": OPERATING, "staff.md": STAFF}, embedding_model="builtin/minilm-int8"
)


def test_steps_are_given_whole(kb: Headwater) -> None:
    """With the code between them, in their order."""
    text = kb.ask("How do I start the pump?").answer
    positions = [text.index(part) for part in ("1. Open", "2. Wait", "pump start --speed 3", "3. Close")]
    assert positions == sorted(positions)


def test_a_command_is_shown_and_not_its_output_alone(kb: Headwater) -> None:
    """Code comes with the sentence that introduces it, below the path of headings."""
    text = kb.ask("Which command shows the state of the pump?").answer
    path, _, below = text.partition("\n\n")
    assert path == "**Operating the pump › Show the state**"
    assert below.startswith("Ask the pump for its state with this command:\n\n```sh\npump status\n```")


def test_the_opposite_action_does_not_answer(kb: Headwater) -> None:
    """Locking and unlocking share all other words."""
    assert "valve unlock 7" in kb.ask("How do I unlock a valve?").answer.split("[1]")[0]
    assert "valve lock 7" in kb.ask("How do I lock a valve?").answer.split("[1]")[0]


def test_a_number_stands_beside_what_it_counts(kb: Headwater) -> None:
    """Other numbers of the same paragraph are not marked."""
    text = kb.ask("How many days of vacation does everyone have?").answer
    assert "Everyone has 20 days of vacation a year." in text
    assert "**A week" not in text


def test_a_row_is_quoted_below_its_header(kb: Headwater) -> None:
    """Without it, nobody could tell what the row says."""
    text = kb.ask("How much does a senior mechanic earn?").answer
    header, row = text.index("| Role | Junior | Senior |"), text.index("2,100 euros")
    assert header < row
    assert "3,400 euros" in text[row:]


def test_what_is_not_is_answered_by_what_is_not(kb: Headwater) -> None:
    """Each list comes with the sentence that introduces it, which says whether it is paid for."""
    text = kb.ask("What does the company not pay for?").answer.replace("**", "")
    assert "The company does not pay for:\n\n- injuries in sports\n- hearing aids" in text


@pytest.mark.parametrize("question", ["How do I start the pump?", "What does the company not pay for?", "Who is it?"])
def test_markers_and_citations_agree(kb: Headwater, question: str) -> None:
    """Each marker has one citation, whose span is in the version (ANS-3)."""
    answer: Answer = kb.ask(question)
    outside_code = re.sub(r"```.*?```", "", answer.answer, flags=re.DOTALL)
    assert re.findall(r"\[\d+\]", outside_code) == [citation.marker for citation in answer.citations]
    for citation in answer.citations:
        text = kb.query("SELECT text FROM document_versions WHERE id = %s", citation.document_version_id)[0]["text"]
        assert text[citation.start : citation.end] == text[citation.start : citation.end].strip() != ""
