"""reStructuredText becomes markdown, with the names of Sphinx (SRC-6)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.original_lines import line_starts
from headwater.parsing.parser import File
from headwater.parsing.rst.parser import RstParser

GUIDE = """\
:orphan:

Guide
=====

.. module:: shop

See :doc:`/install/index`, :class:`~shop.Basket`, :meth:`.Basket.add` and :ref:`prices <prices-label>`,
`the site <https://example.org/>`__ and `a page <other.rst>`_. |name| is *odd*, **bold**.

.. |name| replace:: The shop

.. toctree::
   :hidden:

   first
   Second page <sub/second>

Install it
----------

.. code-block:: python
   :caption: app.py

   def f():
       return "``"

.. note:: Mind the gap.

   And the rest.

.. versionadded:: 1.2
   Baskets.

.. deprecated:: 2.0
    Use something else.

.. autofunction:: shop.open_shop(name, *args)

.. py:function:: close(when)

   Closes it.

   :param when: the time
   :returns: nothing

.. tabs::

   .. group-tab:: Linux

      Use ``apt``.

.. made-up-directive:: Some title
   :odd: option

   Its content stays.

Deeper
~~~~~~

====== =====
Name   Price
====== =====
Apple  1 €
====== =====

term : kind
    Its definition.

1. one
2. two [#f]_

.. [#f] A footnote.
.. comment that nobody sees
"""
GUIDE_AS_MARKDOWN = """\
# Guide

module **`shop`**

See install, `Basket`, `Basket.add()` and prices,
[the site](https://example.org/) and [a page](other.rst). The shop is *odd*, **bold**.

## Install it

**app.py**

```python
def f():
    return "``"
```

**Note**

Mind the gap.

And the rest.

*New in version 1.2:* Baskets.

*Deprecated since version 2.0:* Use something else.

function **`shop.open_shop(name, *args)`**

function **`close(when)`**

Closes it.

- **param when**: the time
- **returns**: nothing

**Linux**

Use `apt`.

**Some title**

Its content stays.

### Deeper

| Name | Price |
| --- | --- |
| Apple | 1 € |

- **term** (kind): Its definition.

1. one
2. two [^1]

[^1]: A footnote."""


def parse(source: str, uri: str = "docs/guide.rst") -> ParsedDocument:
    return RstParser().parse(File(content=source.encode(), uri=uri))


def test_a_document_of_sphinx_reads_well() -> None:
    """Headings, code with its language, notes, versions, objects, references and tables; comments are left out."""
    document = parse(GUIDE)
    assert document.title == "Guide"
    assert document.text == GUIDE_AS_MARKDOWN


def test_links_lead_to_other_documents() -> None:
    """References, documents and tables of contents; addresses elsewhere are none."""
    assert set(parse(GUIDE).references) == {
        "install/index.rst", "docs/other.rst", "docs/first.rst", "docs/sub/second.rst",
    }  # fmt: skip


def test_a_text_has_the_lines_of_its_file() -> None:
    """A citation shows where in the file it is."""
    document = parse(GUIDE)
    lines = GUIDE.split("\n")
    for words, line in {"Install it": "Install it", "And the rest.": "   And the rest.", "Apple": "Apple  1 €"}.items():
        start = document.text.index(words)
        assert document.places is not None
        found = document.places.between(start, start + len(words), text=document.text)
        assert found is not None
        assert found.first == lines.index(line) + 1


def test_nothing_else_is_read(tmp_path: Path) -> None:
    """No directive or option includes a file or keeps raw parts (SEC-1)."""
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    document = parse(
        f".. include:: {secret}\n\n.. literalinclude:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n"
        f".. raw:: html\n\n   <script>RAW</script>\n\n.. csv-table::\n   :file: {secret}\n\n"
        f".. code-block::\n   :file: {secret}\n\n.. figure:: {secret}\n\nSome text.\n"
    )
    assert "TOPSECRET" not in document.text
    assert "RAW" not in document.text
    assert "Some text." in document.text


def test_a_long_table_of_lists_is_no_long_paragraph() -> None:
    """Its cells are short, though no blank line stands between a thousand rows."""
    rows = "".join(f"  * - :ref:`board_{row}`\n    - `{row} MHz`_\n    - *{row} KB*\n" for row in range(2_000))
    text = parse(f"Boards\n======\n\n.. list-table::\n\n{rows}").text
    assert text.count("MHz") == 2_000


@pytest.mark.parametrize(
    "make_source",
    [
        lambda: "*a " * 100_000,
        lambda: "- - " + "*a " * 100_000,
        lambda: "- a\n" + "foo `a |b c\n- *c_ `k\n" * 2_000,
        lambda: "\n\n".join("   " * depth + "- x" for depth in range(2_000)),
    ],
)
def test_hostile_files_cost_themselves_only(make_source: Callable[[], str]) -> None:
    """Markup without ends, and nesting without end, are one document's error (SEC-1)."""
    with pytest.raises(DocumentError):
        parse(make_source())


def test_substitutions_do_not_multiply() -> None:
    """A substitution that holds others, which hold others, does not grow without bound (SEC-1)."""
    names = "abcde"
    lines = [f".. |{name}| replace:: {f'|{names[number + 1]}| ' * 9}" for number, name in enumerate(names[:-1])]
    with pytest.raises(DocumentError, match="substitutions"):
        parse("|a|\n\n" + "\n".join([*lines, ".. |e| replace:: words"]))
    assert parse("|a|\n\n.. |a| replace:: some |b|\n\n.. |b| replace:: words").text == "some words"


def test_a_substitution_may_use_one_that_another_file_defines() -> None:
    """As the settings of a project define `|br|` and `|product|`, which a file alone does not know."""
    source = "Pump\n====\n\n.. |mode| replace:: Mode |br| (of |OS Name|)\n\nThe |mode| is on |os name|.\n"
    assert parse(source).text == "# Pump\n\nThe Mode (of OS Name) is on OS Name."


def test_what_is_wrong_in_a_file_costs_only_itself() -> None:
    """Messages of docutils are not part of the text."""
    document = parse("Title\n===\n\n:unknown:`role` stays, |missing| too.\n\n.. image::\n\n+---+\n| broken\n\nEnd.\n")
    assert "role stays" in document.text
    assert "End." in document.text
    assert "System Message" not in document.text


def test_peps_and_rfcs_may_have_words_of_their_own() -> None:
    """As in Sphinx; docutils knows their numbers alone."""
    document = parse("See :pep:`the rules\nfor C <7>`, :pep:`8` and :rfc:`2822#section-1`, not :pep:`x`.\n")
    assert document.text == (
        "See [the rules\nfor C](https://peps.python.org/pep-0007), [PEP 8](https://peps.python.org/pep-0008)"
        " and [RFC 2822](https://datatracker.ietf.org/doc/html/rfc2822#section-1), not x."
    )


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("PEP: 572\nTitle: The ``:=`` operator\nStatus: Final\n", "PEP 572 – The := operator"),
        (":Title: The mill\n:Status: Final\n", "The mill"),
        (":orphan:\n", "Abstract"),
        ("A mill has wheels.\n", "Abstract"),
        ("The form has a\nTitle: and more.\n", "Abstract"),
        ("PEP: 20\nTitle: Zen\nAuthor: Ann,\n        Bo\n", "PEP 20 – Zen"),
    ],
)
def test_fields_may_say_the_title(header: str, title: str) -> None:
    """The first of several sections has a title of its own; without fields, it is the best there is."""
    assert parse(f"{header}\nAbstract\n========\n\nText.\n\nHistory\n=======\n\nText.\n").title == title


def test_references_to_what_another_file_defines_are_words() -> None:
    """Sphinx adds definitions to every file, which a single file lacks."""
    text = parse("Get `Python 3`_ or OpenSSL_, libacl__, |product| and `the site <site_>`_.\n").text
    assert text == "Get Python 3 or OpenSSL, libacl, product and the site."


def test_a_term_of_which_words_are_bold_stays_so() -> None:
    """Bold within bold shows asterisks (SRC-4)."""
    assert parse("**Save**\n   Stores it.\n\nthe **Big** one\n   Is big.\n").text == (
        "- **Save**: Stores it.\n\n- the **Big** one: Is big."
    )


def test_names_of_files_and_keys_stand_as_they_are() -> None:
    """A leading dot or tilde is Sphinx's mark in a reference to an object only (SRC-4)."""
    text = parse("Set it in :file:`.env` or :file:`~/.bashrc`, read by :class:`.Basket`, with :envvar:`PATH`.\n").text
    assert "`.env` or `~/.bashrc`, read by `Basket`, with `PATH`" in text


def test_a_word_that_returns_later_leads_no_line_astray() -> None:
    """A line that is not in the file, such as a part of a table, counts as the one before it (DOC-1)."""
    source = "Types\n=====\n\n======  ====\nstring  text\nint     whole\n======  ====\n\nRead the next part now.\n" + (
        "\nAll of it is about pumps.\n" * 20 + "\nstring\n\nint\n"
    )
    text = "Types\n\n| | |\n| --- | --- |\n| string | text |\n| int | whole |\n\nRead the next part now.\n"
    found = dict(line_starts(text, source))
    assert found[text.index("Read")] == source.split("\n").index("Read the next part now.") + 1
    assert all(line <= found[text.index("Read")] for line in found.values())


@given(st.lists(st.sampled_from(["a b c d", "a b", "c", "", "d e f"]), max_size=20), st.data())
def test_lines_never_go_backwards_or_beyond_the_file(source: list[str], data: st.DataObject) -> None:
    """Whatever the text is."""
    text = data.draw(st.lists(st.sampled_from([*source, "x y z", "c d"]), max_size=20))
    lines = [line for _, line in line_starts("\n".join(text), "\n".join(source))]
    assert lines == sorted(lines)
    assert all(1 <= line <= max(len(source), 1) for line in lines)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (":html:`<body>` has :css:`a > b`, see :path:`a/b`.", "`<body>` has `a > b`, see `a/b`."),
        (':html:`<meta refines="#title">main</meta>`', '`<meta refines="#title">main</meta>`'),
        (":php:`\\TYPO3\\Core` and :code:`a\\n`", "`\\TYPO3\\Core` and `a\\n`"),
        (".. role:: tag(code)\n   :language: html\n\nA :tag:`x <br/>`.", "A `x <br/>`."),
        (".. role:: red\n\nA :red:`word`.", "A word."),
        (":command:`git add <file>` and :file:`<home>/x <y>`", "`git add <file>` and `<home>/x <y>`"),
        (":ref:`prices <label>`, :envvar:`the path <PATH>`, :made:`up <there>`", "prices, `the path`, up"),
        (":ref:`of \\<none>` and :term:`a <b>c`", "of \\<none> and a \\<b>c"),
        (":italics:`The Prince </books/prince>`, :guilabel:`Save`", "The Prince, Save"),
    ],
)
def test_roles_for_code_are_code_and_have_no_target(source: str, text: str) -> None:
    """Tags in them stay, backslashes too; roles that link have targets, and others are words (SRC-6)."""
    assert parse(source).text == text


