"""Quoted text and signatures of messages are told by their form (PAR-1)."""

import pytest

from headwater.parsing.email_replies import is_reply, own_text


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Nine tons.\n\nOn Mon, 1 Jun 2026 at 10:00, Ann wrote:\n> How heavy?\n>\n> Ann", "Nine tons."),
        ("Nine.\n\nOn Mon, 1 Jun 2026 at 10:00, Ann Miller\n<ann@example.com> wrote:\n\n> How heavy?", "Nine."),
        ("Am 01.06.26 schrieb Ann:\n> Wie schwer?\nNeun Tonnen.\n> Und der Kran?\nDrei.", "Neun Tonnen.\nDrei."),
        ("Neuf tonnes.\nLe lun. 1 juin 2026 à 10:00, Ann a écrit :\n> Combien ?", "Neuf tonnes."),
        ("九吨。\n2026年6月1日 10:00，Ann写道：\n> 多重？", "九吨。"),
        ("It is:\n> How heavy?\nnine tons", "It is:\nnine tons"),
        (
            "Nine tons.\n\n______________________\nFrom: Ann <ann@example.com>\nSent: Monday\nTo: Bob\n\nHow?",
            "Nine tons.",
        ),
        ("Nine.\n\n-----Original Message-----\nFrom: Ann\nDate: Monday\nTo: Bob\n\nHow heavy?", "Nine."),
        ("Neun.\n\n**Von:** Ann <ann@example.com>\n**Gesendet:** Montag\n**An:** Bob\n\nWie schwer?", "Neun."),
        ("Set it:\n\nhost: a\nport: 1\nuser: b\n\nStart.", "Set it:\n\nhost: a\nport: 1\nuser: b\n\nStart."),
        ("Nine tons.\n-- \nAnn Miller\n+49 1", "Nine tons."),
        ("Nine tons.\n\n________________________\nPumps mailing list\nhttps://lists.example.com", "Nine tons."),
        ("Nine tons.\n-- \nAnn\n________________________\nPumps mailing list\nann@example.com", "Nine tons."),
        ("> Only what was asked", "> Only what was asked"),
        ("-- \nAnn", "-- \nAnn"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_reply_keeps_its_own_words(text: str, own: str) -> None:
    """In several languages and programs; what looks like a header but is content stays."""
    assert own_text(text, answers=True) == own


def test_a_first_message_keeps_what_it_quotes() -> None:
    """Its quotes are no earlier message of the thread; its signature goes all the same."""
    assert own_text("See the manual:\n> Oil it.\n-- \nAnn", answers=False) == "See the manual:\n> Oil it."


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (
            "See below.\n\n-------- Forwarded Message --------\nVon: Eva\nGesendet: Montag\nAn: Ida\n\nIt leaks.",
            "See below.\n\n- Von: Eva\n- Gesendet: Montag\n- An: Ida\n\nIt leaks.",
        ),
        (
            "From: Eva <e@x.org>\nTo:  Ida\nDate: May\n\nIt leaks.",
            "- From: Eva <e@x.org>\n- To: Ida\n- Date: May\n\nIt leaks.",
        ),
        ("Oil: grade 68\nGear: iron\nWheel: oak", "Oil: grade 68\nGear: iron\nWheel: oak"),
    ],
)  # fmt: skip
def test_the_header_of_a_forwarded_message_is_a_list(text: str, cleaned: str) -> None:
    """So it is no sentence of the message, nor of the one who forwards it."""
    assert own_text(text, answers=False) == cleaned


def test_a_short_forwarded_message_is_no_footer() -> None:
    """The line above it is a rule, as above the footer of a mailing list, and its header holds an address."""
    header = "From: Bo <bo@example.com>\nDate: Thu, 14 May 2026\nSubject: Warranty"
    text = f"As discussed.\n\n---------- Forwarded message ---------\n{header}\n\nIt ends in May."
    listed = "\n".join(f"- {line}" for line in header.split("\n"))
    assert own_text(text, answers=False) == f"As discussed.\n\n{listed}\n\nIt ends in May."


@pytest.mark.parametrize(
    ("subject", "references", "answers"),
    [
        ("Re: Pump", "", True),
        ("AW: Pumpe", "", True),
        ("Pump", "<1@example.com>", True),
        ("Fwd: Pump", "<1@example.com>", False),
        ("WG: Pumpe", "", False),
        ("Pump", "", False),
    ],
)
def test_forwarded_messages_are_no_replies(subject: str, references: str, *, answers: bool) -> None:
    """What they forward is their content."""
    assert is_reply(subject, references) is answers


def test_many_quotes_take_linear_time() -> None:
    """A hostile message of 200,000 lines (SEC-1)."""
    text = "> a\nb 1,\n" * 100_000 + "a: b\n" * 100_000
    assert own_text(text, answers=True).startswith("b 1,")
