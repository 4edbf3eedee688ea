"""Small PDF files, written by the tests.

Belongs here: a writer of pages from operators, with the standard fonts. Not here: what is tested. Guarantee: the files
are valid unless a test damages them.
"""

from collections.abc import Callable, Mapping, Sequence
from zlib import compress

FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier", "F4": "Times-Roman"}
WIDTH, HEIGHT = 595, 842


def write(*lines: tuple[float, float, str], size: float = 11, font: str = "F1") -> str:
    """Operators that write each text at a place, given from the lower left corner of the page."""
    return "".join(f"BT /{font} {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET\n" for x, y, text in lines)


def paragraph(x: float, y: float, text: str, *, size: float = 11, font: str = "F1", pitch: float = 1.2) -> str:
    """Operators that write the lines of a text below each other."""
    rows = enumerate(text.split("\n"))
    return write(*((x, y - number * pitch * size, line) for number, line in rows), size=size, font=font)


def pdf(
    *pages: str | bytes,
    info: Mapping[str, str] | None = None,
    outline: Sequence[tuple[str, int]] = (),
    catalog: str = "",
    page: str = "",
    images: Mapping[str, bytes] | None = None,
    bitmap_fonts: Mapping[str, Callable[[int], int]] | None = None,
    bitmap_unit: float = 0.001,
) -> bytes:
    """A file with pages.

    Args:
        pages: the operators of each page.
        info: what the file says about itself.
        outline: titles and page numbers, from 1; a title that begins with a tab is below the one before it.
        catalog: further entries of the catalogue.
        page: further entries of every page.
        images: objects that pages draw by name, each a whole stream object.
        bitmap_fonts: fonts of type 3 by name, as LaTeX writes them; each says how wide a code is, in units.
        bitmap_unit: the unit of these fonts, in sizes.
    """
    objects: list[bytes] = [b"", b""]  # the catalogue and the page tree, which refer to the others

    def add(source: bytes) -> int:
        objects.append(source)
        return len(objects)

    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>"
        for name, base in FONTS.items()
    )
    for name, width_of in (bitmap_fonts or {}).items():
        glyph = add(stream("0 0 0 0 500 700 d1 0 0 400 600 re f"))
        fonts += f" /{name} {add(_bitmap_font(width_of, bitmap_unit, glyph))} 0 R"
    drawn = " ".join(f"/{name} {add(source)} 0 R" for name, source in (images or {}).items())
    resources = add(f"<< /Font << {fonts} >> /XObject << {drawn} >> >>".encode())
    numbers = [
        add(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Resources {resources} 0 R"
            f" /Contents {add(stream(content))} 0 R {page} >>".encode()
        )
        for content in pages
    ]
    named = "".join(f"/{name} ({_escaped(value)}) " for name, value in (info or {}).items())
    about = add(f"<< {named} >>".encode())
    sections = _outline(outline, numbers, add) if outline else ""
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {sections} {catalog} >>".encode()
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>".encode()
    return assembled(objects, f"/Info {about} 0 R")


def _bitmap_font(width_of: Callable[[int], int], unit: float, glyph: int) -> bytes:
    codes = range(1, 256)
    names = " ".join(f"/a{code}" for code in codes)
    glyphs = " ".join(f"/a{code} {glyph} 0 R" for code in codes)
    widths = " ".join(str(width_of(code)) for code in codes)
    return (
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [{unit} 0 0 {unit} 0 0] /FirstChar 1"
        f" /LastChar 255 /Widths [{widths}] /Encoding << /Type /Encoding /Differences [1 {names}] >>"
        f" /CharProcs << {glyphs} >> /Resources << >> >>"
    ).encode()


def _outline(outline: Sequence[tuple[str, int]], pages: Sequence[int], add: Callable[[bytes], int]) -> str:
    root = add(b"null") + 1
    levels = [len(title) - len(title.lstrip("\t")) for title, _ in outline]

    def reference(number: int) -> str:
        return f"{root + 1 + number} 0 R"

    sources = []
    for number, (title, page) in enumerate(outline):
        rest = range(number + 1, len(outline))
        after = next((n for n in rest if levels[n] <= levels[number]), None)
        links = f"/Next {reference(after)} " if after is not None and levels[after] == levels[number] else ""
        if number + 1 < len(outline) and levels[number + 1] > levels[number]:
            links += f"/First {reference(number + 1)} /Last {reference(number + 1)} "
        sources.append(f"<< /Title ({_escaped(title.strip())}) /Dest [{pages[page - 1]} 0 R /Fit] {links}>>")
    add(f"<< /First {reference(0)} /Last {reference(len(outline) - 1)} >>".encode())
    for source in sources:
        add(source.encode())
    return f"/Outlines {root} 0 R"


def stream(content: str | bytes, entries: str = "") -> bytes:
    """A stream object, compressed."""
    data = compress(content.encode("cp1252") if isinstance(content, str) else content)
    return f"<< /Length {len(data)} /Filter /FlateDecode {entries} >>\nstream\n".encode() + data + b"\nendstream"


def image(width: int, height: int, samples: bytes, *, bits: int = 8, space: str = "/DeviceGray") -> bytes:
    """An image object."""
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent {bits}"
    return stream(samples, f"{entries} /ColorSpace {space}")


def assembled(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """A file of objects; the first is its catalogue."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, source in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + source + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
