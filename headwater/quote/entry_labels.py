"""The label of an item: the option or the term that it explains.

Belongs here: finding it. Not here: the names in it (`headwater.understanding.entry_names`), headings (`breadcrumbs`),
the labels of rows (`fragment_evidence`). Guarantee: pure and linear.
"""

import re

from headwater.quote.inline_cleanup import clean_inline

# Words in bold, italics or code, an option or capitals at the beginning of an item, and a colon or a dash behind them.
_LABEL = re.compile(
    r"(?:[-*+•]|\d{1,9}[.)])[ \t]+"
    r"(?P<label>(?:\*{1,2}(?=\S)|`|_(?=\w)|--?(?=[A-Za-z])|[A-Z][A-Z _-]{1,120}(?=:))(?:[^\n.!?:]|[.:](?=\w)){0,120}?)"
    r"(?::|:\*{1,2}|(?<![ \t])[ \t]++[—–-])(?=\s)"
)


_MARKS = re.compile(r"\*+|`+")


def find_entry_label(text: str, start: int, end: int) -> str:
    """The words that an item explains, such as an option of a command; what is torn off them says little.

    Args:
        text: the text that the item stands in.
        start: where the item begins, with its mark.
        end: where it ends.

    Returns:
        The words without markup; empty if the item explains none.
    """
    match = _LABEL.match(text, start, end)
    return " ".join(_MARKS.sub("", clean_inline(match["label"])).split()).rstrip(":") if match else ""
