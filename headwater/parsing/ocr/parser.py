"""Parsing image files: PNG, JPEG, GIF, WebP, TIFF and BMP.

Belongs here: their parser. Not here: decoding (`image_files`), reading text in pictures (`ocr`). Guarantee: a page
of a TIFF lies between its place and the next; an image without text is a document without text, which a sync reports.
"""

import re
from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.pictures import PICTURE_SUFFIXES
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.ocr.image_files import FORMATS, describe_image, pictures
from headwater.parsing.ocr.recognition import prepare_reading, read_picture
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_HEADING = re.compile(r"#{1,2} (.+)")
_TITLE_LENGTH = 120


class ImageParser(Parser):
    """Reads images by OCR; needs the extra `ocr`."""

    media_types: ClassVar[tuple[str, ...]] = tuple(dict.fromkeys(FORMATS.values()))
    suffixes: ClassVar[tuple[str, ...]] = PICTURE_SUFFIXES
    version: ClassVar[str] = "image-2"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = Limits(
        seconds=300, megabytes=2_500
    )  # one picture takes 5 s; a TIFF may have many

    def prepare(self) -> None:
        """Load the models."""
        prepare_reading()

    def parse(self, file: File) -> ParsedDocument:
        """Read a file.

        Raises:
            DocumentError: it cannot be decoded, or the extra `ocr` is not installed.
        """
        prepare_reading()
        media_type, metadata = describe_image(file.content)
        texts = [
            (page_number, read_picture(picture)) for page_number, picture in enumerate(pictures(file.content), start=1)
        ]
        text, starts = "", []
        for page_number, page_text in texts:
            if page_text:
                text += "\n\n" if text else ""
                starts.append((len(text), page_number))
                text += page_text
        return ParsedDocument(
            uri=file.uri,
            title=_title(text, file.uri),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
            places=Places.of(PlaceKind.PAGE, starts) if len(texts) > 1 else None,
            original=Original(content=file.content, media_type=media_type),
        )


def _title(text: str, uri: str) -> str:
    """The heading that the image begins with, or the name of its file."""
    heading = _HEADING.match(text)
    if heading and len(heading[1]) <= _TITLE_LENGTH:
        return heading[1]
    return PurePosixPath(unquote(urlsplit(uri).path) if "://" in uri else uri).stem
