"""The help of Vim and of its plugins in files of text becomes markdown with its sections (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.text_structure import is_vim_help

HELP = """*pump.txt*\tA plugin for pumps

Author:  Ida <ida@mill.org>

INTRODUCTION					*pump*

The |:Pump| command opens the valve, and it does so as long as there is any
water in it, says `:Pump 1 <args>`.

==============================================================================
CONTENTS					*pump-contents*

    1. Commands.........................|pump-commands|
        1.1 Options.....................|'pump'|

==============================================================================
1. Commands					*pump-commands*

							*:Pump*
:Pump [n]		Open the valve number [n].  If [n] is omitted, the
			first one is opened.

:Pump! [n]		Shut the valve, for which it is needed that the
:[n]Pump!		command is run by you.
						*:Wait*
:Wait			Wait.

Real examples ~

To open them all: >
	:Pump *

	" and to wait
	:Wait
<This goes on.  A lone one: >
    :Pump 7
It is open.

* one
* two which is
  long

------------------------------------------------------------------------------
*2.1*	Options

			*'pump'* *'nopump'*
'pump' 'pu'		boolean	(default off)
			global
	Whether the pump is on.

	It is off when it rains.

 vim:tw=78:ts=8:noet:ft=help:norl:
"""
NAMED = "*usr_03.txt*	For Vim version 9.0.  Last change: 2022 Oct 30\n\n\t\t     VIM USER MANUAL - by Ida\n\n"


def read(text: str) -> ParsedDocument:
    """The text of a file as a document."""
    return PlainTextParser().parse(File(content=text.encode(), uri="doc/pump.txt"))


def test_help_of_vim_becomes_markdown() -> None:
    """Sections, terms with their text, examples and lists; tags, contents and settings of the editor are left out."""
    document = read(HELP)
    assert document.title == "pump: A plugin for pumps"
    assert document.text == "\n\n".join([
        "# pump: A plugin for pumps",
        "- **Author**: Ida \\<ida@mill.org>",
        "## INTRODUCTION",
        "The :Pump command opens the valve, and it does so as long as there is any water in it, says `:Pump 1 <args>`.",
        "## 1. Commands",
        "- **:Pump [n]**: Open the valve number [n]. If [n] is omitted, the first one is opened.",
        "- **:Pump! [n]**, **:[n]Pump!**: Shut the valve, for which it is needed that the command is run by you.",
        "- **:Wait**: Wait.",
        "### Real examples",
        "To open them all:",
        '```\n:Pump *\n\n" and to wait\n:Wait\n```',
        "This goes on. A lone one:",
        "```\n:Pump 7\n```",
        "It is open.",
        "- one",
        "- two which is long",
        "### 2.1 Options",
        "- **'pump' 'pu'**: boolean (default off) global Whether the pump is on.",
        "  It is off when it rains.",
    ])  # fmt: skip


def test_places_are_lines_of_the_file() -> None:
    """Of a term, the line where it stands."""
    document = read(HELP)
    offset = document.text.index("**:Wait**")
    place = document.places and document.places.between(offset, offset + 5, text=document.text)
    assert place
    assert place.first == HELP.split("\n").index(":Wait\t\t\tWait.") + 1


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ("\t\t\t     Moving around\n\n\nText here.\n", "usr_03: Moving around"),
        ("\t\t\t     and Max\n\n\nText here.\n".replace("\t\t\t     and", "\n\nText"), "usr_03"),
        ("Text here.\n\n\t\t     Moving around\n", "usr_03"),
    ],
)
def test_chapters_of_vim_are_called_by_their_subject(lines: str, title: str) -> None:
    """What stands in the middle of the first lines, where the line of the name only says the version."""
    assert read(f"{NAMED}{lines}\n vim:tw=78:ts=8:ft=help:\n").title == title


@pytest.mark.parametrize("end", ["vim:tw=78:ts=8:ft=help:norl:", "# vim: set filetype=help :", " vi:ft=help"])
def test_help_without_a_name_is_told_by_its_settings(end: str) -> None:
    """At its end, which may be far from its beginning."""
    document = read(f"PUMPS\t\t*pumps*\n\n{'They run. ' * 5_000}\n\n{end}\n")
    assert document.text.startswith("## PUMPS\n\nThey run.")
    assert "vi" not in document.text


@pytest.mark.parametrize(
    "text",
    [
        "*readme.txt*\n\nThis is all that there is to say.\n",
        "*pump.txt* is a file.\nSee *this*.\n\nThe help of Vim has links and ends with ft=help.\n",
        "A pump\n\n==============================\n1. One\t\t*one*\n",
        'Put this in your file:\n\n" vim: set ft=vim tw=78:\n',
    ],
)
def test_other_text_is_no_help_of_vim(text: str) -> None:
    """A first line between asterisks, rulers and settings for another type of file say little."""
    assert not is_vim_help(text.encode(), text[-500:].encode())
