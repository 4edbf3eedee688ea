"""DocC, the markdown of Swift's documentation: links to pages, terms, directives for the site.

Belongs here: what a reader of the rendered page sees of them. Not here: other markdown (`markup`). Guarantee: code
stays as it is; what is never closed stays; the work is linear in the text.
"""

import re

from headwater.parsing.markdown.edits import Edits, new_step, substitute
from headwater.parsing.markdown.fences import spans_outside_code
from headwater.parsing.markdown.tag_words import TemplateTag

_LINK = re.compile(r"<doc:(?P<page>[^<>\s#]{1,200})?(?:#(?P<anchor>[^<>\s]{1,200}))?>")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TERM = re.compile(r"^(?P<mark>[ \t]*+[-*+][ \t]++)term[ \t]++(?P<term>`[^`\n]{1,100}`|[A-Z][^`:\n]{0,100}):(?=\s)")
_MARK = re.compile(
    r"^@(?:Comment|Metadata|Options)\b[ \t]*+(?:\([^()\n]{0,100}\)[ \t]*+)?"
    r"\{(?:[^{}\n]{0,500}\}|[ \t]*+\n(?:(?![}@])[^\n]*\n){0,100}+\})[ \t]*$|" + _TERM.pattern,
    re.MULTILINE,
)


def plain_docc(text: str, edits: Edits) -> str:
    """A text with its terms in bold, without the directives that say how a page is built.

    Args:
        text: markdown.
        edits: records what is replaced.
    """
    if not _MARK.search(text):
        return text
    step, texts, copied_end = new_step(), [], 0
    for begin, end in spans_outside_code(text):
        texts.append(text[copied_end:begin])
        texts.append(substitute(_MARK, _write_mark, text[begin:end], base=begin, step=step))
        copied_end = end
    edits.add(step)
    return "".join([*texts, text[copied_end:]])


def read_doc_link(text: str, start: int) -> TemplateTag | None:
    """The words of a link to a page or to a heading of it; None if none begins at an offset, or it has words.

    Args:
        text: markdown.
        start: the offset of `<`.
    """
    link = _LINK.match(text, start)
    if link is None or text.startswith("](", max(0, start - 2)):
        return None
    page = (link["page"] or "").rpartition("/")[2]
    words = link["anchor"] or _CAPITAL.sub(" ", page)
    return TemplateTag(words.replace("-", " "), link.end())


def _write_mark(mark: re.Match[str]) -> str:
    return f"{mark['mark']}**{mark['term'].strip()}**:" if mark["term"] else ""
