"""The shapes that a slide offers in several forms, for programs of different ages.

Belongs here: choosing the newest form, which has the text of formulas and the data of newer charts. Not here: what
shapes hold (`pptx_shapes`, `pptx_text`). Guarantee: the shapes keep their order; one without a form that is read stays
as it is.
"""

from typing import Any

_CHOICES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPES = tuple(f"{_P}{name}" for name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp"))
_NAME = f"*/{_P}cNvPr"  # python-pptx reads no shape without it
_PARENTS = (f"{_P}spTree", f"{_P}grpSp")


def choose_shapes(slide: Any) -> None:
    """Put the first form of each shape in the place of all of them: python-pptx sees none of them otherwise.

    Args:
        slide: a slide of python-pptx.
    """
    for choices in list(slide.element.iter(_CHOICES)):
        choice = choices.find(_CHOICE)
        parent = choices.getparent()
        if choice is None or parent is None or parent.tag not in _PARENTS:
            continue
        for shape in [child for child in choice if child.tag in _SHAPES and child.find(_NAME) is not None]:
            choices.addprevious(shape)