def test_a_heading_shows_its_tags() -> None:
    """A tag outside of code would vanish from the page."""
    document = parse(":html:`<br/>` elements\n======================\n\nText.\n")
    assert document.text.startswith("# `<br/>` elements\n")
    assert document.title == "<br/> elements"


def test_a_tag_in_words_is_seen() -> None:
    """Readers of the page see it, because Sphinx escapes it."""
    assert parse("Write <body> or a < b.").text == "Write \\<body> or a < b."


def test_a_role_is_declared_for_its_document_alone() -> None:
    """Docutils keeps its roles for the whole process."""
    assert parse(".. role:: tag(code)\n\nA :tag:`x`.").text == "A `x`."
    assert parse("A :tag:`x`.").text == "A x."


def test_a_class_may_judge_the_block_below_it() -> None:
    """A reader of the page sees by a colour which code is wrong; other classes say nothing."""
    text = parse(
        ".. class:: wrong\n\n   .. code:: html\n\n      <b>\n\n.. rst-class:: text corrected\n\nA paragraph.\n\n"
        ".. class:: right\n\nAnother.\n\n.. container:: wrong\n\n   A last one.\n"
    ).text
    assert text == "**Wrong:**\n\n```html\n<b>\n```\n\n**Corrected:**\n\nA paragraph.\n\nAnother.\n\nA last one."
