"""Pages that mdBook made: lines of examples that a reader does not see.

Belongs here: what mdBook says by its classes alone. Not here: code on any page (`code_blocks`). Guarantee: an example
whose lines are all hidden, and any other page, stays as it is.
"""

from textwrap import dedent
from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements, list_classes


def restore_mdbook(tree: Any) -> None:
    """Remove the lines that mdBook hides, which only make examples run; the others begin at the margin."""
    codes: dict[Any, list[Any]] = {}
    for span in tree.iter("span"):
        if "boring" in list_classes(span) and span.getparent().tag == "code":
            codes.setdefault(span.getparent(), []).append(span)
    for code, hidden_lines in codes.items():
        shown_texts = [code.text, *(child.tail for child in code)]
        if len(hidden_lines) < len(code) or any((text or "").strip() for text in shown_texts):
            drop_elements(hidden_lines)
            code.text = dedent(code.text or "") if not len(code) else code.text
