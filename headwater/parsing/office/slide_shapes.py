"""What a PowerPoint file says of the shapes of a slide, for its picture.

Belongs here: places within groups, plain colours, sizes of letters, pictures and how they are cropped. Not here:
drawing (`slide_picture`), the text (`pptx`). Guarantee: what a file leaves out, or says in a way that is not read, is
None or a default; colours of the theme are not looked up.
"""

from typing import Any, NamedTuple

Sides = tuple[float, float, float, float]
_WHITE = (255, 255, 255)
_TITLES = ("TITLE", "CENTER_TITLE")


class Frame(NamedTuple):
    """How the coordinates of a group lie on the slide."""

    x: float
    y: float
    across: float
    down: float

    def place(self, shape: Any) -> Sides | None:
        """The left, top, width and height of a shape on the slide, in EMU; None if it has no place."""
        sides = (shape.left, shape.top, shape.width, shape.height)
        if any(side is None for side in sides):
            return None
        x, top, width, height = map(int, sides)
        return (
            self.x + x * self.across, self.y + top * self.down, width * self.across, height * self.down,
        )  # fmt: skip


def find_inner_frame(group: Any, frame: Frame) -> Frame:
    """How the coordinates within a group lie on the slide."""
    transform = group.element.grpSpPr.find("{http://schemas.openxmlformats.org/drawingml/2006/main}xfrm")
    place = frame.place(group)
    if transform is None or place is None or transform.chExt is None or transform.chOff is None:
        return frame
    across = place[2] / max(int(transform.chExt.cx), 1)
    down = place[3] / max(int(transform.chExt.cy), 1)
    return Frame(place[0] - int(transform.chOff.x) * across, place[1] - int(transform.chOff.y) * down, across, down)


def find_background(slide: Any) -> tuple[int, int, int]:
    """The plain colour behind a slide: its own, or that of its layout or master; white if there is none."""
    for source in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        colour = read_colour(source.background.fill) if source.background is not None else None
        if colour is not None:
            return colour
    return _WHITE


def read_colour(paint: Any) -> tuple[int, int, int] | None:
    """The colour of a fill or a font, if it is said as one; colours of the theme are not looked up."""
    try:
        colour = paint.fore_color if hasattr(paint, "fore_color") else paint
        rgb = colour.rgb if colour is not None else None
    except (AttributeError, TypeError, ValueError):  # what python-pptx raises where there is no plain colour
        return None
    return None if rgb is None else (rgb[0], rgb[1], rgb[2])


def read_picture(shape: Any) -> bytes | None:
    """The file of a picture; None of other shapes, and of a picture that lies elsewhere."""
    try:
        return bytes(shape.image.blob) if hasattr(shape, "image") else None
    except (ValueError, KeyError):  # it is linked, or its part of the file is missing
        return None


def read_crop(shape: Any) -> Sides:
    """The parts of a picture that are cut off at the left, the top, the right and the bottom."""
    shares = (shape.crop_left, shape.crop_top, shape.crop_right, shape.crop_bottom)
    crop = tuple(max(float(share), 0.0) for share in shares)  # a negative one is an empty border
    is_possible = crop[0] + crop[2] < 1 and crop[1] + crop[3] < 1
    return (crop[0], crop[1], crop[2], crop[3]) if is_possible else (0.0, 0.0, 0.0, 0.0)


def is_title(shape: Any) -> bool:
    """Whether a shape is the place of a slide's title."""
    return (
        shape.is_placeholder
        and shape.placeholder_format.type is not None
        and (shape.placeholder_format.type.name in _TITLES)
    )


def read_points(paragraph: Any, default: float) -> float:
    """The size of a paragraph's largest letters."""
    sizes = [run.font.size.pt for run in paragraph.runs if run.font.size is not None]
    return max(sizes, default=paragraph.font.size.pt if paragraph.font.size is not None else default)
