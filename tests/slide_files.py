"""A PowerPoint file with what slides have: a title, levels, a table, a picture, a dark box, a group.

Belongs here: the file. Not here: what is made of it. Guarantee: the same bytes of text each time.
"""

import io

from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.util import Inches


def slides(last: str = "") -> bytes:
    """Two slides; `last` is the text of a third one, if there is any."""
    presentation = Presentation()
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "The pump in three minutes"
    body = first.placeholders[1].text_frame
    body.text = "The pump lifts forty litres of water per minute."
    for text, level in (("It stops by itself at 90 degrees.", 0), ("Only if the sensor is clean", 1)):
        paragraph = body.add_paragraph()
        paragraph.text, paragraph.level = text, level
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "Limits"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for place, text in enumerate(("Size", "Flow", "small", "40 litres")):
        table.cell(place // 2, place % 2).text = text
    picture = io.BytesIO()
    Image.new("RGB", (20, 20), (200, 30, 30)).save(picture, "PNG")
    second.shapes.add_picture(picture, Inches(1), Inches(5), Inches(1), Inches(1))
    group = second.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(4), Inches(5), Inches(4), Inches(1))
    box.fill.solid()
    box.fill.fore_color.rgb = RGBColor.from_string("0A145A")  # type: ignore[no-untyped-call]
    box.text_frame.text = "White words on a dark box"
    if last:
        presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = last
    content = io.BytesIO()
    presentation.save(content)
    return content.getvalue()
