"""What an element of a web page holds: text of its own, links, headings.

Belongs here: counting and telling one element from another. Not here: what is left out (`page_frame`), which element is
the content (`content`). Guarantee: nothing is changed; each function reads its element once or
twice.
"""

import re
from collections import Counter
from typing import Any

from headwater.parsing.html.inline import heading_words, plain_words

_LEAVES = frozenset(
    {"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "td", "th", "dt", "dd", "blockquote", "span"}
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CONTAINERS = frozenset({"div", "section", "article", "main", "center", "form", "td", "table", "tbody", "tr", "body"})
_TITLES = re.compile(r"(?:^|\s)(?:admonition-title|topic-title|sidebar-title|markdown-alert-title|rubric)(?=\s|$)")
_ADMONITION = re.compile(r"(?:^|\s)(?:admonition|markdown-alert)(?=\s|$)")
_PARTS = (*(_LEAVES - {"span"}), *CONTAINERS, "ul", "ol", "dl", "figure")


def read_own_text(element: Any) -> str:
    """The text that stands in an element and in none of its parts."""
    return " ".join((element.text or "", *(child.tail or "" for child in element)))


def is_leaf(element: Any) -> bool:
    """Whether an element holds text that stands alone: a paragraph by its name, or a part without parts."""
    return element.tag in _LEAVES or (element.tag == "div" and next(element.iterchildren(*_PARTS), None) is None)


def is_longer(element: Any, max_chars: int) -> bool:
    """Whether an element has more characters than some; of a long one, only its beginning is read."""
    chars = 0
    for text in element.itertext():
        chars += len("".join(text.split()))
        if chars > max_chars:
            return True
    return len(plain_words(element)) > max_chars


def link_share(element: Any) -> float:
    """The share of an element's characters that stand in links."""
    return _count_linked(element) / max(len(plain_words(element)), 1)


def _count_linked(element: Any) -> int:
    return sum(len(plain_words(link)) for link in element.iter("a"))


def count_unlinked(element: Any) -> int:
    """How many characters of an element stand outside links."""
    return len(plain_words(element)) - _count_linked(element)


def count_headings(element: Any) -> Counter[str]:
    """The texts of an element's top-level headings, without the signs of links to themselves."""
    return Counter(heading_words(heading) for heading in element.iter("h1"))


def is_title(element: Any) -> bool:
    """Whether an element is the title of a note or of a part beside the text, by its class."""
    return bool(_TITLES.search(element.get("class") or ""))


def find_admonition_title(element: Any) -> Any:
    """The title of an admonition, where it stands first in it; None without it, or of another element."""
    first = next(iter(element), None)
    is_titled = first is not None and first.tag == "p" and not (element.text or "").strip()
    return first if is_titled and _ADMONITION.search(element.get("class") or "") and is_title(first) else None
