"""The texts of PowerPoint shapes as markdown.

Belongs here: items, lines, links, formulas in them, and code. Not here: which shapes a slide has (`pptx_shapes`),
numbers (`pptx_lists`). Guarantee: each paragraph that has words is in the text once, in its order.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from headwater.parsing.office.docx_styles import is_code_font
from headwater.parsing.office.formulas import mark_formula, part_formulas
from headwater.parsing.office.package import fence_code, join_blocks, one_line, plain
from headwater.parsing.office.pptx_lists import MARKS, Item, is_item, number_paragraphs, write_items
from headwater.parsing.office.typed_prose import is_prose

_BODIES = ("body", "obj", "subTitle", None)
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_FORMULA = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_MIN_CODE_LINES = 2
_SENTENCE_END = (".", ":", ";", "!", "?", "。")


class _Line(NamedTuple):
    kind: str  # "item", "text" or "code"
    level: int
    words: str
    label: str = ""


def frame_markdown(frame: Any, *, placeholder: str | None) -> str:
    """The text of a shape: items in the slide's body, lines elsewhere, code in a font for code.

    Args:
        frame: its text frame, of python-pptx.
        placeholder: the type of its placeholder; None is a body, and empty means another shape.
    """
    paragraphs = [paragraph for paragraph in frame.paragraphs if _has_words(paragraph)]
    labels = list(number_paragraphs(paragraphs))
    is_plain = not any(map(_is_code, paragraphs)) and not any(labels)
    if (len(paragraphs) == 1 and is_plain) or placeholder == "subTitle":
        return plain("\n".join(map(_words, paragraphs)))
    has_items = placeholder in _BODIES or _is_list(frame)
    lines = [
        _line(paragraph, label, has_items=has_items, is_body=placeholder in _BODIES)
        for paragraph, label in zip(paragraphs, labels, strict=True)
    ]
    return join_blocks(_blocks(_leave_little_code(_join_continued(lines))))


def _line(paragraph: Any, label: str, *, has_items: bool, is_body: bool) -> _Line:
    if _is_code(paragraph) and not label:  # a number belongs to an item, not to code
        return _Line("code", 0, paragraph.text.replace("\v", "\n").rstrip())
    is_said = is_item(paragraph)
    is_in_list = has_items and (is_said or (is_said is None and (is_body or bool(paragraph.level))))
    return _Line("item" if is_in_list else "text", paragraph.level, _words(paragraph), label)


def _has_words(paragraph: Any) -> bool:
    return bool(one_line(paragraph.text)) or paragraph._p.find(_FORMULA) is not None  # noqa: SLF001 - no public way


def _is_list(frame: Any) -> bool:
    has_mark = next(frame._txBody.iter(*MARKS), None) is not None  # noqa: SLF001 - it has no public property
    return has_mark or any(paragraph.level for paragraph in frame.paragraphs)


def _is_code(paragraph: Any) -> bool:
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(is_code_font(run.font.name or "") for run in runs)


def _join_continued(lines: Sequence[_Line]) -> list[_Line]:
    """Lines; one without a mark that goes on in the sentence of the item above is joined to it."""
    joined: list[_Line] = []
    for line in lines:
        goes_on = line.kind == "text" and line.words.partition(" ")[0].islower()
        if goes_on and joined and joined[-1].kind == "item" and not joined[-1].words.endswith(_SENTENCE_END):
            joined[-1] = joined[-1]._replace(words=f"{joined[-1].words} {line.words}")
        else:
            joined.append(line)
    return joined


def _leave_little_code(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Lines; a single one in a font for code is text, because it is a name or an address, and so are sentences."""
    for kind, group in groupby(lines, key=lambda line: line.kind):
        run = list(group)
        code_lines = [words for line in run for words in line.words.split("\n")]
        if kind == "code" and (len(code_lines) < _MIN_CODE_LINES or is_prose(code_lines)):
            yield from (_Line("text", 0, one_line(line.words)) for line in run)
        else:
            yield from run


def _blocks(lines: Iterator[_Line]) -> Iterator[str]:
    for kind, group in groupby(lines, key=lambda line: line.kind):
        run = list(group)
        if kind == "code":
            yield fence_code([line.words for line in run])
        elif kind == "text":
            yield plain("\n".join(line.words for line in run))
        else:
            yield write_items(Item(line.level, line.label, line.words) for line in run)


def _words(paragraph: Any) -> str:
    """The text of a paragraph on one line, with the addresses of its links."""
    runs = {run._r: run for run in paragraph.runs}  # noqa: SLF001 - paragraphs have no public list of all they hold
    texts: list[str] = []
    for link, elements in groupby(paragraph._p, key=lambda element: _address(runs.get(element))):  # noqa: SLF001
        text = "".join(" " if element.tag == f"{_A}br" else _text_of(element) for element in elements)
        texts.append(f"[{text.strip()}]({link})" if link and text.strip() and text.strip() != link else text)
    return one_line(part_formulas("".join(texts)))


def _text_of(element: Any) -> str:
    """The text of a run, a field or a formula."""
    if element.tag == _FORMULA:
        return mark_formula(element)
    return "".join(text.text or "" for text in element.iter(f"{_A}t")).replace("\v", " ")


def _address(run: Any) -> str:
    try:
        address = (run.hyperlink.address or "") if run is not None else ""
    except KeyError:  # a relation that is missing
        return ""
    return address if address.startswith(("http://", "https://")) and "(" not in address and " " not in address else ""
