"""Office files that tests make.

Belongs here: files made with the libraries, with parts replaced where these cannot write something. Not here: what is
expected of reading them. Guarantee: no file is written to disk.
"""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

Part = str | bytes | Callable[[IO[bytes]], Any]
"""The content of a part, or a function that writes it."""
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
<w:lvl w:ilvl="3"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%4."/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2">
<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%3)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="3">
<w:lvl w:ilvl="0"><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
</w:numbering>"""


def docx_file(body: str = "", *, styles: str = "", notes: str = "", title: str = "", **parts: Part) -> bytes:
    """A Word file.

    Args:
        body: the XML of its body; the prefix `w` is bound.
        styles: the XML of more styles.
        notes: the XML of footnotes.
        title: the title in its properties.
        parts: more parts to replace, with `__` for `/` and `_xml` for `.xml`.
    """
    from docx import Document

    made = BytesIO()
    document = Document()
    document.core_properties.title = title
    document.part.numbering_part  # noqa: B018 - creates it
    document.save(made)
    with ZipFile(made) as archive:
        known = archive.read("word/styles.xml").decode()
        relations = archive.read("word/_rels/document.xml.rels").decode()
    replaced: dict[str, Part] = {
        "word/document.xml": f"<w:document {W} xmlns:r='{_RELATED}'><w:body>{body}</w:body></w:document>",
        "word/styles.xml": known.replace("</w:styles>", f"{styles}</w:styles>"),
        "word/numbering.xml": NUMBERING,
        **{name.replace("__", "/").replace("_xml", ".xml"): part for name, part in parts.items()},
    }
    links = (
        f'<Relationship Id="rId98" Type="{_RELATED}/hyperlink" TargetMode="External" Target="https://example.org/a"/>'
    )
    if notes:
        replaced["word/footnotes.xml"] = f"<w:footnotes {W}>{notes}</w:footnotes>"
        links += f'<Relationship Id="rId99" Type="{_RELATED}/footnotes" Target="footnotes.xml"/>'
    replaced["word/_rels/document.xml.rels"] = relations.replace("</Relationships>", f"{links}</Relationships>")
    return with_parts(made.getvalue(), replaced)


def paragraph(text: str, *, style: str = "", number: tuple[int, int] | None = None, bold: bool = False) -> str:
    """The XML of a paragraph; `number` is its list and level, and a text that begins with `<` is XML."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number:
        properties += f'<w:numPr><w:ilvl w:val="{number[1]}"/><w:numId w:val="{number[0]}"/></w:numPr>'
    mark = "<w:rPr><w:b/></w:rPr>" if bold else ""
    run = text if text.startswith("<") else f'<w:r>{mark}<w:t xml:space="preserve">{text}</w:t></w:r>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{run}</w:p>"


def style(name: str, *, based_on: str = "", properties: str = "", kind: str = "paragraph") -> str:
    """The XML of a style, whose id is its name without spaces."""
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    shown = f'<w:name w:val="{name}"/>{based}<w:pPr>{properties}</w:pPr>'
    return f'<w:style w:type="{kind}" w:styleId="{name.replace(" ", "")}">{shown}</w:style>'


def xlsx_file(fill: Callable[[Any], object]) -> bytes:
    """An Excel file.

    Args:
        fill: is called with the workbook, whose first sheet is active.
    """
    from openpyxl import Workbook

    workbook, made = Workbook(), BytesIO()
    fill(workbook)
    workbook.save(made)
    return made.getvalue()


def add_choices(slide: Any, newest: str, oldest: str) -> None:
    """Add a shape to a slide in two forms, of which programs read the newest that they know."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    forms = f'<mc:Choice Requires="x">{newest}</mc:Choice><mc:Fallback>{oldest}</mc:Fallback>'
    content = f'<mc:AlternateContent xmlns:mc="{_COMPATIBILITY}" {nsdecls("a", "p", "r")}>{forms}'
    slide.shapes._spTree.append(parse_xml(f"{content}</mc:AlternateContent>"))


def pptx_file(fill: Callable[[Any], object]) -> bytes:
    """A PowerPoint file.

    Args:
        fill: is called with the presentation.
    """
    from pptx import Presentation

    presentation, made = Presentation(), BytesIO()
    fill(presentation)
    presentation.save(made)
    return made.getvalue()


def encrypted(content: bytes, password: str) -> bytes:
    """An office file with a password."""
    from msoffcrypto.format.ooxml import OOXMLFile

    made = BytesIO()
    OOXMLFile(BytesIO(content)).encrypt(password, made)
    return made.getvalue()


def with_parts(content: bytes, parts: Mapping[str, Part]) -> bytes:
    """A zip file with some entries replaced or added."""
    made = BytesIO()
    with ZipFile(BytesIO(content)) as old, ZipFile(made, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, part in parts.items():
            if callable(part):
                with new.open(name, "w", force_zip64=True) as file:
                    part(file)
            else:
                new.writestr(name, part)
    return made.getvalue()


def zeros(megabytes: int) -> Callable[[IO[bytes]], None]:
    """A part of zeros."""

    def write(file: IO[bytes]) -> None:
        for _ in range(megabytes):
            file.write(bytes(2**20))

    return write


def laughs(root: str) -> str:
    """XML whose entities become a billion laughs in an element."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    name = root.split()[0]
    return f'<?xml version="1.0"?><!DOCTYPE {name} [<!ENTITY l0 "ha">{entities}]><{root}>&l9;</{name}>'
