"""The title among fields such as "Title: The mill", which a text may begin with.

Belongs here: finding such fields, and the title in them. Not here: front matter between rules
(`markdown.front_matter`), titles from headings. Guarantee: pure; the work is linear in the text.

Source: MultiMarkdown (https://fletcherpenney.net/multimarkdown), and PEP 12 (https://peps.python.org/pep-0012).
"""

import re

# A field may go on in lines that are indented; one alone may be prose.
_FIELDS = re.compile(r"(?:[A-Za-z][\w-]{0,30}:(?:[ \t][^\n]*+)?+(?:\n[ \t]++[^\n]*+)*+(?:\n|\Z)){2,}+")
_TITLE = re.compile(r"^[ \t]*title:[ \t]*(?P<title>\S[^\n]*)", re.IGNORECASE | re.MULTILINE)


def read_fields(text: str) -> str:
    """The lines of fields that a text begins with; empty if there are fewer than two fields."""
    fields = _FIELDS.match(text)
    return fields[0] if fields else ""


def find_title(fields: str) -> str:
    """The title among lines of fields; empty if there is none."""
    title = _TITLE.search(fields)
    return title["title"].strip() if title else ""
