"""Manual pages as a terminal shows them, in files of text and in `pre` of websites (SRC-4, QRY-1)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser

PAGE = """LIFT(1)                          User Commands                          LIFT(1)

NAME
       lift, pump - raise water

SYNOPSIS
       lift [-a] [--size=SIZE]
            [FILE...]

DESCRIPTION
       Lift raises water from each FILE, one bucket after the other, until the man-
       ager of the well says that it is empty.  The manager is asked at each meter,
       and the answer is written to the log file of the well.

       -a, --all
              Lift from all wells, also from those whose name begins with a full stop.

              It takes longer.

       -c     Show how much water was lifted in the last hour, and sort by it when
              there are several wells.

       --size=SIZE
       --litres=SIZE
              The size of the bucket, which is ten litres if nothing is said, and one of:

              o      small, for narrow wells that a large bucket would not fit
                     into

              o      large, for those wells that everybody draws from each day

       -depth As deep as it goes.

       dry rot

       wet rot
              The rope is lost when either of them is found at its end.

       The following lifts twice:

           lift -a /dev/well &&
               lift -a

   Exit status
       0      if there was water,

       1      if not.

STANDARDS
       Well 1 (open)
       Well 2 (closed)

well 2.1                          May 2026                          LIFT(1)
"""
READ = """# LIFT(1)

## NAME

lift, pump - raise water

## SYNOPSIS

```
lift [-a] [--size=SIZE]
     [FILE...]
```

## DESCRIPTION

Lift raises water from each FILE, one bucket after the other, until the manager of the well says that it is empty. \
The manager is asked at each meter, and the answer is written to the log file of the well.

- **-a, --all**: Lift from all wells, also from those whose name begins with a full stop.

  It takes longer.

- **-c**: Show how much water was lifted in the last hour, and sort by it when there are several wells.

- **--size=SIZE**, **--litres=SIZE**: The size of the bucket, which is ten litres if nothing is said, and one of:

  - small, for narrow wells that a large bucket would not fit into

  - large, for those wells that everybody draws from each day

- **-depth**: As deep as it goes.

- **dry rot**, **wet rot**: The rope is lost when either of them is found at its end.

The following lifts twice:

```
lift -a /dev/well &&
    lift -a
```

### Exit status

- **0**: if there was water,

- **1**: if not.

## STANDARDS

Well 1 (open)
Well 2 (closed)"""


def read_html(body: str) -> ParsedDocument:
    page = f"<html><head><title>lift</title></head><body>{body}</body></html>"
    return HtmlParser().parse(File(content=page.encode(), uri="lift.html"))


def test_a_page_in_a_file_of_text() -> None:
    document = PlainTextParser().parse(File(content=PAGE.encode(), uri="lift.txt"))
    assert document.title == "LIFT(1)"
    assert document.text == READ


def test_its_lines_are_its_places() -> None:
    document = PlainTextParser().parse(File(content=PAGE.encode(), uri="lift.txt"))
    offset = document.text.index("It takes longer")
    assert document.places is not None
    place = document.places.between(offset, offset + 9, text=document.text)
    assert place is not None
    assert place.first == PAGE[: PAGE.index("It takes longer")].count("\n") + 1


def test_the_name_of_a_page_without_a_head_is_that_of_its_command() -> None:
    text = (
        "WELL_PUMPGeneWELL_PUMP(1)\n\nNAME\n    well pump - raise water from\n        the well\n\n"
        "SYNOPSIS\n    well pump [-a]\n\nFLAGS\n    -a\n        Lift all.\n"
    )
    document = PlainTextParser().parse(File(content=text.encode(), uri="a.txt"))
    assert document.title == "well pump"
    assert document.text == (
        "# well pump\n\n## NAME\n\nwell pump - raise water from the well\n\n## SYNOPSIS\n\n"
        "```\nwell pump [-a]\n```\n\n## FLAGS\n\n- **-a**: Lift all."
    )


def test_a_page_in_the_pre_of_a_website() -> None:
    document = read_html(f"<h1>Pumps</h1><pre>{PAGE}</pre>")
    assert document.text == READ.replace("# LIFT(1)", "# Pumps")


def test_the_sections_of_a_page_in_pre_of_their_own() -> None:
    top = '<a href="#top_of_page">top</a>'
    sections = PAGE.split("\n", 2)[2].rpartition("\n\n")[0].split("\n\nSYNOPSIS\n")
    description = sections[1].split("\n\nDESCRIPTION\n")[1].partition("\n\nSTANDARDS")[0]
    document = read_html(
        f"<h1>Pumps</h1><h2>NAME {top}</h2><pre>       lift - raise water</pre><h2>SYNOPSIS</h2>"
        f"<pre>       lift [-a]</pre><h2>DESCRIPTION</h2><pre>{description}</pre>"
        "<h2>EXAMPLES</h2><pre>lift | less</pre>"
    )
    assert document.text.startswith("# Pumps\n\n## NAME\n\nlift - raise water\n\n## SYNOPSIS\n\n```\nlift [-a]\n```")
    assert READ[READ.index("Lift raises") : READ.index("\n\n## STANDARDS")] in document.text
    assert document.text.endswith("## EXAMPLES\n\n```\nlift | less\n```")


@pytest.mark.parametrize(
    "text",
    [
        "Registry form\n\nNAME\n    John Smith - 12 High Street\n\nDESCRIPTION\n    Lost umbrella.\n",
        "NAME\n    John Smith, 12 High Street\n\nDESCRIPTION\n    Lost umbrella.\n",
        "NAME\n       lift - raise water\n",
        "name: a\nDESCRIPTION\n       x\n",
        "NAME\nlift\n\nSYNOPSIS\nlift\n",
    ],
)
def test_other_text_is_none(text: str) -> None:
    assert PlainTextParser().parse(File(content=text.encode(), uri="a.txt")).text == text


def test_code_of_manual_pages_stays_code() -> None:
    """Of pages that pod2html makes, and where an article shows a page."""
    code = 'if ($dry) {\n        print "dry";\n        return;\n    }\n\n        # open\n        $lid->go;'
    page = read_html(f"<h1>NAME</h1><p>lift - raise</p><h1>DESCRIPTION</h1><p>So:</p><pre>    {code}</pre>")
    assert page.text.endswith(f"```\n    {code}\n```")
    shown = PAGE.partition("\n\n")[2]
    article = read_html(f"<h1>Pages</h1><h2>Example</h2><p>So it looks:</p><pre>{shown}</pre>")
    assert "- **-a, --all**" not in article.text


def test_text_below_lists_of_any_depth_is_read() -> None:
    lines = "\n".join(" " * (7 + 2 * depth) + f"-{depth}\n" for depth in range(40))
    text = f"NAME\n       a - b\n\nSYNOPSIS\n       a\n\nOPTIONS\n{lines}"
    document = PlainTextParser().parse(File(content=text.encode(), uri="a.txt"))
    assert all(f"-{depth}" in document.text for depth in range(40))
